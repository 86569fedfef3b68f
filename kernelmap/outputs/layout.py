"""Text that fits a width: columns (what gives way first, how bars are drawn), and sentences.

Takes parts (columns with their cells), gives rich Text lines. Knows nothing of kernels.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from rich.cells import cell_len
from rich.text import Text

from kernelmap.present.text import ELLIPSIS

_GAP = "  "
_EIGHTHS = " ▏▎▍▌▋▊▉"
_BAR = (10, 20)
_NARROWEST = 60
_COMMAND = re.compile(r"`kernelmap [^`]*`|^kernelmap .*")
_UNBROKEN = "\0"  # stands for a space where a line may not end: no visible text holds one

Kept: TypeAlias = Literal["ends", "beginning", "end"]
"""What a text keeps where it is cut."""


class Part(Struct, frozen=True, kw_only=True):
    """One column.

    `rank` 0 stays; of the others the highest gives way first where the width is small. `least` is
    the width that it may be cut to, None for a column that is never cut.
    """

    header: str
    cells: Sequence[str]
    rank: int = 0
    right: bool = False
    least: int | None = None
    style: str = ""
    kept: Kept = "ends"

    @property
    def span(self) -> tuple[int, int]:
        """The widths between which it is drawn."""
        most = max(map(cell_len, (self.header, *self.cells)))
        return (most if self.least is None else min(most, self.least)), most

    def draw(self, row: int, width: int) -> str:
        """One cell, exactly `width` wide."""
        return pad(cut(self.cells[row], width, self.kept), width, right=self.right)


class Bars(Part, frozen=True, kw_only=True):
    """A column of bars from a start to an end, in parts of its width; None draws nothing."""

    values: Sequence[tuple[float, float] | None]
    cells: Sequence[str] = ()

    @property
    def span(self) -> tuple[int, int]:
        """The widths between which it is drawn."""
        return _BAR

    def draw(self, row: int, width: int) -> str:
        """One bar, in eighths of a character; whole characters stand before it."""
        start, end = self.values[row] or (0, 0)
        eighths = max(round((end - start) * width * 8), 1) if end > start else 0
        full, rest = divmod(eighths, 8)
        bar = "█" * full + _EIGHTHS[rest].strip()
        return pad(" " * min(round(start * width), width - len(bar)) + bar, width)


def draw(parts: Sequence[Part], width: int, dim: Sequence[bool]) -> list[Text]:
    """The header and one line per row; `dim` marks rows that stand back."""
    fitted = _fit(parts, width)
    lines = [Text(_GAP.join(pad(p.header, w, right=p.right) for p, w in fitted), "bold")]
    for row, faint in enumerate(dim):
        cells = [Text(part.draw(row, w), "" if faint else part.style) for part, w in fitted]
        lines.append(Text(_GAP).join(cells))
        lines[-1].style = "dim" if faint else ""
    for line in lines:
        line.rstrip()
    return lines


def wrapped(text: str, width: int, *, first: str = "", then: str = "") -> list[str]:
    """A sentence in lines, `first` and `then` before them.

    Names in it are never broken, nor are commands, which would not run as pasted.
    """
    whole = _COMMAND.sub(lambda found: found[0].replace(" ", _UNBROKEN), text)
    lines = textwrap.wrap(
        whole,
        max(width, _NARROWEST),
        initial_indent=first,
        subsequent_indent=then,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_UNBROKEN, " ") for line in lines]


def cut(text: str, width: int, kept: Kept = "ends") -> str:
    """The text, or the part of it that is kept with an ellipsis; at most `width` cells wide.

    >>> cut("triton_poi_fused_add_0", 12), cut("/home/me/model.py:7", 12, "end")
    ('triton…add_0', '…/model.py:7')
    >>> cut("return x + self.down(hidden)", 12, "beginning")
    'return x + …'
    """
    if cell_len(text) <= width:
        return text
    if width < 1:
        return ""
    tail = {"ends": (width - 1) // 2, "beginning": 0, "end": width - 1}[kept]
    return _head(text, width - 1 - tail) + ELLIPSIS + _head(text[::-1], tail)[::-1]


def pad(text: str, width: int, *, right: bool = False) -> str:
    """The text with spaces up to `width` cells."""
    space = " " * (width - cell_len(text))
    return space + text if right else text + space


def _head(text: str, width: int) -> str:
    while cell_len(text) > width:
        text = text[: min(width, len(text) - 1)]
    return text


def _fit(parts: Sequence[Part], width: int) -> list[tuple[Part, int]]:
    """The parts that stay, with their widths: least first, then the spare from left to right."""
    kept = list(parts)
    while _least(kept) > width and any(part.rank for part in kept):
        kept.remove(max(kept, key=lambda part: part.rank))
    spare = max(0, width - _least(kept))
    fitted = []
    for part in kept:
        least, most = part.span
        more = min(most - least, spare)
        spare -= more
        fitted.append((part, least + more))
    return fitted


def _least(parts: Sequence[Part]) -> int:
    return sum(part.span[0] for part in parts) + len(_GAP) * (len(parts) - 1)
