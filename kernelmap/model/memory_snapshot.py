"""A memory snapshot of torch: the blocks that its allocators had, and what they did before.

`torch.cuda.memory._dump_snapshot` writes one; with `_record_memory_history` it has the stacks of
each allocation and the history of the last events. Bytes are those that the program asked for: an
allocator rounds them up, mostly to 512.
"""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct

from kernelmap.model.trace import EqualColumns, Int


class AllocatorAction(IntEnum):
    """What an event of the history is.

    FREE_REQUESTED gives a block back; it is FREE_COMPLETED when no stream uses it any more.
    OTHER: what a newer torch writes.
    """

    OTHER = 0
    ALLOC = 1
    FREE_REQUESTED = 2
    FREE_COMPLETED = 3
    SEGMENT_ALLOC = 4
    SEGMENT_FREE = 5
    SEGMENT_MAP = 6
    SEGMENT_UNMAP = 7
    OOM = 8
    SNAPSHOT = 9


class StackFrame(Struct, frozen=True):
    """A function of Python that was open, and the line at which it stood."""

    file: str
    line: int
    function: str


class SnapshotBlocks(EqualColumns, frozen=True):
    """Blocks that were handed out when the snapshot was made, all (n,).

    `bytes` is what the allocator gave, `asked` what was asked for. `stack` points into
    `MemorySnapshot.stacks`, -1 without one.
    """

    device: Int
    address: Int
    bytes: Int
    asked: Int
    stack: Int


class SnapshotEvents(EqualColumns, frozen=True):
    """The history, device by device in the order in which it was; all (n,).

    `action` is an AllocatorAction. `asked` is what was asked for; of segments their size. `free` is
    what the driver had left when an OOM was raised, -1 elsewhere. `time_us` counts from 1970, -1
    where it is not stated. `stack` as above.
    """

    device: Int
    action: Int
    address: Int
    asked: Int
    free: Int
    time_us: Int
    stack: Int


class SnapshotDevice(Struct, frozen=True, kw_only=True):
    """What the allocator of a device had taken from the driver, in how many segments."""

    device: int
    reserved_bytes: int
    segments: int


class MemorySnapshot(Struct, frozen=True, kw_only=True):
    """A snapshot; `stacks` begin with the innermost frame."""

    source: str
    devices: tuple[SnapshotDevice, ...]
    blocks: SnapshotBlocks
    events: SnapshotEvents
    stacks: tuple[tuple[StackFrame, ...], ...]
