"""A profile → what its allocators did (`profile_memory=True`), in a second look at its files.

torch.profiler writes an instant event `[memory]` for every block that an allocator hands out or
takes back: `{"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 7, "tid": 9, "ts":
12.5, "args": {"Bytes": -512, "Addr": 140, "Device Id": 0, "Device Type": 1, "Total Allocated": 0,
"Total Reserved": 2097152}}`. `Device Type` counts as torch does: 0 is the CPU. Seen so in torch
2.0 to 2.15, on CUDA and ROCm. Few questions need them, so they are read where one is asked.

Left out: files of other profilers; Perfetto traces, into which torch's `cupti_monitor` (2.15)
writes no instant events, unlike into its JSON; and what torch does not write: with
`profile_all_threads=True` it drops these events.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.model.allocations import MemoryEvents
from kernelmap.model.notices import Notice, format_count
from kernelmap.model.trace import NONE, ApiCalls, Int, Trace
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.chrome.json_stream import EventStream
from kernelmap.traces.columns import LATEST_NS
from kernelmap.traces.formats import is_packets
from kernelmap.traces.kineto.events import text_ns
from kernelmap.traces.kineto.reader import Surroundings
from kernelmap.traces.linking import nest

MEMORY = "[memory]"
"""The name of the events."""
_NEEDLE = b'"[memory]"'
_ON_HOST = 0  # of `Device Type`
_LARGEST = 2**48
"""No machine has so many bytes or devices; more is damage, and sums would overflow."""
_LARGEST_ADDRESS = 2**63 - 1
_NAMES = tuple(name for name in MemoryEvents.__struct_fields__ if name not in {"range", "event"})
_TIME = _NAMES.index("time_ns")


class _MemoryArgs(Struct, frozen=True, gc=False):
    bytes: object = msgspec.field(default=None, name="Bytes")
    address: object = msgspec.field(default=None, name="Addr")
    device: object = msgspec.field(default=None, name="Device Id")
    device_type: object = msgspec.field(default=None, name="Device Type")
    allocated: object = msgspec.field(default=None, name="Total Allocated")
    reserved: object = msgspec.field(default=None, name="Total Reserved")


class _MemoryEvent(Struct, frozen=True, gc=False):
    name: object = None
    pid: object = None
    tid: object = None
    ts: msgspec.Raw = msgspec.Raw(b"")
    args: _MemoryArgs | None = None


_EVENTS = msgspec.json.Decoder(list[_MemoryEvent])
_EVENT = msgspec.json.Decoder(_MemoryEvent)


class ReadMemory(Struct, frozen=True, kw_only=True):
    """What the files of a trace say of memory; `notices` are of events that cannot be used."""

    events: MemoryEvents
    notices: tuple[Notice, ...] = ()


def read_memory_events(trace: Trace) -> ReadMemory:
    """The allocations and frees of all sources. KernelmapError where a file cannot be read."""
    rows: list[Int] = []
    notices = []
    for source, name in enumerate(trace.sources):
        if not trace.by_torch[source] or is_packets(path := Path(name)):
            continue
        processes = {
            str(process.pid): at
            for at, process in enumerate(trace.processes)
            if process.trace == source and process.pid is not None
        }
        of_file, unusable = _rows_of_file(path, source, processes)
        rows.append(of_file)
        if unusable:
            notices.append(_left_out(name, unusable))
    table = np.concatenate([np.zeros((len(_NAMES), 0), dtype=np.int64), *rows], axis=1)
    # In the order of time within a source. What a thread does in one nanosecond stays in the order
    # in which it was written, and then the file's order of threads decides.
    event = np.concatenate([np.zeros(0, dtype=np.int64), *map(_positions, rows)])
    order = np.lexsort((event, table[_TIME], table[0]))
    columns = dict(zip(_NAMES, table[:, order], strict=True))
    around = find_ranges_around(trace, columns["process"], columns["thread"], columns["time_ns"])
    events = MemoryEvents(**columns, range=around, event=event[order])
    return ReadMemory(events=events, notices=tuple(notices))


def find_ranges_around(trace: Trace, process: Int, thread: Int, time_ns: Int) -> Int:
    """The row of the innermost range around each moment of a thread, -1 without one; (n,)."""
    nothing = np.full(len(time_ns), NONE, dtype=np.int64)
    # Moments are looked up as api calls are that take no time.
    moments = ApiCalls(
        name_id=nothing,
        start_ns=time_ns,
        dur_ns=np.zeros_like(nothing),
        process=process,
        thread=thread,
        correlation=nothing,
        external=nothing,
        device_name_id=nothing,
        event=np.arange(len(time_ns)),
        range=nothing,
    )
    return nest(trace.ranges, moments)[1]


def _positions(rows: Int) -> Int:
    return np.arange(rows.shape[1], dtype=np.int64)


def _rows_of_file(path: Path, source: int, processes: Mapping[str, int]) -> tuple[Int, int]:
    """The columns of _NAMES, (columns, n), and how many events cannot be used."""
    codec = _MemoryCodec()
    rows: list[tuple[int, ...]] = []
    unusable = 0
    for batch in EventStream(FileBlocks(path), codec):
        for event in batch:
            row = _row(event, source, processes)
            unusable += row is None
            rows += [] if row is None else [row]
    table = np.array(rows, dtype=np.int64).reshape(-1, len(_NAMES)).T
    # The time that all others count from may stand behind the events.
    table[_TIME] += codec.surroundings.base_ns
    usable = (table[_TIME] > 0) & (table[_TIME] <= LATEST_NS)
    return table[:, usable], unusable + int(np.count_nonzero(~usable))


def _row(event: _MemoryEvent, source: int, processes: Mapping[str, int]) -> tuple[int, ...] | None:
    """One event as numbers; None where it does not say when, how much, of what, and the total."""
    time_ns, args = text_ns(bytes(event.ts)), event.args
    if time_ns is None or args is None:
        return None
    size = _whole(args.bytes, _LARGEST)
    address = _whole(args.address, _LARGEST_ADDRESS)
    kind, device = _whole(args.device_type, _LARGEST), _whole(args.device, _LARGEST)
    allocated, reserved = _whole(args.allocated, _LARGEST), _whole(args.reserved, _LARGEST)
    # An event of no bytes changes nothing, and none was seen.
    if not size or address is None or kind is None or device is None or allocated is None:
        return None
    return (
        source,
        processes.get(str(event.pid), NONE),
        event.tid if isinstance(event.tid, int) and abs(event.tid) <= _LARGEST_ADDRESS else NONE,
        NONE if kind == _ON_HOST else max(device, NONE),
        time_ns,
        size,
        address,
        allocated,
        # Of the host's memory torch writes 0: nothing is reserved there.
        NONE if reserved is None or kind == _ON_HOST else max(reserved, NONE),
    )


def _whole(value: object, largest: int) -> int | None:
    """A whole number of a sensible size, or None."""
    return value if type(value) is int and abs(value) <= largest else None


class _MemoryCodec:
    """Decodes memory events and what stands around all events; others are dropped at once."""

    ahead = 0

    def __init__(self) -> None:
        self.surroundings = Surroundings()

    def begin(self, text: bytes) -> None:
        """Nothing is done ahead."""

    def decode(self, text: bytes) -> list[_MemoryEvent]:
        # A stretch without memory events need not be decoded.
        if _NEEDLE not in text:
            return []
        events = _EVENTS.decode(b"".join((b"[", text, b"]")))
        return [event for event in events if event.name == MEMORY]

    def one(self, text: bytes) -> bytes:
        # Fields hold anything here, so what is JSON decodes.
        _EVENT.decode(text)
        return text

    def around(self, text: bytes) -> None:
        self.surroundings = self.surroundings.with_text(text)


def _left_out(source: str, events: int) -> Notice:
    return Notice(
        slug="memory-events-unclear",
        message=f"{source}: {format_count(events, 'memory event')} left out, which do not say"
        " when, how many bytes, of which device, and how many that makes",
        hint="Copy the profile again from where it was recorded, or export it again.",
        gap=True,
    )
