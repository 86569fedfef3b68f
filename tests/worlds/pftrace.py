"""Events of Kineto as a Perfetto trace (.pftrace), in the layout of torch's cupti_monitor backend.

These files are made, not recorded: `pftrace` writes what the encoder of torch 2.14 writes of the
same events, which scripts/make_pftrace.py shows where that torch is installed. `message`, `field`
and `packet` write any other packet.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeVar

Event = Mapping[str, Any]

STAGES = {"kernel": 1, "gpu_memcpy": 2, "gpu_memset": 3, "gpu_user_annotation": 4}
_STAGE_NAMES = ("Kernel", "Memcpy", "Memset", "Annotation", "EventRecord", "HostNode")
_QUEUES = 100  # numbers of streams among those of stages
_CALLS = ("cuda_runtime", "cuda_driver")
_NO_SLICES = (*STAGES, "Trace", "cuda_sync", "overhead")
_EXTRA = {"device": "device id", "stream": "stream id", "correlation": "correlation"}
_OF_STAGE = {*_EXTRA, "graph id", "graph node id", "grid", "block"}
_NODE_BITS = 32

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
CLEARED, NEEDED = 1, 2


def varint(number: int) -> bytes:
    """A number as the wire has it; negative ones as the 64 bits that they are."""
    number &= 2**64 - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))


def field(number: int, value: float | str | bytes) -> bytes:
    """One field: a number, a float of 64 bits, a text, or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def message(*fields: tuple[int, float | str | bytes]) -> bytes:
    """Fields, one after the other."""
    return b"".join(field(*each) for each in fields)


def packet(
    *fields: tuple[int, float | str | bytes],
    sequence: int = 1,
    flags: int = 0,
    time: int | None = None,
) -> bytes:
    """A packet of a trace, with what most of them have."""
    more = [(8, time)] if time is not None else []
    more += [(10, sequence)] if sequence else []
    more += [(13, flags)] if flags else []
    return field(1, message(*more, *fields))


def annotation(name: str | int, value: object) -> bytes:
    """A DebugAnnotation; the name may be an interned number."""
    named = (1, name) if isinstance(name, int) else (10, name)
    return message(named) + _value(value)


def _value(value: object) -> bytes:
    """Whatever JSON holds."""
    if isinstance(value, bool):
        return field(2, int(value))
    if isinstance(value, int):
        return field(4, value)
    if isinstance(value, float):
        return field(5, value)
    if isinstance(value, list):
        return b"".join(field(12, _value(each)) for each in value)
    if isinstance(value, dict):
        return b"".join(field(11, field(10, key) + _value(each)) for key, each in value.items())
    return field(6, "null" if value is None else str(value))


def snapshot(time: int) -> bytes:
    """The clocks of torch's files: the time since the start of the machine is the time of day."""
    clocks = [(1, message((1, clock), (2, time))) for clock in (6, 1)]
    return packet((6, message(*clocks)), time=time)


def slice_begin(track: int, time: int, *fields: tuple[int, float | str | bytes]) -> bytes:
    """The begin of a slice."""
    event = message((9, BEGIN), (11, track), *fields)
    return packet((11, event), time=time, flags=NEEDED)


def slice_end(track: int, time: int) -> bytes:
    """The end of a slice."""
    return packet((11, message((9, END), (11, track))), time=time)


def pftrace(events: Sequence[Event], base_ns: int = 0) -> bytes:
    """The trace of these events of Kineto's JSON, plain."""
    return _Writer(events, base_ns).written()


class _Writer:
    """Numbers what is interned while the packets are written, and puts it before them."""

    def __init__(self, events: Sequence[Event], base_ns: int) -> None:
        self._events = [event for event in events if event.get("ph") == "X"]
        self._sampled = [event for event in events if event.get("ph") == "C"]
        self._base_ns = base_ns
        self._counters: dict[str, int] = {}
        self._gpus: dict[int, int] = {}
        self._names: dict[str, int] = {}
        self._categories: dict[str, int] = {}
        self._kernels: dict[str, int] = {}
        self._queues: dict[int, int] = {}
        self._tracks: dict[tuple[Any, ...], int] = {}
        self._described: list[bytes] = []

    def written(self) -> bytes:
        slices = [e for e in self._events if e.get("cat") not in _NO_SLICES]
        groups = [
            [event for event in slices if event.get("cat") not in _CALLS],
            *([event for event in slices if event.get("cat") == call] for call in _CALLS),
        ]
        blocks = b"".join(self._block(group) for group in groups)
        stages = b"".join(
            self._stage(event)
            for category in STAGES
            for event in self._events
            if event.get("cat") == category
        )
        samples = b"".join(map(self._sample, self._sampled))
        interned = packet((12, self._interned()), flags=CLEARED)
        tracks = b"".join(self._described)
        return snapshot(self._base_ns) + tracks + interned + blocks + stages + samples

    def _ns(self, event: Event, key: str) -> int:
        return int((Decimal(str(event.get(key, 0))) * 1000).to_integral_value())

    def _start(self, event: Event) -> int:
        return self._base_ns + self._ns(event, "ts")

    def _block(self, events: Sequence[Event]) -> bytes:
        """All begins, then all ends in the same order, as torch writes a group."""
        begins, ends = [], []
        for event in events:
            track = self._track(event["pid"], event["tid"])
            fields: list[tuple[int, float | str | bytes]] = []
            if event.get("cat"):
                fields.append((3, _number(self._categories, event["cat"])))
            fields.append((10, _number(self._names, str(event.get("name", "")))))
            args = event.get("args") or {}
            fields += [(4, annotation(key, args[key])) for key in sorted(args)]
            begins.append(slice_begin(track, self._start(event), *fields))
            ends.append(slice_end(track, self._start(event) + self._ns(event, "dur")))
        return b"".join((*begins, *ends))

    def _track(self, pid: int, tid: int) -> int:
        process = self._described_track((pid,), (3, message((1, pid), (6, f"python {pid}"))))
        named = (4, message((1, pid), (2, tid), (5, f"thread {tid}")))
        return self._described_track((pid, tid), named, (5, process))

    def _described_track(self, key: tuple[Any, ...], *fields: tuple[int, int | bytes]) -> int:
        if key not in self._tracks:
            uuid = self._tracks[key] = len(self._tracks) + 1
            self._described.append(packet((60, message((1, uuid), *fields)), sequence=0))
        return self._tracks[key]

    def _stage(self, event: Event) -> bytes:
        args = event.get("args") or {}
        category, device, stream = event["cat"], args.get("device", 0), args.get("stream", 0)
        queue = _QUEUES + _number(self._queues, stream) - 1
        fields: list[tuple[int, float | str | bytes]] = [
            (2, self._ns(event, "dur")),
            (11, device),
            (13, queue),
            (14, STAGES[category]),
            (5, 1),
        ]
        if category in {"kernel", "gpu_user_annotation"}:
            fields.append((20, _number(self._names, event["name"])))
        if category == "kernel":
            fields.append((19, _number(self._kernels, event["name"])))
            launch = [
                (at, message(*enumerate(args[what], 1)))
                for at, what in enumerate(("grid", "block"), 1)
                if what in args
            ]
            fields.append((21, message(*launch)))
        extra = {name: args[key] for key, name in _EXTRA.items() if args.get(key) is not None}
        if node := args.get("graph node id"):
            graph = args.get("graph id", node >> _NODE_BITS)
            extra |= {"graph id": graph, "graph node id": node & (2**_NODE_BITS - 1)}
        # What was noted of a collective, or of the node of a graph, stands beside them as texts.
        extra |= {key: args[key] for key in args if key not in _OF_STAGE}
        fields += [(6, message((1, name), (2, str(value)))) for name, value in extra.items()]
        return packet((53, message(*fields)), time=self._start(event), flags=NEEDED)

    def _sample(self, event: Event) -> bytes:
        (value,) = event["args"].values()
        # Each GPU has a description of its counters, whose numbers are those of their names.
        at = _number(self._counters, event["name"])
        described = _number(self._gpus, int(event["pid"].split()[1]))
        sample = message((1, at), (2 if isinstance(value, int) else 3, value))
        event_ = message((4, described), (2, sample))
        return packet((52, event_), time=self._start(event), flags=NEEDED)

    def _interned(self) -> bytes:
        parts = [(1, message((1, iid), (2, name))) for name, iid in self._categories.items()]
        parts += [(2, message((1, iid), (2, name))) for name, iid in self._names.items()]
        parts += [(24, message((1, at), (2, name))) for at, name in enumerate(_STAGE_NAMES, 1)]
        parts += [
            (24, message((1, _QUEUES + at - 1), (2, f"[{stream}] stream {stream}")))
            for stream, at in self._queues.items()
        ]
        specs = [(1, message((1, at), (2, name))) for name, at in self._counters.items()]
        parts += [
            (47, message((1, at), (3, gpu), (2, message(*specs)))) for gpu, at in self._gpus.items()
        ]
        parts += [(1000, message((1, iid), (3, name))) for name, iid in self._kernels.items()]
        return message(*parts)


_Key = TypeVar("_Key")


def _number(numbers: dict[_Key, int], key: _Key) -> int:
    return numbers.setdefault(key, len(numbers) + 1)


def of_json(text: str | bytes) -> bytes:
    """The trace of a Kineto profile, given as JSON."""
    profile = json.loads(text)
    return pftrace(profile["traceEvents"], int(profile.get("baseTimeNanoseconds", 0)))
