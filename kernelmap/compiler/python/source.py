"""The text of a generated file → its syntax tree and its comment lines.

Takes a path, bytes or a text. Line numbers count from 1 and are those of Python's parser: lines end
with a newline, a carriage return, or both. Left out: comments that share a line with code. Nothing
here runs or imports what it reads.
"""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

from kernelmap.errors import unreadable


def read_text(path: Path) -> str:
    """The text of `path`; bytes that are no UTF-8 become U+FFFD. Raises KernelmapError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    return decoded(data)


def decoded(data: bytes) -> str:
    """`data` as text whose lines end with a newline; bytes that are no UTF-8 become U+FFFD."""
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


def comment_lines(text: str, tree: ast.Module) -> dict[int, str]:
    r"""Line number → text after `#`, for lines that hold nothing but a comment.

    `tree` is the text's own: only inside a string that goes on can such a line be no comment.

    >>> text = "x = '#1'  # two\n# three\ny = '''\n# four'''"
    >>> comment_lines(text, ast.parse(text))
    {2: 'three'}
    """
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno is not None:
            inside.update(range(node.lineno + 1, node.end_lineno + 1))
    found = {}
    for number, line in enumerate(text.split("\n"), 1):
        if number not in inside and (comment := bare_comment(line)) is not None:
            found[number] = comment
    return found


def bare_comment(line: str) -> str | None:
    """The comment of a line of text that is known to stand outside of strings.

    >>> bare_comment("   # kernel path: x")
    'kernel path: x'
    """
    stripped = line.strip()
    return stripped[1:].strip() if stripped.startswith("#") else None
