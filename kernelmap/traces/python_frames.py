"""Python frames around some launches and moments, read in a second look at the file.

Taken: a linked trace, and the launches of which nothing else tells a source line. Given: the
innermost function of the user's code that was open on the thread when the host launched each of
them. Frames are most of a file's events and rarely needed: the reader drops them undecoded and only
notes that there are some (docs/decisions). Here their times are decoded, and only those around one
of the launches keep their name.

A frame states where its function begins, not the line at which it called: `m.py(12): forward`.
Left out: files without frames; threads that the file names by text; what is no Kineto trace.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.model.source import HostMoments, LaunchLines, SourceLine
from kernelmap.model.trace import NONE, ApiCalls, Bool, Int, RangeKind, Ranges, Trace
from kernelmap.traces.blocks import Blocks
from kernelmap.traces.columns import Numbers, Parts
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_stream import MALFORMED, EventStream
from kernelmap.traces.kineto import Surroundings
from kernelmap.traces.kineto_events import FRAME_NAME, frame_start, one
from kernelmap.traces.linking import nest

_FRAME = re.compile(r"^(?P<file>[^<].*)\((?P<line>\d+)\): (?P<function>.+)$", re.DOTALL)
_LIBRARIES = ("torch", "triton")
_INSTALLED = ("site-packages", "dist-packages")
_PYTHON = re.compile(r"python3(\.\d+)?$")
_GENERATED = "torchinductor"
_MODULE = "<module>"
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
    lines, _ = host_lines(trace, wanted, None)
    return lines


def host_lines(
    trace: Trace, wanted: Bool, moments: HostMoments | None
) -> tuple[LaunchLines, tuple[SourceLine | None, ...]]:
    """The lines that launches of the mask `wanted` came from, and those of `moments`.

    They are those of Python frames, None and -1 where there are none; `wanted` is (launches,).
    """
    framed = _framed(trace)
    rows = np.flatnonzero(wanted & framed[trace.launches.process])
    launched = _points(trace, rows)
    rows, points = rows[launched.known], launched.take(launched.known)
    asked = len(moments.time_ns) if moments else 0
    at = np.flatnonzero(framed[moments.process]) if moments else np.zeros(0, dtype=np.int64)
    points = points.with_moments(moments, at) if moments else points
    found: list[SourceLine | None] = [None] * len(points.time_ns)
    for source, base_ns in enumerate(trace.frames_ns):
        own = np.flatnonzero(_sources(trace)[points.process] == source)
        if base_ns is not None and len(own):
            place = _lines_at(Path(trace.sources[source]), base_ns, trace, points.take(own))
            for row, line in zip(own.tolist(), place, strict=True):
                found[row] = line
    lines: Numbers[SourceLine] = Numbers()
    code = np.full(len(trace.launches), NONE, dtype=np.int64)
    code[rows] = [NONE if line is None else lines[line] for line in found[: len(rows)]]
    of_moments: list[SourceLine | None] = [None] * asked
    for row, line in zip(at.tolist(), found[len(rows) :], strict=True):
        of_moments[row] = line
    return LaunchLines(code, tuple(lines)), tuple(of_moments)


@dataclass(frozen=True, slots=True)
class _Points:
    """When and where the host launched: process, thread and time, and whether that is known."""

    process: Int
    thread: Int
    time_ns: Int
    known: Bool

    def take(self, rows: Int | Bool) -> _Points:
        return _Points(self.process[rows], self.thread[rows], self.time_ns[rows], self.known[rows])

    def with_moments(self, moments: HostMoments, rows: Int) -> _Points:
        """These points, and then those of `moments` that `rows` name."""
        return _Points(
            np.concatenate([self.process, moments.process[rows]]),
            np.concatenate([self.thread, moments.thread[rows]]),
            np.concatenate([self.time_ns, moments.time_ns[rows]]),
            np.concatenate([self.known, np.ones(len(rows), dtype=bool)]),
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
    path: Path, base_ns: int, trace: Trace, points: _Points
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
        where: np.unique(points.time_ns[thread == number]) - base_ns
        for where, number in numbers.items()
    }
    around = _Around(times, numbers)
    for _ in EventStream(Blocks(path), around):
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


class _Around:
    """A codec that keeps frames of the user's code that were open at one of the times."""

    def __init__(self, times: Mapping[_Thread, Int], numbers: Mapping[_Thread, int]) -> None:
        self._times, self._numbers = times, numbers
        self._names: Numbers[str] = Numbers()
        self._parts = Parts()
        self._surroundings = Surroundings()

    def decode(self, text: bytes, layout: Layout | None) -> None:
        """Keep what is needed of whole events, joined by commas."""
        if FRAME_NAME not in text:
            if layout is None:
                msgspec.json.decode(b"[" + text + b"]", type=list[msgspec.Raw])
            return
        start = frame_start(text, layout) if layout else None
        if layout is None or start is None or not self._by_layout(text, layout, start):
            found = [e for e in _NAMED.decode(b"[" + text + b"]") if e.cat == _CATEGORY]
            self._keep(found, lambda at: found[at].name)

    def one(self, text: bytes) -> bytes:
        """The event, or what can be used of it."""
        return one(text)

    def around(self, text: bytes) -> None:
        """Check what stands around the events."""
        self._surroundings.with_text(text)

    def frames(self) -> Ranges:
        """The frames of the user's code that were kept, as ranges."""
        own = np.array(_own(tuple(self._names)), dtype=bool)
        name, take = self._parts.take("name_id"), self._parts.take
        chosen = own[name] if len(name) else np.zeros(0, dtype=bool)
        none = np.full(int(chosen.sum()), NONE, dtype=np.int64)
        zero = np.zeros(len(none), dtype=np.int64)
        return Ranges(
            name_id=name[chosen],
            kind=np.full(len(none), RangeKind.ANNOTATION, dtype=np.int8),
            start_ns=take("start_ns")[chosen],
            dur_ns=take("dur_ns")[chosen],
            process=zero,
            thread=take("thread")[chosen],
            external=none,
            sequence=none,
            event=zero,
            parent=none,
            detail_id=none,
            names=tuple(self._names),
        )

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
        begin = np.array([span.ts for span in spans]) * 1000
        end = begin + np.array([span.dur for span in spans]) * 1000
        threads = dict.fromkeys(where)
        for pid, tid in threads:
            if not isinstance(tid, int) or (str(pid), tid) not in self._times:
                continue
            times = self._times[str(pid), tid]
            around = np.searchsorted(times, end, "right") > np.searchsorted(times, begin, "left")
            around &= np.isfinite(end)
            if len(threads) > 1:
                around &= np.array([each == (pid, tid) for each in where], dtype=bool)
            kept = np.flatnonzero(around)
            names = [self._names[name(at) or ""] for at in kept.tolist()]
            start = np.rint(begin[kept]).astype(np.int64)
            self._parts.add(
                name_id=np.array(names, dtype=np.int64),
                start_ns=start,
                dur_ns=np.rint(end[kept]).astype(np.int64) - start,
                thread=np.full(len(kept), self._numbers[str(pid), tid], dtype=np.int64),
            )


def _own(names: Sequence[str]) -> list[bool]:
    """Which frames are of the user's code: no library, no generated code, no built-in function.

    A script is the user's, whatever it is called: its frame is that of a module.
    """
    found = [_FRAME.match(name) for name in names]
    scripts = {each["file"] for each in found if each and each["function"] == _MODULE}
    return [
        each is not None and (each["file"] in scripts or not is_library(each["file"]))
        for each in found
    ]


def is_library(file: str) -> bool:
    """Whether a frame's file is Python's own, torch's, Triton's, or generated by Inductor.

    >>> is_library("torch/nn/modules/linear.py"), is_library("contextlib.py")
    (True, True)
    >>> is_library("/tmp/torchinductor_me/ab/cabc.py"), is_library("models/bert.py")
    (True, False)
    """
    parts = file.replace("\\", "/").split("/")
    for at, part in enumerate(parts):
        if part in _INSTALLED:
            return _first_is_library(parts[at + 1 :])
    if any(_PYTHON.fullmatch(part) for part in parts[:-1]):
        return True
    if any(part.startswith(_GENERATED) for part in parts):
        return True
    return bool(parts[0]) and _first_is_library(parts)


def _first_is_library(parts: Sequence[str]) -> bool:
    """Whether a path below a folder of modules begins with a library's."""
    first = parts[0].removesuffix(".py") if parts else ""
    return first in _LIBRARIES or first in sys.stdlib_module_names


def _line(name: str) -> SourceLine | None:
    """The line that a frame names, with its function."""
    found = _FRAME.match(name)
    if found is None:
        return None
    return SourceLine(file=found["file"], line=int(found["line"]), code=f"in {found['function']}")
