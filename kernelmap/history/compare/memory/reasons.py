"""Why a buffer holds memory at a place of one graph, and not at that place of the other.

Every reason is found as that of a buffer which is there: on the newer side it is why more is alive,
on the older side, turned around, why less is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct

from kernelmap.history.compare.pairing.buffers import BufferPair, CallGroup
from kernelmap.history.compare.sides.held import HeldBuffer, HeldGraph
from kernelmap.model.memory import MemoryKind


class MemoryReason(StrEnum):
    """Why a buffer holds more at the place of the peak, or less."""

    SAVED = "saved for the backward"
    HANDED_OUT = "handed out of the graph"
    UNFUSED = "lost fusion"
    LAYOUT_COPY = "copy in another layout"
    CAST_COPY = "copy in another dtype"
    LONGER = "lives longer"
    EARLIER = "made earlier"
    REUSE_LOST = "memory not reused"
    NEW_INPUT = "new input"
    NEW = "new buffer"
    DTYPE = "another dtype"
    SHAPE = "another shape"
    STRIDES = "other strides"
    POOL = "rest of a pool"
    NOT_SAVED = "not saved any more"
    NOT_HANDED_OUT = "not handed out any more"
    FUSED = "fused"
    NO_LAYOUT_COPY = "no copy in another layout"
    NO_CAST_COPY = "no copy in another dtype"
    SHORTER = "freed earlier"
    LATER = "made later"
    REUSED = "memory reused"
    GONE_INPUT = "input is gone"
    GONE = "buffer is gone"


_TURNED = {
    MemoryReason.SAVED: MemoryReason.NOT_SAVED,
    MemoryReason.HANDED_OUT: MemoryReason.NOT_HANDED_OUT,
    MemoryReason.UNFUSED: MemoryReason.FUSED,
    MemoryReason.LAYOUT_COPY: MemoryReason.NO_LAYOUT_COPY,
    MemoryReason.CAST_COPY: MemoryReason.NO_CAST_COPY,
    MemoryReason.LONGER: MemoryReason.SHORTER,
    MemoryReason.EARLIER: MemoryReason.LATER,
    MemoryReason.REUSE_LOST: MemoryReason.REUSED,
    MemoryReason.NEW_INPUT: MemoryReason.GONE_INPUT,
    MemoryReason.NEW: MemoryReason.GONE,
}
"""What the reason of a buffer that is there is called where it is there on the older side."""


_HANDED_IN = (MemoryKind.INPUT, MemoryKind.CONSTANT, MemoryKind.GRADIENT)
"""What no call of the graph makes."""


class PairedMemory(Struct, frozen=True, kw_only=True):
    """Two graphs with their pairs of buffers, to follow a buffer from one side to the other.

    `partners` are by side and index: the same buffer on the other side. `heirs` are by side and
    index: the buffer that took over the memory of that one.
    """

    graphs: tuple[HeldGraph, HeldGraph]
    partners: tuple[Mapping[int, HeldBuffer | None], Mapping[int, HeldBuffer | None]]
    heirs: tuple[Mapping[int, HeldBuffer], Mapping[int, HeldBuffer]]


def paired_memory(before: HeldGraph, after: HeldGraph, pairs: Sequence[BufferPair]) -> PairedMemory:
    """The two graphs with what follows from their pairs."""
    later = {pair.before.index: pair.after for pair in pairs if pair.before is not None}
    earlier = {pair.after.index: pair.before for pair in pairs if pair.after is not None}
    heirs = [
        {one.reuses: one for one in graph.buffers if one.reuses is not None}
        for graph in (before, after)
    ]
    return PairedMemory(
        graphs=(before, after), partners=(later, earlier), heirs=(heirs[0], heirs[1])
    )


def reason_of_change(
    pair: BufferPair, is_there: tuple[bool, bool], places: tuple[int, int], paired: PairedMemory
) -> tuple[MemoryReason, HeldBuffer | None]:
    """Why a pair holds other bytes at the place, and the other buffer that has to do with it.

    `is_there` says on which sides its buffer is alive there: on one of them at least.
    """
    if all(is_there) and pair.before is not None and pair.after is not None:
        return _reason_of_size(pair.before, pair.after), None
    side = 1 if is_there[1] else 0
    held, absent = (pair.before, pair.after)[side], (pair.before, pair.after)[1 - side]
    assert held is not None  # noqa: S101 -- it is alive on this side
    reason, other = (
        _reason_of_new(held, side, pair.group, paired)
        if absent is None
        else _reason_of_life(held, absent, side, places[1 - side], paired)
    )
    return (reason if side else _TURNED[reason]), other


def _reason_of_new(
    held: HeldBuffer, side: int, group: CallGroup | None, paired: PairedMemory
) -> tuple[MemoryReason, HeldBuffer | None]:
    """Why there is a buffer that the other side does not have."""
    graph = paired.graphs[side]
    if held.is_saved:
        return MemoryReason.SAVED, None
    if held.kind in _HANDED_IN:
        return MemoryReason.NEW_INPUT, None
    if held.copies is not None:
        original = graph.by_name.get(held.copies)
        is_cast = original is not None and original.dtype != held.dtype
        return (MemoryReason.CAST_COPY if is_cast else MemoryReason.LAYOUT_COPY), original
    # More kernels than on the other side do the same work, and hand this to each other.
    if group is not None and group.before and group.after:
        counts = (len(group.before), len(group.after))
        if counts[side] > counts[1 - side]:
            return MemoryReason.UNFUSED, None
    if held.kind is MemoryKind.OUTPUT:
        return MemoryReason.HANDED_OUT, None
    return MemoryReason.NEW, None


def _reason_of_life(
    held: HeldBuffer, absent: HeldBuffer, side: int, place: int, paired: PairedMemory
) -> tuple[MemoryReason, HeldBuffer | None]:
    """Why a buffer that both sides have is alive at the place of one of them only."""
    # It stays because somebody outside of the graph wants it.
    if held.is_saved and not absent.is_saved:
        return MemoryReason.SAVED, None
    if held.kind is MemoryKind.OUTPUT and absent.kind is not MemoryKind.OUTPUT:
        return MemoryReason.HANDED_OUT, None
    if absent.first > place:
        return MemoryReason.EARLIER, None
    # On the other side another buffer took over its memory, which has memory of its own here.
    heir = paired.heirs[1 - side].get(absent.index)
    own = None if heir is None else paired.partners[1 - side].get(heir.index)
    if own is not None and own.reuses != held.index and _is_last_used_by(held, own.call):
        return MemoryReason.REUSE_LOST, own
    return MemoryReason.LONGER, None


def _is_last_used_by(held: HeldBuffer, call: int | None) -> bool:
    """Whether no call behind this one needs a buffer."""
    return held.last_use is None or call is None or held.last_use <= call


def _reason_of_size(one: HeldBuffer, other: HeldBuffer) -> MemoryReason:
    """Why a buffer that is alive on both sides has another size."""
    if one.dtype != other.dtype:
        return MemoryReason.DTYPE
    if one.shape != other.shape:
        return MemoryReason.SHAPE
    if MemoryKind.POOL in (one.kind, other.kind):
        return MemoryReason.POOL
    return MemoryReason.STRIDES
