"""Replayed launches whose node's creation was not seen, found by the nodes before and after it.

Nodes are numbered in the order in which they were captured. So a node of which nothing tells the
call, amid others whose calls are known, belongs to the statements between theirs, as a launch does
whose api call was lost (by_neighbors.py). Solved once per graph, and inferred in every replay.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.orders import graph_of
from kernelmap.matching.evidence.by_neighbors import Columns, Line, runs_of
from kernelmap.matching.evidence.expected import Expected, order_of
from kernelmap.matching.host_side.columns import stretches
from kernelmap.model import NONE, Confidence, Method
from kernelmap.model.trace import Int


def by_node_neighbors(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide open replayed launches among nodes of the same graph whose calls are known."""
    launches = context.trace.launches
    noded = (launches.graph_node > 0) & context.host.replayed
    lost = noded & matched.open & (launches.origin < 0)
    known = (
        noded & ~matched.open & (matched.call >= 0) & (matched.confidence <= Confidence.INFERRED)
    )
    if not (lost.any() and known.any()):
        return
    # Replays lack the same nodes every time: what calls launch is seen where they ran alone.
    alone = order_of(context)
    alone = alone[~context.host.replayed[alone]]
    expected: Expected | None = None
    for rows in _graphs(context, np.flatnonzero(noded)):
        if not (lost[rows].any() and known[rows].any()):
            continue
        expected = expected or Expected(context, matched, alone)
        nodes, place = np.unique(launches.graph_node[rows], return_inverse=True)
        first, call = np.zeros((2, len(nodes)), dtype=np.int64)
        call[:] = NONE
        first[place[::-1]] = rows[::-1]
        decided = known[rows]
        call[place[decided]] = matched.call[rows[decided]]
        if any(one > other for one, other in pairwise(call[call >= 0].tolist())):
            continue  # the code ran several times in it, or in another order
        columns = Columns(
            first,
            call,
            invocation=np.where(call >= 0, 0, NONE),
            tuned=np.zeros(len(nodes), dtype=bool),
            whole=True,
        )
        line = Line(context, columns, expected)
        for begin, end in runs_of((call < 0) & lost[first]):
            for at, own, _ in line.filled(begin, end):
                yield _decided(context, matched, rows, rows[np.equal(place, at) & lost[rows]], own)


def _graphs(context: MatchContext, rows: Int) -> Iterator[Int]:
    """The rows of each replayed graph, by process."""
    launches = context.trace.launches
    for at in stretches(graph_of(launches)[rows], launches.process[rows]):
        yield rows[at]


def _decided(context: MatchContext, matched: Matched, rows: Int, own: Int, call: int) -> Decided:
    """Give `own` rows their call, and the invocation of what was replayed with them."""
    correlation = context.trace.launches.correlation
    graph = context.program.graph_of_call
    beside = rows[np.equal(graph[matched.call[rows]], graph[call])]
    number = dict(
        zip(correlation[beside].tolist(), matched.invocation[beside].tolist(), strict=True)
    )
    return Decided(
        own,
        Confidence.INFERRED,
        call=call,
        invocation=np.array([number.get(each, NONE) for each in correlation[own].tolist()]),
        method=Method.ALIGNMENT,
    )
