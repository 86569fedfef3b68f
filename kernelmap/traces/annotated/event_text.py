"""Events of our own for a Chrome trace, as lines of JSON with times that every viewer reads alike.

A track becomes metadata that names and sorts one process per group and one thread per track, then a
complete event per slice; a track of curves becomes counters. Perfetto reads times as floats of
microseconds and cuts them to whole nanoseconds, newer releases round them; a slice that then
reaches into the next one it drops or moves (chrome_rows.py). So times are written such that both
find the exact nanosecond, and where floats are too coarse for that a slice ends a little early.
Process ids lie above all that a system gives. Source: Perfetto,
src/trace_processor/importers/json, `CoerceToTs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol

import msgspec
from msgspec import Raw

from kernelmap.model.annotations import KEY, CounterTrack, Track

_FIRST_PID = 2_000_000_000
_MORE = "3"  # tenths of a nanosecond: less than half, more than a float loses
_LINES = 1 << 12  # written at a time
_NEVER = 2**62  # ns, behind all that a trace holds

Fields = Mapping[str, object]


class Sink(Protocol):
    """What takes bytes, packed on the way or not."""

    def write(self, data: bytes, /) -> object:
        """Take some bytes."""


class EventLines:
    """Writes the events of one list, a line each, with commas between them."""

    def __init__(self, handle: Sink) -> None:
        self._handle = handle
        self._before = b"\n"

    def write(self, events: Iterable[bytes]) -> None:
        """Write more events behind those that were written."""
        rest = iter(events)
        while some := list(islice(rest, _LINES)):
            self._handle.write(self._before + b",\n".join(some))
            self._before = b",\n"


def write_event(fields: Fields, first_key: str = "ph") -> bytes:
    """An event of our own as JSON, with `first_key` in front if it has one.

    Our reader tells events apart by the key that is first in most of them (json_layout.py).
    """
    if first_key in fields:
        fields = {first_key: fields[first_key], **fields}
    return msgspec.json.encode(fields)


def about(what: str, pid: int, thread: int, args: Mapping[str, object]) -> Fields:
    """An event that tells of a process or a thread."""
    return {"ph": "M", "name": what, "pid": pid, "tid": thread, "args": args}


AnyTrack = Track | CounterTrack


def track_events(tracks: Sequence[AnyTrack], base_ns: int) -> Iterator[Fields]:
    """The events of all tracks; times of the file count from `base_ns`."""
    processes: dict[str, int] = {}
    for thread, track in enumerate(tracks, 1):
        if track.process not in processes:
            pid = processes[track.process] = _FIRST_PID + len(processes)
            yield about("process_name", pid, 0, {"name": track.process})
            yield about("process_sort_index", pid, 0, {"sort_index": track.sort})
        pid = processes[track.process]
        if isinstance(track, CounterTrack):
            yield from _counter_events(track, pid, base_ns)
        else:
            yield from _slice_events(track, pid, thread, base_ns)


def _slice_events(track: Track, pid: int, thread: int, base_ns: int) -> Iterator[Fields]:
    yield about("thread_name", pid, thread, {"name": track.thread})
    yield about("thread_sort_index", pid, thread, {"sort_index": thread})
    for name, (start, dur), facts in zip(
        track.names, _slice_times(track, base_ns), track.facts, strict=True
    ):
        yield {
            "ph": "X",
            "cat": KEY,
            "name": name,
            "pid": pid,
            "tid": thread,
            "ts": json_number(start),
            "dur": json_number(dur),
            "args": {KEY: facts},
        }


def _counter_events(track: CounterTrack, pid: int, base_ns: int) -> Iterator[Fields]:
    """An event per time, with the value of each curve; they stay until the next one."""
    curves = zip(*(values.tolist() for values in track.values.values()), strict=True)
    for time_ns, values in zip(track.time_ns.tolist(), curves, strict=True):
        yield {
            "ph": "C",
            "cat": KEY,
            "name": track.name,
            "pid": pid,
            "ts": json_number(exact_text(time_ns - base_ns)),
            "args": dict(zip(track.values, values, strict=True)),
        }


def _slice_times(track: Track, base_ns: int) -> Iterator[tuple[str, str]]:
    """Start and duration of each slice; none reaches into the next, however a viewer reads it."""
    # The room is measured as a viewer sees it, from the start of this
    # slice to the start of the next.
    starts = (track.start_ns - base_ns).tolist()
    following = [*starts[1:], _NEVER]
    for start_ns, next_ns, dur_ns in zip(starts, following, track.dur_ns.tolist(), strict=False):
        start = exact_text(start_ns)
        room_ns = seen_ns(exact_text(next_ns)) - seen_ns(start)
        yield start, exact_text(max(0, min(dur_ns, room_ns)))


def json_number(text: str) -> Raw:
    """A number of a JSON text, digit by digit as it is given."""
    return Raw(text.encode())


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
    # The longer text is only taken where it helps: at coarse floats neither is exact.
    if seen_ns(text) == ns or seen_ns(text + _MORE) != ns:
        return text
    return text + _MORE
