r"""One broken JSON object → the JSON its writer meant, where only one reading is possible.

Repaired: bytes that are no UTF-8, control bytes and lone backslashes in strings, quotes
in names that were not escaped, decimal commas, trailing commas, `nan` and `inf`. What lies below
more brackets than a decoder follows becomes null: nothing that we read stands there.
A quote ends a name only where what follows continues the object: `, "key":` or a closing bracket;
other strings hold no quotes. In a string with one impossible escape (a Windows path) no
backslash was meant as an escape. Left out: an event that is cut off (json_stream.py decides what is
kept of it); the caller decodes the result.
"""

from __future__ import annotations

import re

from msgspec import Struct

_DEEPEST = 200
_BRACKET_OR_STRING = re.compile(rb'[\[\]{}]|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)

_BARE = re.compile(rb'[^"]*')
_QUOTE = re.compile(rb'[^"\\]*+(?:\\(?:.|$)[^"\\]*+)*+"', re.DOTALL)
_ANYTHING = re.compile(b"")
# What may follow a string in an object: a closing bracket, the next
# key, a trailing comma, or the end.
_ENDS_NAME = re.compile(
    rb'\s*+(?:[}\]]|,\s*+"[^"\\]*+(?:\\.[^"\\]*+)*+"\s*+:|,\s*+[}\]]|\Z)', re.DOTALL
)
_FREE_TEXT = {b"name", b"traceName"}

_DECIMAL_COMMA = re.compile(rb"\A(\s*:\s*-?\d+),(\d+(?:[eE][-+]?\d+)?)(?=\s*[,}\]])")
_TRAILING_COMMA = re.compile(rb",(\s*[}\]])")
_NOT_A_NUMBER = re.compile(rb"-?\b(?:nan(?:\(\w+\))?|inf(?:inity)?)\b", re.IGNORECASE)

_CONTROL = re.compile(rb"[\x00-\x1f]")
_ESCAPE = re.compile(
    rb"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb'|u[0-9a-fA-F]{4}|["\\/bfnrt])?'
)
_SURROGATE = re.compile(rb"u[dD][89a-fA-F][0-9a-fA-F]{2}\Z")
_ESCAPED_OR_QUOTE = re.compile(rb'\\.|"', re.DOTALL)


def mend(text: bytes) -> tuple[bytes, frozenset[str]]:
    """`text` (one object) made decodable as far as possible, and in words what was done."""
    done: set[str] = set()
    unicode = text.decode("utf-8", "replace").encode()
    if unicode != text:
        done.add("bytes that are no UTF-8")
    # Text outside of strings and strings take turns, so each is mended by rules of its own.
    walk = _RepairWalk(unicode, done)
    while walk.at < len(unicode):
        walk.bare()
        walk.string()
    return _shallow(b"".join(walk.out), done), frozenset(done)


def _shallow(text: bytes, done: set[str]) -> bytes:
    """`text` with null for every value inside of `_DEEPEST` brackets or more."""
    out: list[bytes] = []
    depth, kept, dropped = 0, 0, 0
    for token in _BRACKET_OR_STRING.finditer(text):
        if token[0] in b"[{":
            depth += 1
            if depth == _DEEPEST:
                out += (text[kept : token.start()], b"null")
        elif token[0] in b"]}":
            # `kept` is where the text goes on that is kept; what lies
            # between two such places becomes null.
            if depth == _DEEPEST:
                kept = token.end()
                dropped += 1
            depth -= 1
    if not dropped:
        return text
    done.add("values nested too deeply")
    return b"".join((*out, text[kept:]))


class _RepairWalk(Struct):
    """Where we are in the object, and after which character."""

    text: bytes
    done: set[str]
    at: int = 0
    after: bytes = b""
    key: bytes = b""
    out: list[bytes] = []

    def bare(self) -> None:
        """Everything up to the next quote: brackets, numbers, commas."""
        match = _BARE.match(self.text, self.at)
        raw = match.group() if match else b""
        self.at += len(raw)
        # A string behind a colon is a value, any other one a key or an element of a list.
        self.after = raw.rstrip()[-1:]
        # `"dur": 1,5` and `"dur": nan` come from writers that print
        # numbers by the locale, or as C does.
        fixed = self._changed(_DECIMAL_COMMA, rb"\1.\2", raw, "decimal commas")
        fixed = self._changed(_NOT_A_NUMBER, b"null", fixed, "nan and inf")
        self.out.append(self._changed(_TRAILING_COMMA, rb"\1", fixed, "trailing commas"))

    def string(self) -> None:
        """The string that opens here, if the text goes on."""
        if self.at >= len(self.text):
            return
        start, end = self.at + 1, self._end()
        self.key = self.text[start:end]
        self.out.append(b'"' + self._content(self.text[start:end]) + b'"')
        self.at = min(end + 1, len(self.text))

    def _end(self) -> int:
        """Position of the quote that ends the string opening at `at`."""
        # Only names are free text that may hold quotes: in `"name": "a "b" c",
        # "ts": 1` the last one ends it.
        ends = _ANYTHING
        if self.after == b":" and self.key in _FREE_TEXT:
            ends = _ENDS_NAME
        at = self.at + 1
        while match := _QUOTE.match(self.text, at):
            at = match.end()
            if ends.match(self.text, at):
                return at - 1
        return len(self.text)

    def _content(self, raw: bytes) -> bytes:
        """What stands between the quotes, with every escape and every control byte in order."""
        # A backslash before a letter that escapes nothing: the writer
        # escaped none, as in `C:\mine\new`.
        if any(escape[1] is None for escape in _ESCAPE.finditer(raw)):
            self.done.add("lone backslashes")
            raw = _ESCAPE.sub(_taken_literally, raw)
        # Pairs of surrogates are one match of the pattern, so only a lone one is found here.
        if any(_SURROGATE.match(escape[1]) for escape in _ESCAPE.finditer(raw)):
            self.done.add("lone surrogates")
            raw = _ESCAPE.sub(_without_surrogate, raw)
        if any(match[0] == b'"' for match in _ESCAPED_OR_QUOTE.finditer(raw)):
            self.done.add("quotes in strings")
            raw = _ESCAPED_OR_QUOTE.sub(_escaped, raw)
        if _CONTROL.search(raw):
            self.done.add("control bytes")
            raw = _CONTROL.sub(lambda match: b"\\u%04x" % match[0][0], raw)
        return raw

    def _changed(self, what: re.Pattern[bytes], by: bytes, text: bytes, name: str) -> bytes:
        fixed, count = what.subn(by, text)
        if count:
            self.done.add(name)
        return fixed


def _taken_literally(escape: re.Match[bytes]) -> bytes:
    """In a string that escapes nothing: backslashes stand for themselves."""
    return escape[0] if escape[1] in (b"\\", b'"') else b"\\" + escape[0]


def _without_surrogate(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if _SURROGATE.match(escape[1]) else escape[0]


def _escaped(match: re.Match[bytes]) -> bytes:
    return b'\\"' if match[0] == b'"' else match[0]
