"""The fields of Kineto's events that are read, and what can be used of one that is damaged.

Taken: JSON text of whole events. Given: typed records; everything else is skipped unread.
Times are microseconds in the file, as integers, floats or strings, and become whole nanoseconds
(int64), exactly: `text_ns` reads their decimal text. Fractions of a nanosecond are rounded to the
even neighbor.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, DecimalException

import msgspec
from msgspec import Raw, Struct

from kernelmap.traces.chrome.json_stream import MALFORMED
from kernelmap.traces.columns import LATEST_NS

Scalar = int | float | str | bool | None
Extent = list[int | float | str | None] | Scalar

_UNKNOWN = Raw(b"")
_DIGITS = Context(prec=100)
"""Of a time, all that are written; with fewer, a fraction might be rounded twice."""


def text_ns(text: bytes) -> int | None:
    """One number or quoted number in microseconds → nanoseconds; None where it is none.

    >>> text_ns(b"1700000000000000.123")
    1700000000000000123
    >>> text_ns(b'"12.5"')
    12500
    """
    try:
        # Microseconds become nanoseconds as decimal text: a float would lose
        # nanoseconds of times since 1970.
        number = Decimal(text.decode().strip().strip('"')).scaleb(3, _DIGITS)
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
    sampled: Scalar = msgspec.field(default=None, name="")


NO_ARGS = Args()


class KinetoEvent(Struct, frozen=True, gc=False):
    """One event; times in microseconds, as the file writes them."""

    ph: Scalar = None
    cat: Scalar = None
    name: Scalar = None
    pid: Scalar = None
    tid: Scalar = None
    ts: Raw = _UNKNOWN
    dur: Raw = _UNKNOWN
    args: Args | None = NO_ARGS

    @property
    def has_duration(self) -> bool:
        """Whether anything stands where a duration does."""
        return bytes(self.dur) not in {b"", b"null"}


EVENTS = msgspec.json.Decoder(list[KinetoEvent])
_EVENT = msgspec.json.Decoder(KinetoEvent)
_FIELDS = msgspec.json.Decoder(dict[str, Raw])
_PHASE = b'"ph"'  # every event has one
_FRAME = re.compile(rb'"cat"\s*:\s*"python_function"')


def one(text: bytes) -> bytes:
    """One event's text if it decodes; without the fields that hold something unexpected.

    A source frame that doesn't decode counts as an empty event: it isn't needed.
    """
    try:
        _EVENT.decode(text)
    except msgspec.ValidationError:
        return _usable(text, KinetoEvent)
    except MALFORMED:
        # Several events that nothing told apart would all be lost with the frame.
        if is_frame(text) and text.count(_PHASE) <= 1:
            return b"{}"
        raise
    return text


def is_frame(text: bytes) -> bool:
    """Whether an event is a source frame, by its category, even where it is no JSON."""
    return _FRAME.search(text) is not None


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
            # Of arguments the usable ones stay; any other field with an
            # unexpected value counts as missing.
            if field.name != "args" or not raw.lstrip().startswith(b"{"):
                continue
            raw = _usable(raw, Args)
        kept.append(b'"%s":%s' % (field.encode_name.encode(), raw))
    return b"{" + b",".join(kept) + b"}"
