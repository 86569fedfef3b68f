"""Measure time and memory of `kernelmap correlate` and `annotate` beside json.load and json.dumps.

Tiles a sample's profile to Kineto JSON of several sizes, ids and times shifted so that the tiles
follow one another, and runs ours and Python's on each, by turns, every run in a process of its own.
Prints Markdown: medians of the runs, MB = 10^6 bytes of JSON. Nothing is measured in this process.

    python scripts/bench.py                      # 50, 100, 200, 400 MB; some minutes
    python scripts/bench.py --sizes 5 --runs 1
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from worlds.trace import GPU, KINETO_END, Event, kineto_event, kineto_opening  # noqa: E402 -- after the line above

SAMPLES = ("cpu_block", "sim_mlp_train")
"""A recording, as sparse as real profiles are; and a simulated GPU trace, dense with launches."""
_HEAD = (
    "| JSON MB | kernelmap s | MB/s | peak MB | {other} s | MB/s | peak MB | times faster |",
    "|---:|---:|---:|---:|---:|---:|---:|---:|",
)
SIMULATED = "tiled by kernelmap scripts/bench.py"
MEGABYTE = 1_000_000

Command = tuple[str | Path, ...]
"""Python code for a child, and its arguments."""

_MEASURED = """
import atexit, sys
sys.path.insert(0, {project!r})
def peak(path=sys.argv.pop(1)):
    with open("/proc/self/status") as status, open(path, "w") as out:
        out.write(next(line for line in status if line.startswith("VmHWM")))
atexit.register(peak)
{body}
"""
KERNELMAP = "from kernelmap.cli import main\nsys.exit(main())"
JSON_LOAD = "import json\nwith open(sys.argv[1]) as file:\n    trace = json.load(file)"
JSON_REWRITE = (
    JSON_LOAD + "\nwith open(sys.argv[2], 'w') as file:\n    file.write(json.dumps(trace))"
)


@dataclass(frozen=True, slots=True)
class Run:
    """One child process: wall seconds, and the most memory it held in MB."""

    seconds: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Tile:
    """A trace as one text with places for numbers: tile k is `template % (base + k * step)`."""

    template: str
    base: np.ndarray[tuple[int], np.dtype[np.float64]]
    step: np.ndarray[tuple[int], np.dtype[np.float64]]

    def text(self, number: int) -> str:
        """The events of one tile."""
        return self.template % tuple((self.base + number * self.step).tolist())


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 100, 200, 400], help="MB")
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for line in report(Path(name), chosen.sizes, chosen.runs):
            print(line, flush=True)


def report(folder: Path, sizes: Sequence[int], runs: int) -> Iterator[str]:
    """The tables' lines, as they are measured; `folder` holds one tiled trace at a time."""
    path, out = folder / "tiled.json", folder / "out.json"
    json_load: Command = (JSON_LOAD, path)
    json_rewrite: Command = (JSON_REWRITE, path, out)
    for name in SAMPLES:
        sample = PROJECT / "sample_traces" / name
        tile = tile_of(sample / "profile.json.gz")
        correlate: Command = (KERNELMAP, "correlate", sample, path, "--format", "json")
        annotate: Command = (KERNELMAP, "annotate", sample, path, "-o", out)
        annotated: list[str] = []
        yield from ("", f"**{name}**, tiled, correlate", "", *_head("json.load"))
        for size in sizes:
            megabytes = write_tiled(tile, path, size) / MEGABYTE
            yield _row(megabytes, *_by_turns(runs, correlate, json_load))
            annotated.append(_row(megabytes, *_by_turns(runs, annotate, json_rewrite)))
        yield from ("", f"**{name}**, tiled, annotate", "", *_head("load + dumps"), *annotated)
    helped = (KERNELMAP, "--help")
    start, nothing = _by_turns(2 * runs + 1, helped, ("pass",))
    slower = 1000 * (start.seconds - nothing.seconds)
    yield from ("", f"`kernelmap --help`: {slower:.0f} ms more than `python -c pass`")


def tile_of(profile: Path) -> Tile:
    """Read a gzipped profile; times, ids and step numbers become places in a template.

    The first step is left out: what it does once, autotuning, would otherwise come back in every
    tile.
    """
    events = _without_first_step(json.loads(gzip.decompress(profile.read_bytes()))["traceEvents"])
    places = _Places(events)
    text = "\n  },\n".join(places.event(event) for event in events)
    return Tile(text, np.array(places.base), np.array(places.step))


def write_tiled(tile: Tile, path: Path, megabytes: int) -> int:
    """Write tiles until the file has at least `megabytes`; gives its size in bytes."""
    with path.open("w", encoding="utf-8") as file:
        file.write(kineto_opening(SIMULATED, shapes=True))
        number = 0
        while number == 0 or file.tell() < megabytes * MEGABYTE:
            file.write(("\n  },\n" if number else "") + tile.text(number))
            number += 1
        file.write(KINETO_END)
    return path.stat().st_size


def _without_first_step(events: list[Event]) -> list[Event]:
    """The events from the second step on: GPU rows by what launched them, others by their time."""
    start = min(_float(it["ts"]) for it in events if it["name"] == "ProfilerStep#1")
    later = [it for it in events if it["ph"] != "M" and _float(it["ts"]) >= start]
    launched = {_correlation(it) for it in later if it.get("cat") not in ("ac2g", *GPU)}
    return [it for it in later if _correlation(it) in launched | {None}]


def _correlation(event: Event) -> object:
    """What ties api row, arrow and GPU row together; None for events that have nothing to tie."""
    args = event.get("args")
    return args.get("correlation") if isinstance(args, dict) else event.get("id")


_FLOAT, _INT = "@float@", "@int@"


class _Places:
    """Turns events into text with places, and collects what stands in them."""

    def __init__(self, events: list[Event]) -> None:
        self.base: list[float] = []
        self.step: list[float] = []
        timed = [(_float(it["ts"]), _float(it.get("dur", 0.0))) for it in events if it["ph"] == "X"]
        arguments = [args for it in events if isinstance(args := it.get("args"), dict)]
        self._steps: dict[str, float] = {
            "ts": max(ts + dur for ts, dur in timed) - min(ts for ts, _ in timed) + 1000.0,
            "id": max(_float(args.get("correlation", 0)) for args in arguments),
            "External id": 1 + max(_float(args.get("External id", 0)) for args in arguments),
            "step": float(
                len({name for it in events if _step_number(name := str(it["name"])) >= 0})
            ),
        }
        self._steps["correlation"] = self._steps["id"]

    def event(self, event: Event) -> str:
        """One event's text, a template for the `%` operator."""
        text = kineto_event({key: self._value(key, value) for key, value in event.items()})
        text = text.replace("%", "%%").replace(f'"{_FLOAT}"', "%.3f").replace(f'"{_INT}"', "%d")
        return text.replace(_INT, "%d")  # inside a name

    def _value(self, key: str, value: object) -> object:
        if key == "args" and isinstance(value, dict):
            return {name: self._value(name, inner) for name, inner in value.items()}
        if key == "name" and _step_number(str(value)) >= 0:
            return "ProfilerStep#" + self._place("step", _step_number(str(value)), _INT)
        if key in self._steps:
            return self._place(key, _float(value), _FLOAT if key == "ts" else _INT)
        return value

    def _place(self, key: str, value: float, form: str) -> str:
        self.base.append(value)
        self.step.append(self._steps[key])
        return form


def _float(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _step_number(name: str) -> int:
    """The number in `ProfilerStep#7`, -1 in other names."""
    head_, _, number = name.partition("#")
    return int(number) if head_ == "ProfilerStep" else -1


def measured(body: str | Path, *arguments: str | Path) -> Run:
    """Run Python code in a child with `arguments`; leaves with its messages when it fails."""
    with tempfile.NamedTemporaryFile("r") as peak:
        program = _MEASURED.format(project=str(PROJECT), body=body)
        command = [sys.executable, "-c", program, peak.name, *map(str, arguments)]
        start = time.perf_counter()
        done = subprocess.run(  # noqa: S603 -- our own code
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
        )
        seconds = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, arguments))}:\n{done.stderr[-2000:]}")
        return Run(seconds, int(peak.read().split()[1]) * 1024 / MEGABYTE)


def _by_turns(runs: int, first: Command, second: Command) -> tuple[Run, Run]:
    """Medians of both, run alternately so that a busy machine hits both alike."""
    pairs = [(measured(*first), measured(*second)) for _ in range(runs)]
    return _median([ours for ours, _ in pairs]), _median([theirs for _, theirs in pairs])


def _median(runs: Sequence[Run]) -> Run:
    return Run(median(run.seconds for run in runs), median(run.peak_mb for run in runs))


def _head(other: str) -> list[str]:
    return [line.format(other=other) for line in _HEAD]


def _row(megabytes: float, ours: Run, theirs: Run) -> str:
    cells = [f"{megabytes:.0f}"]
    for run in (ours, theirs):
        speed = megabytes / run.seconds
        cells += [f"{run.seconds:.2f}", f"{speed:.0f}", f"{run.peak_mb:.0f}"]
    return f"| {' | '.join([*cells, f'{theirs.seconds / ours.seconds:.1f}'])} |"


if __name__ == "__main__":
    main()
