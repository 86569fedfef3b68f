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
    Confidence.AMBIGUOUS: Method.CANDIDATES,
}


def by_recorded_node(situation: Situation, draft: Draft) -> None:
    """Decide open launches of replayed graphs that captures tell of."""
    trace = situation.trace
    recorded = recorded_graphs(situation.program, trace)
    if not recorded.nodes and not recorded.told:
        return
    launches = trace.launches
    rows = np.flatnonzero(draft.open & (launches.graph_node > 0))
    nodes = zip(launches.process[rows].tolist(), launches.graph_node[rows].tolist(), strict=True)
    generated = calls_by_device_name(situation.program)
    decided: list[tuple[int, Known]] = []
    for row, node in zip(rows.tolist(), nodes, strict=True):
        known = recorded.nodes.get(node)
        if known is not None:
            _decide(draft, row, known)
            decided.append((row, known))
        elif graph_of(node) in recorded.told - recorded.wrong and (
            launches.names[int(launches.name_id[row])] not in generated
        ):
            draft.settle(np.array([row]), Confidence.UNKNOWN, reason=Reason.GRAPH_REPLAY)
    _number(situation, draft, [(row, known) for row, known in decided if draft.call[row] >= 0])


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


def _decide(draft: Draft, row: int, known: Known) -> None:
    at = np.array([row])
    if not known.calls:
        draft.settle(at, Confidence.UNKNOWN, reason=Reason.NO_CODE)
        return
    if known.confidence is Confidence.AMBIGUOUS:
        draft.name(row, known.calls)
        draft.settle(at, known.confidence, method=Method.CANDIDATES, reason=Reason.GRAPH_REPLAY)
        return
    draft.call[row] = known.calls[0]
    draft.settle(at, known.confidence, method=_METHODS[known.confidence])


def _number(situation: Situation, draft: Draft, decided: list[tuple[int, Known]]) -> None:
    """Give each launch its invocation.

    A graph launch inside a range of the same compiled graph is that range's invocation; others are
    counted after those that the host ran, in the order in which they were launched.
    """
    trace, program = situation.trace, situation.program
    launches = trace.launches
    sizes = [len(graph.calls) for graph in program.graphs]
    graph_of_call = np.repeat(np.arange(len(sizes)), sizes)
    counted: dict[tuple[int, int], int] = defaultdict(int)
    for each in situation.invocations:
        if each.number >= 0:
            slot = (each.group.process, each.identity.graphs[0])
            counted[slot] = max(counted[slot], each.number + 1)
    rows = np.array([row for row, _ in decided], dtype=np.int64)
    marks = _marks(situation, rows)
    numbers: dict[tuple[int, int, int, tuple[int, int]], int] = {}
    for at in np.argsort(trace.launch_time_ns[rows], kind="stable").tolist():
        row, known = decided[at]
        process, graph = int(launches.process[row]), int(graph_of_call[draft.call[row]])
        key = (process, int(launches.correlation[row]), graph, known.run)
        if key not in numbers:
            around = situation.by_mark.get(int(marks[at]))
            if around is not None and around.identity.graphs == (graph,) and around.number >= 0:
                numbers[key] = around.number
            else:
                numbers[key] = counted[process, graph]
                counted[process, graph] += 1
        draft.invocation[row] = numbers[key]


def _marks(situation: Situation, rows: Int) -> Int:
    """The graph range around the host side of each row's graph launch, -1 without one."""
    trace = situation.trace
    api = trace.launches.api[rows]
    around = np.full(len(rows), NONE, dtype=np.int64)
    around[api >= 0] = trace.apis.range[api[api >= 0]]
    return climb(trace.ranges.parent, situation.host.is_mark, around)
