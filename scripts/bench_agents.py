"""Measure what an agent waits for: the first question on a large profile, and each one after it.

Tiles the simulated sample as bench.py does, and asks the functions behind the server's tools in
this process: opening, beside `kernelmap correlate --by line` in a process of its own, then each
question once for the first time and then several times: processor time, so that other work on the
machine does not count. Beside that the sizes of the answers on a real recording, and what
`correlate --format json` prints of it. Prints Markdown.

    python scripts/bench_agents.py                 # 1 GB; some minutes, and 4 GB of memory
    python scripts/bench_agents.py --size 50
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import bench

from kernelmap.agents.questions import Questions
from kernelmap.agents.said import count_tokens
from kernelmap.correlation import load_later_modules

SAMPLES = bench.PROJECT / "sample_traces"
RUNS = 5
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("top", {"by": "line"}),
    ("top", {"by": "op"}),
    ("top", {"by": "call"}),
    ("top", {"by": "kernel"}),
    ("top", {"by": "line", "sort": "backward_ns"}),
    ("ledger", {}),
    ("explain", {"row": "line#0"}),
    ("explain", {"row": "call#1"}),
    ("source", {"place": "line#0"}),
    ("which", {"name": "aten.mm"}),
    ("doctor", {}),
    ("top", {"by": "wall"}),
    ("top", {"by": "launch", "sort": "dur_ns"}),
)


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1000, help="MB of JSON")
    parser.add_argument("--answers", default="cuda_language_train", help="the real recording")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for line in times(Path(folder), chosen.size):
            print(line, flush=True)
    for line in sizes(chosen.answers):
        print(line)


def times(folder: Path, megabytes: int) -> Iterator[str]:
    """The table of seconds."""
    sample = SAMPLES / "sim_mlp_train"
    size = bench.write_tiled(
        bench.tile_of(sample / "profile.json.gz"), folder / "profile.json", megabytes
    )
    code = [path for path in sample.iterdir() if path.is_dir()]
    inputs = [folder / "profile.json", *code]
    command = [sys.executable, "-m", "kernelmap", "correlate", "--by", "line"]
    subprocess.run(  # noqa: S603 -- our own command
        [*command, *map(str, inputs)], check=True, capture_output=True
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    by_hand = used.ru_utime + used.ru_stime
    load_later_modules()  # as the server does before it serves
    asked = Questions([folder, SAMPLES])
    start = time.process_time()
    asked.open([*map(str, inputs)])
    opening = time.process_time() - start
    yield f"{size / bench.MEGABYTE:,.0f} MB: `correlate --by line` takes {by_hand:.2f} s"
    yield ""
    yield "| question | first, ms | again, ms (median) | tokens |"
    yield "|---|---:|---:|---:|"
    yield f"| open | {opening * 1000:,.0f} | | |"
    for tool, words in ASKED:
        ask = getattr(asked, tool)
        taken = []
        for _ in range(RUNS + 1):
            start = time.process_time()
            text = ask("r1", **words)
            taken.append((time.process_time() - start) * 1000)
        said = " ".join(map(str, words.values()))
        yield (
            f"| {tool} {said} | {taken[0]:,.1f} | {median(taken[1:]):,.1f} | {count_tokens(text)} |"
        )
    yield ""


def sizes(name: str) -> Iterator[str]:
    """The table of bytes on a real recording."""
    command = [sys.executable, "-m", "kernelmap", "correlate", "--format", "json"]
    printed = subprocess.run(  # noqa: S603 -- our own command
        [*command, str(SAMPLES / name)], check=True, capture_output=True
    )
    asked = Questions([SAMPLES])
    yield f"{name}: `correlate --format json` prints {len(printed.stdout):,} bytes"
    yield ""
    yield "| question | bytes |"
    yield "|---|---:|"
    yield f"| open | {len(asked.open([name])):,} |"
    for tool, words in ASKED:
        said = " ".join(map(str, words.values()))
        yield f"| {tool} {said} | {len(getattr(asked, tool)('r1', **words)):,} |"


if __name__ == "__main__":
    main()
