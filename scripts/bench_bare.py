"""Measure how long placing launches without a host side takes, beside reading them.

Writes profiles of bare GPU rows: 20 graphs of 200 calls in random order, every fourth call a matrix
product, eager launches in between, 1 % of the calls lost. Kernels have names of their own, or 40
names for all of them, as old Triton gave them. Reading, and reading with matching, in turn,
every run in a process of its own. Prints Markdown: medians of CPU seconds, above those of a start.

    python scripts/bench_bare.py                     # 100,000 and 1,000,000 launches; some minutes
    python scripts/bench_bare.py --launches 20000 --runs 1
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import usage
from bench import PROJECT, measured, median_run

sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

import tiny  # noqa: E402 -- after the line above
from kernelmap.matching import match_launches  # noqa: E402 -- as above
from kernelmap.model import CompiledProgram  # noqa: E402 -- as above
from kernelmap.traces import load_trace  # noqa: E402 -- as above

GRAPHS, CALLS, NAMES = 20, 200, 40
_LOST, _EAGER = 0.01, 0.3
_KINDS = ("own names", "40 names")
_PRODUCT = "ampere_sgemm_128x64_nn"
_CHILD = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import bench_bare
bench_bare.run(*sys.argv[1:])
"""


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("--launches", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for line in report(Path(name), chosen.launches, chosen.runs):
            print(line, flush=True)


def report(folder: Path, sizes: Sequence[int], runs: int) -> Iterator[str]:
    """The table's lines, as they are measured."""
    yield "| kernels | launches | read s | match s | match/read | peak MB |"
    yield "|---|---:|---:|---:|---:|---:|"
    path = folder / "bare.json"
    for kind in _KINDS:
        for size in sizes:
            write(path, kind, size)
            start, read, both = (
                median_run([measured(_CHILD, path, kind, what) for _ in range(runs)])
                for what in ("start", "read", "match")
            )
            reading, matching = read.cpu_s - start.cpu_s, both.cpu_s - read.cpu_s
            cells = (f"{reading:.1f}", f"{matching:.1f}", f"{matching / reading:.1f}")
            yield f"| {kind} | {size:,} | {' | '.join(cells)} | {both.peak_mb:.0f} |"


def run(path: str, kind: str, what: str) -> None:
    """What one child does: start, read, or read and match."""
    given = program(kind)
    if what != "start":
        trace = load_trace(Path(path))
        if what == "match":
            match_launches(given, trace)


def program(kind: str) -> CompiledProgram:
    """The code: the same for the same kind."""
    rng = Random(1)  # noqa: S311 -- no secret
    graphs = []
    for number in range(GRAPHS):
        symbols = [
            "aten.mm"
            if place % 4 == 3  # noqa: PLR2004 -- every fourth
            else f"k_{rng.randrange(NAMES)}"
            if kind == _KINDS[1]
            else f"triton_poi_fused_{number}_{place}"
            for place in range(CALLS)
        ]
        graphs.append(tiny.graph(f"{number}_forward", *symbols))
    return CompiledProgram(graphs=tuple(graphs))


def write(path: Path, kind: str, launches: int) -> None:
    """Write a profile of about so many launches."""
    rng = Random(2)  # noqa: S311 -- no secret
    graphs = program(kind).graphs
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write('{"schemaVersion":1,"traceEvents":[\n')
        while count < launches:
            for call in rng.choice(graphs).calls:
                names = [_PRODUCT if call.kernel is None else call.kernel]
                names = [] if rng.random() < _LOST else names
                names += ["void at::native::eager_kernel"] if rng.random() < _EAGER else []
                for name in names:
                    count += 1
                    file.write(f"{',' if count > 1 else ''}{_event(name, count)}\n")
        file.write("]}")


def _event(name: str, number: int) -> str:
    return (
        f'{{"ph":"X","cat":"kernel","name":"{name}","pid":0,"tid":7,"ts":{5 * number}.000,'
        f'"dur":2.5,"args":{{"External id":{number},"device":0,"context":1,"stream":7,'
        f'"correlation":{number},"registers per thread":32,"shared memory":0,'
        '"grid":[1,1,1],"block":[128,1,1]}}'
    )


if __name__ == "__main__":
    main()
