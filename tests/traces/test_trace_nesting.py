"""Nesting finds what brute force finds, all rows at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kernelmap.traces.linking import OVERHANG_NS, nest
from trace_rows import ApiRow, RangeRow, raw_trace

TIMES = st.integers(min_value=0, max_value=6).map(lambda step: step * 700)
LENGTHS = st.integers(min_value=0, max_value=6).map(lambda step: step * 700)
INTERVALS = st.tuples(TIMES, LENGTHS, st.integers(1, 2), st.sampled_from(["1", "2"]), st.booleans())


def rows_of(intervals: list[tuple[int, int, int, str, bool]]) -> list[RangeRow | ApiRow]:
    return [
        ApiRow("launch", start, start + length, thread=thread, pid=pid)
        if is_api
        else RangeRow("op", start, start + length, thread=thread, pid=pid)
        for start, length, thread, pid, is_api in intervals
    ]


def order(at: int, row: RangeRow | ApiRow) -> tuple[int, bool, int, int]:
    return (row.start_ns, isinstance(row, ApiRow), -row.end_ns, at)


def brute_force(rows: list[RangeRow | ApiRow], child: int) -> int | None:
    """Position in `rows` of the last range before `child` that encloses it."""
    inner = rows[child]
    around = [
        (order(at, row), at)
        for at, row in enumerate(rows)
        if isinstance(row, RangeRow)
        and (row.thread, row.pid) == (inner.thread, inner.pid)
        and order(at, row) < order(child, inner)
        and row.end_ns > inner.start_ns
        and row.end_ns + OVERHANG_NS >= inner.end_ns
    ]
    return max(around)[1] if around else None


@given(st.lists(INTERVALS, max_size=14))
def test_nesting_equals_brute_force(
    intervals: list[tuple[int, int, int, str, bool]],
) -> None:
    """Every parent is the innermost enclosing range, whatever overlaps whatever."""
    rows = rows_of(intervals)
    raw = raw_trace(rows)
    ranges = [at for at, row in enumerate(rows) if isinstance(row, RangeRow)]
    apis = [at for at, row in enumerate(rows) if isinstance(row, ApiRow)]

    parents, around = nest(raw.ranges, raw.apis)

    parent_of = dict(zip([*ranges, *apis], [*parents.tolist(), *around.tolist()], strict=True))
    expected = {at: brute_force(rows, at) for at in parent_of}
    assert {at: None if row < 0 else ranges[row] for at, row in parent_of.items()} == expected


def test_equal_intervals_nest_in_the_order_of_the_file() -> None:
    """Of two ranges with one interval the earlier event is the outer one."""
    raw = raw_trace([RangeRow("outer", 0, 10), RangeRow("inner", 0, 10), ApiRow("launch", 0, 10)])

    parents, around = nest(raw.ranges, raw.apis)

    assert parents.tolist() == [-1, 0]
    assert around.tolist() == [1]


def test_an_overlapping_range_hides_no_other() -> None:
    """A range that sticks out of its neighbor takes nothing away from the ranges around both."""
    raw = raw_trace(
        [
            RangeRow("all", 0, 100_000),
            RangeRow("first", 0, 50_000),
            RangeRow("astride", 40_000, 60_000),
            ApiRow("launch", 55_000, 70_000),
            RangeRow("later", 80_000, 90_000),
        ]
    )

    parents, around = nest(raw.ranges, raw.apis)

    assert parents.tolist() == [-1, 0, 0, 0]
    assert around.tolist() == [0]


def test_an_api_call_may_end_a_microsecond_late() -> None:
    """Exporters that round let a call outlast its operator by up to a microsecond, no more."""
    raw = raw_trace(
        [RangeRow("op", 0, 10_000), ApiRow("a", 5_000, 11_000), ApiRow("b", 5_000, 11_001)]
    )

    _, around = nest(raw.ranges, raw.apis)

    assert around.tolist() == [0, -1]
