"""Python frames around launches and moments: those that the reader kept, or read in a second look.

Taken: a linked trace, and the launches of which nothing else tells a source line. Given: the
innermost function of the user's code that was open on the thread when the host launched each of
them. Frames are most of a file's events and rarely needed. The scanner in C keeps those that may
be the user's; the reader in Python drops them undecoded and only notes that there are some
(docs/decisions). Then their times are decoded here, and only those around one of the launches keep
their name. Where the scanner met unusual frames the file is looked at again, too.

A frame states where its function begins, not the line at which it called: `m.py(12): forward`.
Left out: files without frames; threads that the file names by text; what is no Kineto trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kernelmap.model.source import HostMoments, LaunchLines, SourceLine
from kernelmap.model.trace import (
    NONE,
    ApiCalls,
    Bool,
    Functions,
    Int,
    RangeKind,
    Ranges,
    Trace,
    distinct,
)
from kernelmap.traces.blocks import Blocks
from kernelmap.traces.columns import Numbers, Parts
from kernelmap.traces.frame_names import are_users, frame_of, is_library
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_stream import MALFORMED, Codec, EventStream
from kernelmap.traces.kineto import Surroundings
from kernelmap.traces.kineto_events import EVENTS, FRAME_NAME, Scalar, frame_start, one, text_ns
from kernelmap.traces.kineto_values import text as text_of
from kernelmap.traces.kineto_values import whole
from kernelmap.traces.linking import nest

_Thread = tuple[str, int]


class _Span(Struct, gc=False):
    """When a frame was open, and where."""

    ts: float = nan
    dur: float = nan
    pid: int | str | None = None
    tid: int | str | None = None


class _Named(_Span, gc=False):
    """An event with what tells frames from others."""

    cat: str | None = None
    name: str | None = None


_SPANS = msgspec.json.Decoder(list[_Span])
_NAMED = msgspec.json.Decoder(list[_Named])
_ONE = msgspec.json.Decoder(_Named)
_CATEGORY = FRAME_NAME.decode().strip('"')


def launch_lines(trace: Trace, wanted: Bool) -> LaunchLines:
    """The lines that launches of the mask `wanted` came from, as far as frames say; (launches,)."""
    rows = np.flatnonzero(wanted & _framed(trace)[trace.launches.process])
    points = _points(trace, rows)
    rows, points = rows[points.known], points.take(points.known)
    lines: Numbers[SourceLine] = Numbers()
    code = np.full(len(trace.launches), NONE, dtype=np.int64)
    code[rows] = [NONE if line is None else lines[line] for line in _lines(trace, points)]
    return LaunchLines(code, tuple(lines))


def moment_lines(trace: Trace, moments: HostMoments) -> tuple[SourceLine | None, ...]:
    """The lines at which the host was at some moments, None where no frame says."""
    known = _framed(trace)[moments.process]
    found = _lines(trace, _Points(moments.process, moments.thread, moments.time_ns, known))
    return tuple(found)


def _lines(trace: Trace, points: _Points) -> list[SourceLine | None]:
    """The line of each point, None for one that is not known."""
    found: list[SourceLine | None] = [None] * len(points.known)
    for source, base_ns in enumerate(trace.frames_ns):
        own = np.flatnonzero(points.known & (_sources(trace)[points.process] == source))
        if base_ns is not None and len(own):
            place = _lines_at(source, base_ns, trace, points.take(own))
            for row, line in zip(own.tolist(), place, strict=True):
                found[row] = line
    return found


@dataclass(frozen=True, slots=True)
class _Points:
    """When and where the host launched: process, thread and time, and whether that is known."""

    process: Int
    thread: Int
    time_ns: Int
    known: Bool

    def take(self, rows: Int | Bool) -> _Points:
        return _Points(self.process[rows], self.thread[rows], self.time_ns[rows], self.known[rows])


def _points(trace: Trace, rows: Int) -> _Points:
    """The host side of launches: the api call, else the range that stands for it."""
    launches, apis, ranges = trace.launches, trace.apis, trace.ranges
    api = np.where(launches.origin[rows] >= 0, launches.origin[rows], launches.api[rows])
    around = launches.range[rows]
    thread, time_ns = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
    for at, columns in ((around, ranges), (api, apis)):
        there = at >= 0
        thread[there], time_ns[there] = columns.thread[at[there]], columns.start_ns[at[there]]
    known = (api >= 0) | (around >= 0)
    return _Points(launches.process[rows], thread, time_ns, known)


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
    frames = None if kept is None else _of_kept(kept, times, numbers)
    if frames is None:
        around = _Around(times, numbers)
        for _ in EventStream(Blocks(Path(trace.sources[source])), around):
            pass
        frames = around.frames()
    none = np.full(len(points.time_ns), NONE, dtype=np.int64)
    zero = np.zeros(len(none), dtype=np.int64)
    calls = ApiCalls(
        zero, points.time_ns - base_ns, zero, zero, thread, none, none, none, zero, none
    )
    _, row = nest(frames, calls)
    for at in row.tolist():
        yield _line(frames.name(at)) if at >= 0 else None


def _of_kept(
    kept: Functions, times: Mapping[_Thread, Int], numbers: Mapping[_Thread, int]
) -> Ranges | None:
    """The frames of `kept` that were open at one of the times, as ranges.

    None where a library's module is among them: its functions, which were not kept, count as well.
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
    frames = [frame_of(kept.names[number]) for number in distinct(name).tolist()]
    if any(frame is not None and is_library(frame.file) for frame in frames):
        return None
    return _ranges(name, parts, np.ones(len(name), dtype=bool), kept.names)


def _are_open(times: Int, start: Int | NDArray[np.float64], end: Int | NDArray[np.float64]) -> Bool:
    """Whether one of the times, in order, lies in each span; (spans,)."""
    opened: Bool = np.searchsorted(times, end, "right") > np.searchsorted(times, start, "left")
    return opened


def _ranges(name: Int, parts: Parts, chosen: Bool, names: tuple[str, ...]) -> Ranges:
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


class _Around(Codec[None]):
    """A codec that keeps frames of the user's code that were open at one of the times."""

    def __init__(self, times: Mapping[_Thread, Int], numbers: Mapping[_Thread, int]) -> None:
        self._times, self._numbers = times, numbers
        self._names: Numbers[str] = Numbers()
        self._parts = Parts()
        self._surroundings = Surroundings()

    def begin(self, text: bytes) -> None:
        """Nothing is read ahead."""

    def decode(self, text: bytes, layout: Layout | None) -> None:
        """Keep what is needed of whole events, joined by commas."""
        if FRAME_NAME not in text:
            if layout is None:
                msgspec.json.decode(b"[" + text + b"]", type=list[msgspec.Raw])
            return
        start = frame_start(text, layout) if layout else None
        if layout is None or start is None or not self._by_layout(text, layout, start):
            found = [event for event in _named(b"[" + text + b"]") if event.cat == _CATEGORY]
            self._keep(found, lambda at: found[at].name)

    def one(self, text: bytes) -> bytes:
        """The event, or what can be used of it."""
        return one(text)

    def around(self, text: bytes) -> None:
        """Check what stands around the events."""
        self._surroundings.with_text(text)

    def frames(self) -> Ranges:
        """The frames of the user's code that were kept, as ranges."""
        own = np.array(are_users(tuple(self._names)), dtype=bool)
        name = self._parts.take("name_id")
        chosen = own[name] if len(name) else np.zeros(0, dtype=bool)
        return _ranges(name, self._parts, chosen, tuple(self._names))

    def _by_layout(self, text: bytes, layout: Layout, start: bytes) -> bool:
        """Decode the times of frames alone; whether the layout held for them."""
        pieces = text.split(layout.separator)
        pieces[0] = pieces[0].lstrip().removeprefix(layout.open)
        pieces[-1] = pieces[-1].rstrip().removesuffix(layout.close.lstrip()).rstrip()
        texts = [piece for piece in pieces if piece.startswith(start)]
        joined = layout.separator.join(texts)
        try:
            spans = _SPANS.decode(b"".join((b"[", layout.open, joined, layout.close, b"]")))
        except MALFORMED:
            return False
        if len(spans) != len(texts):
            return False

        def name(at: int) -> str | None:
            return _ONE.decode(layout.open + texts[at] + layout.close).name

        self._keep(spans, name)
        return True

    def _keep(self, spans: Sequence[_Span], name: Callable[[int], str | None]) -> None:
        """Note the spans around one of the times; `name` reads the name of one of them."""
        where = [(span.pid, span.tid) for span in spans]
        begin = _ns([span.ts for span in spans])
        end = begin + _ns([span.dur for span in spans])
        threads = dict.fromkeys(where)
        for pid, tid in threads:
            if not isinstance(tid, int) or (str(pid), tid) not in self._times:
                continue
            times = self._times[str(pid), tid]
            around = _are_open(times, begin, end) & np.isfinite(end)
            if len(threads) > 1:
                around &= np.array([each == (pid, tid) for each in where], dtype=bool)
            kept = np.flatnonzero(around)
            names = [self._names[name(at) or ""] for at in kept.tolist()]
            start = begin[kept].astype(np.int64)
            self._parts.add(
                name_id=np.array(names, dtype=np.int64),
                start_ns=start,
                dur_ns=end[kept].astype(np.int64) - start,
                thread=np.full(len(kept), self._numbers[str(pid), tid], dtype=np.int64),
            )


def _named(array: bytes) -> list[_Named]:
    """The events of a list; raises one of MALFORMED."""
    try:
        return _NAMED.decode(array)
    except msgspec.ValidationError:
        return [
            _Named(
                ts=_us(event.ts),
                dur=_us(event.dur),
                pid=event.pid if isinstance(event.pid, str) else whole(event.pid),
                tid=whole(event.tid) if isinstance(event.tid, int) else None,
                cat=text_of(event.cat),
                name=text_of(event.name),
            )
            for event in EVENTS.decode(array)
        ]


def _us(value: Scalar) -> float:
    """Microseconds that a field holds as a number or as text; nan where it holds none."""
    if isinstance(value, str):
        ns = text_ns(value.encode())
        return nan if ns is None else ns / 1000
    return nan if value is None or isinstance(value, bool) else float(value)


def _ns(us: Sequence[float]) -> NDArray[np.float64]:
    """Microseconds → nanoseconds, (n,), nan where absent: whole ones where floats can tell them."""
    column = np.array(us)
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers that are no times
        whole = np.floor(column)
        ns: NDArray[np.float64] = whole * 1000 + np.rint((column - whole) * 1000)
    return ns


def _line(name: str) -> SourceLine | None:
    """The line that a frame names, with its function."""
    frame = frame_of(name)
    if frame is None:
        return None
    return SourceLine(file=frame.file, line=frame.line, code=f"in {frame.function}")
