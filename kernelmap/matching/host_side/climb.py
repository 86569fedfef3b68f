"""Upwards through nested ranges, at a cost that deep nesting does not multiply."""

from __future__ import annotations

import numpy as np

from kernelmap.model.trace import Bool, Int

_STEPS = 64  # levels that are climbed one by one; hardly any program nests deeper


def climb(parent: Int, stop: Bool, start: Int | None = None) -> Int:
    """The nearest row at or above each of `start` (default: every row) that `stop` marks, else -1.

    Shapes: parent and stop (ranges,), start (any,); -1 in `start` stays -1.
    """
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
    """What `climb` finds for every row: each turn doubles the levels that a row leaps over."""
    rows = np.arange(len(parent))
    # The extra last row is its own parent, so that -1 leads to itself.
    leap = np.append(np.where(stop, rows, parent), -1)
    while not np.array_equal(further := leap[leap], leap):
        leap = further
    return leap[:-1]
