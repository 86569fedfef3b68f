"""The fields of Kineto's events that we read, and how a stretch of text becomes events.

Taken: JSON text of whole events. Given: typed records; everything else is skipped unread.
Source frames, flow arrows and other events without a duration make up most of a file: where the
layout shows where events begin they are dropped before they are decoded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import compress
from operator import methodcaller, not_

import msgspec
import numpy as np
from msgspec import Raw, Struct

from kernelmap.model.trace import NONE, Int
from kernelmap.traces.exact_time import text_ns
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_stream import MALFORMED

Scalar = int | float | str | bool | None
Extent = list[int | float | str | None] | Scalar

_UNKNOWN = Raw(b"")


class Args(Struct, frozen=True, gc=False):
    """`args` of an event; ids are -1 where they are missing."""

    correlation: Scalar = -1
    external: Scalar = msgspec.field(default=-1, name="External id")
    external_old: Scalar = msgspec.field(default=-1, name="external id")
    sequence: Scalar = msgspec.field(default=-1, name="Sequence number")
    device: Scalar = -1
    stream: Scalar = -1
    graph: Scalar = msgspec.field(default=-1, name="graph id")
    graph_node: Scalar = msgspec.field(default=-1, name="graph node id")
    process: Scalar = msgspec.field(default=None, name="process id")
    thread: Scalar = msgspec.field(default=None, name="thread id")
    capture: Scalar = msgspec.field(default=-1, name="capture id")
    grid: Extent = None
    block: Extent = None
    kernel: Scalar = None
    kernel_file: Scalar = None
    kernel_hash: Scalar = None
    kernel_kwargs: Scalar = None
    kernel_backend: Scalar = None
    num_warps: Scalar = None
    num_stages: Scalar = None


NO_ARGS = Args()


class Event(Struct, frozen=True, gc=False):
    """One event; times in microseconds as the file has them."""

    ph: Scalar = None
    cat: Scalar = None
    name: Scalar = None
    pid: Scalar = None
    tid: Scalar = None
    ts: Scalar = None
    dur: Scalar = None
    args: Args | None = NO_ARGS


class EventTimes(Struct, frozen=True, gc=False):
    """The times of an event as text, for files whose floats are too large to be exact."""

    ts: Raw = _UNKNOWN
    dur: Raw = _UNKNOWN


EVENTS = msgspec.json.Decoder(list[Event])
TIMES = msgspec.json.Decoder(list[EventTimes])
_EVENT = msgspec.json.Decoder(Event)
_FIELDS = msgspec.json.Decoder(dict[str, Raw])
_FRAME_NAME = b'"python_function"'
_FRAME = re.compile(rb'"cat"\s*:\s*"python_function"')


@dataclass(frozen=True, slots=True)
class Batch:
    """Events of one stretch; `position` (n,) within it, `total` with those dropped, `text` of n."""

    events: list[Event]
    position: Int
    total: int
    text: bytes


def decode(text: bytes, layout: Layout | None) -> Batch:
    """Events joined by commas → Batch; raises one of MALFORMED."""
    found = _needed(text, layout) if layout else None
    if found is not None:
        kept, position, total = found
        array = b"".join((b"[", kept, b"]"))
        try:
            events = EVENTS.decode(array)
        except MALFORMED:
            events = []
        if len(events) == len(position):
            return Batch(events, position, total, array)
    array = b"".join((b"[", text, b"]"))
    events = EVENTS.decode(array)
    return Batch(events, np.arange(len(events)), len(events), array)


def one(text: bytes) -> bytes:
    """One event's text if it decodes; without the fields that hold something unexpected.

    A source frame that doesn't decode counts as an empty event: it isn't needed.
    """
    try:
        _EVENT.decode(text)
    except msgspec.ValidationError:
        return _usable(text, Event)
    except MALFORMED:
        if is_frame(text):
            return b"{}"
        raise
    return text


def is_frame(text: bytes) -> bool:
    """Whether an event is a source frame, by its category, even where it is no JSON."""
    return _FRAME.search(text) is not None


def times_from_text(batch: Batch, rows: Int) -> tuple[Int, Int]:
    """Start and duration in ns of `rows` of a batch, read from the decimal text.

    Shapes (rows,); the duration is -1 where either is missing.
    """
    times = TIMES.decode(batch.text)
    start, dur = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), NONE, dtype=np.int64)
    for at, row in enumerate(rows.tolist()):
        begin, length = text_ns(bytes(times[row].ts)), text_ns(bytes(times[row].dur))
        if begin is not None and length is not None:
            start[at], dur[at] = begin, length
    return start, dur


def _usable(text: bytes, record: type[Struct]) -> bytes:
    """The fields of `text` whose values fit `record`."""
    kept = []
    for each in msgspec.structs.fields(record):
        value = _FIELDS.decode(text).get(each.encode_name)
        if value is None:
            continue
        raw = bytes(value)
        try:
            msgspec.json.decode(raw, type=each.type)
        except msgspec.ValidationError:
            if each.name != "args" or not raw.lstrip().startswith(b"{"):
                continue
            raw = _usable(raw, Args)
        kept.append(b'"%s":%s' % (each.encode_name.encode(), raw))
    return b"{" + b",".join(kept) + b"}"


def _needed(text: bytes, layout: Layout) -> tuple[bytes, Int, int] | None:
    """`text` without events that nobody needs, or None where none can be told by its beginning.

    Told by the bytes right behind a separator. An event is dropped only if it can't hide another
    one behind an unusual separator: it has one `"ph"` and no closing bracket.
    """
    starts = _unneeded(text, layout)
    if not starts:
        return None
    pieces = text.split(layout.separator)
    idle = list(map(methodcaller("startswith", starts), pieces))
    idle[0] = idle[-1] = False
    own = 0 if b'"ph"' in layout.open else 1
    dropped = b"".join(compress(pieces, idle))
    if b"]" in dropped or dropped.count(b'"ph"') != own * sum(idle):
        idle = [
            told and b"]" not in piece and piece.count(b'"ph"') == own
            for told, piece in zip(idle, pieces, strict=True)
        ]
    kept = layout.separator.join(compress(pieces, map(not_, idle)))
    return kept, np.flatnonzero(~np.array(idle)), len(pieces)


def _unneeded(text: bytes, layout: Layout) -> tuple[bytes, ...]:
    """Beginnings (behind the separator) of source frames and of events that are not complete."""
    if _FRAME_NAME not in text or not (frame := _FRAME.search(text)):
        return ()
    at = text.rfind(layout.separator, 0, frame.end())
    start = text[at + len(layout.separator) : frame.end()] if at >= 0 else text[: frame.end()]
    start = start.lstrip().removeprefix(layout.open)
    if b"}" in start or b"name" in start:
        return ()
    own = re.match(rb'\s*(\{\s*"ph"\s*:\s*)"', text)
    key = own[1].removeprefix(layout.open) if own else None
    return (start, *(key + b'"%c"' % kind for kind in b"sftiIMC")) if key is not None else (start,)
