"""Values → small numbers, for joins and tables of names.

Taken: a column of whole numbers. Given: its distinct values in order, and for each row the position
of its own. Ids that a profiler counts up lie close together and are numbered by a table of all that
they might be; only what is spread out has to be sorted.
"""

from __future__ import annotations

import numpy as np

from kernelmap.model.trace import Int

_SPREAD = 8  # places of the table for each row


def codes(values: Int) -> tuple[Int, Int]:
    """Distinct values in order, and the position of each row's own, shapes (m,) and (n,).

    >>> codes(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1]))
    """
    if not len(values):
        return values, values
    least, most = int(values.min()), int(values.max())
    if least == most:
        return values[:1].copy(), np.zeros(len(values), dtype=np.int64)
    if most - least < _SPREAD * len(values):
        offset = values - least
        used = np.zeros(most - least + 1, dtype=np.bool_)
        used[offset] = True
        return np.flatnonzero(used) + least, (np.cumsum(used) - 1)[offset]
    starts = np.concatenate([[0], np.flatnonzero(values[1:] != values[:-1]) + 1])
    distinct, of_run = np.unique(values[starts], return_inverse=True)
    lengths = np.diff(starts, append=len(values))
    return distinct, np.repeat(of_run, lengths)
