"""CUDA graph replays: what was captured decides the call, what was launched decides the time.

A replayed launch has two host sides. The graph launch says when it ran; the creation of its graph
node, where the profiler recorded that, says which host ranges were open when the call was captured.
So a graph is solved once, and every replay of it is looked up.

A span of host ranges that only replays shows none of its graph's statements. It counts as an
invocation, but says nothing about which graph it is.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.context.draft import Draft
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.numbering import number_captured
from kernelmap.matching.evidence.by_range import give
from kernelmap.model import NONE, Confidence, Method, Reason
from kernelmap.model.trace import Bool, Int


def by_capture(context: MatchContext, draft: Draft) -> None:
    """Give replayed launches the decision of the range that their node was captured in."""
    origin, top = context.trace.launches.origin, context.top
    inside = draft.open & (origin >= 0) & (top >= 0)
    decisions = context.decisions
    # What stands for nothing that is known may be told by its neighbors.
    solved = decisions.made & (decisions.confidence != Confidence.UNKNOWN)
    inside[inside] = solved[top[inside]]
    rows = np.flatnonzero(inside)
    give(context, draft, rows)
    draft.method[rows] = Method.CAPTURE
    wrong = rows[_denied(context, draft, rows)]
    draft.call[wrong] = NONE
    draft.settle(wrong, Confidence.UNKNOWN, reason=Reason.GRAPH_REPLAY)
    number_captured(context, draft, rows)


def _denied(context: MatchContext, draft: Draft, rows: Int) -> Bool:
    """Mask of `rows` whose device name is that of other calls: the node was changed later."""
    launches = context.trace.launches
    known = context.calls_by_name
    pairs = draft.call[rows] * (len(launches.names) + 1) + launches.name_id[rows]
    _, first, of_pair = np.unique(pairs, return_index=True, return_inverse=True)
    denied = [
        call >= 0 and call not in known.get(launches.names[name], (call,))
        for call, name in zip(
            draft.call[rows[first]].tolist(), launches.name_id[rows[first]].tolist(), strict=True
        )
    ]
    return np.array(denied, dtype=bool)[of_pair]
