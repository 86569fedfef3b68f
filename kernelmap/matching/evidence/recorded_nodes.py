"""Replayed launches whose graph node was written down while it was captured (recorded_graphs.py).

Exact where the driver said which call made the node and that call's code is given; inferred where
it is the order of capture that says so. In a graph whose nodes the driver noted, any other node was
made by no call that was recorded: it stays unknown, unless its name is a generated kernel's, for
which later strategies may find something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched, decide_candidates
from kernelmap.matching.context.invocations import replay_numbers
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.recorded_graphs import NodeCall, graph_of
from kernelmap.model import Confidence, Method, Notice, Reason
from kernelmap.model.columns import row_groups
from kernelmap.model.trace import Int

_METHODS = {
    Confidence.EXACT: Method.RECORDED_NODE,
    Confidence.INFERRED: Method.RECORDED_ORDER,
}


def by_recorded_node(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide open launches of replayed graphs whose captures were recorded."""
    recorded, launches = context.recorded, context.trace.launches
    if not recorded.nodes and not recorded.noted:
        return
    generated, noted = context.calls_by_name, recorded.noted - recorded.wrong
    # Each captured execution gets a number, by which replays of several in one graph are told
    # apart.
    runs: dict[tuple[int, int], int] = {}
    of_call: list[tuple[Int, NodeCall, int]] = []
    for node, rows in _by_node(context, matched):
        node_call = recorded.nodes.get(node)
        if node_call is not None:
            run = runs.setdefault(node_call.run, len(runs))
            if not node_call.calls:
                yield Decided(rows, Confidence.UNKNOWN, reason=Reason.NO_CODE)
            elif node_call.confidence is Confidence.AMBIGUOUS:
                yield decide_candidates(rows, node_call.calls, Reason.GRAPH_REPLAY)
            else:
                of_call.append((rows, node_call, run))
        # The driver noted this graph's nodes, and this one was made by no recorded call: a copy,
        # say.
        elif graph_of(node) in noted:
            named = [launches.names[name] in generated for name in launches.name_id[rows].tolist()]
            silent = rows[~np.array(named, dtype=bool)]
            yield Decided(silent, Confidence.UNKNOWN, reason=Reason.GRAPH_REPLAY)
    if of_call:
        yield _of_calls(context, matched, of_call)


def _of_calls(
    context: MatchContext, matched: Matched, nodes: Sequence[tuple[Int, NodeCall, int]]
) -> Decided:
    """Decisions about replays of `nodes` with one call each: (rows, node call, captured run)."""
    # One row per launch from one entry per node, in the order of the trace.
    times = [len(rows) for rows, _, _ in nodes]
    rows = np.concatenate([rows for rows, _, _ in nodes])
    call = np.repeat([node_call.calls[0] for _, node_call, _ in nodes], times)
    run = np.repeat([run for _, _, run in nodes], times)
    confidence = [node_call.confidence for _, node_call, _ in nodes]
    order = np.argsort(rows, kind="stable")
    rows, call, run = rows[order], call[order], run[order]
    return Decided(
        rows,
        np.repeat(np.array(confidence, dtype=np.int8), times)[order],
        call=call,
        invocation=replay_numbers(context, matched, rows, call, run),
        method=np.repeat(np.array([_METHODS[c] for c in confidence], dtype=np.int8), times)[order],
    )


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


def _by_node(context: MatchContext, matched: Matched) -> Iterator[tuple[tuple[int, int], Int]]:
    """The open rows of each node of a CUDA graph, with its process and id."""
    launches = context.trace.launches
    rows = np.flatnonzero(matched.open & (launches.graph_node > 0))
    for at in row_groups(launches.graph_node[rows], launches.process[rows]):
        node_rows = rows[at]
        yield (
            (int(launches.process[node_rows[0]]), int(launches.graph_node[node_rows[0]])),
            node_rows,
        )
