"""Numbers that do not fit: whatever stands where a number should, sums are right."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from examples import crossed, examples
from hostile import answer
from kernelmap.traces.columns import LATEST_NS, LONGEST_NS, addable, are_times
from traces.kineto_text import Event, pair, text, write
from traces.small_nsys import (
    Cell,
    Record,
    api,
    gid,
    kernel,
    node,
    push_pop,
    strings,
    write_export,
)

WIDE = st.integers(min_value=-(2**63), max_value=2**63 - 1)

JSON_VALUES = {
    "beyond 64 bits": str(2**70),
    "the largest": str(2**63 - 1),
    "the least": str(-(2**63)),
    "unsigned": str(2**64 - 1),
    "63 years": str(2 * 10**15),
    "negative": "-5",
    "not a number": "NaN",
    "infinite": "-Infinity",
    "beyond floats": "1e999",
    "a large float": "9.3e18",
    "5000 digits": "9" * 5000,
    "text": '"abc"',
    "digits in quotes": '"' + "9" * 50 + '"',
    "a list": f"[{2**62}, {2**62}, {2**62}]",
    "an object": '{"a": 1}',
    "true": "true",
    "null": "null",
}
FIELDS = ("ts", "dur", "pid", "tid", "args", "correlation", "device", "stream", "grid", "graph id")


def with_value(event: Event, field: str, mark: str) -> Event:
    """The event with `mark` in one of its fields, or in one of its arguments."""
    if field in ("ts", "dur", "pid", "tid", "args"):
        return {**event, field: mark}
    args = event["args"]
    assert isinstance(args, dict)
    return {**event, "args": {**args, field: mark}}


@pytest.mark.parametrize(("field", "value"), crossed(FIELDS, JSON_VALUES, dear=True))
def test_one_damaged_number_costs_one_event_at_most(field: str, value: str, tmp_path: Path) -> None:
    """An operator, a call and a kernel with any value anywhere: the other kernels count."""
    events = [*pair(1), *pair(2), *pair(3)]
    for damaged in (0, 4, 8):
        events[damaged] = with_value(events[damaged], field, "MARK")
    content = text(events).replace('"MARK"', JSON_VALUES[value])
    path = write(tmp_path / "t.json", content)
    result = answer(path, reads=path)

    assert result is not None
    total, launches = result["summary"]["total_ns"], result["summary"]["launches"]
    assert launches in (2, 3)
    assert launches == 3 or result["notices"]
    assert 14_000 <= total <= 14_000 + LONGEST_NS


@pytest.mark.parametrize("field", ["ts", "dur"])
@pytest.mark.parametrize("microseconds", [2 * 10**15, LONGEST_NS // 1000, 2**62 // 1000])
def test_sums_of_giant_durations_do_not_wrap(field: str, microseconds: int, tmp_path: Path) -> None:
    """However many kernels last for years, the total is what the counted ones add up to."""
    events = [event for number in range(1, 1200) for event in pair(number)]
    for event in events:
        if event["cat"] == "kernel":
            event[field] = microseconds
    path = write(tmp_path / "t.json", text(events))
    result = answer(path, "--launches", reads=path)
    if result is None:
        return

    assert result["summary"]["total_ns"] == sum(row["dur_ns"] for row in result["launches"])
    if len(result["launches"]) < 1199:
        assert any(notice["gap"] for notice in result["notices"])


@given(st.lists(st.tuples(WIDE, WIDE), min_size=1))
def test_a_difference_that_wrapped_is_no_duration(spans: list[tuple[int, int]]) -> None:
    """Rows pass exactly if their true start and length are within the bounds."""
    start, end = (np.array(column, dtype=np.int64) for column in zip(*spans, strict=True))
    true = [abs(first) <= LATEST_NS and 0 <= last - first <= LONGEST_NS for first, last in spans]

    assert are_times(start, end - start).tolist() == true


@given(st.lists(st.integers(min_value=0, max_value=2**53), max_size=2000), st.integers(0, 2**61))
def test_what_is_kept_adds_up_without_wrapping(durations: list[int], most: int) -> None:
    """The kept durations add up to no more than was allowed, and the next one would not fit."""
    kept = addable(np.array(durations, dtype=np.int64), most)
    inside = [length for length, is_kept in zip(durations, kept.tolist(), strict=True) if is_kept]
    left = [length for length, is_kept in zip(durations, kept.tolist(), strict=True) if not is_kept]
    rounding = 2**12 * (len(durations) + 1)

    assert sum(inside) <= most + rounding
    assert not left or sum(inside) + min(left) > most - rounding


EXPORT: Mapping[str, list[Record]] = {
    "CUPTI_ACTIVITY_KIND_KERNEL": [
        {**kernel(10, 20, correlationId=number), "graphNodeId": node_, "gridX": 1, "blockX": 32}
        for number, node_ in ((1, None), (2, 5 << 32 | 1))
    ],
    "CUPTI_ACTIVITY_KIND_MEMCPY": [
        {
            "start": 50,
            "end": 60,
            "deviceId": 0,
            "streamId": 7,
            "correlationId": 3,
            "globalPid": gid(7),
            "copyKind": 1,
            "srcKind": 0,
            "dstKind": 2,
        }
    ],
    "CUPTI_ACTIVITY_KIND_RUNTIME": [api(1, 3), api(4, 5, correlationId=2)],
    "NVTX_EVENTS": [
        push_pop(0, 100, "## Call CompiledFxGraph fabc ##"),
        push_pop(0, None, "aten::mm, seq = 3"),
        push_pop(2, 4, None, textId=1),
    ],
    "CUDA_GRAPH_NODE_EVENTS": [node(1, 5 << 32 | 1)],
    "StringIds": strings("sgemm", "cudaLaunchKernel_v7000"),
    "TARGET_INFO_GPU": [{"id": 0, "name": "H100", "cuDevice": 0}],
    "TARGET_INFO_CUDA_DEVICE": [{"gpuId": 0, "cudaId": 0, "pid": 7}],
    "TARGET_INFO_SESSION_START_TIME": [{"utcEpochNs": 1_700_000_000_000_000_000, "utcTime": None}],
    "ANALYSIS_DETAILS": [{"duration": 200, "startTime": None}],
    "META_DATA_EXPORT": [{"name": "EXPORT_SCHEMA_VERSION", "value": "3.1"}],
}
CELLS: Mapping[str, Cell] = {
    "NULL": None,
    "text": "abc",
    "blob": b"\xff\x00\x01",
    "blob of digits": b"1,2",
    "beyond 64 bits": 2.0**70,
    "the largest": 2**63 - 1,
    "the least": -(2**63),
    "63 years": 2 * 10**18,
    "negative": -7,
    "fraction": 1.5,
    "5000 digits": "9" * 5000,
}
COLUMNS = [(table, column) for table, rows in EXPORT.items() for column in rows[0]]


def export(table: str, column: str, value: Cell, path: Path, *, everywhere: bool) -> Path:
    """An export with the value in one row of a column, or in all of them."""
    rows = EXPORT[table]
    damaged = [
        {**row, column: value} if everywhere or not at else row for at, row in enumerate(rows)
    ]
    return write_export(path, {**EXPORT, table: damaged})


@pytest.mark.parametrize("table", EXPORT)
def test_any_value_in_any_column_of_an_export_is_read_or_refused(
    table: str, tmp_path: Path
) -> None:
    """Columns of SQLite hold values of any type: the ledger adds up, or the error says what not."""
    for (number, column), value in crossed(enumerate(EXPORT[table][0]), CELLS, dear=True):
        path = tmp_path / f"{column} {value}.sqlite"
        everywhere = (number + len(value)) % 2 == 0
        export(table, column, CELLS[value], path, everywhere=everywhere)
        answer(path, reads=path)


@pytest.mark.sampled
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_any_column_of_an_export_may_be_missing(table: str, column: str, tmp_path: Path) -> None:
    """Other releases of nsys lay tables out in another way."""
    rows = [{name: cell for name, cell in row.items() if name != column} for row in EXPORT[table]]
    path = write_export(tmp_path / "x.sqlite", {**EXPORT, table: rows})
    answer(path, reads=path)


ARROW = {
    "unsigned": pa.array([2**64 - 1], pa.uint64()),
    "decimal": pa.array([2**70], pa.decimal128(38)),
    "float": pa.array([1e30]),
    "text": pa.array(["abc"]),
    "bytes": pa.array([b"\xff"]),
    "list": pa.array([[1]]),
    "boolean": pa.array([True]),
    "nothing": pa.nulls(1),
    "the least": pa.array([-(2**63)]),
    "time": pa.array([5], pa.timestamp("ns")),
    "dictionary": pa.array(["a"]).dictionary_encode(),
}


@settings(
    max_examples=examples(80, dear=True),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(place=st.sampled_from(COLUMNS), kind=st.sampled_from(sorted(ARROW)))
def test_any_type_in_any_column_of_a_parquet_folder_is_read_or_refused(
    place: tuple[str, str], kind: str, tmp_path: Path
) -> None:
    """Parquet has more types than SQLite, and numbers of its own."""
    for name, rows in EXPORT.items():
        columns: dict[str, object] = {column: [rows[0][column]] for column in rows[0]}
        if name == place[0]:
            columns[place[1]] = ARROW[kind]
        parquet.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    answer(tmp_path, reads=tmp_path)


STATS = """\
Time (%),Total Time (ns),Instances,Avg (ns),Name
85.6,1519081,600,2531.8,triton__0d1c
14.4,{time},{number},2559.7,other
"""
STATED = ("1e999999999", "9" * 5000, str(2**70), "-5", "NaN", "inf", "abc", "", "1e30", "0.5")


@pytest.mark.parametrize(
    ("time", "number"), crossed([*STATED, "255971"], [*STATED, "100"], dear=True)
)
def test_any_number_in_a_stats_table_is_read_or_refused(
    time: str, number: str, tmp_path: Path
) -> None:
    """Text holds numbers of any length: a row is counted, left out, or the table is refused."""
    path = write(tmp_path / "stats.csv", STATS.format(time=time, number=number))
    result = answer(path, reads=path)

    assert result is None or result["summary"]["launches"] >= 600


def test_a_row_that_lasts_too_long_is_said(tmp_path: Path) -> None:
    """A row of a stats table that cannot be is left out, the others count, and a notice says so."""
    path = write(tmp_path / "stats.csv", STATS.format(time=str(2**61), number="100"))
    result = answer(path, reads=path)

    assert result is not None
    assert result["summary"]["total_ns"] == 1519081
    assert "events-without-duration" in {notice["slug"] for notice in result["notices"]}


def test_sqlite_holds_what_the_tests_mean(tmp_path: Path) -> None:
    """A value beyond 64 bits really lies in the file as one."""
    table, column = COLUMNS[0]
    path = tmp_path / "x.sqlite"
    export(table, column, CELLS["beyond 64 bits"], path, everywhere=False)
    with closing(sqlite3.connect(path)) as connection:
        (value,) = connection.execute(f"SELECT max({column}) FROM {table}").fetchone()  # noqa: S608 -- our own

    assert value == 2**70
