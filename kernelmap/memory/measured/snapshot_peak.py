"""A memory snapshot → the peak of each device in its history, and which lines held the bytes.

The history ends where the snapshot was made, so what was handed out then is known, and each event
tells what it was before. A history of limited length begins with memory in use: the blocks of it
that are still there have their stacks; of those that were freed meanwhile only the bytes are known.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from kernelmap.facts.frames import is_code_file
from kernelmap.model.allocations import Blocks, MemoryEvents, pair_blocks
from kernelmap.model.measured_memory import (
    OutOfMemory,
    PlaceBytes,
    Since,
    SnapshotPeak,
    SnapshotPlace,
)
from kernelmap.model.memory_snapshot import AllocatorAction, MemorySnapshot, StackFrame
from kernelmap.model.trace import NONE, Int
from kernelmap.traces.kineto.frame_names import is_library

_OWN = re.compile(r"(?:^|[/\\])kernelmap[/\\]capture[/\\]")
"""What a capture puts around the calls of a program is none of the program."""
_PER_US = 1000


def find_snapshot_peaks(snapshot: MemorySnapshot) -> tuple[SnapshotPeak, ...]:
    """The peak of each device that has blocks or a history."""
    places = [place_of_stack(stack) for stack in snapshot.stacks]
    devices = {
        *snapshot.events.device.tolist(),
        *snapshot.blocks.device.tolist(),
        *(device.device for device in snapshot.devices),
    }
    return tuple(_find_peak(snapshot, device, places) for device in sorted(devices))


def place_of_stack(stack: Sequence[StackFrame]) -> SnapshotPlace:
    """The innermost function of the user's, and of generated code, among frames."""
    code = next((frame for frame in stack if is_code_file(frame.file)), None)
    users = (
        frame for frame in stack if not is_library(frame.file) and not is_code_file(frame.file)
    )
    return SnapshotPlace(
        frame=next((frame for frame in users if not _OWN.search(frame.file)), None), code=code
    )


def _find_peak(
    snapshot: MemorySnapshot, device: int, places: Sequence[SnapshotPlace]
) -> SnapshotPeak:
    events = snapshot.events
    rows = np.flatnonzero(events.device == device)
    own = snapshot.blocks.take_rows(snapshot.blocks.device == device)
    changes, change_rows = _changes(snapshot, rows)
    # The end is known, and the changes lead back to the begin.
    end = int(own.asked.sum())
    begin = end - int(changes.bytes.sum())
    levels = begin + np.cumsum(changes.bytes)
    peak, at = begin, NONE
    if len(levels) and int(levels.max()) > begin:
        peak, at = int(levels.max()), int(levels.argmax())

    # Blocks that the history saw handed out, and that were there at the peak.
    blocks = pair_blocks(changes)
    alive = blocks.alive_at(at)
    found: list[tuple[Since, int, int]] = [
        (Since.WITHIN, int(events.stack[change_rows[row]]), size)
        for row, size in zip(
            blocks.alloc[alive].tolist(), blocks.bytes[alive].tolist(), strict=True
        )
    ]
    # Those that were there before: still there at the end, with their stacks; or freed later.
    seen = set(changes.address[blocks.alloc[_is_open(blocks, changes)]].tolist())
    is_old = ~np.isin(own.address, np.array(sorted(seen), dtype=np.int64))
    found += [
        (Since.EARLIER, stack, size)
        for stack, size in zip(own.stack[is_old].tolist(), own.asked[is_old].tolist(), strict=True)
    ]
    freed = (blocks.alloc < 0) & (blocks.free > at)
    found += [(Since.EARLIER, NONE, size) for size in blocks.bytes[freed].tolist()]
    reserved = [one.reserved_bytes for one in snapshot.devices if one.device == device]
    return SnapshotPeak(
        device=device,
        begin_bytes=begin,
        peak_bytes=peak,
        end_bytes=end,
        reserved_bytes=sum(reserved),
        peak_us=None if at < 0 else int(changes.time_ns[at]) // _PER_US,
        events=len(rows),
        places=_sum_by_place(found, peak, places),
        failed=tuple(_failed(snapshot, rows, places)),
    )


def _changes(snapshot: MemorySnapshot, rows: Int) -> tuple[MemoryEvents, Int]:
    """The events among `rows` that change what is handed out, and the row of each."""
    events = snapshot.events
    is_alloc = events.action[rows] == AllocatorAction.ALLOC
    # A block counts as given back when that is asked for, as in torch's own statistics.
    is_free = events.action[rows] == AllocatorAction.FREE_REQUESTED
    kept = (is_alloc | is_free) & (events.asked[rows] > 0)
    own = rows[kept]
    size = np.where(is_alloc[kept], events.asked[own], -events.asked[own])
    nothing = np.full(len(own), NONE, dtype=np.int64)
    changes = MemoryEvents(
        source=np.zeros(len(own), dtype=np.int64),
        process=nothing,
        thread=nothing,
        device=events.device[own],
        time_ns=np.maximum(events.time_us[own], 0) * _PER_US,
        bytes=size,
        address=events.address[own],
        allocated=nothing,
        reserved=nothing,
        range=nothing,
        event=np.arange(len(own)),
    )
    return changes, own


def _is_open(blocks: Blocks, changes: MemoryEvents) -> Int:
    """The blocks of the history that are still there at its end."""
    return np.flatnonzero((blocks.alloc >= 0) & (blocks.until == len(changes)))


def _sum_by_place(
    found: Sequence[tuple[Since, int, int]], peak: int, places: Sequence[SnapshotPlace]
) -> tuple[PlaceBytes, ...]:
    """Bytes by when and where they were asked for, most first."""
    total: dict[tuple[Since, SnapshotPlace | None], int] = defaultdict(int)
    count: dict[tuple[Since, SnapshotPlace | None], int] = defaultdict(int)
    for since, stack, size in found:
        key = since, places[stack] if stack >= 0 else None
        total[key] += size
        count[key] += 1
    rows = [
        PlaceBytes(since=since, place=place, bytes=size, blocks=count[since, place])
        for (since, place), size in total.items()
    ]
    # A snapshot that contradicts itself (it was changed, or an event is missing) leaves a rest.
    if rest := peak - sum(total.values()):
        rows.append(PlaceBytes(since=Since.EARLIER, bytes=rest))
    return tuple(sorted(rows, key=_order))


def _order(row: PlaceBytes) -> tuple[int, str, str]:
    return -row.bytes, row.since, repr(row.place)


def _failed(
    snapshot: MemorySnapshot, rows: Int, places: Sequence[SnapshotPlace]
) -> Iterator[OutOfMemory]:
    """The allocations that failed."""
    events = snapshot.events
    for row in rows[events.action[rows] == AllocatorAction.OOM].tolist():
        free, stack = int(events.free[row]), int(events.stack[row])
        yield OutOfMemory(
            asked_bytes=int(events.asked[row]),
            free_bytes=None if free < 0 else free,
            place=places[stack] if stack >= 0 else None,
        )
