"""Rows of a viewer: which intervals can stand on one of them.

A viewer keeps a stack per row. What starts inside an open slice must end inside it: a slice that
sticks out has no place there. Perfetto dropped it (`slice_drop_overlapping_complete_event`), newer
releases move it to a row of their own choice (`slice_spill_overlapping_complete_event`). Slices
that touch are fine. Source: Perfetto, src/trace_processor/importers/common/slice_tracker.cc,
`MaybeCloseStack`. Taken: intervals ordered by start, the longer first. Given: for each the number
of its row, 0 for all that the first one holds.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from kernelmap.model.trace import NONE, Int


def nested(owner: Int, start: Int, end: Int, parent: Int) -> Int:
    """Rows of intervals that may lie in one another; `owner` is whose they are, all shapes (n,).

    An interval goes to the row of its `parent`, the position of an earlier one or -1, if it fits.

    >>> nested(*map(np.array, ([0, 0, 0], [1, 2, 3], [9, 4, 10], [-1, 0, -1]))).tolist()
    [0, 0, 1]
    """
    stacks: defaultdict[int, list[list[int]]] = defaultdict(list)
    rows: list[int] = []
    columns = (each.tolist() for each in (owner, start, end, parent))
    for whose, begin, stop, above in zip(*columns, strict=True):
        own = stacks[whose]
        row = rows[above] if above != NONE else 0
        if not _fits(own, row, begin, stop):
            row = next(at for at in range(len(own) + 1) if _fits(own, at, begin, stop))
        own[row].append(stop)
        rows.append(row)
    return np.array(rows, dtype=np.int64)


def side_by_side(owner: Int, start: Int, end: Int) -> Int:
    """Rows of intervals of which no two may run at the same time on one row; as above.

    >>> side_by_side(*map(np.array, ([0, 0, 0], [1, 2, 9], [9, 4, 10]))).tolist()
    [0, 1, 0]
    """
    ends: defaultdict[int, list[int]] = defaultdict(list)
    rows: list[int] = []
    columns = (each.tolist() for each in (owner, start, end))
    for whose, begin, stop in zip(*columns, strict=True):
        own = ends[whose]
        row = next((at for at, last in enumerate(own) if last <= begin), len(own))
        own[row:] = [stop, *own[row + 1 :]]
        rows.append(row)
    return np.array(rows, dtype=np.int64)


def _fits(rows: list[list[int]], row: int, begin: int, stop: int) -> bool:
    """Whether the interval lies in what is open on that row; the one behind the last is empty."""
    if row == len(rows):
        rows.append([])
    open_ = rows[row]
    while open_ and open_[-1] <= begin:
        open_.pop()
    return not open_ or stop <= open_[-1]
