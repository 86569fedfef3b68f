"""The pickle of `torch.cuda.memory._dump_snapshot`, plain or gzip → MemorySnapshot.

It is a dict of `segments`, each with its `blocks`, and of `device_traces`, a list of events for
each device. Read by feature: what is missing or of another type counts as absent, for torch has
changed names before (torch 2.0 has `history` where later ones have `frames`, which are read). Seen
with torch 2.11, and in torch's sources from 2.1 to 2.15.

Left out: streams, pools, settings of the allocator, frames of C++ (those without a Python file).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import numpy as np

from kernelmap.errors import KernelmapError
from kernelmap.model.collection import without_collection
from kernelmap.model.memory_snapshot import (
    AllocatorAction,
    MemorySnapshot,
    SnapshotBlocks,
    SnapshotDevice,
    SnapshotEvents,
    StackFrame,
)
from kernelmap.model.paths import SNAPSHOT, is_regular
from kernelmap.model.trace import NONE, Int
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.memory_snapshot.plain_pickle import (
    PROTOCOL,
    PickleError,
    Plain,
    read_plain_pickle,
)

_SIGNS = (b"segments", b"device_traces")
_SNIFFED = 1 << 16
_LARGEST = 2**48
_LARGEST_ADDRESS = 2**63 - 1
_LONGEST_TEXT = 4096  # of the names in a stack, as long as a path may be
_HANDED_OUT = "active_allocated"
_ACTIONS = {
    "alloc": AllocatorAction.ALLOC,
    "free_requested": AllocatorAction.FREE_REQUESTED,
    "free": AllocatorAction.FREE_REQUESTED,
    "free_completed": AllocatorAction.FREE_COMPLETED,
    "segment_alloc": AllocatorAction.SEGMENT_ALLOC,
    "segment_free": AllocatorAction.SEGMENT_FREE,
    "segment_map": AllocatorAction.SEGMENT_MAP,
    "segment_unmap": AllocatorAction.SEGMENT_UNMAP,
    "oom": AllocatorAction.OOM,
    "snapshot": AllocatorAction.SNAPSHOT,
}
_AGAIN = (
    "Make it again with torch.cuda.memory._dump_snapshot, and copy it whole; it holds plain data"
    " only, whatever else a pickle may hold."
)


def is_memory_snapshot(path: Path) -> bool:
    """Whether `path` begins as a pickle with the keys of a snapshot, packed or not."""
    begin = _begin(path) if is_regular(path) else b""
    return any(sign in begin for sign in _SIGNS)


def _begin(path: Path) -> bytes:
    try:
        begin = next(iter(FileBlocks(path, _SNIFFED)), b"")[:_SNIFFED]
    except KernelmapError:
        return b""
    return begin if begin.startswith(PROTOCOL) else b""


def read_memory_snapshot(path: Path) -> MemorySnapshot:
    """The snapshot at `path`. KernelmapError where it is none, or holds more than plain data."""
    data = _read_whole(path)
    try:
        with without_collection():
            value = read_plain_pickle(data)
    except PickleError as error:
        if error.is_foreign:
            message = f"{path} is not read: {error}"
            raise KernelmapError("pickle-not-plain", message, _AGAIN) from None
        raise KernelmapError("snapshot-damaged", f"{path} is not read: {error}", _AGAIN) from None
    if not isinstance(value, dict) or not all(
        isinstance(value.get(key), list) for key in ("segments", "device_traces")
    ):
        raise KernelmapError(
            "snapshot-damaged",
            f"{path} is a pickle of plain data, and no memory snapshot of torch",
            _AGAIN,
        )
    return _Reader(str(path)).read(value)


def _read_whole(path: Path) -> bytes:
    blocks = FileBlocks(path)
    pieces, size = [], 0
    for block in blocks:
        size += len(block)
        SNAPSHOT.check_amount(size, path)
        pieces.append(block)
    if blocks.cut is not None or blocks.damage is not None:
        raise KernelmapError(
            "snapshot-damaged", f"{path} is not read: {blocks.cut or blocks.damage}", _AGAIN
        )
    return b"".join(pieces)


class _Reader:
    """Makes columns of one snapshot; each stack gets a number when it is first met."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._stacks: dict[tuple[StackFrame, ...], int] = {}
        # Events that were at one place share their list of frames: each list is looked at once.
        # The lists stay in `_lists`, so that no other object can get the number of one.
        self._of_list: dict[int, int] = {}
        self._lists: list[object] = []
        self._frames: dict[tuple[object, ...], StackFrame | None] = {}

    def read(self, value: Mapping[str, Plain]) -> MemorySnapshot:
        segments = [one for one in _items(value.get("segments")) if isinstance(one, dict)]
        blocks = [row for segment in segments for row in self._blocks(segment)]
        traces = enumerate(_items(value.get("device_traces")))
        events = [row for device, trace in traces for row in self._events(device, trace)]
        return MemorySnapshot(
            source=self._source,
            devices=tuple(_devices(segments)),
            blocks=SnapshotBlocks(*_columns(blocks, len(SnapshotBlocks.__struct_fields__))),
            events=SnapshotEvents(*_columns(events, len(SnapshotEvents.__struct_fields__))),
            stacks=tuple(self._stacks),
        )

    def _blocks(self, segment: Mapping[str, Plain]) -> Iterator[tuple[int, ...]]:
        """The blocks of a segment that are handed out."""
        device = _whole(segment.get("device"), 0, _LARGEST) or 0
        address = _whole(segment.get("address"), 0, _LARGEST_ADDRESS)
        for block in _items(segment.get("blocks")):
            size = _whole(block.get("size"), 0, _LARGEST) if isinstance(block, dict) else None
            if not isinstance(block, dict) or size is None:
                continue
            # Blocks follow one another in their segment; torch 2.0 does not state where each is.
            stated = _whole(block.get("address"), 0, _LARGEST_ADDRESS)
            own = stated if stated is not None else address
            address = None if own is None else own + size
            if block.get("state") == _HANDED_OUT:
                asked = _whole(block.get("requested_size"), 0, _LARGEST)
                yield (
                    device,
                    NONE if own is None else own,
                    size,
                    size if asked is None else asked,
                    self._stack(block),
                )

    def _events(self, device: int, trace: Plain) -> Iterator[tuple[int, ...]]:
        """The history of a device."""
        for event in _items(trace):
            if not isinstance(event, dict):
                continue
            size = _whole(event.get("size"), 0, _LARGEST)
            address = _whole(event.get("addr"), 0, _LARGEST_ADDRESS)
            free = _whole(event.get("device_free"), 0, _LARGEST)
            time_us = _whole(event.get("time_us"), 0, _LARGEST_ADDRESS)
            action = _ACTIONS.get(str(event.get("action")), AllocatorAction.OTHER)
            yield (
                device,
                int(action),
                NONE if address is None else address,
                size or 0,
                NONE if free is None else free,
                NONE if time_us is None else time_us,
                self._stack(event),
            )

    def _stack(self, of: Mapping[str, Plain]) -> int:
        """The number of the Python stack of a block or an event; -1 without one."""
        listed = of.get("frames")
        if listed is None:
            history = _items(of.get("history"))
            last = history[0] if history else None
            listed = last.get("frames") if isinstance(last, dict) else None
        if not isinstance(listed, list) or not listed:
            return NONE
        known = self._of_list.get(id(listed))
        if known is None:
            frames = tuple(frame for one in listed if (frame := self._frame(one)) is not None)
            known = self._stacks.setdefault(frames, len(self._stacks)) if frames else NONE
            self._of_list[id(listed)] = known
            self._lists.append(listed)
        return known

    def _frame(self, frame: Plain) -> StackFrame | None:
        """One frame; None for what names no file of Python."""
        if not isinstance(frame, dict):
            return None
        file, line, function = (frame.get(key) for key in ("filename", "line", "name"))
        if not isinstance(file, str) or not file.endswith(".py") or type(line) is not int:
            return None
        named = function if isinstance(function, str) else ""
        if not 0 <= line < _LARGEST or max(len(file), len(named)) > _LONGEST_TEXT:
            return None
        key = (file, line, named)
        if key not in self._frames:
            self._frames[key] = StackFrame(file, line, named)
        return self._frames[key]


def _devices(segments: list[dict[str, Plain]]) -> Iterator[SnapshotDevice]:
    """What each device's allocator has taken from the driver."""
    sizes: dict[int, list[int]] = {}
    for segment in segments:
        device = _whole(segment.get("device"), 0, _LARGEST) or 0
        size = _whole(segment.get("total_size"), 0, _LARGEST)
        if size is not None:
            sizes.setdefault(device, []).append(size)
    for device, of_device in sorted(sizes.items()):
        yield SnapshotDevice(device=device, reserved_bytes=sum(of_device), segments=len(of_device))


def _columns(rows: list[tuple[int, ...]], count: int) -> tuple[Int, ...]:
    table = np.array(rows, dtype=np.int64).reshape(-1, count)
    return tuple(table.T)


def _items(value: Plain) -> list[Plain]:
    return cast("list[Plain]", value) if isinstance(value, list) else []


def _whole(value: Plain, least: int, most: int) -> int | None:
    """A whole number in its bounds, or None."""
    return value if type(value) is int and least <= value <= most else None
