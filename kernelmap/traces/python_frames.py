"""Python frames around launches and moments: those that the reader kept, or read in a second look.

Taken: a linked trace, and the launches of which nothing else tells where they came from. Given: the
innermost function of the user's code that was open on the thread when the host launched each of
them. Frames are most of a file's events and rarely needed: the reader keeps those that may be the
user's (docs/decisions/0024). Where a library was imported around a launch, its functions count,
too: then the file is read once more, for all questions that follow.

Of a function the line is given at which it was entered (open_frames.py), where that is sure. Which
statement of it launched, no profile says.

What autograd runs in a backward came from the forward: from the function in which the operator of
the same sequence number ran, not from the one that called `backward()`.

Left out: files without frames; threads that the file names by text; what is no Kineto trace.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
from msgspec import Struct

from kernelmap.model.columns import distinct_values, pair_columns
from kernelmap.model.matching import HostMoments, LaunchPlaces
from kernelmap.model.source import FunctionPlace
from kernelmap.model.trace import NONE, ApiCalls, Bool, Functions, Int, Trace
from kernelmap.traces.columns import LATEST_NS, Numbers
from kernelmap.traces.formats import functions_of
from kernelmap.traces.kineto.backward_steps import backward_step, forward_operator
from kernelmap.traces.kineto.frame_names import frame_of, is_library, spelled_as_in_code
from kernelmap.traces.kineto.open_frames import Thread, may_have_been_open, open_at
from kernelmap.traces.linking import nest

_SINCE_WHEN = -(2**62)  # no frame: before all times


def launch_places(trace: Trace, wanted: Bool, files: Collection[str] = ()) -> LaunchPlaces:
    """Where launches of the mask `wanted` came from, as far as frames say.

    `files` are the paths of source files as the code spells them.
    """
    is_backward = np.zeros(len(trace.launches), dtype=np.bool_)
    # `rows` are the launches in question, `points` their host side, row by row. Launches without
    # any host side are dropped from both.
    rows = np.flatnonzero(wanted & _framed(trace)[trace.launches.process])
    points = _points(trace, rows)
    rows, points = rows[points.is_known], points.take(points.is_known)
    found = _places(trace, points, files)
    _take_from_forward(trace, found, points, files)

    # Different functions are numbered; `code` is the number of each
    # launch's function, -1 without one.
    places: Numbers[FunctionPlace] = Numbers()
    code = np.full(len(trace.launches), NONE, dtype=np.int64)
    code[rows] = [NONE if place is None else places[place] for place in found.places]
    is_backward[rows] = points.backward >= 0
    return LaunchPlaces(code, is_backward, tuple(places))


def api_places(
    trace: Trace, api: Int, files: Collection[str] = ()
) -> tuple[tuple[FunctionPlace | None, ...], Bool]:
    """Where api calls came from, and a mask of those that autograd made in a backward; (calls,)."""
    apis = trace.apis
    has_frames = _framed(trace)[apis.process[api]]
    points = _Points(
        apis.process[api],
        apis.thread[api],
        apis.start_ns[api],
        has_frames,
        backward_step(trace.ranges, apis.range[api]),
    )
    found = _places(trace, points, files)
    _take_from_forward(trace, found, points, files)
    return tuple(found.places), points.backward >= 0


def moment_places(
    trace: Trace, moments: HostMoments, files: Collection[str] = ()
) -> tuple[FunctionPlace | None, ...]:
    """Where the host was at some moments, None where no frame says; `files` as above."""
    has_frames = _framed(trace)[moments.process]
    none = np.full(len(has_frames), NONE, dtype=np.int64)
    points = _Points(moments.process, moments.thread, moments.time_ns, has_frames, none)
    return tuple(_places(trace, points, files).places)


class _Points(Struct, frozen=True):
    """When and where the host launched: process, thread and time, and whether that is known.

    `backward` is the range of the step of autograd's backward around each, -1 without one.
    """

    process: Int
    thread: Int
    time_ns: Int
    is_known: Bool
    backward: Int

    def take(self, rows: Int | Bool) -> _Points:
        return _Points(
            self.process[rows],
            self.thread[rows],
            self.time_ns[rows],
            self.is_known[rows],
            self.backward[rows],
        )


class _Found(Struct, frozen=True):
    """The innermost function of the user's code at each point, and when it was entered."""

    places: list[FunctionPlace | None]
    since_ns: Int


def _places(trace: Trace, points: _Points, files: Collection[str]) -> _Found:
    """What was open at each point."""
    count = len(points.is_known)
    found = _Found([None] * count, np.full(count, _SINCE_WHEN, dtype=np.int64))
    # Frames are kept per source and count their times from its own base,
    # so each source is asked alone.
    for source, base_ns in enumerate(trace.frames_ns):
        of_source = np.flatnonzero(points.is_known & (_sources(trace)[points.process] == source))
        if base_ns is not None and len(of_source):
            at = _places_at(source, base_ns, trace, points.take(of_source), files)
            for row, place in zip(of_source.tolist(), at.places, strict=True):
                found.places[row] = place
            found.since_ns[of_source] = at.since_ns
    return found


def _take_from_forward(
    trace: Trace, found: _Found, points: _Points, files: Collection[str]
) -> None:
    """Give what autograd ran in a backward the place of its forward, in `found`.

    A function that the backward itself entered (a hook, a backward that the user wrote, a forward
    that is computed again) is where its work came from. So is the function that called `backward()`
    for steps that have no forward: a gradient is added up.
    """
    ranges = trace.ranges
    # Rows whose step has a sequence number, and whose innermost function was open before the step
    # began: it only called `backward()`. One that was entered later is a hook or the like and keeps
    # its place. The appended last value stands for index -1, "no step".
    step = points.backward
    numbered = (step >= 0) & (np.append(ranges.sequence, NONE)[step] >= 0)
    numbered &= found.since_ns < np.append(ranges.start_ns, 0)[step]
    rows = np.flatnonzero(numbered)
    forward = forward_operator(ranges, step[rows])
    known = forward >= 0
    at = forward[known]
    # Where the host was when the operator of the forward began.
    of_forward = _places(
        trace,
        _Points(
            ranges.process[at],
            ranges.thread[at],
            ranges.start_ns[at],
            np.ones(len(at), dtype=np.bool_),
            np.full(len(at), NONE, dtype=np.int64),
        ),
        files,
    )
    # A step whose forward is not known has no place: the caller of
    # `backward()` would be a wrong one.
    for row in rows.tolist():
        found.places[row] = None
    for row, place in zip(rows[known].tolist(), of_forward.places, strict=True):
        found.places[row] = place


def _points(trace: Trace, rows: Int) -> _Points:
    """The host side of launches: the api call, else the range that stands for it."""
    launches, apis, ranges = trace.launches, trace.apis, trace.ranges
    # For a replayed graph node the call that was captured tells the place, not
    # the one that launched the graph.
    api = np.where(launches.origin[rows] >= 0, launches.origin[rows], launches.api[rows])
    around = launches.range[rows]
    thread, time_ns = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    # The api call comes last, so that it overwrites the range where a launch has both.
    for at, columns in ((around, ranges), (api, apis)):
        there = at >= 0
        thread[there], time_ns[there] = columns.thread[at[there]], columns.start_ns[at[there]]
    is_placed = (api >= 0) | (around >= 0)
    # The innermost range around the call, or around the launch itself: a backward step is
    # looked for from there upwards.
    operator = np.where(api >= 0, np.append(apis.range, NONE)[api], around)
    backward = backward_step(ranges, operator)
    return _Points(launches.process[rows], thread, time_ns, is_placed, backward)


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


def _places_at(
    source: int, base_ns: int, trace: Trace, points: _Points, files: Collection[str]
) -> _Found:
    """What was open at each point of one source."""
    # The threads of this source are counted from 0; `thread` is that number per point, (points,).
    numbers: dict[Thread, int] = {}
    pids = [process.pid for process in trace.processes]
    thread = np.array(
        [
            numbers.setdefault((str(pids[process]), thread), len(numbers))
            for process, thread in zip(points.process.tolist(), points.thread.tolist(), strict=True)
        ],
        dtype=np.int64,
    )
    # The different times of each thread in order, on the clock of the frames.
    times = {
        where: distinct_values(points.time_ns[thread == number]) - base_ns
        for where, number in numbers.items()
    }
    # The functions that the reader kept are enough, unless one of a library's modules was open:
    # while a library is imported its functions count like a script's, and these were not kept.
    kept = trace.functions[source] if trace.functions else None
    opened = None if kept is None else open_at(kept, times, numbers)
    if kept is None or opened is None or opened.of_library:
        if source not in trace.looked_up:
            trace.looked_up[source] = functions_of(Path(trace.sources[source]))
        kept = trace.looked_up[source]
        opened = open_at(kept, times, numbers)
    frames = opened.frames
    none = np.full(len(points.time_ns), NONE, dtype=np.int64)
    zero = np.zeros(len(none), dtype=np.int64)
    # Points are written as api calls without a length, so that nesting finds the innermost open
    # function. `row` is its row in `frames`, -1 for none.
    calls = ApiCalls(
        zero, points.time_ns - base_ns, zero, zero, thread, none, none, none, zero, none
    )
    _, row = nest(frames, calls)
    # As above, the appended value is that of points without a function.
    since_ns = np.append(frames.start_ns + base_ns, _SINCE_WHEN)[row]
    # `cut`: the function may have been open when recording began, so its line says nothing.
    begins = _first_operators(trace, source, base_ns)
    cut = np.append(may_have_been_open(kept, begins)[opened.row], False)[row]
    name = np.append(frames.name_id, NONE)[row]
    places = _Places(kept, files)
    return _Found(
        [places.of(*key) for key in zip(name.tolist(), cut.tolist(), strict=True)], since_ns
    )


def _first_operators(trace: Trace, source: int, base_ns: int) -> Mapping[Thread, int]:
    """When the first operator or annotation of each thread of a source began."""
    ranges = trace.ranges
    rows = np.flatnonzero(_sources(trace)[ranges.process] == source)
    # One number per (process, thread), and by that number the earliest start.
    key = pair_columns(ranges.process[rows], ranges.thread[rows])
    first_ns = np.full(int(key.max(initial=NONE)) + 1, LATEST_NS, dtype=np.int64)
    np.minimum.at(first_ns, key, ranges.start_ns[rows])
    # Any row of a thread tells which process and thread the number stands for.
    row_of = np.zeros(len(first_ns), dtype=np.int64)
    row_of[key] = rows
    process, thread = ranges.process[row_of].tolist(), ranges.thread[row_of].tolist()
    return {
        (str(trace.processes[owner].pid), number): start - base_ns
        for owner, number, start in zip(process, thread, first_ns.tolist(), strict=True)
    }


class _Places:
    """Frames of one source → places, each name once."""

    def __init__(self, kept: Functions, files: Collection[str]) -> None:
        self._names = kept.names
        # Files of libraries are not compared with the paths that the code names.
        frames = (frame_of(name) for name in kept.names)
        own = {frame.file for frame in frames if frame and not is_library(frame.file)}
        self._spelled = spelled_as_in_code(own, files)
        self._known: dict[tuple[int, bool], FunctionPlace | None] = {(NONE, False): None}

    def of(self, name_id: int, was_open: bool) -> FunctionPlace | None:  # noqa: FBT001 -- a cell
        """The function of a frame; without a line that is not that of its entry."""
        key = name_id, was_open
        if key not in self._known:
            self._known[key] = self._place(self._names[name_id], has_line=not was_open)
        return self._known[key]

    def _place(self, name: str, *, has_line: bool) -> FunctionPlace | None:
        frame = frame_of(name)
        if frame is None:
            return None
        return FunctionPlace(
            file=self._spelled.get(frame.file, frame.file),
            function=frame.function,
            entered=frame.line if has_line and not frame.is_module else None,
        )
