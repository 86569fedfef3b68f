"""The text of a generated file → its syntax tree and its comment lines.

Takes a path or a text. Line numbers count from 1 and are those of Python's parser: lines end with
a newline, a carriage return, or both. Left out: comments that share a line with code.
Nothing here runs or imports what it reads.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from pathlib import Path

from kernelmap.errors import unreadable

_LINE_KINDS = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}


def read_text(path: Path) -> str:
    """The text of `path`; bytes that are no UTF-8 become U+FFFD. Raises KernelmapError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    text = data.decode("utf-8-sig", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_file(path: Path) -> bool:
    """Whether `path`, which some text names, is a file that can be seen."""
    try:
        return path.is_file()
    except OSError:  # A folder on the way is closed to us, or the name is too long for any file.
        return False


def parse(text: str) -> ast.Module | None:
    """The syntax tree of `text`, None where Python's parser refuses it."""
    with warnings.catch_warnings():
        # Kernels hold backslashes that Python would like doubled; that is not our reader's concern.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def comment_lines(text: str) -> dict[int, str]:
    r"""Line number → text after `#`, for lines that hold nothing but a comment.

    >>> comment_lines("x = '#1'  # two\n# three")
    {2: 'three'}
    """
    found: dict[int, str] = {}
    code: set[int] = set()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string[1:].strip()
            elif token.type not in _LINE_KINDS:
                code.update((token.start[0], token.end[0]))
    except (tokenize.TokenError, SyntaxError):
        # The parser took the text and the tokenizer did not: what was seen so far still holds.
        pass
    return {line: comment for line, comment in found.items() if line not in code}


def bare_comment(line: str) -> str | None:
    """The comment of a line of text that is known to stand outside of strings.

    >>> bare_comment("   # kernel path: x")
    'kernel path: x'
    """
    stripped = line.strip()
    return stripped[1:].strip() if stripped.startswith("#") else None
