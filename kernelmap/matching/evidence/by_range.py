"""Launches whose host side lies inside a range that stands for a call (or for no call)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.model import Confidence, Method, Reason
from kernelmap.model.trace import Int


def by_range(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Give each launch the decision of the nearest decided range around its host side."""
    decisions, top = context.decisions, context.top
    inside = matched.open & (top >= 0)
    inside[inside] = decisions.made[top[inside]]
    yield decided_by_range(context, np.flatnonzero(inside))


def decided_by_range(context: MatchContext, rows: Int) -> Decided:
    """Decide `rows` as the nearest decided range around each was decided.

    A generated kernel is some statement's, whatever range it lies in: never glue.
    """
    decisions = context.decisions
    ranges = context.top[rows]
    confidence, reason = decisions.confidence[ranges], decisions.reason[ranges]
    glue = np.equal(reason, Reason.GLUE) & context.runs_kernel[rows]
    several = np.flatnonzero(confidence == Confidence.AMBIGUOUS)
    return Decided(
        rows,
        np.where(glue, np.int8(Confidence.UNKNOWN), confidence),
        call=decisions.call[ranges],
        invocation=decisions.invocation[ranges],
        method=np.where(glue, np.int8(Method.NONE), decisions.method[ranges]),
        reason=np.where(glue, np.int8(Reason.BESIDE), reason),
        call_range=ranges,
        candidates={
            row: decisions.several[at]
            for row, at in zip(rows[several].tolist(), ranges[several].tolist(), strict=True)
        },
    )
