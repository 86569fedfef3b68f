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
from dataclasses import dataclass
from enum import Enum, auto

_MOST_UNCLOSED = 64  # each costs a search to the end of the text

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<block>/\*)
  | (?P<comment>//[^\n]*)
  | (?P<raw>(?:u8|[uUL])?R"(?P<tag>[^()\\\s"]{0,16})\()
  | (?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*+"?)
  | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*+'?)
  | (?P<name>[^\W\d]\w*)
  | (?P<number>\.?\d(?:'?\w|\.|(?<=[eEpP])[+-])*)
  | (?P<mark>::|->|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"\#(?:\\\n|[^\n])*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class Kind(Enum):
    """What a token is; TEXT has its value without quotes, COMMENT without its marks."""

    NAME = auto()
    NUMBER = auto()
    TEXT = auto()
    COMMENT = auto()
    MARK = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `line` is where it starts and `last` where it ends."""

    kind: Kind
    value: str
    line: int
    last: int


def tokens(text: str) -> tuple[Token, ...]:
    r"""The tokens of `text`, whose lines end with a newline.

    >>> [token.value for token in tokens('f("a\\"b", R"x(1)" 2)x"); // done')]
    ['f', '(', 'a"b', ',', '1)" 2', ')', ';', 'done']
    """
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    at, line, unclosed = 0, 1, 0
    fresh = True  # nothing but space stands before on this line
    while at < len(text):
        if fresh and text[at] == "#" and (directive := _DIRECTIVE.match(text, at)):
            line += directive[0].count("\n")
            at = directive.end()
            continue
        found = _TOKEN.match(text, at)
        if found is None:  # cannot be: a mark is any character
            return
        group, written, end = found.lastgroup, found[0], found.end()
        if group == "space":
            newlines = written.count("\n")
            line += newlines
            fresh = fresh or newlines > 0
            at = end
            continue
        fresh = False
        value, kind = written, _KINDS.get(group or "", Kind.MARK)
        if group in ("block", "raw"):
            closing = "*/" if group == "block" else f'){found["tag"]}"'
            close = text.find(closing, end) if unclosed < _MOST_UNCLOSED else -1
            if close < 0:
                unclosed += 1
                value = ""
                end = _line_end(text, end)
            else:
                value = text[end:close]
                end = close + len(closing)
            kind = Kind.COMMENT if group == "block" else Kind.TEXT
        elif group == "comment":
            value = written[2:].strip()
        elif group == "text":
            value = _ESCAPE.sub(_unescaped, written.partition('"')[2].removesuffix('"'))
        last = line + text.count("\n", at, end)
        yield Token(kind, value, line, last)
        at, line = end, last


_KINDS = {
    "name": Kind.NAME,
    "number": Kind.NUMBER,
    "text": Kind.TEXT,
    "char": Kind.NUMBER,
    "comment": Kind.COMMENT,
}


def _unescaped(found: re.Match[str]) -> str:
    return _ESCAPED.get(found[1], found[1])


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
