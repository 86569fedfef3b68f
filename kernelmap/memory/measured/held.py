"""A span and its peak → who held the bytes then; every byte in exactly one row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kernelmap.memory.measured.levels import SpanLevel
from kernelmap.memory.measured.owners import EventOwners
from kernelmap.model.allocations import Blocks
from kernelmap.model.measured_memory import HeldBytes, Since
from kernelmap.model.trace import Bool, Int


def find_held(blocks: Blocks, owners: EventOwners, level: SpanLevel) -> tuple[HeldBytes, ...]:
    """The bytes at the peak of a span by owner, most first; `blocks` are those of its allocator.

    What no event of the recording handed out is the rest: it was there before.
    """
    alive = blocks.alive_at(level.row_of_peak)
    rows, sizes = blocks.alloc[alive], blocks.bytes[alive]
    is_within = rows > level.last_row
    found = list(_sum_by_owner(owners, rows, sizes, is_within))
    # The total is the allocator's own word. Where threads were not recorded it may be smaller than
    # the blocks, if these free what others were handed; then nothing is left for what was earlier.
    rest = level.peak - int(sizes.sum())
    if rest:
        found.append(HeldBytes(since=Since.EARLIER, bytes=rest))
    return tuple(sorted(found, key=_order))


def _sum_by_owner(
    owners: EventOwners, rows: Int, sizes: Int, is_within: Bool
) -> Iterator[HeldBytes]:
    total: dict[tuple[bool, int], int] = defaultdict(int)
    count: dict[tuple[bool, int], int] = defaultdict(int)
    numbers = owners.number[rows].tolist()
    for within, number, size in zip(is_within.tolist(), numbers, sizes.tolist(), strict=True):
        total[within, number] += size
        count[within, number] += 1
    for (within, number), size in total.items():
        yield HeldBytes(
            since=Since.WITHIN if within else Since.BEFORE,
            owner=owners.owners[number],
            bytes=size,
            blocks=count[within, number],
        )


def _order(held: HeldBytes) -> tuple[int, str, int, int, str]:
    owner = held.owner
    return (
        -held.bytes,
        held.since,
        -1 if owner is None or owner.graph is None else owner.graph,
        -1 if owner is None or owner.call is None else owner.call,
        "" if owner is None else f"{owner.op} {owner.place} {owner.is_during}",
    )
