"""C++ text → its tokens, as far as finding calls needs them.

Takes the text of a file; gives names, numbers, texts, comments and single marks, each with its
line, counted from 1. Raw strings `R"tag(…)tag"` are one token whatever they hold (Inductor puts
Python into them), comments another; directives (`#define …`, with their continued lines) are left
out, because their braces need not pair. What never ends (a comment or raw string of a file that was
cut off) hides nothing but its own line. Left out: trigraphs, and what macros stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from itertools import islice
from typing import NamedTuple

_MOST_UNCLOSED = 64  # each costs a search to the end of the text

# A name right before a quote is tried late (`before_text`): it may be the `R` of a raw string.
_TOKEN = re.compile(
    r"""\s*+(?:
    (?P<name>[^\W\d]\w*+(?!["']))
  | (?P<block>/\*)
  | (?P<comment>//[^\n]*)
  | (?P<raw>(?:u8|[uUL])?R"(?P<tag>[^()\\\s"]{0,16})\()
  | (?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*+"?)
  | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*+'?)
  | (?P<before_text>[^\W\d]\w*)
  | (?P<number>\.?\d(?:'?\w|\.|(?<=[eEpP])[+-])*)
  | (?P<mark>::|->|.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"\#(?:\\\n|[^\n])*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class TokenKind(Enum):
    """What a token is; TEXT has its value without quotes, COMMENT without its marks."""

    NAME = auto()
    NUMBER = auto()
    TEXT = auto()
    COMMENT = auto()
    MARK = auto()


class Token(NamedTuple):
    """One token; `line` is where it starts and `last` where it ends.

    A tuple, because a wrapper has a million of them.
    """

    kind: TokenKind
    value: str
    line: int
    last: int


def tokenize_cpp(text: str, most: int | None = None) -> tuple[Token, ...]:
    r"""The tokens of `text`, whose lines end with a newline; no more than `most`.

    >>> [token.value for token in tokenize_cpp('f("a\\"b", R"x(1)" 2)x"); // done')]
    ['f', '(', 'a"b', ',', '1)" 2', ')', ';', 'done']
    """
    return tuple(islice(_iter_tokens(text), most))


def _iter_tokens(text: str) -> Iterator[Token]:
    at, line, unclosed = 0, 1, 0
    last = 0  # the line on which the last token ended
    while (match := _TOKEN.match(text, at)) is not None:  # nothing but space is left otherwise
        group = match.lastgroup or "mark"
        start, end = match.span(group)
        # Lines of the space before the token; lines inside of the token are added below.
        line += text.count("\n", at, start)
        value = match[group]
        kind = _KINDS[group]
        if group == "mark":
            # A `#` begins a directive only if it is the first token of its line.
            if value == "#" and last < line and (directive := _DIRECTIVE.match(text, start)):
                line += directive[0].count("\n")
                at = directive.end()
                continue
            last = line
        elif group in ("name", "number", "before_text"):
            last = line
        elif group in ("block", "raw"):
            # Nothing inside counts until the closing mark.
            # Without one, only the rest of the line is skipped.
            closing = "*/" if group == "block" else f'){match["tag"]}"'
            # Each mark that never closes costs a search through
            # the whole text, so there is a limit to them.
            close = text.find(closing, end) if unclosed < _MOST_UNCLOSED else -1
            if close < 0:
                unclosed += 1
                value = ""
                end = _line_end(text, end)
            else:
                value = text[end:close]
                end = close + len(closing)
            last = line + text.count("\n", start, end)
        else:
            last = line + value.count("\n")
            if group == "comment":
                value = value[2:].strip()
            elif group == "text":
                value = _ESCAPE.sub(_unescape, value.partition('"')[2].removesuffix('"'))
        yield Token(kind, value, line, last)
        at, line = end, last


_KINDS = {
    "name": TokenKind.NAME,
    "before_text": TokenKind.NAME,
    "number": TokenKind.NUMBER,
    "text": TokenKind.TEXT,
    "raw": TokenKind.TEXT,
    "char": TokenKind.NUMBER,
    "comment": TokenKind.COMMENT,
    "block": TokenKind.COMMENT,
    "mark": TokenKind.MARK,
}


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPED.get(match[1], match[1])


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
