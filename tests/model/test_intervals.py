"""Sets of intervals: at every moment what the definition says, whatever order they come in."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.model.intervals import Spans, measure_unions, unite_intervals, unite_spans
from kernelmap.model.trace import Int

END = 30
TIMES = np.arange(-1, END + 2)
INTERVALS = st.lists(
    st.tuples(st.integers(0, END), st.integers(0, END)).map(lambda it: (min(it), max(it))),
    max_size=8,
)

Intervals = list[tuple[int, int]]


def columns(intervals: Intervals) -> tuple[Int, Int, Int]:
    start_ns, end_ns = np.array(intervals, dtype=np.int64).reshape(-1, 2).T
    return start_ns, end_ns, np.arange(len(start_ns))


def covers(intervals: Intervals) -> list[bool]:
    """Whether each of TIMES lies in an interval."""
    return [any(start <= time < end for start, end in intervals) for time in TIMES.tolist()]


def is_inside(spans: Spans) -> list[bool]:
    begins_and_ends = zip(spans.start_ns.tolist(), spans.end_ns.tolist(), strict=True)
    return covers(list(begins_and_ends))


@given(INTERVALS)
def test_a_union_covers_what_its_intervals_cover(intervals: Intervals) -> None:
    """No more and no less, in order; each has the row of the outermost one that begins it."""
    spans = unite_intervals(*columns(intervals))

    assert (spans.row_around(TIMES) >= 0).tolist() == covers(intervals) == is_inside(spans)
    assert (spans.start_ns[1:] >= spans.end_ns[:-1]).all()
    for start, row in zip(spans.start_ns.tolist(), spans.row.tolist(), strict=True):
        beside = [end for begin, end in intervals if begin == start]
        assert intervals[row] == (start, max(beside))


@given(st.lists(INTERVALS, min_size=1, max_size=3))
def test_sets_together_cover_what_any_of_them_covers(several: list[Intervals]) -> None:
    """Intervals that touch are one, so none begins where another one ends."""
    spans = unite_spans([unite_intervals(*columns(intervals)) for intervals in several])

    assert is_inside(spans) == covers([pair for intervals in several for pair in intervals])
    assert (spans.start_ns[1:] > spans.end_ns[:-1]).all()


@given(INTERVALS, INTERVALS)
def test_what_a_set_covers_of_an_interval_is_the_moments_in_both(
    intervals: Intervals, asked: Intervals
) -> None:
    """The length of each asked interval inside of the set, one that ends where it begins has 0."""
    spans = unite_intervals(*columns(intervals))
    start_ns, end_ns, _ = columns(asked)
    inside = dict(zip(TIMES.tolist(), covers(intervals), strict=True))

    assert spans.covered_ns(start_ns, end_ns).tolist() == [
        sum(inside[time] for time in range(start, end)) for start, end in asked
    ]


@given(INTERVALS)
def test_the_length_of_a_union_is_that_of_its_spans(intervals: Intervals) -> None:
    """Measured as one group on one device it is the time that the set covers."""
    start_ns, end_ns, _ = columns(intervals)
    one = np.zeros(len(start_ns), dtype=np.int64)
    spans = unite_intervals(*columns(intervals))

    length = measure_unions(one, one, start_ns, end_ns - start_ns, groups=1)
    assert int(length[0]) == int((spans.end_ns - spans.start_ns).sum())
