"""Sums over buffers: what is alive after each step, by kind, and at the peak."""

from __future__ import annotations

import numpy as np

from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind, MemoryStep

STEPS = tuple(MemoryStep(line=at, code=f"statement {at}") for at in range(5))


def _buffer(
    name: str,
    size: int | None,
    born: int,
    freed: int | None,
    kind: MemoryKind = MemoryKind.BUFFER,
    pool: int | None = None,
) -> MemoryBuffer:
    return MemoryBuffer(
        name=name, storage=0, kind=kind, nbytes=size, born=born, freed=freed, pool=pool
    )


GRAPH = GraphMemory(
    graph="0_forward",
    steps=STEPS,
    buffers=(
        _buffer("primals_1", 100, 0, None, kind=MemoryKind.INPUT),
        _buffer("pool0", 64, 1, 4, kind=MemoryKind.POOL),
        _buffer("buf0", 48, 2, 3, pool=1),
        _buffer("buf1", 10, 2, 4),
        _buffer("buf2", 10, 4, None, kind=MemoryKind.OUTPUT),
        _buffer("buf3", None, 2, 3),
    ),
)


def test_a_step_has_the_bytes_of_all_that_is_alive_when_it_is_done() -> None:
    """Born at a step, a buffer counts from there on; freed at one, it counts no more."""
    assert GRAPH.bytes_after.tolist() == [100, 164, 174, 174, 110]
    assert GRAPH.bytes_before.tolist() == [100, 100, 164, 174, 174]
    assert (GRAPH.peak_step, GRAPH.peak_bytes) == (2, 174)


def test_kinds_add_up_to_the_bytes_of_each_step() -> None:
    """What lies in a pool is no more the pool's, so nothing counts twice."""
    by_kind = [GRAPH.bytes_of_kind(kind) for kind in MemoryKind]

    assert np.sum(by_kind, axis=0).tolist() == GRAPH.bytes_after.tolist()
    assert GRAPH.bytes_of_kind(MemoryKind.POOL).tolist() == [0, 64, 16, 64, 0]


def test_what_is_alive_adds_up_to_the_bytes_of_the_step() -> None:
    """Each buffer has its own bytes, and a pool those that buffers in it leave."""
    for step, total in enumerate(GRAPH.bytes_after.tolist()):
        assert sum(own for _, own in GRAPH.alive_after(step)) == total

    at_peak = {buffer.name: own for buffer, own in GRAPH.alive_after(2)}
    assert at_peak == {"primals_1": 100, "pool0": 16, "buf0": 48, "buf1": 10, "buf3": 0}


def test_buffers_without_a_size_are_named() -> None:
    """All sums are without them, so that a reader has to know of them."""
    assert [buffer.name for buffer in GRAPH.unsized] == ["buf3"]
