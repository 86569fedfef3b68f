"""How long questions over many runs take: ratios to a bare DuckDB count over the same files.

Makes a store of 10,000 runs with 300 calls in 20 invocations each; their times are random, nothing
was measured. Then asks, each in a process of its own: the list of runs, one op's and one call's
history, a call followed by its name, a diff of two runs. At first nothing is indexed, as in a store
that was copied without its index; after that the index is there, as recorders keep it. The count is
DuckDB's `count(*)` over the `calls.parquet` (for the op: `ops.parquet`) of all runs, with nothing
else read; both run by turns. Goal: at most 3 times the count once the index is there, and at most
1 GB.

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
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import usage

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from kernelmap.history.compare.numbers.comparison import compare_sides  # noqa: E402 -- after the line above
from kernelmap.history.compare.sides.side import side_of_result  # noqa: E402 -- after the line above
from kernelmap.history.store.facts import RUN_TOML, RunFacts, TableFile, write_facts  # noqa: E402 -- after the line above
from kernelmap.history.store.facts import VERSION as LAYOUT  # noqa: E402 -- after the line above
from kernelmap.history.store.store import Store  # noqa: E402 -- after the line above
from kernelmap.tables import parquet  # noqa: E402 -- after the line above
from kernelmap.tables.build import Tables  # noqa: E402 -- after the line above
from kernelmap.tables.frames import frame_of_rows  # noqa: E402 -- after the line above
from kernelmap.tables.rows import Cell  # noqa: E402 -- after the line above
from kernelmap.tables.schema import LONG, TABLES  # noqa: E402 -- after the line above
from kernelmap.tables.summary import Summary  # noqa: E402 -- after the line above
from kernelmap.tables.table import Type  # noqa: E402 -- after the line above
from kernelmap.version import VERSION  # noqa: E402 -- after the line above

Arrow: TypeAlias = Any  # pyarrow has no type stubs
Ints: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
CALLS, INVOCATIONS, OPS, REPEATS, TURNS = 300, 20, 60, 2, 3
TOTAL_NS = 10**10
GOAL_RATIO = 3.0
GRAPH = "0_forward"
OP, CALL = "aten.op_7", f"{GRAPH}/7"


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
    print(f"{'question':<36}{'s':>8}{'count s':>9}{'ratio':>8}{'of cores':>10}{'MB':>6}")
    worst = 0.0
    for name, against in _AGAINST.items():
        if name.startswith("history") or name == "runs":
            first = _asked(name, store)
            count = _asked(against, store)
            _line(f"{name}, nothing indexed", first.first, count.best, None, first.bytes)
        turns = [(_asked(against, store), _asked(name, store)) for _ in range(TURNS)]
        count_s, best_s = (
            min(measured.best for measured in side) for side in zip(*turns, strict=True)
        )
        count_cpu, cpu = (
            min(measured.cpu for measured in side) for side in zip(*turns, strict=True)
        )
        memory = max(measured.bytes for _, measured in turns)
        _line(f"{name}, indexed", best_s, count_s, cpu / count_cpu, memory)
        worst = max(worst, best_s / count_s)
    print(f"largest ratio with an index: {worst:.2f}; goal: {GOAL_RATIO:.0f}")


def _line(label: str, seconds: float, count: float, cores: float | None, memory: int) -> None:
    of_cores = "" if cores is None else f"{cores:.2f}x"
    head = f"{label:<36}{seconds:>8.2f}{count:>9.2f}{seconds / count:>7.2f}x{of_cores:>10}"
    print(f"{head}{memory / 1e6:>6.0f}", flush=True)


def _asked(name: str, store: Path) -> Measured:
    command = [sys.executable, __file__, "--measure", name, "--store", str(store)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 -- this script
    return Measured(**json.loads(done.stdout))


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


def _diff(store: Path) -> int:
    opened = [Store(store).open(ref) for ref in ("main~9", "main")]
    return len(compare_sides(*(side_of_result(run.tables, run.id) for run in opened)).changes)


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
    "follow a call": lambda store: len(Store(store).follow(CALL)),
    "diff of two runs": _diff,
}


_AGAINST = {
    "runs": "count calls",
    "history of an op": "count ops",
    "history of a call": "count calls",
    "follow a call": "count calls",
    "diff of two runs": "count calls",
}
"""The count that each question is held against."""


def make(store: Path, runs: int) -> None:
    """A store of synthetic runs, written as `record` writes them but without waiting for disks."""
    tables = _tables()
    random = np.random.default_rng(0)
    plain = {name: _file(name, _stored(tables, name)) for name in tables.held}
    varied = {name: _stored(tables, name) for name in ("calls", "ops", "invocations")}
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(runs):
        at = start + timedelta(minutes=10 * number)
        run_id = f"{at.strftime('%Y%m%d-%H%M%S-%f')}-{number:08x}"
        samples = _shared(random, CALLS * INVOCATIONS).reshape(CALLS, INVOCATIONS)
        times = {
            "calls": samples.sum(axis=1),
            "ops": _shared(random, OPS),
            "invocations": samples.ravel(),
        }
        files = plain | {
            name: _file(name, _timed(table, times[name])) for name, table in varied.items()
        }
        facts = RunFacts(
            id=run_id,
            version=LAYOUT,
            created=at.isoformat(timespec="microseconds"),
            kernelmap=VERSION,
            window=tables.summary,
            tables=tuple(file for file, _ in files.values()),
            branch="main" if number % 2 else "feature",
            commit=hashlib.sha256(run_id.encode()).hexdigest()[:40],
            tags={"simulated": "yes"},
        )
        folder = store / "runs" / run_id
        folder.mkdir(parents=True)
        for name, (_, content) in files.items():
            (folder / f"{name}.parquet").write_bytes(content)
        (folder / RUN_TOML).write_bytes(write_facts(facts))


def _shared(random: np.random.Generator, rows: int) -> Ints:
    """The window's time, in random parts that add up to it."""
    weights = random.uniform(0.1, 1.0, rows)
    return random.multinomial(TOTAL_NS, weights / weights.sum())


def _tables() -> Tables:
    """Tables of one made-up run."""
    return Tables(
        summary=Summary(
            side="gpu",
            total_ns=TOTAL_NS,
            busy_ns=TOTAL_NS,
            launches=CALLS * INVOCATIONS,
            invocations=INVOCATIONS,
            calls=CALLS,
            calls_seen=CALLS,
            coverage={"exact": 1.0},
            steps=None,
            devices=("Simulated GPU",),
            sources=("profile.json.gz",),
            version=VERSION,
        ),
        frames={
            name: frame_of_rows(table, list(_rows(name)))
            for name, table in TABLES.items()
            if name not in LONG
        },
        make_invocations=lambda: frame_of_rows(TABLES["invocations"], list(_invocations())),
    )


def _invocations() -> Iterator[dict[str, Cell]]:
    empty: dict[str, Cell] = dict.fromkeys(TABLES["invocations"].by_name)
    for call in range(CALLS):
        for number in range(INVOCATIONS):
            yield empty | {
                "graph": GRAPH,
                "call": f"{GRAPH}/{call}",
                "wrapper": f"wrapper_{call}",
                "pid": "1",
                "invocation": number,
                "launches": 1,
                "time_ns": 0,
            }


def _rows(name: str) -> Iterator[dict[str, Cell]]:
    """Rows with a text in each column of texts, so that files have the size of real ones."""
    sizes = {"calls": CALLS, "ops": OPS, "kernels": CALLS, "nodes": CALLS, "graphs": 1}
    for number in range(sizes.get(name, 8)):
        row: dict[str, Cell] = {}
        for column in TABLES[name].columns:
            if column.type is Type.TEXT:
                row[column.name] = f"{column.name}_{number}"
            elif column.type is Type.TEXTS:
                row[column.name] = ["aten.add", "aten.mul"]
            else:
                row[column.name] = number if column.type is Type.INT else number / CALLS
        times = {"time_ns": 0 if number else TOTAL_NS, "backward_ns": 0}
        special: dict[str, dict[str, Cell]] = {
            "calls": {"call": f"{GRAPH}/{number}", "graph": GRAPH, "launches": INVOCATIONS},
            "graphs": {"graph": GRAPH, "invocations": INVOCATIONS},
            "ops": {"name": f"aten.op_{number}"},
            "ledger": {"side": "gpu"},
            "wall": {"step_ns": times["time_ns"]},
        }
        row |= {column: value for column, value in times.items() if column in row}
        row |= special.get(name, {})
        yield row


def _stored(tables: Tables, name: str) -> Arrow:
    buffer = io.BytesIO()
    parquet.write_parquet(tables, buffer, table=name)
    return pq.read_table(io.BytesIO(buffer.getvalue()))


def _timed(table: Arrow, times: Ints) -> Arrow:
    """The table with these times."""
    position = table.column_names.index("time_ns")
    return table.set_column(position, table.schema.field(position), pa.array(times))


def _file(name: str, table: Arrow) -> tuple[TableFile, bytes]:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    content = buffer.getvalue()
    digest = hashlib.sha256(content).hexdigest()
    return TableFile(name=name, rows=len(table), bytes=len(content), sha256=digest), content


def _options() -> argparse.Namespace:
    parser = usage.parser(__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--store", help="a folder that is kept")
    parser.add_argument("--measure", choices=tuple(_QUESTIONS), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
