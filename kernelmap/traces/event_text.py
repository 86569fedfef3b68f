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
import numpy as np
from msgspec import Raw, Struct

from kernelmap.model.annotations import KEY, Decimals, TextColumns, Texts, TextTable, Track
from kernelmap.model.trace import NONE, Int
from kernelmap.traces.filling import filled, taken
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_stream import MALFORMED

_ABSENT = Raw(b"")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]:]', re.DOTALL)
_FIRST_KEY = re.compile(rb'\{\s*"(\w+)"\s*:')
OWN_KEY = b'"%s"' % KEY.encode()
Fields = Mapping[str, bytes]
_FIRST_PID = 2_000_000_000
_MORE = "3"  # tenths of a nanosecond: less than half, more than a float loses
_LONGER = TextTable([_MORE.encode()])
_EXACT_NS = 2**53 // 10 - 1  # below it no float is off that such a time is made of
_SLICES = 1 << 14  # written at a time
_PLACE = re.compile(rb"\0(\w+)\0")  # no JSON holds zero bytes
_encode = msgspec.json.encode


class NameAndArgs(Struct, frozen=True, gc=False):
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
_BOTH = msgspec.json.Decoder(NameAndArgs)
_FIELDS = msgspec.json.Decoder(dict[str, Raw])


def name_and_args(event: bytes) -> NameAndArgs:
    """Name and arguments of one event."""
    return _BOTH.decode(event)


def addition(event: bytes, both: NameAndArgs, facts: bytes) -> tuple[int, bytes] | None:
    """Where in `event`, and what, to put in; None where `args` is there and is no object."""
    args = bytes(both.args)
    if args and not args.startswith(b"{"):
        return None
    at = _last_value(event, _end_of_args(event, args) if args else len(event))
    return at, put_in(facts, event[at - 1 : at], into_args=bool(args))


def put_in(facts: bytes, before: bytes, *, into_args: bool) -> bytes:
    """What is put in behind the byte `before`: one more argument, or `args` with nothing else."""
    begin = opening(into_args=into_args, behind_others=before != b"{")
    return begin + facts if into_args else b"%s%s}" % (begin, facts)


def opening(*, into_args: bool, behind_others: bool) -> bytes:
    """What stands before the facts, behind other members or as the first one."""
    comma = b", " if behind_others else b""
    return b"%s%s: " % (comma, OWN_KEY) if into_args else b'%s"args": {%s: ' % (comma, OWN_KEY)


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
    depth, after, key, end_of_value = 0, b"", b"", 0
    for token in _TOKEN.finditer(event):
        if depth == 1 and token[0] == b":":
            key = after
        elif token[0] in (b"{", b"["):
            depth += 1
        elif token[0] in (b"}", b"]"):
            depth -= 1
            if depth == 1 and msgspec.json.decode(key) == "args":
                end_of_value = token.end()
        after = token[0]
    return end_of_value


def track_events(
    tracks: Sequence[Track], base_ns: int, layout: Layout | None, separator: bytes
) -> Iterator[bytes]:
    """The events of all tracks, several in a text; times of the file count from `base_ns`."""
    processes: dict[str, int] = {}
    for thread, track in enumerate(tracks, 1):
        new = track.process not in processes
        pid = processes.setdefault(track.process, _FIRST_PID + len(processes))
        fields = [
            about("thread_name", pid, thread, {"name": track.thread}),
            about("thread_sort_index", pid, thread, {"sort_index": thread}),
        ]
        if new:
            fields[:0] = [
                about("process_name", pid, 0, {"name": track.process}),
                about("process_sort_index", pid, 0, {"sort_index": track.sort}),
            ]
        yield separator.join(event_text(about_it, layout) for about_it in fields)
        yield from _slices(track, _slice_text(pid, thread, layout), base_ns, separator)


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


def exact_times(times_ns: Int) -> tuple[TextColumns, Int]:
    """`exact_text` of each time, and what `seen_ns` makes of it, (n,)."""
    seen = _seen(times_ns, 0)
    which = np.full(len(times_ns), NONE, dtype=np.int64)
    short = np.flatnonzero(seen != times_ns)
    seen_longer = _seen(times_ns[short], int(_MORE))
    helps = seen_longer == times_ns[short]
    seen[short[helps]] = seen_longer[helps]
    which[short[helps]] = 0
    return (Decimals(times_ns, 3), Texts(which, _LONGER)), seen


def _seen(times_ns: Int, tenths: int) -> Int:
    """`seen_ns` of the texts of times, and so many tenths of a nanosecond behind them; (n,)."""
    far = np.abs(times_ns)
    whole, rest = np.divmod(far, 1000)
    # The float that is nearest to the text: of two whole numbers that floats hold, or where these
    # are too large, of a sum that no rounding of its second part moves to another float.
    near = np.minimum(far, _EXACT_NS) * 10 + tenths
    us = np.where(far < _EXACT_NS, near / 10_000, whole + (10 * rest + tenths) / 10_000)
    seen: Int = np.where(times_ns < 0, -us * 1000, us * 1000).astype(np.int64)
    return seen


def _slice_text(pid: int, thread: int, layout: Layout | None) -> list[bytes]:
    """The text of a slice, cut where stands what tells it from others of its track.

    Every second piece is the name of what stands there.
    """
    fields = {
        "ph": b'"X"',
        "cat": OWN_KEY,
        "name": b"\0name\0",
        "pid": _encode(pid),
        "tid": _encode(thread),
        "ts": b"\0ts\0",
        "dur": b"\0dur\0",
        "args": b"{%b: \0facts\0}" % OWN_KEY,
    }
    return _PLACE.split(event_text(fields, layout))


def _slices(
    track: Track, pieces: Sequence[bytes], base_ns: int, separator: bytes
) -> Iterator[bytes]:
    begins, seen = exact_times(track.start_ns - base_ns)
    length = track.dur_ns.copy()
    length[:-1] = np.maximum(0, np.minimum(length[:-1], np.diff(seen)))  # cut
    columns: dict[bytes, TextColumns] = {
        b"name": (track.names,),
        b"ts": begins,
        b"dur": exact_times(length)[0],
    }
    for at in range(0, len(seen), _SLICES):
        end = min(at + _SLICES, len(seen))
        same = np.zeros(end - at, dtype=np.int64)
        behind_others = np.append(NONE, same[1:])
        parts: list[Texts | Decimals] = [Texts(behind_others, TextTable([separator]))]
        for number, piece in enumerate(pieces):
            if number % 2 == 0:
                parts.append(Texts(same, TextTable([piece])))
            elif piece == b"facts":
                parts += track.facts(at, end)
            else:
                parts += taken(columns[piece], slice(at, end))
        yield filled(tuple(parts))
