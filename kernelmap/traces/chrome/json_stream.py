"""An event file as text → batches of decoded events, a block at a time.

Taken: JSON that holds one long list of objects, on top level or under `"traceEvents"`, and a codec
that knows what an event is. Given: what the codec made of each stretch of whole events, and the
codec's reading of everything around the list, wherever it stands. A stretch that does not decode is
taken apart event by event and mended (json_repair.py). An event that nothing mends costs itself
only: an empty one stands in its place, and it is counted. Whoever writes the file anew finds the
text around the list, too.
A codec may read some stretches ahead, in threads: it hears of them in `begin`, and is still asked
for them one by one, in order, so nothing else depends on it.
Memory: a few blocks where the file shows a regular layout; the whole file where it doesn't.
Left out: what events mean.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Generator, Iterator
from itertools import chain, islice
from typing import Generic, Protocol, TypeVar

import msgspec

from kernelmap.errors import KernelmapError
from kernelmap.traces.blocks import FileBlocks
from kernelmap.traces.chrome.json_layout import EventLayout, ends, learn, objects
from kernelmap.traces.chrome.json_repair import mend

MALFORMED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a JSON decoder raises, wrong types and too many brackets in each other included."""

_ARRAY_KEY = re.compile(rb'(?<!\\)"traceEvents"\s*:\s*\[')
_BARE = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[")
_BOM = b"\xef\xbb\xbf"
# What stands behind the events is read as the end of an object whose list of events is empty.
_EMPTIED = b'{"traceEvents":[]'
_EMPTY = b"{}"
_PHASE = b'"ph"'  # every event has one
# Bytes at the start of the events from which the layout is learned.
_SAMPLE = 1 << 20
# So much text without a separator between events does not fit the
# layout: the rest is read as a whole.
_LONGEST = 64 << 20
# A longer event, or piece of text around the events, is not mended.
_MENDABLE = 4 << 20

_LISTED = msgspec.json.Decoder(list[msgspec.Raw])

Batch = TypeVar("Batch")
_Out_co = TypeVar("_Out_co", covariant=True)


class Codec(Protocol[_Out_co]):
    """What the stream asks of a format; all but `begin` raise one of MALFORMED on bad text."""

    @property
    def ahead(self) -> int:
        """How many stretches behind the one that is decoded may have begun."""
        return 0

    def begin(self, text: bytes) -> None:
        """Whole events that `decode` will be asked for, unless the file turns out to be damaged."""

    def decode(self, text: bytes) -> _Out_co:
        """Read whole events, joined by commas."""

    def one(self, text: bytes) -> bytes:
        """Check one event; its text, or the part of it that can be used."""

    def around(self, text: bytes) -> None:
        """Read the object around an emptied event list."""


class _BrokenEventError(Exception):
    """An event that can't be mended, or where the list of events ends."""


def _cut(text: bytes, block: bytes, layout: EventLayout) -> tuple[bytes, bytes, bytes] | None:
    """Both texts as whole events, what stands behind them, and the rest; None where there is none.

    The last separator mostly lies in the block, so most of the text is copied once.
    """
    # The separator may lie across the end of the text and the block; then both are put together.
    at = block.rfind(layout.separator)
    if at < 0:
        text, block = b"", text + block
        at = block.rfind(layout.separator)
    if at < 0:
        return None
    # The separator holds the end of one event and the beginning of the next, and both
    # stay whole: `}` | `,\n` | `{"ph"`.
    end, after = at + len(layout.close), at + len(layout.separator) - len(layout.open)
    return b"".join((text, memoryview(block)[:end])), block[end:after], block[after:]


def listed(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Each event of a text that is JSON, where only what it says was not expected; all at 0."""
    try:
        events = _LISTED.decode(b"[%s]" % text)
    except MALFORMED:
        raise _BrokenEventError from None
    for event in events:
        yield 0, bytes(event)


class EventStream(Generic[Batch]):
    """Iterate once.

    Then `repairs` counts mended events by kind, `lost` those that nothing mends, of which the first
    is at byte `first_lost`; `cut` tells why the events end early, `damage` why they may differ from
    those that were written, and `unread` whether what stands before them could not be read. `head`
    is all that stands before the events, `tail` all that follows the last one, None where that
    cannot be used; mended where that was needed.
    """

    def __init__(self, blocks: FileBlocks, codec: Codec[Batch]) -> None:
        self.blocks = blocks
        self.codec = codec
        self.repairs: Counter[str] = Counter()
        self.lost, self.first_lost = 0, 0
        self.cut: str | None = None
        self.damage: str | None = None
        self.unread = False
        self.layout: EventLayout | None = None
        self.head = b""
        self.tail: bytes | None = None
        self._bare = False
        self._offset = 0  # where the text of the batch to come begins

    @property
    def closing(self) -> bytes:
        """What ends the file where `tail` is None."""
        return b"]" if self._bare else b"]}"

    def __iter__(self) -> Iterator[Batch]:
        source = self.blocks.ahead()
        # `text` is read and not yet given out; `begun` are the stretches that a codec may be
        # reading ahead, each with the text behind it, so that the file can be put together again
        # if one turns out to be broken.
        text, layout, is_broken = self._start(source), None, False
        begun: deque[tuple[bytes, bytes]] = deque()
        sample = b""
        for block in source:
            # Without a layout nothing can be cut: text is gathered until the
            # sample shows one, or to the end.
            if layout is None and len(sample) < _SAMPLE:
                sample = text[:_SAMPLE] + block[: max(0, _SAMPLE - len(text))]
                self.layout = layout = learn(sample, goes_on=len(sample) < _SAMPLE)
            pieces = _cut(text, block, layout) if layout else None
            if layout is None or pieces is None:
                text += block
                if len(text) > _LONGEST:
                    break
                continue
            ready, between, text = pieces
            self.codec.begin(ready)
            begun.append((ready, between))
            is_broken = yield from self._batches(begun, layout, self.codec.ahead)
            if is_broken:
                break
        # The file is read; what has begun is still to be given out.
        if layout is not None and not is_broken:
            is_broken = yield from self._batches(begun, layout, 0)
        # The layout that the sample showed does not hold for what follows.
        if len(text) > _LONGEST and not is_broken:
            layout = None
        # The rest as one text: the last events and what follows the list, or everything from the
        # first stretch on that is broken.
        text = b"".join((*chain.from_iterable(begun), text, *source))
        self.layout = layout or learn(text[:_SAMPLE])
        yield self._last(text, self.layout)
        self.cut, self.damage = self.blocks.cut or self.cut, self.blocks.damage

    def _batches(
        self, begun: deque[tuple[bytes, bytes]], layout: EventLayout, ahead: int
    ) -> Generator[Batch, None, bool]:
        """Stretches of `begun`, until `ahead` are left or the first is broken; whether it is."""
        while len(begun) > ahead:
            ready, between = begun[0]
            try:
                batch = self._batch(ready, layout)
            except _BrokenEventError:
                return True
            # A stretch that is broken stays in the list, because its text is needed again.
            del begun[0]
            yield batch
            self._offset += len(ready) + len(between)
        return False

    def _start(self, source: Iterator[bytes]) -> bytes:
        """Read up to the event list; the text behind its bracket."""
        text, searched = b"", 0
        for block in source:
            text += block
            if begin := _BARE.match(text):
                self._bare, self._offset = True, begin.end()
                self.head = text[: begin.end()]
                return text[begin.end() :]
            # The key may lie across two blocks, so the search goes back a little.
            if key := _ARRAY_KEY.search(text, max(0, searched - _SAMPLE)):
                self._offset = key.end()
                # The object so far, closed with an empty list, is JSON that can
                # be read for base time and rank.
                before = text[: key.end()].removeprefix(_BOM) + b"]}"
                read = self._read_around(before)
                self.unread = read is None
                mended = read is not None and read != before
                # Without the two brackets that were added above.
                self.head = read[:-2] if read and mended else text[: key.end()]
                return text[key.end() :]
            searched = len(text)
        raise KernelmapError(
            "no-trace-events",
            f"{self.blocks.path} holds no list of trace events",
            "Export a profile with torch.profiler's export_chrome_trace.",
        )

    def _batch(self, text: bytes, layout: EventLayout) -> Batch:
        """Events inside the list; where the list ends in between, that counts as broken."""
        try:
            return self.codec.decode(text)
        except MALFORMED:
            pass
        # Text that is JSON may hold events with unexpected values; text
        # that is none is cut by the layout.
        for pieces in (listed(text), layout.pieces(text)):
            try:
                return self._mended(pieces, may_be_cut=False)
            except _BrokenEventError:
                continue
        # The list of events may end in here; then this stretch and all
        # that follows are read as the last.
        if any(True for _ in ends(text, None)):
            raise _BrokenEventError
        return self._salvaged(layout.pieces(text), layout, may_be_cut=False)

    def _last(self, text: bytes, layout: EventLayout | None) -> Batch:
        """The remaining events and what follows the list."""
        # No event is left: the last stretch ended with a whole one, or the list is empty.
        if text.lstrip().startswith(b"]"):
            at = text.index(b"]") + 1
            follows = self._follows(text[at:])
            self.tail = None if follows is None else text[:at] + follows
            return self.codec.decode(b"")
        # Each place where the list might end is tried: what follows it must be readable. The first
        # such place is the end, and everything before it is events.
        mended, last = 0, text.rfind(_PHASE)
        for end, rest, comma in ends(text, layout):
            # Lists inside of events end alike: where events follow the list goes on, and mending
            # behind each of those would never end.
            mending = rest > last and mended <= _MENDABLE
            follows = self._follows(text[rest:], mending=mending)
            mended += mending * (len(text) - rest)
            if follows is not None:
                self.repairs["trailing commas"] += comma
                self.tail = text[end:rest].replace(b",", b"") + follows
                return self._whole(text[:end], layout, may_be_cut=False)
        # What follows the events is not readable anywhere. If all before a
        # possible end is, no event was lost.
        for end, _, _ in islice(ends(text, layout), 2):
            try:
                batch = self.codec.decode(text[:end])
            except MALFORMED:
                continue
            self.cut = "the file ends too early, or is damaged, behind its events"
            return batch
        self.cut = "the file ends in the middle of its events"
        return self._whole(text, layout, may_be_cut=True)

    def _whole(self, text: bytes, layout: EventLayout | None, *, may_be_cut: bool) -> Batch:
        """Decode, else take apart: as JSON, by layout, by counting brackets."""
        try:
            return self.codec.decode(text)
        except MALFORMED:
            pass
        by_layout = (layout.pieces(text),) if layout else ()
        for pieces in (listed(text), *by_layout, objects(text)):
            try:
                return self._mended(pieces, may_be_cut=may_be_cut)
            except _BrokenEventError:
                continue
        pieces = layout.pieces(text) if layout else objects(text)
        return self._salvaged(pieces, layout, may_be_cut=may_be_cut)

    def _mended(self, pieces: Iterator[tuple[int, bytes]], *, may_be_cut: bool) -> Batch:
        """Check every event on its own and mend those that fail."""
        whole: list[bytes] = []
        repairs: Counter[str] = Counter()
        is_broken = False
        for _, piece in pieces:
            # Only the last piece may be cut off; a broken one in the middle
            # means that the pieces are wrong.
            if is_broken:
                raise _BrokenEventError
            event = self._one(piece, repairs)
            is_broken = event is None
            whole += self._before_the_cut(piece) if event is None else (event,)
        if is_broken and not may_be_cut:
            raise _BrokenEventError
        self.repairs += repairs
        return self.codec.decode(b",".join(whole))

    def _salvaged(
        self, pieces: Iterator[tuple[int, bytes]], layout: EventLayout | None, *, may_be_cut: bool
    ) -> Batch:
        """The events that can be read, and an empty one for each that nothing mends."""
        whole: list[bytes] = []
        lost = self.lost
        for at, piece in pieces:
            event = self._one(piece, self.repairs)
            if event is not None:
                whole.append(event)
                continue
            # Where damage took the separator, one piece holds several events: only
            # the broken one of them is lost. An empty event takes its place, so that
            # later ones keep their numbers.
            for within, part in layout.apart(piece) if layout else [(0, piece)]:
                event = self._one(part, self.repairs)
                if event is None:
                    self.first_lost = self.first_lost if self.lost else self._offset + at + within
                    self.lost += 1
                whole.append(event or _EMPTY)
        if may_be_cut and self.lost > lost and whole[-1] == _EMPTY:
            self.lost -= 1  # what is cut off is said anyway
            whole[-1:] = self._before_the_cut(part)
        return self.codec.decode(b",".join(whole))

    def _one(self, piece: bytes, repairs: Counter[str]) -> bytes | None:
        """The event, mended where it has to be, which is counted; None where nothing mends it."""
        try:
            return self.codec.one(piece)
        except MALFORMED:
            if len(piece) > _MENDABLE:
                return None

            fixed, done = mend(piece)
        try:
            event = self.codec.one(fixed)
        except MALFORMED:
            return None
        repairs.update(done)
        return event

    def _before_the_cut(self, piece: bytes) -> list[bytes]:
        """The event of the last piece, if only what should have come next is cut off."""
        # A file cut behind `{"ph": "X"},  {"na` still holds the first event whole.
        _, event = next(objects(piece), (0, b""))
        try:
            return [self.codec.one(event)]
        except MALFORMED:
            return []

    def _follows(self, rest: bytes, *, mending: bool = True) -> bytes | None:
        """`rest`, mended, if it is what may stand behind the list: the codec has then read it."""
        if self._bare:
            return None if rest.strip() else rest
        read = self._read_around(_EMPTIED + rest, mending=mending)
        return None if read is None else read.removeprefix(_EMPTIED)

    def _read_around(self, text: bytes, *, mending: bool = True) -> bytes | None:
        """`text` as the codec could read it: as it is, or mended; None where it could not."""
        try:
            self.codec.around(text)
        except MALFORMED:
            if not mending or len(text) > _MENDABLE:
                return None

            fixed, done = mend(text)
            try:
                self.codec.around(fixed)
            except MALFORMED:
                return None
            self.repairs.update(done)
            return fixed
        return text

    def line_of(self, at: int) -> int:
        """The line, from 1, of the byte `at` of the text."""
        lines, seen = 1, 0
        for block in FileBlocks(self.blocks.path):
            lines += block[: max(0, at - seen)].count(b"\n")
            seen += len(block)
        return lines
