"""Two sides → which graphs and calls of one are which of the other."""

from __future__ import annotations

from msgspec import Struct

from kernelmap.history.compare.pairing.calls import pair_calls, pair_graphs
from kernelmap.history.compare.sides.pieces import Witness
from kernelmap.history.compare.sides.side import CallSide, ComparedSide, GraphSide


class Pair(Struct, frozen=True, kw_only=True):
    """Calls of both sides that belong together; `same` where they compute the same.

    `witness` is what paired them, or what separates one that stands alone from its equals.
    """

    graph: str
    before: tuple[CallSide, ...]
    after: tuple[CallSide, ...]
    same: bool
    witness: Witness | None = None


class Paired(Struct, frozen=True, kw_only=True):
    """Both sides held against each other; graphs as (before, after)."""

    pairs: tuple[Pair, ...]
    graphs: tuple[tuple[GraphSide, GraphSide], ...]
    gone: tuple[GraphSide, ...]
    new: tuple[GraphSide, ...]


def pair_sides(before: ComparedSide, after: ComparedSide) -> Paired:
    """Which graphs and calls are which; every call is in one pair, or in a graph of one side."""
    # What each call computes, by graph, for both sides.
    sides = [
        [[call.piece for call in graph.calls] for graph in side.graphs] for side in (before, after)
    ]
    names = ([graph.id for graph in before.graphs], [graph.id for graph in after.graphs])
    graphs = pair_graphs(sides[0], sides[1], names)
    pairs = [
        Pair(
            graph=after.graphs[other].id,
            before=tuple(before.graphs[one].calls[at] for at in group.before),
            after=tuple(after.graphs[other].calls[at] for at in group.after),
            same=group.same,
            witness=group.witness,
        )
        for one, other in graphs
        for group in pair_calls(sides[0][one], sides[1][other])
    ]
    # What has no counterpart is new or gone as a whole graph.
    in_pairs = ({one for one, _ in graphs}, {other for _, other in graphs})
    return Paired(
        pairs=tuple(pairs),
        graphs=tuple((before.graphs[one], after.graphs[other]) for one, other in graphs),
        gone=tuple(graph for at, graph in enumerate(before.graphs) if at not in in_pairs[0]),
        new=tuple(graph for at, graph in enumerate(after.graphs) if at not in in_pairs[1]),
    )
