"""Tracks → the fields of the events that show them in Perfetto.

Given: metadata that names and sorts one process per group and one thread per track, then a
complete event per slice. Perfetto reads times as floats of microseconds and cuts them to whole
nanoseconds; a slice that then reaches into the next one it drops. So a slice may end a few
nanoseconds early: its facts keep the exact time. Process ids lie above all that a system gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from kernelmap.model.annotations import KEY, Track

Fields = Mapping[str, bytes]
_FIRST_PID = 2_000_000_000
_encode = msgspec.json.encode


def track_fields(tracks: Sequence[Track], base_ns: int) -> Iterator[Fields]:
    """The events of all tracks; times of the file count from `base_ns`."""
    processes: dict[str, int] = {}
    for thread, track in enumerate(tracks, 1):
        new = track.process not in processes
        pid = processes.setdefault(track.process, _FIRST_PID + len(processes))
        if new:
            yield _about("process_name", pid, 0, {"name": track.process})
            yield _about("process_sort_index", pid, 0, {"sort_index": track.sort})
        yield _about("thread_name", pid, thread, {"name": track.thread})
        yield _about("thread_sort_index", pid, thread, {"sort_index": thread})
        yield from _slices(track, _encode(pid), _encode(thread), base_ns)


def microseconds(ns: int) -> str:
    """Nanoseconds as the decimal text of microseconds.

    >>> microseconds(1234567), microseconds(-5)
    ('1234.567', '-0.005')
    """
    sign, ns = ("-", -ns) if ns < 0 else ("", ns)
    return f"{sign}{ns // 1000}.{ns % 1000:03d}"


def seen_ns(text: str) -> int:
    """What a viewer makes of that text.

    >>> seen_ns("2.010"), seen_ns("1419247332972.313") % 1000
    (2009, 313)
    """
    return int(float(text) * 1000)


def _about(what: str, pid: int, thread: int, args: Mapping[str, object]) -> Fields:
    return {
        "ph": b'"M"',
        "name": _encode(what),
        "pid": _encode(pid),
        "tid": _encode(thread),
        "args": _encode(args),
    }


def _slices(track: Track, pid: bytes, thread: bytes, base_ns: int) -> Iterator[Fields]:
    begins = [microseconds(start) for start in (track.start_ns - base_ns).tolist()]
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
            "dur": microseconds(length).encode(),
            "args": b'{"%s": %s}' % (KEY.encode(), track.facts(at)),
        }
