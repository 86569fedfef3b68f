"""All Python frames of functions in the files of a Kineto trace: a look at nothing else in it.

Taken: the path of a trace. Given: its frames, those of libraries too, as columns. Where the file
shows a layout, only frames are decoded. Left out: frames without a time, and those of threads that
the file names by text.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kernelmap.model.trace import NONE, Functions
from kernelmap.traces.blocks import Blocks
from kernelmap.traces.columns import LATEST_NS, Numbers, Parts
from kernelmap.traces.frame_names import frame_of
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_stream import MALFORMED, Codec, EventStream
from kernelmap.traces.kineto import Surroundings
from kernelmap.traces.kineto_events import EVENTS, FRAME_NAME, Scalar, frame_start, one, text_ns
from kernelmap.traces.kineto_values import text as text_of
from kernelmap.traces.kineto_values import whole


class _Span(Struct, gc=False):
    """When a frame was open, where, and what it is called."""

    ts: float = nan
    dur: float = nan
    pid: int | str | None = None
    tid: int | str | None = None
    name: str | None = None


class _Named(_Span, gc=False):
    """An event with what tells frames from others."""

    cat: str | None = None


_SPANS = msgspec.json.Decoder(list[_Span])
_NAMED = msgspec.json.Decoder(list[_Named])
_LARGEST = 2**63 - 1
_CATEGORY = FRAME_NAME.decode().strip('"')


def functions_of(path: Path) -> Functions:
    """All functions in files that a trace names, those of libraries too."""
    look = _Look()
    for _ in EventStream(Blocks(path), look):
        pass
    return look.functions()


class _Look(Codec[None]):
    """A codec that keeps the frames of functions in files."""

    def __init__(self) -> None:
        self._names: Numbers[str] = Numbers()
        self._number_of: dict[str | None, int] = {None: NONE}
        self._pids: Numbers[str] = Numbers()
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
            frames = [event for event in _named(b"[" + text + b"]") if event.cat == _CATEGORY]
            self._keep(frames)

    def one(self, text: bytes) -> bytes:
        """The event, or what can be used of it."""
        return one(text)

    def around(self, text: bytes) -> None:
        """Check what stands around the events."""
        self._surroundings.with_text(text)

    def functions(self) -> Functions:
        """What was kept."""
        take = self._parts.take
        return Functions(
            name_id=take("name_id"),
            start_ns=take("start_ns"),
            dur_ns=take("dur_ns"),
            process=take("process"),
            thread=take("thread"),
            pids=tuple(self._pids),
            names=tuple(self._names),
        )

    def _by_layout(self, text: bytes, layout: Layout, start: bytes) -> bool:
        """Decode frames alone; whether the layout held for them."""
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

        self._keep(spans)
        return True

    def _keep(self, spans: Sequence[_Span]) -> None:
        """Note the functions in files among the spans, of threads that have a number."""
        name = np.array([self._number(span.name) for span in spans], dtype=np.int64)
        begin = _ns([span.ts for span in spans])
        end = begin + _ns([span.dur for span in spans])
        good = (name >= 0) & (np.abs(begin) <= LATEST_NS) & (np.abs(end) <= LATEST_NS)
        kept = [
            at
            for at in np.flatnonzero(good).tolist()
            if isinstance(tid := spans[at].tid, int) and abs(tid) <= _LARGEST
        ]
        start = begin[kept].astype(np.int64)
        self._parts.add(
            name_id=name[kept],
            start_ns=start,
            dur_ns=end[kept].astype(np.int64) - start,
            process=np.array([self._pids[str(spans[at].pid)] for at in kept], dtype=np.int64),
            thread=np.array([spans[at].tid for at in kept], dtype=np.int64),
        )

    def _number(self, name: str | None) -> int:
        """The number of the name of a function in a file, -1 for other names."""
        number = self._number_of.get(name)
        if number is None and name is not None:
            number = NONE if frame_of(name) is None else self._names[name]
            self._number_of[name] = number
        return NONE if number is None else number


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
