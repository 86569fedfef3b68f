"""How one particular file lays out its event array, learned from its own bytes.

Taken: the text from the first event on. Given: the bytes that stand between two events, and where
the array ends. Layout only makes reading fast: whoever cuts by it checks that the pieces decode.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

# Possessive repeats: whatever the text holds, no byte of it is looked at again and again.
_FIRST = re.compile(rb'\s*+\{(\s*+)("(?:[^"\\]|\\.)*+"\s*+:\s*+)')
_END = re.compile(rb"\}(\s*+(?:,\s*+)?)\]")
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
"""A bracket, or a string; one that nobody closes goes to the end."""
_NEXT = re.compile(rb"\}\s*+,(?=\s*+\{)")
_COUNTED = 256  # places between events that have a say in what most of them look like
_TRIED = 4  # events whose beginning may tell the layout
_REST = re.compile(rb'\s*+(?:,\s*+"|(?:,\s*+)?\}\s*+\Z|\Z)')


class EventLayout(Struct, frozen=True):
    """`close` ends an event, `open` begins the next; `separator` is everything between.

    `key` is the first key of an event, with its quotes.
    """

    close: bytes
    separator: bytes
    open: bytes
    key: bytes

    def pieces(self, text: bytes) -> Iterator[tuple[int, bytes]]:
        """Each event of `text` whole, with its offset."""
        # A separator belongs to two events in part, so that the next one begins before it ends.
        at = 0
        while (cut := text.find(self.separator, at)) >= 0:
            yield at, text[at : cut + len(self.close)]
            at = cut + len(self.separator) - len(self.open)
        yield at, text[at:]

    def apart(self, piece: bytes) -> list[tuple[int, bytes]]:
        """What may be events in a piece that is none: it begins anew at each first key."""
        # Example with first key "ph": `{"ph": 1, "dur": {"ph": 2}` lost a
        # bracket and becomes two pieces.
        begins = [match.start() for match in re.finditer(rb"\{\s*+" + re.escape(self.key), piece)]
        cuts = [0, *(at for at in begins if at), len(piece)]
        return [
            (at, piece[at:end].rstrip(b" \t\r\n,"))
            for at, end in itertools.pairwise(cuts)
            if piece[at:end].strip()
        ]


def learn(text: bytes, *, goes_on: bool = False) -> EventLayout | None:
    """The layout of `text`, which begins before its first event; None if it shows none.

    `goes_on`: there is more of it. Then only the first event is asked: what seem to be others may
    stand in one that is not whole yet.

    Where events stand on lines of their own, the line breaks and indentation around them tell two
    events apart; otherwise the first key, the same in every event, has to belong to the separator.
    """
    end = _end_of_first(text)
    # The first event may be the damaged one; then a later one shows how events begin.
    tried = 1 if goes_on else _TRIED
    for first in itertools.islice(_events(text, end or 0), tried):
        if (layout := _of_first(first, text)) is not None:
            return layout
    return None


def _end_of_first(text: bytes) -> int | None:
    """Where the bracket that closes the first one stands; None where none does."""
    depth = 0
    for token in _TOKEN.finditer(text):
        # Strings are tokens of their own, so that brackets in names do not count.
        if token[0] in b"{[":
            depth += 1
        elif token[0] in b"}]":
            depth -= 1
            if depth <= 0:
                return token.start()
    return None


def _events(text: bytes, end: int) -> Iterator[re.Match[bytes]]:
    """How events begin: the first one, and those behind its `end`, should it be damaged."""
    if (first := _FIRST.match(text)) is not None:
        yield first
    for brace in _NEXT.finditer(text, end):
        if (later := _FIRST.match(text, brace.end())) is not None:
            yield later


def _of_first(first: re.Match[bytes], text: bytes) -> EventLayout | None:
    # Where an event has several lines, line breaks and indentation tell it from objects within it.
    # Where it has one, the first key does, and so is a part of the separator.
    open_ = b"{" + first[1] + (b"" if b"\n" in first[1] else first[2])
    ahead = b'(?=")' if b"\n" in first[1] else b""  # not further in, where lists of objects stand
    # Group 1 is what closes an event, group 2 the comma and white space before the next one.
    between = re.compile(rb"((?<!\s)\s*+\})(\s*+,\s*?)" + re.escape(open_) + ahead)
    places = itertools.islice(between.finditer(text), _COUNTED)
    # Most places decide: an odd one may come from a list of objects within an event.
    seen = Counter(match.groups() for match in places)
    if not seen:
        return None
    close, comma = seen.most_common(1)[0][0]
    key = first[2].rstrip(b": \t\r\n")
    return EventLayout(close=close, separator=close + comma + open_, open=open_, key=key)


def ends(text: bytes, layout: EventLayout | None) -> Iterator[tuple[int, int, bool]]:
    """Where the event array may end: (end of the last event, start of the rest, trailing comma).

    Places that the layout speaks for come first. The rest must look as if an object went on, or
    be nothing.
    """
    expected = []
    if layout is not None and b"\n" in layout.close:
        expected = list(re.finditer(re.escape(layout.close) + rb"(\s*+(?:,\s*+)?)\]", text))
    # Lists inside of events end with the same brackets, so there may be several places.
    for match in (*expected, *_END.finditer(text)):
        if _REST.match(text, match.end()):
            yield match.start(1), match.end(), b"," in match[1]


def objects(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Each top-level object of `text` with its offset, by counting brackets outside strings.

    For files without a layout. What stands between objects, if it is more than a comma, and what
    is left at the end come as pieces of their own, so that nothing is passed over in silence.
    """
    depth, start, done = 0, 0, 0
    for token in _TOKEN.finditer(text):
        if token[0] in (b"{", b"["):
            if depth == 0:
                start = token.start()
                yield from _between(text, done, start)
            depth += 1
        elif token[0] in (b"}", b"]"):
            depth -= 1
            # A bracket that nothing opened closes the list of events.
            if depth < 0:
                break
            if depth == 0:
                done = token.end()
                yield start, text[start:done]
    yield from _between(text, done, len(text))


def _between(text: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    if text[start:end].strip(b" \t\r\n,"):
        yield start, text[start:end]
