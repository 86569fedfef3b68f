"""A statement of the wrapper → what it is given, with its names taken out.

Takes the lines of the code, the line where the statement begins, and the buffers' types; gives a
canonical text. A buffer is its type; any other bare name is its place, counted from its first use.
Left out: what the result is called, and the stream.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kernelmap.fingerprints.fragment import symbolic

_MOST_LINES = 64
_TEXT = re.compile(r'R?"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
_COMMENT = re.compile(r"\s*(#|//).*$")
_TOKEN = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?!\w|\s*\(|\s*=|\s*::|\s*\.(?!data_ptr))")
_RESULT = re.compile(r"^\s*(?:auto )?[\w, ()]+ = (?!=)")
_STREAM = re.compile(r",? *stream=\w+")
_PYTHON = ("True", "False", "None", "inf", "nan", "torch")
_CPP = ("nullptr", "const", "auto", "bool", "char", "double", "float", "int", "long", "void")
_WORDS = frozenset((*_PYTHON, *_CPP))


def statement(lines: Sequence[str], line: int, types: Mapping[str, str]) -> str:
    """The canonical text of the arguments of the statement that begins at `line` (from 1)."""
    text = _STREAM.sub("", _RESULT.sub("", _whole(lines, line - 1)))
    _, bracket, arguments = text.partition("(")
    places: dict[str, str] = {}
    symbols: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        word = found[1]
        if word in _WORDS:
            return word
        kind = types.get(word)
        if kind is not None:
            return f"<{kind}>"
        return places.setdefault(word, f"%{len(places)}")

    return symbolic(_TOKEN.sub(name, bracket + arguments).replace(" ", ""), symbols)


def result_type(lines: Sequence[str], line: int, types: Mapping[str, str]) -> str | None:
    """The type of what the statement writes: `out=`, or the name that it assigns to."""
    text = _whole(lines, line - 1)
    out = re.search(r"out=(\w+)", text) or re.match(r"\s*(?:auto )?(\w+) = ", text)
    return types.get(out[1]) if out else None


def _whole(lines: Sequence[str], start: int) -> str:
    """The statement: lines until its brackets are closed, without texts and comments."""
    parts: list[str] = []
    depth = 0
    for line in lines[start : start + _MOST_LINES]:
        bare = _COMMENT.sub("", _TEXT.sub("''", line))
        parts.append(bare.strip())
        depth += bare.count("(") - bare.count(")")
        if depth <= 0:
            break
    return " ".join(parts)
