"""Functions over integer columns: distinct values, equal rows, flags by name, nearest ancestors.

Values are numbered for joins and tables of names: ids that a profiler counts up lie close together
and are numbered by a table of all that they might be; only what is spread out has to be sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kernelmap.model.trace import NONE, Bool, Int

_SPREAD = 8  # places of the table for each row
_MIXERS = np.array([1, 1_000_003, 998_244_353, 2_147_483_647, 67_280_421_310_721, 179_424_673])

_STEPS = 64  # levels that are looked at one by one; hardly any program nests deeper


def group_starts(columns: Sequence[Int]) -> Int:
    """The positions at which the values of the columns, all (n,), are not those before; (groups,).

    >>> group_starts([np.array([1, 1, 1, 2]), np.array([5, 5, 6, 6])]).tolist()
    [0, 2, 3]
    """
    new = np.ones(len(columns[0]), dtype=np.bool_)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new).astype(np.int64)


def distinct_values(values: Int) -> Int:
    """The distinct values, ascending, as np.unique gives them; far faster where they are sorted.

    Columns of a trace mostly are, or consist of sorted parts, which a stable sort merges.
    """
    ordered = np.sort(values, kind="stable")
    return ordered[group_starts([ordered])]


def code_values(values: Int) -> tuple[Int, Int]:
    """Distinct values in order, and the position of each row's own, shapes (m,) and (n,).

    >>> code_values(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1]))
    """
    if not len(values):
        return values, values
    least, most = int(values.min()), int(values.max())
    if least == most:
        return values[:1].copy(), np.zeros(len(values), dtype=np.int64)
    # Values that lie close together are looked up in a table with a place for each possible value.
    # The position among the distinct ones is how many used places come before.
    if most - least < _SPREAD * len(values):
        offset = values - least
        used = np.zeros(most - least + 1, dtype=np.bool_)
        used[offset] = True
        return np.flatnonzero(used) + least, (np.cumsum(used) - 1)[offset]
    # Spread out values have to be sorted. Equal ones often follow one another, so only the first of
    # each run is sorted.
    starts = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])
    ordered, of_run = np.unique(values[starts], return_inverse=True)
    lengths = np.diff(starts, append=len(values))
    return ordered, np.repeat(of_run, lengths)


def pair_columns(*columns: Int) -> Int:
    """One number per row, equal where all columns are; the numbers count the combinations."""
    number = code_values(columns[0])[1]
    for column in columns[1:]:
        other = code_values(column)[1]
        # The number so far and the code of the next column as one number. It is numbered anew each
        # time, so that it stays small.
        if count := int(other.max(initial=0)):
            number = code_values(number * (count + 1) + other)[1]
    return number


def row_groups(*columns: Int) -> Iterator[Int]:
    """Positions in groups that agree in all columns, each in ascending order."""
    if not len(columns[0]):
        return
    order = np.lexsort(columns)
    yield from np.split(order, group_starts([column[order] for column in columns])[1:])


def positions_between(begin: Int, end: Int) -> Int:
    """All positions from each of `begin` up to the `end` beside it, one run after another.

    >>> positions_between(np.array([2, 7]), np.array([5, 8])).tolist()
    [2, 3, 4, 7]
    """
    lengths = end - begin
    # What is added to a running number so that it counts up from the beginning of each run.
    return np.repeat(begin - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def by_name(name_id: Int, flags: Sequence[bool]) -> Bool:
    """The flag of each row's name; `flags` are by name id, shape of the answer (rows,)."""
    if not len(flags):
        return np.zeros(len(name_id), dtype=bool)
    return np.asarray(flags, dtype=bool)[name_id]


def size_hash(sizes: Int) -> Int:
    """One number per row of six sizes, the same in every trace; -1 where one of them is absent."""
    # Six sizes in one number: overflow only mixes them further.
    number = (sizes.astype(np.int64) * _MIXERS).sum(axis=1)
    return np.where((sizes >= 0).all(axis=1), np.abs(number), NONE)


def nearest_ancestor(parent: Int, stop: Bool, start: Int | None = None) -> Int:
    """The nearest row at or above each of `start` (default: every row) that `stop` marks, else -1.

    Shapes: parent and stop (ranges,), start (any,); -1 in `start` stays -1.
    """
    if not stop.any():
        return np.full(len(parent if start is None else start), -1, dtype=np.int64)
    # `moving` are the rows that have not arrived yet. All of them climb one level in each turn, and
    # a row leaves where it is marked or has no parent left.
    at = np.arange(len(parent)) if start is None else start.copy()
    moving = np.flatnonzero(at >= 0)
    for _ in range(_STEPS):
        moving = moving[~stop[at[moving]]]
        if not len(moving):
            return at
        at[moving] = parent[at[moving]]
        moving = moving[at[moving] >= 0]
    # Rows nested deeper than that, as in recursion, are looked up in a table of all rows.
    at[moving] = _nearest_tops(parent, stop)[at[moving]]
    return at


def _nearest_tops(parent: Int, stop: Bool) -> Int:
    """The nearest ancestor of every row; each turn doubles the levels that a row leaps over."""
    rows = np.arange(len(parent))
    # Where each row leads to. A marked row leads to itself, and so stops those that reach it.
    # The extra last row is its own parent, so that -1 leads to itself.
    leap = np.append(np.where(stop, rows, parent), -1)
    while not np.array_equal(further := leap[leap], leap):
        leap = further
    return leap[:-1]
