"""What the allocator of a device did, as a profile shows it: each allocation and each free.

torch.profiler writes them with `profile_memory=True`: one event per block that is handed out or
given back, with the address, the bytes, and what the allocator holds in all just after it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import NONE, Bool, EqualColumns, Int


class MemoryEvents(EqualColumns, frozen=True):
    """Allocations and frees, in the order of time within their source; all (n,).

    `source` is the position in `Trace.sources`, `process` that in `Trace.processes` (-1: the trace
    has no such process), `thread` as in `Ranges`. `device` is the GPU as the profiler numbers it,
    -1 for the memory of the host. `bytes` is negative for a free. `allocated` and `reserved` are
    what the allocator of that device holds just after the event: handed out to tensors, and taken
    from the driver (-1 where the event does not state it, and for the host). Of the host's memory
    torch counts only what was allocated while it recorded, so its `allocated` begins at 0. `range`
    is the row of the innermost range around the event, `event` its position among the memory events
    of the file.
    """

    source: Int
    process: Int
    thread: Int
    device: Int
    time_ns: Int
    bytes: Int
    address: Int
    allocated: Int
    reserved: Int
    range: Int
    event: Int

    @property
    def is_alloc(self) -> Bool:
        """Mask of the rows that hand out a block; (n,)."""
        return self.bytes > 0

    def iter_allocators(self) -> Iterator[tuple[Allocator, Int]]:
        """Each allocator that the events are of, with its rows in the order of time."""
        # Sources, and the devices of one source, have an allocator each.
        for source in np.unique(self.source).tolist():
            of_source = self.source == source
            for device in np.unique(self.device[of_source]).tolist():
                rows = np.flatnonzero(of_source & (self.device == device))
                yield Allocator(source=source, device=device), rows


class Allocator(Struct, frozen=True, order=True):
    """What hands out the memory of one device: `device` as in MemoryEvents, -1 for the host's."""

    source: int
    device: int

    @property
    def is_host(self) -> bool:
        """Whether it hands out the memory of the host."""
        return self.device == NONE


class Blocks(EqualColumns, frozen=True):
    """Blocks of memory, from the event that hands them out to the one that takes them back.

    `alloc` and `free` are rows of MemoryEvents: `alloc` is -1 for a block that was handed out
    before the recording began, `free` -1 for one that outlives it. `bytes` is positive. A block
    that `is_lost` was handed out, and its address once more without a free in between: one event is
    missing there, and when it was is not known. `until` is the row from which on it is not there:
    its free, the next allocation of a lost one, else the number of events.
    """

    alloc: Int
    free: Int
    bytes: Int
    is_lost: Bool
    until: Int

    def alive_at(self, row: int) -> Int:
        """The blocks, by position, that the recording saw handed out, just after event `row`."""
        return np.flatnonzero((self.alloc >= 0) & (self.alloc <= row) & (self.until > row))


def pair_blocks(events: MemoryEvents) -> Blocks:
    """The blocks that events are of; every event is an end of exactly one block."""
    size = len(events)
    # Events of one address of one allocator stand together, in the order of time.
    order = np.lexsort((np.arange(size), events.address, events.device, events.source))
    keys = np.stack([events.source, events.device, events.address])[:, order]
    is_alloc = events.is_alloc[order]
    # Whether the next row is of the same address, and whether it is an allocation.
    has_next = np.zeros(size, dtype=np.bool_)
    has_next[:-1] = (keys[:, 1:] == keys[:, :-1]).all(axis=0)
    is_followed = np.append(is_alloc[1:], False)

    # An allocation ends with the next event of its address: the free, or where that is missing,
    # the next allocation. A free that follows none ends a block that was there before.
    begins = np.flatnonzero(is_alloc)
    following = order[np.minimum(begins + 1, size - 1)] if size else begins
    is_freed = has_next[begins] & ~is_followed[begins]
    is_lost = has_next[begins] & is_followed[begins]
    ended = np.zeros(size, dtype=np.bool_)
    ended[begins[is_freed] + 1] = True
    orphans = order[~is_alloc & ~ended]
    no_block = np.full(len(orphans), NONE, dtype=np.int64)
    blocks = Blocks(
        alloc=np.concatenate([order[begins], no_block]),
        free=np.concatenate([np.where(is_freed, following, NONE), orphans]),
        bytes=np.abs(events.bytes[np.concatenate([order[begins], orphans])]),
        is_lost=np.concatenate([is_lost, no_block > 0]),
        until=np.concatenate([np.where(is_freed | is_lost, following, size), orphans]),
    )
    # In the order of their first event.
    first = np.where(blocks.alloc >= 0, blocks.alloc, blocks.free)
    return blocks.take_rows(np.argsort(first, kind="stable"))


def level_before(events: MemoryEvents, rows: Int) -> Int:
    """What the allocator held just before each of `rows`; (rows,)."""
    before: Int = events.allocated[rows] - events.bytes[rows]
    return before


def find_unrecorded(events: MemoryEvents, rows: Int) -> Int:
    """By how much the allocator's total changed between an allocator's `rows` without an event.

    The first is 0. Where all threads were recorded all of them are: the events explain the total.
    """
    between = np.zeros(len(rows), dtype=np.int64)
    if len(rows) > 1:
        between[1:] = level_before(events, rows[1:]) - events.allocated[rows[:-1]]
    return between
