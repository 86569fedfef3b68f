"""Runs that alignment sees, as far as another run decided their launches already.

Alignment needs these launches as neighbors of the others, and neither decides nor numbers them.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.alignment.walks import Walk
from kernelmap.matching.situation.draft import Draft
from kernelmap.model import NONE
from kernelmap.model.trace import Bool, Int


def still_open(draft: Draft, rows: Int) -> Int:
    """`rows` without those that are decided, -1 in their place."""
    return np.where((rows >= 0) & draft.open[rows], rows, NONE)


def bounded_runs(draft: Draft, walk: Walk) -> Bool:
    """Runs that another run told from their first launch to their last; (copies, runs + 1).

    What else is there is not theirs. The last flag is that of strays.
    """
    found = np.zeros((len(walk.copies), len(walk.runs) + 1), dtype=bool)
    _spread(found, walk, draft.bounded)
    found[:, -1] = False
    return found


def known_numbers(draft: Draft, walk: Walk) -> Int:
    """The numbers of runs that another run told, -1 for the others; shape (copies, runs)."""
    found = np.full((len(walk.copies), len(walk.runs) + 1), NONE, dtype=np.int64)
    _spread(found, walk, np.where(draft.learnt, draft.invocation, NONE))
    return found[:, :-1]


def _spread(found: Bool | Int, walk: Walk, column: Bool | Int) -> None:
    """The greatest value of each run's launches."""
    if not column.size:
        return
    for own, rows in zip(found, walk.copies[:, walk.at], strict=True):
        shown = rows >= 0
        np.maximum.at(own, walk.runs.of[shown], column[rows[shown]])
