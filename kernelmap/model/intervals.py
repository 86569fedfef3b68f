"""Intervals of time, as columns: sets without overlap, intervals with an owner, and unions.

Times are int64 ns; an interval has its start and not its end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import NONE, Bool, Int


class Spans(Struct, frozen=True):
    """A set of intervals without overlap, in order of time, all (n,); `row` says whose each is."""

    start_ns: Int
    end_ns: Int
    row: Int

    def row_around(self, times: Int) -> Int:
        """The row of the interval around each time, -1 without one; shape (times,)."""
        if not len(self.start_ns):
            return np.full(len(times), NONE, dtype=np.int64)
        # The last interval that begins by each time; it may have ended before.
        place = np.searchsorted(self.start_ns, times, side="right") - 1
        inside = (place >= 0) & (times < self.end_ns[place])
        return np.where(inside, self.row[place], NONE)

    def covered_ns(self, start_ns: Int, end_ns: Int) -> Int:
        """How much of each interval [start, end) the set covers; shape (start_ns,)."""
        # What is covered up to the end less what is covered up to the start. An interval that ends
        # before it starts has nothing.
        covered: Int = np.maximum(self._covered_until(end_ns) - self._covered_until(start_ns), 0)
        return covered

    def take_rows(self, rows: Bool) -> Spans:
        """The intervals of a mask."""
        return Spans(self.start_ns[rows], self.end_ns[rows], self.row[rows])

    def _covered_until(self, times: Int) -> Int:
        """How much of all intervals lies before each time; shape (times,)."""
        if not len(self.start_ns):
            return np.zeros(len(times), dtype=np.int64)
        # The length of all intervals before each one, and of all of them together at last.
        lengths = np.concatenate([[0], np.cumsum(self.end_ns - self.start_ns)])
        place = np.searchsorted(self.start_ns, times, side="right")
        # The last interval that begins by then counts up to the time, or to its end.
        last = np.maximum(place - 1, 0)
        part = np.minimum(times, self.end_ns[last]) - self.start_ns[last]
        return np.where(place > 0, lengths[last] + part, 0)


class OwnedIntervals(Struct, frozen=True):
    """Intervals that may overlap, all (n,), ordered by `of` and start; none is empty.

    `of` is the position of the owner in what was asked. Those of one owner do not overlap.
    """

    of: Int
    start_ns: Int
    end_ns: Int


def unite_intervals(start_ns: Int, end_ns: Int, row: Int) -> Spans:
    """The union of intervals; of those that overlap the row of the outermost first one stays."""
    real = end_ns > start_ns
    start_ns, end_ns, row = start_ns[real], end_ns[real], row[real]
    if not _begin_in_order(start_ns, end_ns):
        order = np.lexsort((-end_ns, start_ns))
        start_ns, end_ns, row = start_ns[order], end_ns[order], row[order]
    # How far time is covered by all intervals up to each one; a new span begins where none reaches.
    reach = np.maximum.accumulate(end_ns) if len(end_ns) else end_ns
    first = np.ones(len(reach), dtype=bool)
    first[1:] = start_ns[1:] >= reach[:-1]
    # A span ends with the last interval before the next span begins.
    last = np.append(first[1:], True)[: len(reach)]
    return Spans(start_ns[first], reach[last], row[first])


def unite_spans(several: Sequence[Spans]) -> Spans:
    """The union of several sets; intervals that touch are one, and the rows are -1."""
    start_ns = np.concatenate([spans.start_ns for spans in several])
    end_ns = np.concatenate([spans.end_ns for spans in several])
    order = np.argsort(start_ns, kind="stable")
    start_ns, end_ns = start_ns[order], end_ns[order]
    # Here spans that only touch are joined as well: a new one begins behind the reach, not at it.
    reach = np.maximum.accumulate(end_ns)
    first = np.append(True, start_ns[1:] > reach[:-1])[: len(reach)]
    last = np.append(first[1:], True)[: len(reach)]
    begin = start_ns[first]
    return Spans(begin, reach[last], np.full(len(begin), NONE, dtype=np.int64))


def _begin_in_order(start_ns: Int, end_ns: Int) -> bool:
    """Whether intervals begin one after another, of those that begin together the longest first."""
    later = start_ns[1:] > start_ns[:-1]
    inside = np.equal(start_ns[1:], start_ns[:-1]) & (end_ns[1:] <= end_ns[:-1])
    return bool((later | inside).all())


def measure_unions(group: Int, device: Int, start_ns: Int, dur_ns: Int, groups: int) -> Int:
    """Length of the union of each group's intervals, summed over devices.

    Shapes: the columns (n,), result int64 (groups,); `group` counts from 0. Intervals of different
    devices never merge.
    """
    total = np.zeros(groups, dtype=np.int64)
    if len(group) == 0:
        return total
    order = np.lexsort((start_ns, device, group) if groups > 1 else (start_ns, device))
    group, device, start = group[order], device[order], start_ns[order]
    end = start + dur_ns[order]
    # Where another group or device begins, what was covered before no longer counts.
    new_group = np.append(True, group[1:] != group[:-1])
    fresh = new_group.copy()
    fresh[1:] |= device[1:] != device[:-1]
    bounds = np.flatnonzero(fresh)
    # How far time is covered by the intervals so far, separately for each group and device.
    reach = np.empty_like(end)
    for first, last in zip(bounds, [*bounds[1:], len(group)], strict=True):
        np.maximum.accumulate(end[first:last], out=reach[first:last])
    # Each interval adds what lies behind the reach of those before it.
    covered = start.copy()
    covered[1:] = np.where(fresh[1:], start[1:], np.maximum(start[1:], reach[:-1]))
    # The rows of one group follow one another, those of all its devices, and are summed up.
    begins = np.flatnonzero(new_group)
    total[group[begins]] = np.add.reduceat(np.maximum(end - covered, 0), begins)
    return total
