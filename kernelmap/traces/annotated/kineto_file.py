"""Writes a Kineto file anew, with facts in its events and tracks of slices behind them.

Taken: the file, what to add, a handle. Given: JSON with the same values in the same order, an event
a line, and what is added. The file is read a few blocks at a time, by the stream that reads it for
the columns (json_stream.py), so events are counted alike. Only events that get facts are taken
apart, down to their arguments; the value of a member stays the text that it was, so no number is
rounded and times keep their digits. Of a key that such an event has twice, the last one stays, as
JSON readers have it. What had to be mended to be read is written mended, and a file that was cut
off is closed.
Errors: `annotate-needs-events`, `already-annotated`,
`trace-changed`, `annotate-unreadable-start`, and those of reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from msgspec import Raw

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.model.annotations import KEY, EventFacts, Members
from kernelmap.model.notices import Notice
from kernelmap.traces.annotated.event_text import (
    AnyTrack,
    EventLines,
    Sink,
    track_events,
    write_event,
)
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.chrome.json_repair import mend
from kernelmap.traces.chrome.json_stream import MALFORMED, Codec, EventStream
from kernelmap.traces.formats import EXPORTS
from kernelmap.traces.kineto.events import one
from kernelmap.traces.kineto.notes import BARE_NAMES
from kernelmap.traces.kineto.reader import KinetoReader, Surroundings

_EVENTS = msgspec.json.Decoder(list[Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, Raw])
_NO_MEMBERS = Raw(b"{}")

EventTexts = list[bytes]


def is_chrome_trace(path: Path) -> bool:
    """Whether facts go into the events of this file; UsageError where it has no events at all.

    Exports of nsys and Perfetto traces have rows, which become events: see `chrome_file`.
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
    path: Path, handle: Sink, added: EventFacts, tracks: Sequence[AnyTrack]
) -> tuple[Notice, ...]:
    """Write `path` with what is `added` to `handle`, and say what is not as it was."""
    codec, filler = _WholeEvents(), _Filler(path, added)
    stream, lines = EventStream(FileBlocks(path), codec), EventLines(handle)
    has_begun = False
    for events in stream:
        if stream.unread:
            raise KernelmapError(
                "annotate-unreadable-start",
                f"{path}: what stands before the events is no JSON, nor would the result be",
                "Export the trace again, or correct its beginning.",
            )
        # What stands before the events is known, mended where needed,
        # once the first stretch is read.
        if not has_begun:
            handle.write(codec.as_utf8(stream.head))
            has_begun = True
        filler.put_facts_into(events)
        lines.write(events)
    filler.require_all()
    # Our own events begin as those of the file do, so that readers that cut by layout find them.
    first_key = "ph" if stream.layout is None else stream.layout.key.decode().strip('"')
    ours = track_events(tracks, codec.surroundings.base_ns)
    lines.write(write_event(fields, first_key) for fields in ours)
    behind = stream.closing if stream.tail is None else stream.tail.lstrip()
    handle.write(b"\n" + codec.as_utf8(behind))
    return tuple(_notices(path, stream, codec, filler))


class _WholeEvents(Codec[EventTexts]):
    """Gives each event as its text, without white space between its values.

    `is_mended` tells whether it mended something itself: source frames and bytes that are no UTF-8,
    which the reader of columns passes over unread. `lost` counts source frames that nothing mends.
    """

    def __init__(self) -> None:
        self.surroundings = Surroundings()
        self.is_mended, self.lost = False, 0

    def begin(self, text: bytes) -> None:
        """Nothing is read ahead."""

    def decode(self, text: bytes) -> EventTexts:
        """Each of the events; raises where something is no JSON, or no object."""
        # Formatting checks the JSON and removes white space, without touching numbers.
        array = msgspec.json.format(b"[%s]" % self.as_utf8(text), indent=-1)
        events = [bytes(event) for event in _EVENTS.decode(array)]
        if not all(event.startswith(b"{") for event in events):
            raise msgspec.ValidationError("an event is no object")
        return events

    def one(self, text: bytes) -> bytes:
        """The event, wherever the reader takes one; mended, or empty, if it is a broken frame."""
        one(text)  # raises where the reader does
        # The reader passes over broken source frames; here they have to become JSON.
        if self._is_event(text):
            return text
        fixed, _ = mend(text)
        if not self._is_event(fixed):
            self.lost += 1
            return b"{}"
        self.is_mended = True
        return fixed

    def _is_event(self, text: bytes) -> bool:
        try:
            return len(self.decode(text)) == 1
        except MALFORMED:
            return False

    def around(self, text: bytes) -> None:
        """Take the base time."""
        self.surroundings = self.surroundings.with_text(text)

    def as_utf8(self, text: bytes) -> bytes:
        """`text` with a mark for each byte that is no UTF-8: a viewer could not read it."""
        if text.isascii():
            return text
        valid = text.decode("utf-8", "replace").encode()
        self.is_mended |= valid != text
        return valid


class _Filler:
    """Puts facts into events, which come in the order of the file."""

    def __init__(self, path: Path, added: EventFacts) -> None:
        self.path, self.added = path, added
        self.without = 0
        self._facts = iter(added.facts)
        self._seen, self._done = 0, 0

    def put_facts_into(self, events: EventTexts) -> None:
        """Change those of the next `events` that get facts."""
        # Events to be filled ascend by their number in the file; the next
        # ones of them lie in this stretch.
        first, self._seen = self._seen, self._seen + len(events)
        begin, self._done = self._done, int(np.searchsorted(self.added.event, self._seen))
        rows = slice(begin, self._done)
        positions = (self.added.event[rows] - first).tolist()
        name_ids = self.added.name_id[rows].tolist()
        for at, name_id in zip(positions, name_ids, strict=True):
            events[at] = self._filled(events[at], self.added.names[name_id], next(self._facts))

    def require_all(self) -> None:
        """Raise KernelmapError unless all events were there."""
        if self._done < len(self.added.event):
            raise _changed(self.path)

    def _filled(self, event: bytes, name: str, facts: Members) -> bytes:
        members = _MEMBERS.decode(event)
        # The file was read before: an event of another name shows that it changed since.
        own = _text(members.get("name"))
        # A bare name was completed when it was read.
        is_same = own in (None, name) or (own in BARE_NAMES and name.startswith(str(own)))
        if not is_same:
            raise _changed(self.path)
        text_of_args = members.get("args", _NO_MEMBERS)
        # Facts go into the arguments; an event whose arguments are no object
        # stays as it is, and is counted.
        if not bytes(text_of_args).startswith(b"{"):
            self.without += 1
            return event
        args = _MEMBERS.decode(text_of_args)
        if KEY in args:
            raise KernelmapError(
                "already-annotated",
                f"{self.path} holds facts of kernelmap already",
                "Give the trace as the profiler wrote it.",
            )
        return msgspec.json.encode({**members, "args": {**args, KEY: facts}})


def _text(value: Raw | None) -> str | None:
    """The text that a value is; None where it is none."""
    decoded = None if value is None else msgspec.json.decode(value)
    return decoded if isinstance(decoded, str) else None


def _changed(path: Path) -> KernelmapError:
    return KernelmapError(
        "trace-changed",
        f"{path} has other events than when it was read a moment ago",
        "Wait until nothing writes to it any more, and annotate again.",
    )


def _notices(
    path: Path, stream: EventStream[EventTexts], codec: _WholeEvents, filler: _Filler
) -> Iterator[Notice]:
    if stream.cut or any(stream.repairs.values()) or codec.is_mended or codec.lost:
        lost = f"; {codec.lost} source frames could not be mended and are empty" * bool(codec.lost)
        yield Notice(
            slug="annotated-mended",
            message=f"{path}: what had to be mended or closed is written so{lost}",
        )
    if filler.without:
        yield Notice(
            slug="annotated-in-part",
            message=f"{path}: the args of {filler.without} events are no object, so they got none",
        )
