"""Python frames around launches and moments: those that the reader kept, or read in a second look.

Taken: a linked trace, and the launches of which nothing else tells a source line. Given: the
innermost function of the user's code that was open on the thread when the host launched each of
them. Frames are most of a file's events and rarely needed. The scanner in C keeps those that may
be the user's; the reader in Python drops them undecoded and only notes that there are some
(docs/decisions). Then, and where the scanner met unusual frames, the file is looked at once more,
for all questions that follow.

A frame states where its function begins, not the line at which it called: `m.py(12): forward`.
Left out: files without frames; threads that the file names by text; what is no Kineto trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec import Struct

from kernelmap.model.columns import distinct
from kernelmap.model.matching import HostMoments, LaunchLines
from kernelmap.model.source import SourceLine
from kernelmap.model.trace import NONE, ApiCalls, Bool, Functions, Int, RangeKind, Ranges, Trace
from kernelmap.traces.columns import Numbers, Parts
from kernelmap.traces.frame_look import functions_of
from kernelmap.traces.frame_names import are_users, frame_of, is_library
from kernelmap.traces.linking import nest

_Thread = tuple[str, int]


def launch_lines(trace: Trace, wanted: Bool) -> LaunchLines:
    """The lines that launches of the mask `wanted` came from, as far as frames say; (launches,)."""
    rows = np.flatnonzero(wanted & _framed(trace)[trace.launches.process])
    points = _points(trace, rows)
    rows, points = rows[points.is_known], points.take(points.is_known)
    lines: Numbers[SourceLine] = Numbers()
    code = np.full(len(trace.launches), NONE, dtype=np.int64)
    code[rows] = [NONE if line is None else lines[line] for line in _lines(trace, points)]
    return LaunchLines(code, tuple(lines))


def moment_lines(trace: Trace, moments: HostMoments) -> tuple[SourceLine | None, ...]:
    """The lines at which the host was at some moments, None where no frame says."""
    has_frames = _framed(trace)[moments.process]
    lines = _lines(trace, _Points(moments.process, moments.thread, moments.time_ns, has_frames))
    return tuple(lines)


def _lines(trace: Trace, points: _Points) -> list[SourceLine | None]:
    """The line of each point, None for one that is not known."""
    lines: list[SourceLine | None] = [None] * len(points.is_known)
    for source, base_ns in enumerate(trace.frames_ns):
        of_source = np.flatnonzero(points.is_known & (_sources(trace)[points.process] == source))
        if base_ns is not None and len(of_source):
            place = _lines_at(source, base_ns, trace, points.take(of_source))
            for row, line in zip(of_source.tolist(), place, strict=True):
                lines[row] = line
    return lines


class _Points(Struct, frozen=True):
    """When and where the host launched: process, thread and time, and whether that is known."""

    process: Int
    thread: Int
    time_ns: Int
    is_known: Bool

    def take(self, rows: Int | Bool) -> _Points:
        return _Points(
            self.process[rows], self.thread[rows], self.time_ns[rows], self.is_known[rows]
        )


def _points(trace: Trace, rows: Int) -> _Points:
    """The host side of launches: the api call, else the range that stands for it."""
    launches, apis, ranges = trace.launches, trace.apis, trace.ranges
    api = np.where(launches.origin[rows] >= 0, launches.origin[rows], launches.api[rows])
    around = launches.range[rows]
    thread, time_ns = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    for at, columns in ((around, ranges), (api, apis)):
        there = at >= 0
        thread[there], time_ns[there] = columns.thread[at[there]], columns.start_ns[at[there]]
    is_placed = (api >= 0) | (around >= 0)
    return _Points(launches.process[rows], thread, time_ns, is_placed)


def _sources(trace: Trace) -> Int:
    """The source of each process."""
    return np.array([process.trace for process in trace.processes], dtype=np.int64)


def _framed(trace: Trace) -> Bool:
    """Mask of the processes whose source has frames."""
    frames = [base_ns is not None for base_ns in trace.frames_ns]
    return np.array(
        [process.trace < len(frames) and frames[process.trace] for process in trace.processes],
        dtype=bool,
    )


def _lines_at(
    source: int, base_ns: int, trace: Trace, points: _Points
) -> Iterator[SourceLine | None]:
    """The line of each point of one source."""
    numbers: dict[_Thread, int] = {}
    pids = [process.pid for process in trace.processes]
    thread = np.array(
        [
            numbers.setdefault((str(pids[process]), thread), len(numbers))
            for process, thread in zip(points.process.tolist(), points.thread.tolist(), strict=True)
        ],
        dtype=np.int64,
    )
    times = {
        where: distinct(points.time_ns[thread == number]) - base_ns
        for where, number in numbers.items()
    }
    kept = trace.functions[source] if trace.functions else None
    frames, of_library = (None, True) if kept is None else _open(kept, times, numbers)
    if frames is None or of_library:
        if source not in trace.looked_up:
            trace.looked_up[source] = functions_of(Path(trace.sources[source]))
        frames, _ = _open(trace.looked_up[source], times, numbers)
    none = np.full(len(points.time_ns), NONE, dtype=np.int64)
    zero = np.zeros(len(none), dtype=np.int64)
    calls = ApiCalls(
        zero, points.time_ns - base_ns, zero, zero, thread, none, none, none, zero, none
    )
    _, row = nest(frames, calls)
    for at in row.tolist():
        yield _line(frames.name(at)) if at >= 0 else None


def _open(
    kept: Functions, times: Mapping[_Thread, Int], numbers: Mapping[_Thread, int]
) -> tuple[Ranges, bool]:
    """The user's functions of `kept` that were open at one of the times, as ranges.

    And whether something of a library was: where the reader kept only modules of libraries, their
    functions, which count as a script's then, are missing.
    """
    parts = Parts()
    process = {pid: number for number, pid in enumerate(kept.pids)}
    for (pid, tid), number in numbers.items():
        of_thread = (kept.process == process.get(pid, NONE)) & (kept.thread == tid)
        start, dur = kept.start_ns[of_thread], kept.dur_ns[of_thread]
        opened = _are_open(times[pid, tid], start, start + dur)
        parts.add(
            name_id=kept.name_id[of_thread][opened],
            start_ns=start[opened],
            dur_ns=dur[opened],
            thread=np.full(int(opened.sum()), number, dtype=np.int64),
        )
    name = parts.take("name_id")
    used = distinct(name)
    names = [kept.names[number] for number in used.tolist()]
    of_library = any(is_library(frame.file) for frame in map(frame_of, names) if frame)
    users = np.zeros(len(kept.names) + 1, dtype=bool)
    users[used] = are_users(names)
    return _ranges(parts, name, users[name], kept.names), of_library


def _are_open(times: Int, start: Int, end: Int) -> Bool:
    """Whether one of the times, in order, lies in each span; (spans,)."""
    opened: Bool = np.searchsorted(times, end, "right") > np.searchsorted(times, start, "left")
    return opened


def _ranges(parts: Parts, name: Int, chosen: Bool, names: tuple[str, ...]) -> Ranges:
    """The chosen rows of columns of frames, as ranges of one process."""
    none = np.full(int(chosen.sum()), NONE, dtype=np.int64)
    zero = np.zeros(len(none), dtype=np.int64)
    return Ranges(
        name_id=name[chosen],
        kind=np.full(len(none), RangeKind.ANNOTATION, dtype=np.int8),
        start_ns=parts.take("start_ns")[chosen],
        dur_ns=parts.take("dur_ns")[chosen],
        process=zero,
        thread=parts.take("thread")[chosen],
        external=none,
        sequence=none,
        event=zero,
        parent=none,
        detail_id=none,
        names=names,
    )


@lru_cache(maxsize=1 << 14)  # many launches are at few lines
def _line(name: str) -> SourceLine | None:
    """The line that a frame names, with its function."""
    frame = frame_of(name)
    if frame is None:
        return None
    return SourceLine(file=frame.file, line=frame.line, code=f"in {frame.function}")
