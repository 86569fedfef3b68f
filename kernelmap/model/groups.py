"""Rows that are sorted by several columns → where each combination of values begins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelmap.model.trace import Int


def group_starts(columns: Sequence[Int]) -> Int:
    """The positions at which the values of the columns, all (n,), are not those before; (groups,).

    >>> group_starts([np.array([1, 1, 1, 2]), np.array([5, 5, 6, 6])]).tolist()
    [0, 2, 3]
    """
    new = np.ones(len(columns[0]), dtype=np.bool_)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new).astype(np.int64)
