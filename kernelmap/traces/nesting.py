"""Which host range lies around which: a stack sweep per thread.

Taken: ranges and api calls with times and threads. Given: for every range and every api call the
row of the innermost range that encloses it. Ranges of one thread are nearly, not always, nested:
one that merely overlaps is nobody's parent and hides nobody else's. Left out: links by id.

The law: in the order (start, ranges before api calls, longer first, earlier event first) the
parent is the last range before that ends after the child starts and at most `OVERHANG_NS` before
the child ends (exporters round and clamp to a microsecond).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kernelmap.model.trace import NONE, ApiCalls, Int, Ranges

OVERHANG_NS = 1000
"""By how much a child may outlast its parent."""

_ENDLESS = 2**63 - 1


def nest(ranges: Ranges, apis: ApiCalls) -> tuple[Int, Int]:
    """`Ranges.parent` and `ApiCalls.range`: rows in `ranges`, -1 at the top; shapes (n,), (m,)."""
    split = len(ranges)
    process = np.concatenate([ranges.process, apis.process])
    thread = np.concatenate([ranges.thread, apis.thread])
    start = np.concatenate([ranges.start_ns, apis.start_ns])
    end = start + np.concatenate([ranges.dur_ns, apis.dur_ns])
    event = np.concatenate([ranges.event, apis.event])
    is_api = np.arange(len(start)) >= split

    order = np.lexsort((event, -end, is_api, start, thread, process))
    changes = np.flatnonzero(
        (np.diff(process[order]) != 0) | (np.diff(thread[order]) != 0),
    )
    bounds = [0, *(changes + 1).tolist(), len(order)]
    parents = [NONE] * len(order)
    for first, last in pairwise(bounds):
        rows = order[first:last]
        _sweep(rows.tolist(), start[rows].tolist(), end[rows].tolist(), split, parents)
    found = np.array(parents, dtype=np.int64)
    return found[:split], found[split:]


def _sweep(
    rows: list[int], starts: list[int], ends: list[int], split: int, parents: list[int]
) -> None:
    """Walk one thread in order; rows from `split` on are api calls, which enclose nothing."""
    open_rows, open_ends = [NONE], [_ENDLESS]
    for row, start, end in zip(rows, starts, ends, strict=True):
        while open_ends[-1] <= start:
            open_rows.pop()
            open_ends.pop()
        if open_ends[-1] + OVERHANG_NS >= end:
            parents[row] = open_rows[-1]
        else:
            parents[row] = _climb(open_rows, open_ends, start, end)
        if row < split:
            open_rows.append(row)
            open_ends.append(end)


def _climb(open_rows: list[int], open_ends: list[int], start: int, end: int) -> int:
    """The innermost open range that encloses; below an overlapping one even ended ones wait."""
    at = len(open_rows) - 2
    while open_ends[at] <= start or open_ends[at] + OVERHANG_NS < end:
        at -= 1
    return open_rows[at]
