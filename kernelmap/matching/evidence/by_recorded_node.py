"""Replayed launches whose graph node was written down while it was captured (recorded_graphs.py).

Exact where the driver told which call made the node and that call's code is given; inferred where
the order of capture tells. In a graph whose nodes were told, what is none of them was made by no
call that was heard: it stays unknown, unless its name is a generated kernel's, for which later
strategies may find something.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.matching.context.draft import Draft
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.numbering import number_replays
from kernelmap.matching.host_side.columns import stretches
from kernelmap.matching.host_side.recorded_graphs import Known, graph_of
from kernelmap.model import NONE, Confidence, Method, Notice, Reason
from kernelmap.model.trace import Int

_METHODS = {
    Confidence.EXACT: Method.RECORDED_NODE,
    Confidence.INFERRED: Method.RECORDED_ORDER,
}


def by_recorded_node(context: MatchContext, draft: Draft) -> None:
    """Decide open launches of replayed graphs that captures tell of."""
    recorded, launches = context.recorded, context.trace.launches
    if not recorded.nodes and not recorded.told:
        return
    generated, told = context.calls_by_name, recorded.told - recorded.wrong
    runs: dict[tuple[int, int], int] = {}
    run = np.full(len(launches), NONE, dtype=np.int64)
    for node, rows in _by_node(context, draft):
        known = recorded.nodes.get(node)
        if known is not None:
            _decide(draft, rows, known)
            run[rows] = runs.setdefault(known.run, len(runs))
        elif graph_of(node) in told:
            named = [launches.names[name] in generated for name in launches.name_id[rows].tolist()]
            silent = rows[~np.array(named, dtype=bool)]
            draft.settle(silent, Confidence.UNKNOWN, reason=Reason.GRAPH_REPLAY)
    rows = np.flatnonzero((run >= 0) & (draft.call >= 0))
    number_replays(context, draft, rows, run[rows])


def recorded_notices(context: MatchContext) -> Iterator[Notice]:
    """Replayed graphs that are not what was recorded."""
    wrong = context.recorded.wrong
    if wrong:
        yield Notice(
            slug="cuda-graphs-differ",
            message=f"{len(wrong)} replayed CUDA graphs are none of those whose capture was"
            f" recorded, or several of them alike, first graph {min(wrong)[1]}.",
            hint="What they ran is known by names and order at best. Give the code of all graphs,"
            " and record the run that captured them.",
            gap=True,
        )


def _by_node(context: MatchContext, draft: Draft) -> Iterator[tuple[tuple[int, int], Int]]:
    """The open rows of each node of a CUDA graph, with its process and id."""
    launches = context.trace.launches
    rows = np.flatnonzero(draft.open & (launches.graph_node > 0))
    for at in stretches(launches.graph_node[rows], launches.process[rows]):
        own = rows[at]
        yield (int(launches.process[own[0]]), int(launches.graph_node[own[0]])), own


def _decide(draft: Draft, rows: Int, known: Known) -> None:
    if not known.calls:
        draft.settle(rows, Confidence.UNKNOWN, reason=Reason.NO_CODE)
    elif known.confidence is Confidence.AMBIGUOUS:
        draft.leave(rows, known.calls, Reason.GRAPH_REPLAY)
    else:
        draft.call[rows] = known.calls[0]
        draft.settle(rows, known.confidence, method=_METHODS[known.confidence])
