"""A few lines below a title: what a person should know and no table can say.

Without pandas, so that `inspect` starts fast.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import PurePath

from rich.text import Text

from kernelmap.outputs.text import visible

_NARROWEST = 40


@dataclass(frozen=True, slots=True)
class Told:
    """A title, and lines with their depth, from 1."""

    title: str
    lines: tuple[tuple[int, str], ...]


def told_lines(told: Told, width: int) -> list[Text]:
    """An empty line, the title, and its lines, each broken where it does not fit."""
    lines = [Text(), Text(told.title, "bold")]
    for depth, text in told.lines:
        indent = " " * (2 * depth)
        wrapped = textwrap.wrap(
            visible(text),
            max(width, _NARROWEST),
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
        )
        lines += [Text(line, "" if depth == 1 else "dim") for line in wrapped]
    return lines


def place(source: object) -> str:
    """`model.py:17` of a whole path.

    >>> place("/home/me/model.py:17")
    'model.py:17'
    """
    return PurePath(str(source).replace("\\", "/")).name
