"""What can be a time or an id: the bounds that every reader holds its rows to.

Taken: columns as a reader made them, int64, of whatever a file says. Given: the rows whose times
are within the bounds. Then whatever is made of them fits into an int64: an end, a difference of two
times, a sum over durations. What lies beyond is not shortened: a row is used as it is or left out,
and the reader says how many it left out. Left out: what a number means.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from kernelmap.model.trace import NONE, ApiCalls, Bool, Int, Launches, Ranges

LATEST_NS = 2**61
"""No time lies further from 0, in either direction; this is the year 2043."""
LONGEST_NS = 2**53
"""No activity and no range lasts longer: 104 days."""
ALL_NS = 2**61
"""The durations of all rows of one kind add up to no more: 73 years."""
LARGEST_PLACE = 2**31 - 1
"""The largest number that a GPU can have."""

Columns = TypeVar("Columns", Launches, ApiCalls, Ranges)


def are_times(start_ns: Int, dur_ns: Int) -> Bool:
    """Mask of the rows that have a time and a duration, shape (n,).

    A duration that is the difference of two times may have wrapped around: with a start within the
    bounds it is then either negative or too long.

    >>> are_times(np.array([5, 5, 2**62]), np.array([7, -1, 7])).tolist()
    [True, False, False]
    """
    near: Bool = (start_ns >= -LATEST_NS) & (start_ns <= LATEST_NS)
    return near & (dur_ns >= 0) & (dur_ns <= LONGEST_NS)


def addable(dur_ns: Int, most_ns: int = ALL_NS) -> Bool:
    """Mask of the durations, the shortest first, that add up to at most `most_ns`; shape (n,).

    >>> addable(np.array([4, 9, 4]), 8).tolist()
    [True, False, True]
    """
    if float(dur_ns.sum(dtype=np.float64)) <= most_ns:
        return np.ones(len(dur_ns), dtype=np.bool_)
    order = np.argsort(dur_ns, kind="stable")
    fits = np.zeros(len(dur_ns), dtype=np.bool_)
    fits[order] = np.cumsum(dur_ns[order], dtype=np.float64) <= most_ns
    return fits


def with_sum(columns: Columns, most_ns: int) -> Columns:
    """The rows of `columns` whose durations add up to at most `most_ns`."""
    fits = addable(columns.dur_ns, most_ns)
    return columns if fits.all() else columns.take(fits)


def places(ids: Int) -> tuple[Int, int]:
    """Numbers of GPUs, -1 for what can be none, and how many of them were too large; shape (n,)."""
    large = ids > LARGEST_PLACE
    return np.where(large | (ids < 0), NONE, ids), int(large.sum())
