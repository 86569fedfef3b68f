"""Launches whose host side lies inside a range that stands for a call (or for no call)."""

from __future__ import annotations

import numpy as np

from kernelmap.matching.draft import Draft
from kernelmap.matching.situation import Situation
from kernelmap.model import NONE, Confidence


def by_range(situation: Situation, draft: Draft) -> None:
    """Give each launch the decision of the nearest decided range around its host side."""
    decisions = situation.decisions
    top = situation.top
    inside = draft.open & (top >= 0)
    inside[inside] = situation.decided[top[inside]]
    rows = np.flatnonzero(inside)
    ranges, which = np.unique(top[rows], return_inverse=True)
    chosen = [decisions[int(row)] for row in ranges]
    single = [d.calls[0] if d.confidence <= Confidence.INFERRED else NONE for d in chosen]
    draft.call[rows] = np.array(single, dtype=np.int64)[which]
    draft.invocation[rows] = np.array([d.invocation for d in chosen], dtype=np.int64)[which]
    draft.call_range[rows] = top[rows]
    draft.settle(rows, Confidence.EXACT)
    draft.confidence[rows] = np.array([d.confidence for d in chosen], dtype=np.int8)[which]
    draft.method[rows] = np.array([d.method for d in chosen], dtype=np.int8)[which]
    draft.reason[rows] = np.array([d.reason for d in chosen], dtype=np.int8)[which]
    several = np.array([d.confidence == Confidence.AMBIGUOUS for d in chosen], dtype=bool)
    for row, at in zip(rows[several[which]].tolist(), which[several[which]].tolist(), strict=True):
        draft.name(row, chosen[at].calls)
