"""A Kineto file, written anew with facts in its events and tracks of slices behind them.

Taken: the file, what to add, a handle. Given: bytes in which all that was readable stands as it
did, in its order; only what is added is new. Where the file could be read as it stands, and is the
same file still, the places for facts are known (event_places.py), and all else is copied. Otherwise
it is read again as a stream, as for the columns, by the same checks, so events are counted alike;
where one had to be mended to be read it is written mended, and a file that was cut off is closed.
Errors: `annotate-needs-events`, `already-annotated`,
`trace-changed`, `annotate-unreadable-start`, and those of reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np
from msgspec import Raw, Struct

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.model.annotations import (
    EventFacts,
    EventPlaces,
    TextColumns,
    Texts,
    TextTable,
    Track,
)
from kernelmap.model.notices import Notice
from kernelmap.model.trace import NONE, Int
from kernelmap.traces.blocks import Blocks
from kernelmap.traces.event_places import (
    HAS_MEMBERS,
    HAS_OURS,
    IN_ARGUMENTS,
    UNIT,
    places_of,
    state_of,
)
from kernelmap.traces.event_text import addition, name_and_args, opening, track_events
from kernelmap.traces.filling import put_in, rows_of, taken
from kernelmap.traces.formats import EXPORTS
from kernelmap.traces.json_layout import Layout
from kernelmap.traces.json_repair import mend
from kernelmap.traces.json_stream import MALFORMED, Codec, EventStream
from kernelmap.traces.kineto import KinetoReader, Surroundings
from kernelmap.traces.kineto_events import decode, is_frame, one

_RAWS = msgspec.json.Decoder(list[Raw])
_OPENINGS = TextTable(
    [
        opening(into_args=bool(how & IN_ARGUMENTS), behind_others=bool(how & HAS_MEMBERS))
        for how in range(HAS_MEMBERS + IN_ARGUMENTS + 1)
    ]
)
_CLOSING = TextTable([b"}"])  # of arguments that hold nothing else
_COPIED = 1 << 20
"""Bytes copied at once: so few that the processor's cache still has them when they are written."""


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
    places = added.places
    if places is not None and state_of(path) == places.file:
        event_places = places_of(added.event, places)
        if event_places is not None:
            return _copied(path, handle, added, tracks, places, event_places)
    return _read_again(path, handle, added, tracks)


def _copied(
    path: Path,
    handle: Sink,
    added: EventFacts,
    tracks: Sequence[Track],
    places: EventPlaces,
    event_places: Int,
) -> tuple[Notice, ...]:
    """The file block by block, with facts at the places `event_places` that reading it noted."""
    if (event_places[event_places >= 0] & HAS_OURS).any():
        raise _already(path)
    layout = None if places.layout is None else Layout(*places.layout)
    has_place = event_places >= 0
    rows, place = np.flatnonzero(has_place), event_places[has_place] // UNIT
    how = event_places[has_place] % UNIT
    at, done = 0, 0
    for block in Blocks(path, _COPIED).ahead():
        end = at + len(block)
        first, done = done, int(np.searchsorted(place, end, side="right"))
        in_block = slice(first, done)
        parts = _additions(added, rows[in_block], how[in_block])
        filled = put_in(block, place[in_block] - at, parts) if first < done else block
        if at < places.end <= end:  # nothing is put in behind the last event
            behind = end - places.end
            handle.write(filled[: len(filled) - behind])
            _write_tracks(handle, tracks, places.base_ns, layout, has_events=True)
            filled = filled[len(filled) - behind :]
        handle.write(filled)
        at = end
    if state_of(path) != places.file:
        raise _changed(path)
    return tuple(_in_part(path, int((~has_place).sum())))


def _additions(added: EventFacts, rows: Int, how: Int) -> TextColumns:
    """What is put in for `rows` of the facts, in the way that the scanner names."""
    if not len(rows):
        return ()
    facts = added.facts(int(rows[0]), int(rows[-1]) + 1)
    if rows[-1] - rows[0] >= len(rows):  # some between them have no place
        facts = taken(facts, rows - rows[0])
    args = np.where(how & IN_ARGUMENTS, NONE, 0)
    return (Texts(how & (HAS_MEMBERS | IN_ARGUMENTS), _OPENINGS), *facts, Texts(args, _CLOSING))


def _write_tracks(
    handle: Sink, tracks: Sequence[Track], base_ns: int, layout: Layout | None, *, has_events: bool
) -> None:
    space = _between(layout)
    comma = b"," + space if has_events else space
    for some in track_events(tracks, base_ns, layout, b"," + space):
        handle.write(comma + some)
        comma = b"," + space


def _read_again(
    path: Path, handle: Sink, added: EventFacts, tracks: Sequence[Track]
) -> tuple[Notice, ...]:
    """As `annotate`, by reading each event and writing it as it could be read."""
    codec = _Verbatim()
    stream = EventStream(Blocks(path), codec)
    writer = _Writer(path, added)
    waiting, begun = b"", False
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
        if stretch.events:
            handle.write(waiting)
            handle.write(b"".join(writer.annotated(stretch)))
            waiting = stream.between
    writer.finish()
    base_ns = codec.surroundings.base_ns
    _write_tracks(handle, tracks, base_ns, stream.layout, has_events=writer.events > 0)
    handle.write(b"\n" + stream.closing if stream.tail is None else stream.tail)
    return tuple(_notices(path, stream, codec, writer))


class _Stretch(Struct, frozen=True):
    """Whole events joined by commas, and each of them."""

    text: bytes
    events: list[Raw]


class _Verbatim(Codec[_Stretch]):
    """Keeps events as they are, if the reader of columns would take them.

    `mended` and `lost` count source frames, which that reader passes over unread.
    """

    def __init__(self) -> None:
        self.surroundings = Surroundings()
        self.mended, self.lost = 0, 0

    def begin(self, text: bytes) -> None:
        """Nothing is read ahead."""

    def decode(self, text: bytes, layout: Layout | None) -> _Stretch:
        """The text and its events; raises where the reader does."""
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


class _Writer:
    """Puts facts into events, which come in the order of the file."""

    def __init__(self, path: Path, added: EventFacts) -> None:
        self.path, self.added = path, added
        self.events, self.without = 0, 0
        self._done = 0

    def annotated(self, stretch: _Stretch) -> Iterator[bytes]:
        """The text of the stretch with what is added to its events."""
        wanted = self._wanted(len(stretch.events))
        facts = rows_of(self.added.facts(self._done, self._done + len(wanted))) if wanted else []
        text, at, written, passed = stretch.text, 0, 0, 0
        for position, fact in zip(wanted, facts, strict=True):
            for event in stretch.events[passed:position]:
                at = text.index(b"{", at) + len(event)
            passed = position
            at = text.index(b"{", at)
            place_and_text = self._addition(bytes(stretch.events[position]), fact)
            if place_and_text is not None:
                place, addition = place_and_text
                yield text[written : at + place]
                yield addition
                written = at + place
        yield text[written:]

    def finish(self) -> None:
        """Raise KernelmapError unless all events were there."""
        if self._done < len(self.added.event):
            raise _changed(self.path)

    def _wanted(self, count: int) -> list[int]:
        """Positions in the next `count` events of those that get facts."""
        first, self.events = self.events, self.events + count
        end = int(np.searchsorted(self.added.event, self.events))
        return [event - first for event in self.added.event[self._done : end].tolist()]

    def _addition(self, event: bytes, facts: bytes) -> tuple[int, bytes] | None:
        row, self._done = self._done, self._done + 1
        both = name_and_args(event)
        name = both.text
        if name is not None and name != self.added.names[int(self.added.name_id[row])]:
            raise _changed(self.path)
        if both.has_facts:
            raise _already(self.path)
        place_and_text = addition(event, both, facts)
        self.without += place_and_text is None
        return place_and_text


def _changed(path: Path) -> KernelmapError:
    return KernelmapError(
        "trace-changed",
        f"{path} has other events than when it was read a moment ago",
        "Wait until nothing writes to it any more, and annotate again.",
    )


def _already(path: Path) -> KernelmapError:
    return KernelmapError(
        "already-annotated",
        f"{path} holds facts of kernelmap already",
        "Give the trace as the profiler wrote it.",
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
    yield from _in_part(path, writer.without)


def _in_part(path: Path, without: int) -> Iterator[Notice]:
    if without:
        yield Notice(
            slug="annotated-in-part",
            message=f"{path}: the args of {without} events are no object, so they got none",
        )
