"""Events of a Chrome trace as JSON text: facts put into them, and events of our own.

Facts become one more argument, the last one, so that nothing of the event has to change: what
comes in is `, "kernelmap": {…}` before the bracket that closes `args`, or a whole `args` before
the one that closes an event without arguments.

A track becomes metadata that names and sorts one process per group and one thread per track, then a
complete event per slice. Perfetto reads times as floats of microseconds and cuts them to whole
nanoseconds, newer releases round them; a slice that then reaches into the next one it drops or
moves (chrome_rows.py). So times are written such that both find the exact nanosecond, and where
floats are too coarse for that a slice ends a little early. Process ids lie above all that a system
gives. Source: Perfetto, src/trace_processor/importers/json, `CoerceToTs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Raw, Struct

from kernelmap.model.annotations import KEY, Track
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_stream import MALFORMED

_ABSENT = Raw(b"")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]:]', re.DOTALL)
_FIRST_KEY = re.compile(rb'\{\s*"(\w+)"\s*:')
OWN_KEY = b'"%s"' % KEY.encode()
Fields = Mapping[str, bytes]
_FIRST_PID = 2_000_000_000
_MORE = "3"  # tenths of a nanosecond: less than half, more than a float loses
_encode = msgspec.json.encode


class Parts(Struct, frozen=True, gc=False):
    """What is asked of an event that gets facts; both are empty where the event has none."""

    name: Raw = _ABSENT
    args: Raw = _ABSENT

    @property
    def text(self) -> str | None:
        """What the event is called; None where its name is no text."""
        try:
            return _NAME.decode(self.name)
        except MALFORMED:
            return None

    @property
    def has_facts(self) -> bool:
        """Whether the arguments hold facts of ours already."""
        args = bytes(self.args)
        return OWN_KEY in args and args.startswith(b"{") and KEY in _FIELDS.decode(args)


_NAME = msgspec.json.Decoder(str)
_PARTS = msgspec.json.Decoder(Parts)
_FIELDS = msgspec.json.Decoder(dict[str, Raw])


def parts_of(event: bytes) -> Parts:
    """Name and arguments of one event."""
    return _PARTS.decode(event)


def addition(event: bytes, parts: Parts, facts: bytes) -> tuple[int, bytes] | None:
    """Where in `event`, and what, to put in; None where `args` is there and is no object."""
    args = bytes(parts.args)
    if args and not args.startswith(b"{"):
        return None
    at = _last_value(event, _end_of_args(event, args) if args else len(event))
    return at, put_in(facts, event[at - 1 : at], into_args=bool(args))


def put_in(facts: bytes, before: bytes, *, into_args: bool) -> bytes:
    """What is put in behind the byte `before`: one more argument, or `args` with nothing else."""
    comma = b"" if before == b"{" else b", "
    own = b"%s: %s" % (OWN_KEY, facts)
    return comma + own if into_args else b'%s"args": {%s}' % (comma, own)


def event_text(fields: Mapping[str, bytes], layout: Layout | None) -> bytes:
    """An event of our own from its fields' JSON, in the layout of the file.

    Where the layout goes by the first key, that key comes first.
    """
    if layout is None:
        return b"{%s}" % _joined(fields)
    first = _FIRST_KEY.match(layout.open)
    if first is None:
        return layout.open + _joined(fields) + layout.close
    key = first[1].decode()
    rest = {name: value for name, value in fields.items() if name != key}
    if key not in fields:
        return b"{%s%s" % (_joined(fields), layout.close)
    return b"%s%s, %s%s" % (layout.open, fields[key], _joined(rest), layout.close)


def _joined(fields: Mapping[str, bytes]) -> bytes:
    return b", ".join(b'"%s": %s' % (name.encode(), value) for name, value in fields.items())


def _last_value(event: bytes, end: int) -> int:
    """Behind the last value of the object that ends at `end`, or behind its bracket.

    >>> _last_value(b'{"a": 1 }', 9), _last_value(b"{ }", 3)
    (7, 1)
    """
    return len(event[: end - 1].rstrip())


def _end_of_args(event: bytes, args: bytes) -> int:
    """Where `args`, the value of the event's last key `args`, ends in it."""
    end = len(event[:-1].rstrip())
    # A bracket that closes the event's last value stands outside of strings, so its object is
    # the value, and a key before it is the event's.
    if event.endswith(args, 0, end):
        before = event[: end - len(args)].rstrip()
        before = before[:-1].rstrip() if before.endswith(b":") else b""
        if before.endswith(b'"args"') and not before.endswith(b'\\"args"'):
            return end
    depth, after, key, found = 0, b"", b"", 0
    for token in _TOKEN.finditer(event):
        if depth == 1 and token[0] == b":":
            key = after
        elif token[0] in (b"{", b"["):
            depth += 1
        elif token[0] in (b"}", b"]"):
            depth -= 1
            if depth == 1 and msgspec.json.decode(key) == "args":
                found = token.end()
        after = token[0]
    return found


def track_fields(tracks: Sequence[Track], base_ns: int) -> Iterator[Fields]:
    """The events of all tracks; times of the file count from `base_ns`."""
    processes: dict[str, int] = {}
    for thread, track in enumerate(tracks, 1):
        new = track.process not in processes
        pid = processes.setdefault(track.process, _FIRST_PID + len(processes))
        if new:
            yield about("process_name", pid, 0, {"name": track.process})
            yield about("process_sort_index", pid, 0, {"sort_index": track.sort})
        yield about("thread_name", pid, thread, {"name": track.thread})
        yield about("thread_sort_index", pid, thread, {"sort_index": thread})
        yield from _slices(track, _encode(pid), _encode(thread), base_ns)


def microseconds(ns: int) -> str:
    """Nanoseconds as the decimal text of microseconds.

    >>> microseconds(1234567), microseconds(-5)
    ('1234.567', '-0.005')
    """
    sign, ns = ("-", -ns) if ns < 0 else ("", ns)
    return f"{sign}{ns // 1000}.{ns % 1000:03d}"


def seen_ns(text: str) -> int:
    """What a viewer makes of that text that cuts fractions off.

    >>> seen_ns("2.010"), seen_ns("1419247332972.313") % 1000
    (2009, 313)
    """
    return int(float(text) * 1000)


def exact_text(ns: int) -> str:
    """The same, a fraction of a nanosecond longer where a viewer that cuts would lose one.

    Whoever rounds, as our own reader does, finds `ns` in either.

    >>> exact_text(2010), exact_text(2011)
    ('2.0103', '2.011')
    """
    text = microseconds(ns)
    if seen_ns(text) == ns or seen_ns(text + _MORE) != ns:
        return text
    return text + _MORE


def about(what: str, pid: int, thread: int, args: Mapping[str, object]) -> Fields:
    """An event that tells of a process or a thread."""
    return {
        "ph": b'"M"',
        "name": _encode(what),
        "pid": _encode(pid),
        "tid": _encode(thread),
        "args": _encode(args),
    }


def _slices(track: Track, pid: bytes, thread: bytes, base_ns: int) -> Iterator[Fields]:
    begins = [exact_text(start) for start in (track.start_ns - base_ns).tolist()]
    seen = [seen_ns(begin) for begin in begins]
    lengths = track.dur_ns.tolist()
    for at, (begin, length) in enumerate(zip(begins, lengths, strict=True)):
        if at + 1 < len(seen):
            length = max(0, min(length, seen[at + 1] - seen[at]))  # noqa: PLW2901 -- cut
        yield {
            "ph": b'"X"',
            "cat": b'"%s"' % KEY.encode(),
            "name": _encode(track.name(at)),
            "pid": pid,
            "tid": thread,
            "ts": begin.encode(),
            "dur": exact_text(length).encode(),
            "args": b'{"%s": %s}' % (KEY.encode(), track.facts(at)),
        }
