"""Text that fits a width: columns (what gives way first, how bars are drawn), and sentences.

Takes parts (columns with their cells), gives rich Text lines. Knows nothing of kernels.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from rich.cells import cell_len
from rich.text import Text

from kernelmap.pages.render.short_names import (
    cut_text,
    shorten_list,
    shorten_names,
    shortest_list,
    width_to_tell_apart,
)

_GAP = "  "
# The last character of a bar, by the eighths that it fills; for none the space is cut off.
_EIGHTHS = " ▏▎▍▌▋▊▉"
# Characters of a bar: at least, and at most.
_BAR = (10, 20)
_NARROWEST = 60
_COMMAND = re.compile(r"`kernelmap [^`]*`|^kernelmap .*")
_UNBROKEN = "\0"  # stands for a space where a line may not end: no visible text holds one

Shortening: TypeAlias = Literal["names", "paths", "ids", "list", "beginning"]
"""How texts of a column give way: names and paths together, a list by its last entries, code and
sentences by all but their beginning; ids only where nothing else is left to give way."""
_FOR_NAMES = 1 / 3
"""Up to this part of a line belongs to the column that names the rows before any optional column
has a place: at 80 characters a bar and two columns of figures have one beside it. With two fifths
the table of source lines lost its columns `forward`, `at most` and `calls` at 120 characters."""

_FOR_SENTENCES = 0.2
"""The part of a line that code and sentences have before any optional column."""


class ColumnPart(Struct, frozen=True, kw_only=True):
    """One column.

    `rank` 0 stays; of the others the highest gives way first where the width is small. `least` is
    the width that it may be cut to, None for a column that is never cut. `names_rows`: it says what
    a row is about; `tells`: without it two rows would look the same, so that it gives way last.
    """

    header: str
    cells: Sequence[str]
    rank: int = 0
    right: bool = False
    least: int | None = None
    style: str = ""
    shortening: Shortening = "names"
    names_rows: bool = False
    tells: bool = False

    @property
    def most(self) -> int:
        """The width in which nothing is cut."""
        return max(map(cell_len, (self.header, *self.cells)))

    def least_within(self, width: int) -> int:
        """The width that it keeps as long as a column of another rank can give way to it.

        `width` is that of the whole line. Distinct names stay distinct in it.
        """
        if self.least is None:
            return self.most
        # The header always fits. What a column keeps beyond that depends on how its texts are cut.
        least, room = max(self.least, cell_len(self.header)), int(width * _FOR_NAMES)
        if self.shortening == "ids":
            least = max(least, *(cell_len(shortest_list(cell)) for cell in self.cells))
        elif self.names_rows and self.shortening == "names":
            least = max(least, room)
        elif self.shortening == "beginning":
            least = max(least, int(width * _FOR_SENTENCES))
        if self.shortening in ("names", "paths"):
            paths = self.shortening == "paths"
            least = max(least, width_to_tell_apart(self.cells, room, paths=paths))
        return min(least, self.most)

    def texts(self, width: int) -> Sequence[str]:
        """All cells, equally wide and at most `width`: shortened names may need less than that."""
        if self.shortening in ("names", "paths"):
            texts = shorten_names(self.cells, width, paths=self.shortening == "paths")
        elif self.shortening == "beginning":
            texts = [cut_text(cell, width, "beginning") for cell in self.cells]
        else:
            texts = [shorten_list(cell, width) for cell in self.cells]
        drawn = max(map(cell_len, (self.header, *texts)))
        return [pad_to(text, drawn, right=self.right) for text in texts]


class BarColumn(ColumnPart, frozen=True, kw_only=True):
    """A column of bars from a start to an end, in parts of its width; None draws nothing."""

    values: Sequence[tuple[float, float] | None]
    cells: Sequence[str] = ()

    @property
    def most(self) -> int:
        """The width in which it is easiest to read."""
        return _BAR[1]

    def least_within(self, width: int) -> int:  # noqa: ARG002 -- of every part
        """The width that it needs."""
        return _BAR[0]

    def texts(self, width: int) -> Sequence[str]:
        """All bars, in eighths of a character; whole characters stand before them."""
        return [self._draw_bar(value, width) for value in self.values]

    def _draw_bar(self, value: tuple[float, float] | None, width: int) -> str:
        start, end = value or (0, 0)
        # What took time has one eighth at least, so that it is seen.
        eighths = max(round((end - start) * width * 8), 1) if end > start else 0
        full, rest = divmod(eighths, 8)
        bar = "█" * full + _EIGHTHS[rest].strip()
        return pad_to(" " * min(round(start * width), width - len(bar)) + bar, width)


def draw_columns(parts: Sequence[ColumnPart], width: int, dim: Sequence[bool]) -> list[Text]:
    """The header and one line per row; `dim` marks rows that stand back."""
    fitted = _fit_columns(parts, width)
    columns = [part.texts(w) for part, w in fitted]
    heading = [
        pad_to(part.header, cell_len(texts[0]) if texts else 0, right=part.right)
        for (part, _), texts in zip(fitted, columns, strict=True)
    ]
    lines = [Text(_GAP.join(heading), "bold")]
    for row, faint in enumerate(dim):
        cells = [
            Text(texts[row], "" if faint else part.style)
            for (part, _), texts in zip(fitted, columns, strict=True)
        ]
        lines.append(Text(_GAP).join(cells))
        lines[-1].style = "dim" if faint else ""
    for line in lines:
        line.rstrip()
    return lines


def wrap_sentence(text: str, width: int, *, first: str = "", then: str = "") -> list[str]:
    """A sentence in lines, `first` and `then` before them.

    Names in it are never broken, nor are commands, which would not run as pasted.
    """
    # Spaces of a command are hidden from the line breaker, and put back behind it.
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


def pad_to(text: str, width: int, *, right: bool = False) -> str:
    """The text with spaces up to `width` cells."""
    space = " " * (width - cell_len(text))
    return space + text if right else text + space


def _fit_columns(parts: Sequence[ColumnPart], width: int) -> list[tuple[ColumnPart, int]]:
    """The parts that stay, with their widths.

    First optional columns give way, then texts are cut. What is left over goes to the texts that
    need least to be whole, so that one long name leaves all others as they are; then to bars.
    """
    # Optional columns give way, the highest rank first, as long as the line is too wide with what
    # each column would like to keep. Those that tell equal rows apart go only where the line is too
    # wide even with all texts cut.
    kept = [(part, part.least_within(width)) for part in parts]
    optional = sorted((pair for pair in kept if pair[0].rank), key=lambda pair: -pair[0].rank)
    for pair in optional:
        if not pair[0].tells and _width_of_line(least for _, least in kept) > width:
            kept.remove(pair)
    for pair in optional:
        if pair[0].tells and _width_of_line(map(_narrowest_width, kept)) > width:
            kept.remove(pair)
    widths = [least for _, least in kept]
    # Names give way after other texts, ids last; of the others the widest gives way first.
    order = sorted(range(len(kept)), key=lambda at: (_worth_of_column(kept[at][0]), -widths[at]))
    for at in order:
        least, over = kept[at][0].least, _width_of_line(widths) - width
        if over > 0 and least is not None:
            widths[at] = max(min(least, widths[at]), widths[at] - over)
    # What is left over widens texts first, then bars.
    most = [part.most for part, _ in kept]
    for of_bars in (False, True):
        wanting = [
            at for at, (part, _) in enumerate(kept) if isinstance(part, BarColumn) is of_bars
        ]
        _share_out(width - _width_of_line(widths), widths, most, wanting)
    return [(part, fitted) for (part, _), fitted in zip(kept, widths, strict=True)]


def _narrowest_width(fitted: tuple[ColumnPart, int]) -> int:
    """The width of a column whose texts are cut as far as they may be."""
    part, least = fitted
    return least if part.least is None else min(part.least, least)


def _worth_of_column(part: ColumnPart) -> int:
    return 2 if part.shortening == "ids" else 1 if part.names_rows else 0


def _share_out(spare: int, widths: list[int], most: Sequence[int], wanting: Sequence[int]) -> None:
    """Widen the columns `wanting` in equal parts of `spare`, none beyond its `most`."""
    spare = max(0, spare)
    # The column that needs least to be whole comes first, so what it does not take is shared by the
    # others.
    left = sorted(wanting, key=lambda at: most[at] - widths[at])
    for number, at in enumerate(left):
        more = min(most[at] - widths[at], spare // (len(left) - number))
        widths[at] += more
        spare -= more


def _width_of_line(widths: Iterable[int]) -> int:
    """The width of a line of columns, with the gaps between them."""
    listed = list(widths)
    return sum(listed) + len(_GAP) * (len(listed) - 1)
