"""Which host range lies around which.

Taken: ranges and api calls with times and threads. Given: for every range and every api call the
row of the innermost range that encloses it. Ranges of one thread are nearly, not always, nested:
one that merely overlaps is nobody's parent and hides nobody else's. Left out: links by id.

The law: in the order (start, ranges before api calls, longer first, earlier event first) the
parent is the last range before that ends after the child starts and at most an overhang before the
child ends (Kineto rounds and clamps to a microsecond; who writes whole nanoseconds has none).

A sweep with a stack would do; this does all rows at once. Every row points at the range before it;
where that has ended, at what that one points at, and so on. What is skipped has ended before the
one that skipped it started, so the pointers end at what a stack would hold, after about as many
rounds as the longest row of siblings has binary digits.
"""

from __future__ import annotations

import numpy as np

from kernelmap.model.trace import NONE, ApiCalls, Bool, Int, Ranges
from kernelmap.traces.columns import codes

OVERHANG_NS = 1000
"""By how much a child may outlast its parent in a Kineto trace."""


def nest(
    ranges: Ranges, apis: ApiCalls | Ranges, overhang_ns: int = OVERHANG_NS
) -> tuple[Int, Int]:
    """`Ranges.parent` and `ApiCalls.range`: rows in `ranges`, -1 at the top; shapes (n,), (m,).

    Any host rows may stand for the api calls.
    """
    split = len(ranges)
    thread = _threads(ranges, apis)
    start = np.concatenate([ranges.start_ns, apis.start_ns])
    end = start + np.concatenate([ranges.dur_ns, apis.dur_ns])
    event = np.concatenate([ranges.event, apis.event])

    order = _order(thread, start, end, event, split)
    thread, start, end = thread[order], start[order], end[order]
    is_range = order < split
    before = _range_before(thread, is_range)
    open_range = _still_open(before, is_range, start, end)
    parent = _enclosing(open_range, start, end, overhang_ns)

    enclosing = np.full(len(order), NONE, dtype=np.int64)
    inside = parent >= 0
    enclosing[order[inside]] = order[parent[inside]]
    return enclosing[:split], enclosing[split:]


def _threads(ranges: Ranges, apis: ApiCalls | Ranges) -> Int:
    """One small number per (process, thread)."""
    process: Int = np.concatenate([ranges.process, apis.process])
    threads, thread = codes(np.concatenate([ranges.thread, apis.thread]))
    return process * max(len(threads), 1) + thread


def _order(thread: Int, start: Int, end: Int, event: Int, split: int) -> Int:
    """The order of the law; ranges come before api calls in the input, as they do in ties."""
    rough = np.lexsort((start, thread))
    tied = np.zeros(len(rough), dtype=bool)
    same = (np.diff(thread[rough]) == 0) & (np.diff(start[rough]) == 0)
    tied[1:] |= same
    tied[:-1] |= same
    at = np.flatnonzero(tied)
    rows = rough[at]
    keys = (event[rows], -end[rows], rows >= split, start[rows], thread[rows])
    rough[at] = rows[np.lexsort(keys)]
    return rough


def _range_before(thread: Int, is_range: Bool) -> Int:
    """The position of the last range before each row on its thread, -1 for none."""
    at = np.where(is_range, np.arange(len(thread)), NONE)
    before = np.full(len(thread), NONE, dtype=np.int64)
    before[1:] = np.maximum.accumulate(at)[:-1] if len(at) else at
    other = (before >= 0) & (thread[before] != thread)
    before[other] = NONE
    return before


def _still_open(before: Int, is_range: Bool, start: Int, end: Int) -> Int:
    """The last range before each row that ends after the row starts, -1 for none.

    Ranges go first: with theirs settled, an api call has only those to pass that ended around it.
    """
    open_range = before.copy()
    for rows in (is_range, ~is_range):
        waiting = np.flatnonzero(rows & (open_range >= 0))
        while len(waiting := waiting[end[open_range[waiting]] <= start[waiting]]):
            open_range[waiting] = open_range[open_range[waiting]]
            waiting = waiting[open_range[waiting] >= 0]
    return open_range


def _enclosing(open_range: Int, start: Int, end: Int, overhang_ns: int) -> Int:
    """The last open range that the child does not stick out of, -1 for none."""
    parent = open_range.copy()
    waiting = np.flatnonzero(parent >= 0)
    while len(waiting):
        around = end[parent[waiting]]
        astride = (around <= start[waiting]) | (around + overhang_ns < end[waiting])
        waiting = waiting[astride]
        parent[waiting] = open_range[parent[waiting]]
        waiting = waiting[parent[waiting] >= 0]
    return parent
