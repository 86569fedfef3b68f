"""How long questions over many runs take: ratios to a bare DuckDB count over the same files.

Makes a store of 10,000 runs with 300 calls each; their times are random, nothing was measured. Then
asks, each in a process of its own: the list of runs, one op's and one call's history. At first
nothing is indexed yet; after that the index is there. The count is DuckDB's `count(*)` over the
`calls.parquet` (for the op: `ops.parquet`) of all runs, with nothing else read. Goal: at most 3
times the count once the index is there, and at most 1 GB of memory.

    python scripts/bench_store.py                      # makes the store in a temporary folder
    python scripts/bench_store.py --runs 1000
    python scripts/bench_store.py --store FOLDER       # uses the store there, or makes and keeps it
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from kernelmap.outputs import parquet  # noqa: E402 -- after the line above
from kernelmap.store import manifest  # noqa: E402 -- after the line above
from kernelmap.store.facts import VERSION as LAYOUT  # noqa: E402 -- after the line above
from kernelmap.store.facts import RunFacts, TableFile  # noqa: E402 -- after the line above
from kernelmap.store.store import Store  # noqa: E402 -- after the line above
from kernelmap.version import VERSION  # noqa: E402 -- after the line above
from kernelmap.views.frames import Cell, frame_of_rows  # noqa: E402 -- after the line above
from kernelmap.views.schema import TABLES, Type  # noqa: E402 -- after the line above
from kernelmap.views.summary import Summary  # noqa: E402 -- after the line above
from kernelmap.views.tables import Tables  # noqa: E402 -- after the line above

Arrow: TypeAlias = Any  # pyarrow has no type stubs
CALLS, OPS, REPEATS = 300, 60, 3
GOAL_RATIO, GOAL_BYTES = 3.0, 1_000_000_000
OP, CALL = "aten.op_7", "0_forward/7"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """`first` and `best` of the repeats in one process, in seconds, and its largest memory.

    `cpu` is the best time of all cores together: on a machine that others use as well, it is the
    steadier one.
    """

    first: float
    best: float
    cpu: float
    bytes: int
    answer: int


def main() -> None:
    """Make the store and print the table."""
    options = _options()
    if options.measure is not None:
        print(json.dumps(_measure(options.measure, Path(options.store))))
        return
    with tempfile.TemporaryDirectory() as temporary:
        store = Path(options.store or temporary)
        if not (store / "runs").is_dir():
            begin = time.perf_counter()
            make(store, options.runs)
            print(f"made {options.runs:,} runs in {time.perf_counter() - begin:.0f} s")
        shutil.rmtree(store / "index", ignore_errors=True)
        _report(store)


def _report(store: Path) -> None:
    counts = {name: _asked(name, store) for name in ("count ops", "count calls")}
    for name, each in counts.items():
        print(f"{name:<34}{each.best:>8.2f} s{each.cpu:>8.2f} s of cores   {each.answer:,} rows")
    print(f"{'question':<34}{'seconds':>10}{'ratio':>8}{'of cores':>10}{'memory':>10}")
    worst = 0.0
    for name, against in (
        ("runs", "count calls"),
        ("history of an op", "count ops"),
        ("history of a call", "count calls"),
    ):
        for state in ("nothing indexed", "indexed"):
            each = _asked(name, store)
            seconds = each.first if state == "nothing indexed" else each.best
            ratio = seconds / counts[against].best
            worst = max(worst, ratio) if state == "indexed" else worst
            label = f"{name}, {state}"
            cores = f"{each.cpu / counts[against].cpu:>9.2f}x" if state == "indexed" else " " * 10
            memory = f"{each.bytes / 1e6:>7.0f} MB"
            print(f"{label:<34}{seconds:>8.2f} s{ratio:>7.2f}x{cores}{memory}", flush=True)
    print(f"largest ratio with an index: {worst:.2f}; goal: {GOAL_RATIO}")


def _asked(name: str, store: Path) -> Measured:
    command = [sys.executable, __file__, "--measure", name, "--store", str(store)]
    told = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 -- this script
    return Measured(**json.loads(told.stdout))


def _measure(name: str, store: Path) -> Mapping[str, float]:
    """Ask one question a few times."""
    question = _QUESTIONS[name]
    seconds, cpu = [], []
    answer = 0
    for _ in range(REPEATS):
        begin, begin_cpu = time.perf_counter(), time.process_time()
        answer = question(store)
        seconds.append(time.perf_counter() - begin)
        cpu.append(time.process_time() - begin_cpu)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "first": seconds[0],
        "best": min(seconds),
        "cpu": min(cpu),
        "bytes": memory,
        "answer": answer,
    }


def _count(store: Path, table: str) -> int:
    with duckdb.connect() as connection:
        query = f"SELECT count(*) FROM read_parquet('{store}/runs/*/{table}.parquet')"  # noqa: S608 -- our own words
        row = connection.execute(query).fetchone()
    return 0 if row is None else int(row[0])


_QUESTIONS: Mapping[str, Callable[[Path], int]] = {
    "count calls": lambda store: _count(store, "calls"),
    "count ops": lambda store: _count(store, "ops"),
    "runs": lambda store: len(Store(store).runs()),
    "history of an op": lambda store: len(Store(store).history("ops", {"name": OP})),
    "history of a call": lambda store: len(Store(store).history("calls", {"call": CALL})),
}


def make(store: Path, runs: int) -> None:
    """A store of synthetic runs, written as `record` writes them but without waiting for disks."""
    tables = _tables()
    random = np.random.default_rng(0)
    plain = {name: _file(name, _stored(tables, name)) for name in tables.frames}
    varied = {name: _stored(tables, name) for name in ("calls", "ops")}
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(runs):
        at = start + timedelta(minutes=10 * number)
        run_id = f"{at.strftime('%Y%m%d-%H%M%S-%f')}-{number:08x}"
        files = {**plain, **{name: _file(name, _shaken(t, random)) for name, t in varied.items()}}
        facts = RunFacts(
            id=run_id,
            version=LAYOUT,
            created=at.isoformat(timespec="microseconds"),
            kernelmap=VERSION,
            window=replace(tables.summary, total_ns=int(random.integers(10**8, 2 * 10**8))),
            tables=tuple(file for file, _ in files.values()),
            branch="main" if number % 2 else "feature",
            commit=hashlib.sha256(run_id.encode()).hexdigest()[:40],
            tags={"simulated": "yes"},
        )
        folder = store / "runs" / run_id
        folder.mkdir(parents=True)
        for name, (_, content) in files.items():
            (folder / f"{name}.parquet").write_bytes(content)
        (folder / manifest.NAME).write_bytes(manifest.write(facts))


def _tables() -> Tables:
    """Tables of one made-up run."""
    return Tables(
        summary=Summary(
            side="gpu",
            total_ns=10**8,
            busy_ns=10**8,
            launches=CALLS * 20,
            invocations=20,
            calls=CALLS,
            calls_seen=CALLS,
            coverage={"exact": 1.0},
            steps=(0, 19),
            devices=("Simulated GPU",),
            sources=("profile.json.gz",),
            version=VERSION,
        ),
        frames={
            name: frame_of_rows(table, list(_rows(name)))
            for name, table in TABLES.items()
            if name != "launches"
        },
    )


def _rows(name: str) -> Iterator[dict[str, Cell]]:
    """Rows with a text in each column of texts, so that files have the size of real ones."""
    for number in range(
        {"calls": CALLS, "ops": OPS, "kernels": CALLS, "nodes": CALLS}.get(name, 8)
    ):
        row: dict[str, Cell] = {}
        for column in TABLES[name].columns:
            if column.type is Type.TEXT:
                row[column.name] = f"{column.name}_{number}"
            elif column.type is Type.TEXTS:
                row[column.name] = ["aten.add", "aten.mul"]
            else:
                row[column.name] = number if column.type is Type.INT else number / CALLS
        if name == "calls":
            row |= {"call": f"0_forward/{number}", "code": "/home/user/output_code.py"}
        if name == "ops":
            row["name"] = f"aten.op_{number}"
        yield row


def _stored(tables: Tables, name: str) -> Arrow:
    buffer = io.BytesIO()
    parquet.write(tables, buffer, table=name)
    return pq.read_table(io.BytesIO(buffer.getvalue()))


def _shaken(table: Arrow, random: np.random.Generator) -> Arrow:
    """The table with other times."""
    for name in ("time_ns", "mean_ns", "p50_ns", "exclusive_ns"):
        if name in table.column_names:
            position = table.column_names.index(name)
            values = pa.array(random.integers(10**3, 10**7, len(table)))
            table = table.set_column(position, table.schema.field(position), values)
    return table


def _file(name: str, table: Arrow) -> tuple[TableFile, bytes]:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    content = buffer.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    return TableFile(name=name, rows=len(table), bytes=len(content), sha256=digest), content


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--store", help="a folder that is kept")
    parser.add_argument("--measure", choices=tuple(_QUESTIONS), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
