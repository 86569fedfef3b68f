"""Replayed launches whose graph node was written down while it was captured (recorded_graphs.py).

Exact where the driver told which call made the node and that call's code is given; inferred where
the order of capture tells. In a graph whose nodes were told, what is none of them was made by no
call that was heard: it stays unknown, unless its name is a generated kernel's, for which later
strategies may find something.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from kernelmap.matching.by_name import calls_by_device_name
from kernelmap.matching.climb import climb
from kernelmap.matching.draft import Draft
from kernelmap.matching.recorded_graphs import Known, graph_of, recorded_graphs
from kernelmap.matching.situation import Situation
from kernelmap.model import NONE, Confidence, Method, Notice, Reason
from kernelmap.model.trace import Int

_METHODS = {
    Confidence.EXACT: Method.RECORDED_NODE,
    Confidence.INFERRED: Method.RECORDED_ORDER,
}


def by_recorded_node(situation: Situation, draft: Draft) -> None:
    """Decide open launches of replayed graphs that captures tell of."""
    trace = situation.trace
    recorded = recorded_graphs(situation.program, trace)
    if not recorded.nodes and not recorded.told:
        return
    launches = trace.launches
    generated = calls_by_device_name(situation.program)
    runs: dict[tuple[int, int], int] = {}
    run = np.full(len(launches), NONE, dtype=np.int64)
    for node, rows in _by_node(situation, draft):
        known = recorded.nodes.get(node)
        if known is not None:
            _decide(draft, rows, known)
            run[rows] = runs.setdefault(known.run, len(runs))
        elif graph_of(node) in recorded.told - recorded.wrong:
            named = [launches.names[name] in generated for name in launches.name_id[rows].tolist()]
            silent = rows[~np.array(named, dtype=bool)]
            draft.settle(silent, Confidence.UNKNOWN, reason=Reason.GRAPH_REPLAY)
    _number(situation, draft, run)


def recorded_notices(situation: Situation) -> Iterator[Notice]:
    """Replayed graphs that are not what was recorded."""
    wrong = recorded_graphs(situation.program, situation.trace).wrong
    if wrong:
        yield Notice(
            slug="cuda-graphs-differ",
            message=f"{len(wrong)} replayed CUDA graphs are none of those whose capture was"
            f" recorded, or several of them alike, first graph {min(wrong)[1]}.",
            hint="What they ran is known by names and order at best. Give the code of all graphs,"
            " and record the run that captured them.",
            gap=True,
        )


def _by_node(situation: Situation, draft: Draft) -> Iterator[tuple[tuple[int, int], Int]]:
    """The open rows of each node of a CUDA graph, with its process and id."""
    launches = situation.trace.launches
    rows = np.flatnonzero(draft.open & (launches.graph_node > 0))
    if not len(rows):
        return
    rows = rows[np.lexsort((launches.graph_node[rows], launches.process[rows]))]
    process, node = launches.process[rows], launches.graph_node[rows]
    fresh = (process[1:] != process[:-1]) | (node[1:] != node[:-1])
    for own in np.split(rows, np.flatnonzero(fresh) + 1):
        yield (int(launches.process[own[0]]), int(launches.graph_node[own[0]])), own


def _decide(draft: Draft, rows: Int, known: Known) -> None:
    if not known.calls:
        draft.settle(rows, Confidence.UNKNOWN, reason=Reason.NO_CODE)
    elif known.confidence is Confidence.AMBIGUOUS:
        for row in rows.tolist():
            draft.name(row, known.calls)
        draft.settle(rows, known.confidence, method=Method.CANDIDATES, reason=Reason.GRAPH_REPLAY)
    else:
        draft.call[rows] = known.calls[0]
        draft.settle(rows, known.confidence, method=_METHODS[known.confidence])


def _number(situation: Situation, draft: Draft, run: Int) -> None:
    """Give each launch with a call its invocation; `run` is the recorded one, -1 without.

    A graph launch inside a range of the same compiled graph is that range's invocation; others are
    counted after those that the host ran, in the order in which they were launched.
    """
    trace, program = situation.trace, situation.program
    launches = trace.launches
    sizes = [len(graph.calls) for graph in program.graphs]
    rows = np.flatnonzero((run >= 0) & (draft.call >= 0))
    graph = np.repeat(np.arange(len(sizes)), sizes)[draft.call[rows]]
    columns = (launches.process[rows], launches.correlation[rows], graph, run[rows])
    _, first, replay = np.unique(np.stack(columns), axis=1, return_index=True, return_inverse=True)
    marks = _marks(situation, rows[first])
    following: dict[tuple[int, int], int] = defaultdict(int)
    for each in situation.invocations:
        if each.number >= 0:
            slot = (each.group.process, each.identity.graphs[0])
            following[slot] = max(following[slot], each.number + 1)
    number = np.full(len(first), NONE, dtype=np.int64)
    for at in np.argsort(trace.launch_time_ns[rows[first]], kind="stable").tolist():
        own = int(graph[first[at]])
        around = situation.by_mark.get(int(marks[at]))
        if around is not None and around.identity.graphs == (own,) and around.number >= 0:
            number[at] = around.number
        else:
            slot = int(launches.process[rows[first[at]]]), own
            number[at] = following[slot]
            following[slot] += 1
    draft.invocation[rows] = number[replay.reshape(-1)]


def _marks(situation: Situation, rows: Int) -> Int:
    """The graph range around the host side of each row's graph launch, -1 without one."""
    trace = situation.trace
    api = trace.launches.api[rows]
    around = np.full(len(rows), NONE, dtype=np.int64)
    around[api >= 0] = trace.apis.range[api[api >= 0]]
    return climb(trace.ranges.parent, situation.host.is_mark, around)
