"""CUDA graph replays: what was captured decides the call, what was launched decides the time.

A replayed launch has two host sides. The graph launch says when it ran; the creation of its graph
node, where the profiler recorded that, says which host ranges were open when the call was captured.
So a graph is solved once, and every replay of it is looked up.

A group of host ranges that only replays shows none of its graph's statements. It counts as an
invocation, but says nothing about which graph it is.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from kernelmap.matching.by_name import calls_by_device_name
from kernelmap.matching.by_range import give
from kernelmap.matching.climb import climb
from kernelmap.matching.draft import Draft
from kernelmap.matching.situation import Situation
from kernelmap.model import NONE, Confidence, Method, Reason
from kernelmap.model.trace import Bool, Int


def by_capture(situation: Situation, draft: Draft) -> None:
    """Give replayed launches the decision of the range that their node was captured in."""
    origin, top = situation.trace.launches.origin, situation.top
    inside = draft.open & (origin >= 0) & (top >= 0)
    decisions = situation.decisions
    # What stands for nothing that is known may be told by its neighbors.
    solved = decisions.made & (decisions.confidence != Confidence.UNKNOWN)
    inside[inside] = solved[top[inside]]
    rows = np.flatnonzero(inside)
    give(situation, draft, rows)
    draft.method[rows] = Method.CAPTURE
    wrong = rows[_denied(situation, draft, rows)]
    draft.call[wrong] = NONE
    draft.settle(wrong, Confidence.UNKNOWN, reason=Reason.GRAPH_REPLAY)
    decided = rows[draft.call[rows] >= 0]
    captured = decisions.invocation[top[decided]]
    draft.invocation[decided] = replayed_in(situation, draft.call[decided], decided, captured)


def _denied(situation: Situation, draft: Draft, rows: Int) -> Bool:
    """Mask of `rows` whose device name is that of other calls: the node was changed later."""
    launches = situation.trace.launches
    known = calls_by_device_name(situation.program)
    pairs = draft.call[rows] * (len(launches.names) + 1) + launches.name_id[rows]
    _, first, of_pair = np.unique(pairs, return_index=True, return_inverse=True)
    denied = [
        call >= 0 and call not in known.get(launches.names[name], (call,))
        for call, name in zip(
            draft.call[rows[first]].tolist(), launches.name_id[rows[first]].tolist(), strict=True
        )
    ]
    return np.array(denied, dtype=bool)[of_pair]


def replayed_in(situation: Situation, call: Int, rows: Int, captured: Int) -> Int:
    """The invocation of each of `rows`, whose calls are given, and the invocations captured.

    Where the graph launch lies in a graph range of the same graph it is that range's; otherwise
    replays are numbered after the invocations that the host ran, in the order of their launch.
    """
    trace, program = situation.trace, situation.program
    launches = trace.launches
    sizes = [len(graph.calls) for graph in program.graphs]
    graph = np.repeat(np.arange(len(sizes)), sizes)[call]
    key = paired(launches.process[rows], launches.correlation[rows], graph, captured)
    _, first, of_key = np.unique(key, return_index=True, return_inverse=True)
    api = launches.api[rows[first]]
    inside = np.full(len(first), NONE, dtype=np.int64)
    inside[api >= 0] = trace.apis.range[api[api >= 0]]
    marks = climb(trace.ranges.parent, situation.host.is_mark, inside)

    number = np.full(len(first), NONE, dtype=np.int64)
    following = Counter(
        (i.group.process, i.identity.graphs[0]) for i in situation.invocations if i.number >= 0
    )
    for at in np.argsort(trace.launch_time_ns[rows[first]], kind="stable").tolist():
        own = int(graph[first[at]])
        around = situation.by_mark.get(int(marks[at]))
        if around is not None and around.identity.graphs == (own,) and around.number >= 0:
            number[at] = around.number
        else:
            slot = int(launches.process[rows[first[at]]]), own
            number[at] = following[slot]
            following[slot] += 1
    return number[of_key]


def paired(*columns: Int) -> Int:
    """One number per row, equal where all columns are."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        distinct, code = np.unique(column, return_inverse=True)
        key = np.unique(key * max(len(distinct), 1) + code, return_inverse=True)[1]
    return key
