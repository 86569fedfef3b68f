"""Measure how long a large Nsight Systems export takes to read, join and nest.

Writes an export of a million kernels, 0.8 api rows and 0.24 NVTX ranges per kernel, a fifth of the
kernels replayed from CUDA graphs, and reads it by turns with pandas, which reads the table of
kernels alone, and, where nsys is on PATH, with its projection of ranges on the same file. Ours and
pandas' times are taken inside the children, after their imports; MB is the most memory that each
held. On a busy machine the processor's seconds say more than the wall's.

    python scripts/bench_nsys.py                      # about four minutes, two without nsys
    python scripts/bench_nsys.py --kernels 10000
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from worlds.nsys_schema import KERNEL, NVTX, RUNTIME, create, tables  # noqa: E402 -- after the line above

_PROCESS = 1 << 48 | 4242 << 24
_NAMES = 1400
_NODES = 800  # of one CUDA graph
_DEPTH = 4  # ranges around each other
_EVERY_NS = 5_000  # from kernel to kernel

_TIMED = """
import sys, time
sys.path.insert(0, {project!r})
{imports}
start, worked = time.perf_counter(), time.process_time()
{body}
seconds, worked = time.perf_counter() - start, time.process_time() - worked
with open("/proc/self/status") as status:
    peak = next(line for line in status if line.startswith("VmHWM")).split()[1]
print(seconds, worked, int(peak) * 1024 / 1e6)
"""
OURS = (
    "from pathlib import Path\nfrom kernelmap.traces import load_trace, nsys",
    "load_trace(Path(sys.argv[1]))",
)
_COLUMNS = (
    "start, end, deviceId, streamId, correlationId, globalPid, graphNodeId, demangledName,"
    " shortName, mangledName, gridX, gridY, gridZ, blockX, blockY, blockZ"
)
PANDAS = (
    "import sqlite3\nimport pandas",
    f"pandas.read_sql('SELECT {_COLUMNS} FROM {KERNEL}', sqlite3.connect(sys.argv[1]))",  # noqa: S608 -- ours
)


@dataclass(frozen=True, slots=True)
class Run:
    """Wall and processor seconds, and the most memory held in MB."""

    seconds: float
    worked: float
    peak: float | None


def main() -> None:
    """Run the command line."""
    parser = usage.parser(__doc__)
    parser.add_argument("--kernels", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for line in report(Path(name), chosen.kernels, chosen.runs):
            print(line, flush=True)


def report(folder: Path, kernels: int, runs: int) -> Iterator[str]:
    """The table's lines, as they are measured; `folder` holds the export."""
    path = folder / "bench.sqlite"
    write_export(path, kernels)
    nsys = shutil.which("nsys")
    turns = [
        (timed(OURS, path), timed(PANDAS, path), *([projected(nsys, path)] if nsys else []))
        for _ in range(runs)
    ]
    rows = [_medians(of_one) for of_one in zip(*turns, strict=True)]
    yield f"{kernels} kernels, {path.stat().st_size / 1e6:.0f} MB"
    yield ""
    yield "| what | s | times pandas | CPU s | times pandas | peak MB |"
    yield "|---|---:|---:|---:|---:|---:|"
    whats = (
        "kernelmap: reading, joining, nesting",
        "pandas.read_sql: the table of kernels",
        "nsys stats: nvtx_gpu_proj_trace",
    )
    for what, run in zip(whats, rows, strict=False):
        wall = f"{run.seconds:.2f} | {run.seconds / rows[1].seconds:.2f}"
        worked = f"{run.worked:.2f} | {run.worked / rows[1].worked:.2f}"
        peak = "" if run.peak is None else f"{run.peak:.0f}"
        yield f"| {what} | {wall} | {worked} | {peak} |"


def _medians(runs: Sequence[Run]) -> Run:
    peaks = [run.peak for run in runs if run.peak is not None]
    return Run(
        median(run.seconds for run in runs),
        median(run.worked for run in runs),
        median(peaks) if peaks else None,
    )


def timed(code: tuple[str, str], path: Path) -> Run:
    """Imports and body in a child; leaves with its messages when it fails."""
    imports, body = code
    program = _TIMED.format(project=str(PROJECT), imports=imports, body=body)
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- ours
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return Run(*map(float, done.stdout.split()))


def projected(nsys: str, path: Path) -> Run:
    """Nsys' own projection of ranges, on a copy: it may write into its input."""
    copy = shutil.copy(path, path.with_name("copy.sqlite"))
    command = [nsys, "stats", "--report", "nvtx_gpu_proj_trace", "--format", "csv"]
    start, before = time.perf_counter(), os.times()
    subprocess.run([*command, "--output", "-", copy], check=True, capture_output=True)  # noqa: S603 -- nsys
    after = os.times()
    worked = (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )
    return Run(time.perf_counter() - start, worked, None)


def write_export(path: Path, kernels: int) -> None:
    """An export of schema 3.11.1 with `kernels` kernels."""
    direct = kernels * 4 // 5
    rows: dict[str, Iterable[Mapping[str, int | str]]] = {
        KERNEL: (_kernel(at, direct) for at in range(kernels)),
        RUNTIME: (_api(at) for at in range(direct + (kernels - direct) // _NODES + 1)),
        NVTX: (_range(at, kernels * 24 // 100 // _DEPTH) for at in range(kernels * 24 // 100)),
        "StringIds": ({"id": at, "value": f"kernel_{at}"} for at in range(_NAMES)),
        "META_DATA_EXPORT": [{"name": "EXPORT_SCHEMA_VERSION", "value": "3.11.1"}],
    }
    columns = tables("3.11.1")
    with closing(sqlite3.connect(path)) as connection, connection:
        for table, records in rows.items():
            connection.execute(create(table, columns[table]))
            places = ", ".join(f":{name}" for name in columns[table])
            empty = dict.fromkeys(columns[table])
            connection.executemany(
                f"INSERT INTO {table} VALUES ({places})",  # noqa: S608 -- our own tables
                ({**empty, **record} for record in records),
            )


def _kernel(at: int, direct: int) -> Mapping[str, int | str]:
    """Kernel `at`; those after `direct` are replayed, a graph's nodes at a time."""
    name, start = at * 7 % _NAMES, at * _EVERY_NS
    place = {"deviceId": 0, "contextId": 1, "streamId": 7 + at % 3, "globalPid": _PROCESS}
    names = {"demangledName": name, "shortName": name, "mangledName": name}
    shape = dict.fromkeys(("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"), 128)
    replayed = at - direct
    graph = (
        {"correlationId": at}
        if replayed < 0
        else {
            "correlationId": direct + replayed // _NODES,
            "graphNodeId": 5 << 32 | replayed % _NODES,
        }
    )
    return {"start": start, "end": start + 3_000, "gridId": at} | place | names | shape | graph


def _api(at: int) -> Mapping[str, int | str]:
    """The call with correlation id `at`, on one of two threads."""
    start = at * _EVERY_NS - 2_500
    thread = {"globalTid": _PROCESS | 1 + at % 2, "eventClass": at % 2, "returnValue": 0}
    return {"start": start, "end": start + 1_000, "correlationId": at, "nameId": at % 5} | thread


def _range(at: int, outermost: int) -> Mapping[str, int | str]:
    """Range `at` of `outermost` stacks; each text is written once."""
    stack, depth = divmod(at, _DEPTH)
    length = 80 * _EVERY_NS // 6
    start = stack * length - 3_000 + depth * 100
    text = f"aten::op{depth * 7 + stack % 40}, seq = {stack}, op_id = {at}"
    return {
        "start": start,
        "end": start + length - 200 * depth - 1_000 * (outermost > 1),
        "eventType": 59,
        "text": text,
        "globalTid": _PROCESS | 1 + stack % 2,
        "domainId": 0,
    }


if __name__ == "__main__":
    main()
