"""Two sides → how the peak of each graph's memory changed: the graphs that are pairs, held anew.

A side is a recording, or code alone. Its graphs and calls are paired as for times; only the
buffers are paired here (pairing/buffers.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from msgspec import Struct

from kernelmap.history.compare.memory.peaks import PeakChange, change_of_peak
from kernelmap.history.compare.pairing.buffers import CallGroup, Makers
from kernelmap.history.compare.pairing.calls import pair_calls, pair_graphs
from kernelmap.history.compare.pairing.sides import Paired
from kernelmap.history.compare.sides.held import HeldGraph, index_of_call
from kernelmap.history.compare.sides.pieces import Piece


class MemoryComparison(Struct, frozen=True, kw_only=True):
    """The peaks of graphs that both sides have, the largest change first; `new` and `gone` others.

    Empty where one side does not know its memory.
    """

    peaks: tuple[PeakChange, ...] = ()
    new: tuple[HeldGraph, ...] = ()
    gone: tuple[HeldGraph, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether both sides know their memory."""
        return bool(self.peaks or self.new or self.gone)

    @property
    def changed(self) -> tuple[PeakChange, ...]:
        """The graphs whose peak changed."""
        return tuple(peak for peak in self.peaks if peak.change_bytes)

    @property
    def before_bytes(self) -> int:
        """The highest peak of any graph before."""
        graphs = (*(peak.before for peak in self.peaks), *self.gone)
        return max((graph.peak_bytes for graph in graphs), default=0)

    @property
    def after_bytes(self) -> int:
        """The highest peak of any graph after."""
        graphs = (*(peak.after for peak in self.peaks), *self.new)
        return max((graph.peak_bytes for graph in graphs), default=0)


class GraphPair(Struct, frozen=True, kw_only=True):
    """Two graphs that belong together, by their ids, and the groups of their calls."""

    before: str
    after: str
    groups: tuple[CallGroup, ...]


def compare_memory(
    before: Sequence[HeldGraph], after: Sequence[HeldGraph], pairs: Iterable[GraphPair]
) -> MemoryComparison:
    """The memory of both sides; `pairs` are the graphs that belong together."""
    if not before or not after:
        return MemoryComparison()
    known = ({one.graph: one for one in before}, {one.graph: one for one in after})
    # Graphs of which one side states no code have no memory to compare.
    both = [pair for pair in pairs if pair.before in known[0] and pair.after in known[1]]
    makers = _makers_of_pairs(both)
    peaks = [
        change_of_peak(known[0][pair.before], known[1][pair.after], pair.groups, makers)
        for pair in both
    ]
    paired = ({pair.before for pair in both}, {pair.after for pair in both})
    return MemoryComparison(
        peaks=tuple(sorted(peaks, key=lambda peak: (-abs(peak.change_bytes), peak.after.graph))),
        new=tuple(one for one in after if one.graph not in paired[1]),
        gone=tuple(one for one in before if one.graph not in paired[0]),
    )


def _makers_of_pairs(pairs: Sequence[GraphPair]) -> tuple[Makers, Makers]:
    """By call id the number of its group among all graphs, for both sides."""
    makers: tuple[dict[str, Hashable], dict[str, Hashable]] = ({}, {})
    numbered = ((pair, group) for pair in pairs for group in pair.groups)
    for number, (pair, group) in enumerate(numbered):
        makers[0].update({f"{pair.before}/{at}": number for at in group.before})
        makers[1].update({f"{pair.after}/{at}": number for at in group.after})
    return makers


def pairs_of_recordings(pairing: Paired) -> list[GraphPair]:
    """The pairs of graphs of two recordings."""
    groups: dict[str, list[CallGroup]] = {}
    for pair in pairing.pairs:
        groups.setdefault(pair.graph, []).append(
            CallGroup(
                before=tuple(index_of_call(call.id) for call in pair.before),
                after=tuple(index_of_call(call.id) for call in pair.after),
                same=pair.same,
            )
        )
    return [
        GraphPair(before=one.id, after=other.id, groups=tuple(groups.get(other.id, ())))
        for one, other in pairing.graphs
    ]


Pieces = Sequence[tuple[str, Sequence[Piece]]]
"""The graphs of a program by their ids, with what each of their calls computes."""


def pairs_of_codes(before: Pieces, after: Pieces) -> list[GraphPair]:
    """The pairs of graphs of two programs."""
    calls = [[pieces for _, pieces in side] for side in (before, after)]
    names = ([name for name, _ in before], [name for name, _ in after])
    return [
        GraphPair(
            before=names[0][one],
            after=names[1][other],
            groups=tuple(
                CallGroup(before=group.before, after=group.after, same=group.same)
                for group in pair_calls(calls[0][one], calls[1][other])
            ),
        )
        for one, other in pair_graphs(calls[0], calls[1], names)
    ]
