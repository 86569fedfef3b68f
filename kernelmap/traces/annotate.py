"""A Kineto file, written anew with facts in its events and tracks of slices behind them.

Taken: the file, what to add, a handle. Given: bytes in which all that was readable stands as it
did, in its order; only what is added is new. The file is read as a stream, as for the columns, by
the same checks, so events are counted alike; where one had to be mended to be read it is written
mended, and a file that was cut off is closed. Errors: `annotate-needs-events`, `already-annotated`,
`trace-changed`, `annotate-unreadable-start`, and those of reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np
from msgspec import Raw, Struct

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.model.annotations import EventFacts, Track
from kernelmap.model.notices import Notice
from kernelmap.traces.blocks import Blocks
from kernelmap.traces.event_text import (
    OWN_KEY,
    addition,
    parts_of,
    put_in,
    track_events,
)
from kernelmap.traces.formats import EXPORTS
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_repair import mend
from kernelmap.traces.json_stream import MALFORMED, Codec, EventStream
from kernelmap.traces.kineto import KinetoReader, Surroundings
from kernelmap.traces.kineto_events import decode, is_frame, one
from kernelmap.traces.native import Ahead, Rows, Scan, unescaped

_SLICES = 1 << 12  # written at a time
_RAWS = msgspec.json.Decoder(list[Raw])


class Sink(Protocol):
    """What takes bytes, packed on the way or not."""

    def write(self, data: bytes, /) -> object:
        """Take some bytes."""

    def writelines(self, lines: Iterable[bytes], /) -> object:
        """Take several."""


def is_chrome_trace(path: Path) -> bool:
    """Whether facts go into the events of this file; UsageError where it has no events at all.

    Exports of nsys have rows instead, which become events: see `chrome_trace`.
    """
    if KinetoReader().sniff(path):
        return True
    if any(reader.sniff(path) for reader in EXPORTS):
        return False
    raise UsageError(
        "annotate-needs-events",
        f"{path} sums up what ran, and has no events to write facts into",
        "Give the profile itself: an export of Nsight Systems, or torch.profiler's trace.",
    )


def annotate(
    path: Path, handle: Sink, added: EventFacts, tracks: Sequence[Track]
) -> tuple[Notice, ...]:
    """Write `path` with what is `added` to `handle`, and say what is not as it was."""
    codec = _Verbatim()
    stream = EventStream(Blocks(path), codec)
    writer = _Writer(path, added)
    waiting, begun = b"", False
    with codec.places:
        for stretch in stream:
            if stream.unread:
                raise KernelmapError(
                    "annotate-unreadable-start",
                    f"{path}: what stands before the events is no JSON, nor would the result be",
                    "Export the trace again, or correct its beginning.",
                )
            if not begun:
                handle.write(stream.head)
                begun = True
            if len(stretch):
                handle.write(waiting)
                handle.write(b"".join(writer.annotated(stretch)))
                waiting = stream.between
    writer.finish()
    space = _between(stream.layout)
    comma = b"," + space if writer.events else space
    slices = track_events(tracks, codec.surroundings.base_ns, stream.layout)
    while some := list(islice(slices, _SLICES)):
        handle.write(comma + (b"," + space).join(some))
        comma = b"," + space
    handle.write(b"\n" + stream.closing if stream.tail is None else stream.tail)
    return tuple(_notices(path, stream, codec, writer))


class _Stretch(Struct, frozen=True):
    """Whole events joined by commas, and each of them; or, where they are plain, their places."""

    text: bytes
    events: list[Raw]
    places: Rows | None = None

    def __len__(self) -> int:
        return len(self.events if self.places is None else self.places)


class _Verbatim(Codec[_Stretch]):
    """Keeps events as they are, if the reader of columns would take them.

    `mended` and `lost` count source frames, which that reader passes over unread.
    """

    def __init__(self) -> None:
        self.surroundings = Surroundings()
        self.mended, self.lost = 0, 0
        self.places = Ahead(_places)

    @property
    def ahead(self) -> int:
        return self.places.ahead

    def begin(self, text: bytes) -> None:
        self.places.begin(text)

    def decode(self, text: bytes, layout: Layout | None) -> _Stretch:
        """The text and its events; raises where the reader does."""
        places = self.places(text)
        if places is not None:
            return _Stretch(text, [], places)
        events = _RAWS.decode(b"[%s]" % text)
        try:
            decode(text, layout)
        except msgspec.ValidationError:
            # JSON, with odd values in some fields: what the reader leaves out stays in the file.
            for event in events:
                one(bytes(event))
        return _Stretch(text, events)

    def one(self, text: bytes) -> bytes:
        """The event whole; an empty one in place of a source frame that nothing can mend."""
        if _is_sound(text):
            return text
        if not is_frame(text):
            one(text)
            raise msgspec.DecodeError("it is no single JSON value")
        fixed, _ = mend(text)
        if not _is_sound(fixed):
            self.lost += 1
            return b"{}"
        self.mended += 1
        return fixed

    def around(self, text: bytes) -> None:
        """Take the base time."""
        self.surroundings = self.surroundings.with_text(text)


def _places(scan: Scan, text: bytes) -> Rows | None:
    """Where things go into the events of a stretch; None where Python has to look."""
    return None if OWN_KEY in text else scan.places(text)


class _Writer:
    """Puts facts into events, which come in the order of the file."""

    def __init__(self, path: Path, added: EventFacts) -> None:
        self.path, self.added = path, added
        self.events, self.without = 0, 0
        self._done = 0
        self._spelled = [name.encode("utf-8", "backslashreplace") for name in added.names]

    def annotated(self, stretch: _Stretch) -> Iterable[bytes | memoryview]:
        """The text of the stretch with what is added to its events."""
        wanted = self._wanted(len(stretch))
        if stretch.places is None:
            return self._in_events(stretch, wanted)
        return self._at_places(stretch.text, stretch.places, wanted)

    def _in_events(self, stretch: _Stretch, wanted: list[int]) -> Iterator[bytes]:
        """As `annotated`, event by event."""
        text, at, written, passed = stretch.text, 0, 0, 0
        for position in wanted:
            for event in stretch.events[passed:position]:
                at = text.index(b"{", at) + len(event)
            passed = position
            at = text.index(b"{", at)
            own = bytes(stretch.events[position])
            found = self._addition(own)
            if found is not None:
                place, addition = found
                yield text[written : at + place]
                yield addition
                written = at + place
        yield text[written:]

    def _at_places(self, text: bytes, places: Rows, wanted: list[int]) -> list[bytes | memoryview]:
        """As `annotated`, where the scanner has said where things go."""
        first, self._done = self._done, self._done + len(wanted)
        facts = self.added.facts(first, self._done)
        names = self.added.name_id[first : self._done].tolist()
        written, view = 0, memoryview(text)
        pieces: list[bytes | memoryview] = []
        cells = places.cells[wanted].tolist()
        for (name, end, in_args, in_event), name_id, fact in zip(cells, names, facts, strict=True):
            other = name >= 0 and text[name:end] != self._spelled[name_id]
            if other and unescaped(text[name:end]) != self.added.names[name_id]:
                raise self._changed()
            place = in_event if in_args < 0 else in_args
            if place < 0:
                self.without += 1
                continue
            addition = put_in(fact, text[place - 1 : place], into_args=in_args >= 0)
            pieces += (view[written:place], addition)
            written = place
        pieces.append(view[written:])
        return pieces

    def finish(self) -> None:
        """Raise KernelmapError unless all events were there."""
        if self._done < len(self.added.event):
            raise self._changed()

    def _wanted(self, count: int) -> list[int]:
        """Positions in the next `count` events of those that get facts."""
        first, self.events = self.events, self.events + count
        end = int(np.searchsorted(self.added.event, self.events))
        return [event - first for event in self.added.event[self._done : end].tolist()]

    def _addition(self, event: bytes) -> tuple[int, bytes] | None:
        row, self._done = self._done, self._done + 1
        parts = parts_of(event)
        name = parts.text
        if name is not None and name != self.added.names[int(self.added.name_id[row])]:
            raise self._changed()
        if parts.has_facts:
            raise KernelmapError(
                "already-annotated",
                f"{self.path} holds facts of kernelmap already",
                "Give the trace as the profiler wrote it.",
            )
        found = addition(event, parts, self.added.facts(row, row + 1)[0])
        self.without += found is None
        return found

    def _changed(self) -> KernelmapError:
        return KernelmapError(
            "trace-changed",
            f"{self.path} has other events than when it was read a moment ago",
            "Wait until nothing writes to it any more, and annotate again.",
        )


def _is_sound(text: bytes) -> bool:
    """Whether `text` is one event that the reader takes, whole or in part."""
    try:
        return len(_RAWS.decode(b"[%s]" % text)) == 1 and one(text) != b"{}"
    except MALFORMED:
        return False


def _between(layout: Layout | None) -> bytes:
    """White space that stands between two events."""
    if layout is None:
        return b"\n"
    comma = layout.separator[len(layout.close) : -len(layout.open)]
    return comma.replace(b",", b"")


def _notices(
    path: Path, stream: EventStream[_Stretch], codec: _Verbatim, writer: _Writer
) -> Iterator[Notice]:
    if stream.cut or any(stream.repairs.values()) or codec.mended or codec.lost:
        lost = f"; {codec.lost} source frames could not be mended and are empty" * bool(codec.lost)
        yield Notice(
            slug="annotated-mended",
            message=f"{path}: what had to be mended or closed is written so{lost}",
        )
    if writer.without:
        yield Notice(
            slug="annotated-in-part",
            message=f"{path}: the args of {writer.without} events are no object, so they got none",
        )
