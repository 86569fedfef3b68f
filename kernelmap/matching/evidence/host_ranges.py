"""Launches whose host side lies inside a range that stands for a call (or for no call).

A launch that a CUDA graph replayed has two host sides. The graph launch says when it ran; the
creation of its graph node, where the profiler recorded that, says which host ranges were open when
the call was captured. So a graph is solved once, and every replay of it is looked up.

A span of host ranges that only replays shows none of its graph's statements. It counts as an
invocation, but says nothing about which graph it is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.invocations import captured_numbers
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.model import NONE, Confidence, Method, Reason
from kernelmap.model.trace import Bool, Int

_DOUBTFUL = (Confidence.AMBIGUOUS, Confidence.UNKNOWN)


def by_range(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Give each launch the decision of the nearest decided range around its host side."""
    yield decided_by_range(context, _inside(context, matched.open, doubtful=False))


def by_doubtful_range(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """The same where that range may stand for several calls, or nobody knows for which."""
    rows = _inside(context, matched.open, doubtful=True)
    several = context.decisions.confidence[context.top[rows]] == Confidence.AMBIGUOUS
    captured = several & (context.trace.launches.origin[rows] >= 0)
    yield from _captured(context, matched, rows[captured])
    yield decided_by_range(context, rows[~captured])


def _inside(context: MatchContext, mask: Bool, *, doubtful: bool) -> Int:
    """The launches of `mask` inside a decided range: a doubtful one, or one that is certain."""
    decisions, top = context.decisions, context.top
    fits = decisions.made & (np.isin(decisions.confidence, _DOUBTFUL) == doubtful)
    inside = mask & (top >= 0)
    inside[inside] = fits[top[inside]]
    return np.flatnonzero(inside)


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


def by_capture(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Give replayed launches the decision of the range that their node was captured in."""
    captured = matched.open & (context.trace.launches.origin >= 0)
    yield from _captured(context, matched, _inside(context, captured, doubtful=False))


def _captured(context: MatchContext, matched: Matched, rows: Int) -> Iterator[Decided]:
    captured = decided_by_range(context, rows)
    call = np.asarray(captured.call)
    wrong = _denied(context, rows, call)
    call = np.where(wrong, NONE, call)
    numbers = captured_numbers(context, matched, rows, call, np.asarray(captured.invocation))
    yield Decided(
        rows,
        np.where(wrong, np.int8(Confidence.UNKNOWN), captured.confidence),
        call=call,
        invocation=numbers,
        method=np.where(wrong, np.int8(Method.NONE), np.int8(Method.CAPTURE)),
        reason=np.where(wrong, np.int8(Reason.GRAPH_REPLAY), captured.reason),
        call_range=captured.call_range,
        candidates=captured.candidates,
    )


def _denied(context: MatchContext, rows: Int, call: Int) -> Bool:
    """Mask of `rows` whose device name is that of other calls: the node was changed later."""
    launches = context.trace.launches
    known = context.calls_by_name
    pairs = call * (len(launches.names) + 1) + launches.name_id[rows]
    _, first, of_pair = np.unique(pairs, return_index=True, return_inverse=True)
    denied = [
        one >= 0 and one not in known.get(launches.names[name], (one,))
        for one, name in zip(
            call[first].tolist(), launches.name_id[rows[first]].tolist(), strict=True
        )
    ]
    return np.array(denied, dtype=bool)[of_pair]
