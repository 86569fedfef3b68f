"""The fields of Kineto's events that are read, and how a stretch of text becomes events.

Taken: JSON text of whole events. Given: typed records; everything else is skipped unread.
Source frames, flow arrows and other events without a duration make up most of a file: where the
layout shows where events begin they are dropped before they are decoded, but for the frames that
say whose work lies below them (model/names.py).

Times are microseconds in the file, as integers, floats or strings, and become whole nanoseconds
(int64), exactly. A float that a JSON parser made is good to the nanosecond only below 2**43 us:
beyond that the decimal text has to be read, by `text_ns`. Fractions of a nanosecond are rounded to
the even neighbor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal, DecimalException
from itertools import compress
from operator import methodcaller, not_

import msgspec
import numpy as np
from msgspec import Raw, Struct

from kernelmap.facts.frames import NEEDLES
from kernelmap.model.trace import NONE, Int
from kernelmap.traces.columns import LATEST_NS
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_stream import MALFORMED

_EXACT_BELOW_US = float(2**43)
"""Below it two neighboring floats are less than a nanosecond apart, so rounding finds the text."""
EXACT_BELOW_NS = 2**43 * 1000
Scalar = int | float | str | bool | None
Extent = list[int | float | str | None] | Scalar

_UNKNOWN = Raw(b"")


def exact_ns(values: Sequence[object]) -> Int | None:
    """Microseconds → nanoseconds, shape (n,); None where only the text of the numbers says.

    >>> exact_ns([1.001, 2.5]).tolist()
    [1001, 2500]
    >>> exact_ns([1700000000000000.25]) is None
    True
    """
    column = np.array(values)
    if column.dtype.kind == "i":
        if max(-int(column.min(initial=0)), int(column.max(initial=0))) > LATEST_NS // 1000:
            return None
        exact: Int = column.astype(np.int64) * 1000
        return exact
    if column.dtype.kind != "f" or not (np.abs(column) < _EXACT_BELOW_US).all():
        return None
    whole = np.floor(column)
    rest: Int = np.rint((column - whole) * 1000).astype(np.int64)
    rest += whole.astype(np.int64) * 1000
    return rest


def text_ns(text: bytes) -> int | None:
    """One number or quoted number in microseconds → nanoseconds; None where it is none.

    >>> text_ns(b"1700000000000000.123")
    1700000000000000123
    >>> text_ns(b'"12.5"')
    12500
    """
    try:
        number = Decimal(text.decode().strip().strip('"')).scaleb(3)
    except (DecimalException, UnicodeDecodeError):
        return None
    if not number.is_finite() or abs(number) > LATEST_NS:
        return None
    return int(number.to_integral_value())


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
FRAME_NAME = b'"python_function"'
_PHASE = b'"ph"'  # every event has one
_FRAME = re.compile(rb'"cat"\s*:\s*"python_function"')


class Batch(Struct, frozen=True):
    """Events of one stretch; `position` (n,) within it, `total` with those dropped, `text` of n.

    `frames` tells whether there are source frames among the events, dropped or not.
    """

    events: list[Event]
    position: Int
    total: int
    text: bytes
    frames: bool = False


def decode(text: bytes, layout: Layout | None) -> Batch:
    """Events joined by commas → Batch; raises one of MALFORMED."""
    frames = FRAME_NAME in text
    needed = _needed(text, layout) if layout and frames else None
    if needed is not None:
        kept, position, total = needed
        array = b"".join((b"[", kept, b"]"))
        try:
            events = EVENTS.decode(array)
        except MALFORMED:
            events = []
        if len(events) == len(position):
            return Batch(events, position, total, array, frames)
    array = b"".join((b"[", text, b"]"))
    events = EVENTS.decode(array)
    return Batch(events, np.arange(len(events)), len(events), array, frames)


def one(text: bytes) -> bytes:
    """One event's text if it decodes; without the fields that hold something unexpected.

    A source frame that doesn't decode counts as an empty event: it isn't needed.
    """
    try:
        _EVENT.decode(text)
    except msgspec.ValidationError:
        return _usable(text, Event)
    except MALFORMED:
        # Several events that nothing told apart would all be lost with the frame.
        if is_frame(text) and text.count(_PHASE) <= 1:
            return b"{}"
        raise
    return text


def is_frame(text: bytes) -> bool:
    """Whether an event is a source frame, by its category, even where it is no JSON."""
    return _FRAME.search(text) is not None


def has_frames(events: Iterable[Event]) -> bool:
    """Whether there are source frames among decoded events, however their category is spelled."""
    category = FRAME_NAME.decode().strip('"')
    return any(event.cat == category for event in events)


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
    for field in msgspec.structs.fields(record):
        value = _FIELDS.decode(text).get(field.encode_name)
        if value is None:
            continue
        raw = bytes(value)
        try:
            msgspec.json.decode(raw, type=field.type)
        except msgspec.ValidationError:
            if field.name != "args" or not raw.lstrip().startswith(b"{"):
                continue
            raw = _usable(raw, Args)
        kept.append(b'"%s":%s' % (field.encode_name.encode(), raw))
    return b"{" + b",".join(kept) + b"}"


def _needed(text: bytes, layout: Layout) -> tuple[bytes, Int, int] | None:
    """`text` without events that nobody needs, or None where none can be told by its beginning.

    Told by the bytes right behind a separator. An event is dropped only if it can't hide another
    one behind an unusual separator: it has one `"ph"` and no closing bracket.
    """
    start = frame_start(text, layout)
    if start is None:
        return None
    starts = (start, *_incomplete(text, layout))
    pieces = text.split(layout.separator)
    idle = list(map(methodcaller("startswith", starts), pieces))
    idle[0] = idle[-1] = False
    for at in _with_needles(text, pieces, len(layout.separator)):
        idle[at] = False
    phases = 0 if b'"ph"' in layout.open else 1
    dropped = b"".join(compress(pieces, idle))
    if b"]" in dropped or dropped.count(b'"ph"') != phases * sum(idle):
        idle = [
            is_idle and b"]" not in piece and piece.count(b'"ph"') == phases
            for is_idle, piece in zip(idle, pieces, strict=True)
        ]
    kept = layout.separator.join(compress(pieces, map(not_, idle)))
    return kept, np.flatnonzero(~np.array(idle)), len(pieces)


def _with_needles(text: bytes, pieces: list[bytes], separator: int) -> list[int]:
    """Which of `pieces`, joined by so many bytes the `text`, may be frames that have a role."""
    hits: list[int] = []
    for needle in NEEDLES:
        at = text.find(needle)
        while at >= 0:
            hits.append(at)
            at = text.find(needle, at + len(needle))
    if not hits:
        return []
    ends = np.cumsum([len(piece) + separator for piece in pieces])
    numbers: list[int] = np.unique(np.searchsorted(ends, hits, side="right")).tolist()
    return numbers


def frame_start(text: bytes, layout: Layout) -> bytes | None:
    """How a source frame begins behind the separator; None where its beginning does not tell."""
    if not (frame := _FRAME.search(text)):
        return None
    at = text.rfind(layout.separator, 0, frame.end())
    start = text[at + len(layout.separator) : frame.end()] if at >= 0 else text[: frame.end()]
    start = start.lstrip().removeprefix(layout.open)
    return None if b"}" in start or b"name" in start else start


def _incomplete(text: bytes, layout: Layout) -> tuple[bytes, ...]:
    """How events begin that are not complete ones, where their kind comes first."""
    first = re.match(rb'\s*(\{\s*"ph"\s*:\s*)"', text)
    if first is None:
        return ()
    key = first[1].removeprefix(layout.open)
    return tuple(key + b'"%c"' % kind for kind in b"sftiIMC")
