"""Launches whose host side lies inside a range that stands for a call (or for no call)."""

from __future__ import annotations

import numpy as np

from kernelmap.matching.context.draft import Draft
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.model import Confidence, Reason
from kernelmap.model.trace import Int


def by_range(context: MatchContext, draft: Draft) -> None:
    """Give each launch the decision of the nearest decided range around its host side."""
    decisions, top = context.decisions, context.top
    inside = draft.open & (top >= 0)
    inside[inside] = decisions.made[top[inside]]
    give(context, draft, np.flatnonzero(inside))


def give(context: MatchContext, draft: Draft, rows: Int) -> None:
    """Decide `rows` as the nearest decided range around each was decided."""
    decisions = context.decisions
    ranges = context.top[rows]
    draft.call[rows] = decisions.call[ranges]
    draft.invocation[rows] = decisions.invocation[ranges]
    draft.call_range[rows] = ranges
    draft.confidence[rows] = decisions.confidence[ranges]
    draft.method[rows] = decisions.method[ranges]
    draft.reason[rows] = decisions.reason[ranges]
    draft.open[rows] = False
    _never_glue(context, draft, rows)
    several = decisions.confidence[ranges] == Confidence.AMBIGUOUS
    for row, at in zip(rows[several].tolist(), ranges[several].tolist(), strict=True):
        draft.name(row, decisions.several[at])


def _never_glue(context: MatchContext, draft: Draft, rows: Int) -> None:
    """A generated kernel is some statement's, whatever range it lies in: never glue."""
    glue = np.equal(draft.reason[rows], Reason.GLUE) & context.runs_kernel[rows]
    draft.settle(rows[glue], Confidence.UNKNOWN, reason=Reason.BESIDE)
