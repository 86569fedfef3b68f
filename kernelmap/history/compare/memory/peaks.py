"""Two graphs that belong together → why the peak of their memory changed, buffer by buffer.

The peak of the newer code stands at one of its calls. What is alive there is held against what was
alive at the same call of the older code, and what the older peak had more than that place is its
`room`: so a peak that moved brings no list of all that is alive at two different places. Where the
peak fell, the place is that of the older peak. The changes of buffers and the room add up to the
change of the peak, to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from kernelmap.history.compare.memory.reasons import (
    MemoryReason,
    PairedMemory,
    paired_memory,
    reason_of_change,
)
from kernelmap.history.compare.pairing.buffers import BufferPair, CallGroup, Makers, pair_buffers
from kernelmap.history.compare.sides.held import HeldBuffer, HeldGraph


class MemoryChange(Struct, frozen=True, kw_only=True):
    """A buffer of which more or less is alive at the place.

    `other` is a second buffer that the reason speaks of: the one that took over its memory, or the
    one of which it is a copy.
    """

    reason: MemoryReason
    before: HeldBuffer | None
    after: HeldBuffer | None
    before_bytes: int
    after_bytes: int
    other: HeldBuffer | None = None

    @property
    def change_bytes(self) -> int:
        """Bytes more at the place, or fewer."""
        return self.after_bytes - self.before_bytes

    @property
    def buffer(self) -> HeldBuffer:
        """The buffer as the newer code has it, else as the older one had it."""
        buffer = self.after or self.before
        assert buffer is not None  # noqa: S101 -- a change is of a buffer of at least one side
        return buffer


class PeakChange(Struct, frozen=True, kw_only=True):
    """The peak of one graph before and after; `changes` are ordered by size, largest first.

    `places` are the calls at which both sides are held against each other: -1 before any call, the
    number of calls when all have run. `room_bytes` is what the peak of one side lies above its
    place, below zero where that is the older one's: changes and room add up to `change_bytes`.
    """

    before: HeldGraph
    after: HeldGraph
    places: tuple[int, int]
    changes: tuple[MemoryChange, ...]
    room_bytes: int

    @property
    def change_bytes(self) -> int:
        """What the peak has more than before."""
        return self.after.peak_bytes - self.before.peak_bytes


def change_of_peak(
    before: HeldGraph,
    after: HeldGraph,
    groups: Sequence[CallGroup],
    makers: tuple[Makers, Makers] = ({}, {}),
) -> PeakChange:
    """Why the peak changed; without changes of buffers where it did not.

    `makers` are the calls of both programs, to know again what a forward saved.
    """
    is_higher = after.peak_bytes >= before.peak_bytes
    places = _places_of_change(before, after, groups, is_higher=is_higher)
    held = (before.held_at(places[0]), after.held_at(places[1]))
    alive_bytes = sum(held[0].values()), sum(held[1].values())
    room = (alive_bytes[0] - before.peak_bytes) + (after.peak_bytes - alive_bytes[1])
    changes: list[MemoryChange] = []
    if after.peak_bytes != before.peak_bytes:
        pairs = pair_buffers(before, after, groups, makers)
        paired = paired_memory(before, after, pairs)
        for pair in pairs:
            changed = _change_of_pair(pair, held, places, paired)
            changes += [changed] if changed is not None else []
    return PeakChange(
        before=before,
        after=after,
        places=places,
        changes=tuple(
            sorted(changes, key=lambda each: (-abs(each.change_bytes), each.buffer.index))
        ),
        room_bytes=room,
    )


def _change_of_pair(
    pair: BufferPair,
    held: tuple[Mapping[int, int], Mapping[int, int]],
    places: tuple[int, int],
    paired: PairedMemory,
) -> MemoryChange | None:
    """What a pair of buffers holds more or less at the place; None where it holds the same."""
    sides = (pair.before, pair.after)
    alive = [
        held[side].get(one.index) if one is not None else None for side, one in enumerate(sides)
    ]
    before_bytes, after_bytes = (own or 0 for own in alive)
    if before_bytes == after_bytes:
        return None
    is_there = (alive[0] is not None, alive[1] is not None)
    reason, other = reason_of_change(pair, is_there, places, paired)
    return MemoryChange(
        reason=reason,
        before=pair.before,
        after=pair.after,
        before_bytes=before_bytes,
        after_bytes=after_bytes,
        other=other,
    )


def _places_of_change(
    before: HeldGraph, after: HeldGraph, groups: Sequence[CallGroup], *, is_higher: bool
) -> tuple[int, int]:
    """The higher of both peaks, and the moment of the other graph that is the same."""
    if is_higher:
        calls = {at: group.before for group in groups for at in group.after}
        place = after.peak_moment
        return _counterpart(place, after, before, calls), place
    calls = {at: group.after for group in groups for at in group.before}
    place = before.peak_moment
    return place, _counterpart(place, before, after, calls)


def _counterpart(
    place: int, graph: HeldGraph, other: HeldGraph, calls: Mapping[int, tuple[int, ...]]
) -> int:
    """The moment of `other` that is that place of `graph`; `calls` leads from graph to other.

    A call without a counterpart has that of the nearest one before it. Of several calls that it
    became, the one counts at which most is alive.
    """
    if place >= graph.end:
        return other.end
    for at in range(place, -1, -1):
        if calls.get(at):
            return max(calls[at], key=other.bytes_alive_at)
    return -1
