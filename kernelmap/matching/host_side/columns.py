"""Columns of a trace: flags by name, equal rows, nearest ancestors of nested ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int

_MIXERS = np.array([1, 1_000_003, 998_244_353, 2_147_483_647, 67_280_421_310_721, 179_424_673])

_STEPS = 64  # levels that are climbed one by one; hardly any program nests deeper


def by_name(name_id: Int, flags: Sequence[bool]) -> Bool:
    """The flag of each row's name; `flags` are by name id, shape of the answer (rows,)."""
    if not len(flags):
        return np.zeros(len(name_id), dtype=bool)
    return np.asarray(flags, dtype=bool)[name_id]


def mixed(sizes: Int) -> Int:
    """One number per row of six sizes, the same in every trace; -1 where one of them is absent."""
    # Six sizes in one number: overflow only mixes them further.
    number = (sizes.astype(np.int64) * _MIXERS).sum(axis=1)
    return np.where((sizes >= 0).all(axis=1), np.abs(number), NONE)


def paired(*columns: Int) -> Int:
    """One number per row, equal where all columns are; the numbers count the combinations."""
    number = numbered(columns[0])
    for column in columns[1:]:
        distinct = numbered(column)
        if count := int(distinct.max(initial=0)):
            number = numbered(number * (count + 1) + distinct)
    return number


_SPARSE = 4
"""Values that span more than so many times the rows are sorted: a table would be mostly empty."""


def numbered(values: Int) -> Int:
    """The rank of each value among the distinct ones; values that lie close are not sorted."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    low, high = int(values.min()), int(values.max())
    if low == high:
        return np.zeros(len(values), dtype=np.int64)
    if high - low > _SPARSE * len(values):
        first = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
        number = np.unique(values[first], return_inverse=True)[1].reshape(-1)
        return np.repeat(number, np.diff(first, append=len(values)))
    there = np.zeros(high - low + 1, dtype=bool)
    there[values - low] = True
    rank = np.cumsum(there) - 1
    return np.asarray(rank[values - low], dtype=np.int64)


def stretches(*columns: Int) -> Iterator[Int]:
    """Positions in groups that agree in all columns, each in ascending order."""
    if not len(columns[0]):
        return
    order = np.lexsort(columns)
    fresh = np.zeros(len(order), dtype=bool)
    for column in columns:
        fresh[1:] |= column[order][1:] != column[order][:-1]
    yield from np.split(order, np.flatnonzero(fresh))


def nearest_ancestor(parent: Int, stop: Bool, start: Int | None = None) -> Int:
    """The nearest row at or above each of `start` (default: every row) that `stop` marks, else -1.

    Shapes: parent and stop (ranges,), start (any,); -1 in `start` stays -1.
    """
    if not stop.any():
        return np.full(len(parent if start is None else start), -1, dtype=np.int64)
    at = np.arange(len(parent)) if start is None else start.copy()
    moving = np.flatnonzero(at >= 0)
    for _ in range(_STEPS):
        moving = moving[~stop[at[moving]]]
        if not len(moving):
            return at
        at[moving] = parent[at[moving]]
        moving = moving[at[moving] >= 0]
    at[moving] = _tops(parent, stop)[at[moving]]
    return at


def _tops(parent: Int, stop: Bool) -> Int:
    """The nearest ancestor of every row; each turn doubles the levels that a row leaps over."""
    rows = np.arange(len(parent))
    # The extra last row is its own parent, so that -1 leads to itself.
    leap = np.append(np.where(stop, rows, parent), -1)
    while not np.array_equal(further := leap[leap], leap):
        leap = further
    return leap[:-1]
