"""Allocations and frees are ends of blocks, each of exactly one."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from kernelmap.model.allocations import Allocator, Blocks, find_unrecorded, pair_blocks
from tiny_memory import Change, TinyAllocator, allocators, events_of


def ends_of(blocks: Blocks) -> list[tuple[int, int, int]]:
    """Allocation, free and bytes of each block."""
    return list(
        zip(blocks.alloc.tolist(), blocks.free.tolist(), blocks.bytes.tolist(), strict=True)
    )


def test_a_block_lasts_from_its_allocation_to_the_free_of_its_address() -> None:
    """An address that is handed out again is another block."""
    memory = TinyAllocator(held=4096)
    first = memory.alloc(512, 10)
    memory.free(first, 20)
    again = memory.alloc(1024, 30)
    memory.free_old(4096, 40)

    assert again == first
    assert ends_of(pair_blocks(memory.events())) == [(0, 1, 512), (2, -1, 1024), (-1, 3, 4096)]


def test_a_block_whose_address_is_handed_out_again_without_a_free_is_lost() -> None:
    """One event is missing there: the block is named, and no free is made up for it."""
    events = events_of([Change(1, 64, 7, 64, 0), Change(2, 32, 7, 96, 0), Change(3, -32, 7, 64, 0)])

    blocks = pair_blocks(events)

    assert ends_of(blocks) == [(0, -1, 64), (1, 2, 32)]
    assert blocks.is_lost.tolist() == [True, False]
    assert blocks.alive_at(0).tolist() == [0]
    assert blocks.alive_at(1).tolist() == [1]


@given(allocators())
def test_every_event_is_an_end_of_one_block(memory: TinyAllocator) -> None:
    """And both ends of a block are of the same bytes, the allocation first."""
    events = memory.events()
    blocks = pair_blocks(events)
    ends = np.concatenate([blocks.alloc[blocks.alloc >= 0], blocks.free[blocks.free >= 0]])

    assert sorted(ends.tolist()) == list(range(len(events)))
    assert not blocks.is_lost.any()
    whole = blocks.take_rows((blocks.alloc >= 0) & (blocks.free >= 0))
    assert (whole.alloc < whole.free).all()
    assert (events.bytes[whole.alloc] == -events.bytes[whole.free]).all()
    assert (blocks.bytes > 0).all()


@given(allocators())
def test_whole_events_explain_the_total_and_it_is_never_negative(memory: TinyAllocator) -> None:
    """What is alive at any event are the blocks of then and what was there before."""
    events = memory.events()
    ((allocator, rows),) = events.iter_allocators()
    blocks = pair_blocks(events)
    # Of what was there before the recording, the part that no event has taken back yet.
    old = int(events.allocated[0] - events.bytes[0])
    for row in rows.tolist():
        old -= int(blocks.bytes[(blocks.alloc < 0) & (blocks.free == row)].sum())
        assert int(blocks.bytes[blocks.alive_at(row)].sum()) + old == events.allocated[row]

    assert allocator == Allocator(source=0, device=0)
    assert not find_unrecorded(events, rows).any()
    assert (events.allocated >= 0).all()


def test_a_total_that_no_event_explains_is_found() -> None:
    """As where a thread was not recorded that allocates, too."""
    events = events_of([Change(1, 64, 7, 64, 0), Change(2, 32, 8, 1096, 0)])

    assert find_unrecorded(events, np.array([0, 1])).tolist() == [0, 1000]
