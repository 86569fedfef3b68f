"""The model of a page: sections, tables, figures and notes as plain records, which renderers draw.

Who has something to show makes a Page of it. The renderers in pages/render/ draw one as text for a
terminal, as Markdown and as HTML; the dashboard and its pages on disk are that HTML. All texts are
plain, as they came from the input: to show them as text and as nothing else is the
renderer's duty. What carries a frame can be downloaded as data (pages/csv.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.pages.address import Address

if TYPE_CHECKING:
    import pandas as pd

Plot: TypeAlias = Any  # a Plotly figure, which only renderers look into


class Link(Struct, frozen=True):
    """A text that leads to another view; `title` is said when one points at it.

    `leaves`: what it leads to is no page of the dashboard, but a file of its own. `url`: it leads
    to that address of another site instead, which the project has named.
    """

    text: str
    to: Address
    title: str | None = None
    leaves: bool = False
    url: str | None = None


class Tone(StrEnum):
    """How much a text wants to be seen, and whether a bar stands for more time or for less."""

    PLAIN = "plain"
    DIM = "dim"
    WARNING = "warning"
    ALARM = "alarm"
    MORE = "more"
    LESS = "less"


class Bar(Struct, frozen=True):
    """A bar from `start` to `end`, both in parts of the column's width.

    `broken`: its beginning is cut off, and a break in it says so.
    """

    start: float
    end: float
    tone: Tone = Tone.PLAIN
    broken: bool = False


PageCell: TypeAlias = "str | Link"
Cells: TypeAlias = "PageCell | Bar | tuple[PageCell, ...]"
"""What stands in one cell of a table: a text or a link, several after one another, or a bar."""


def plain_text(cells: Cells) -> str:
    """What a cell says, without its links.

    >>> plain_text(("calls ", Link("0/1", Address())))
    'calls 0/1'
    """
    if isinstance(cells, Bar):
        return ""
    parts = cells if isinstance(cells, tuple) else (cells,)
    return "".join(part.text if isinstance(part, Link) else part for part in parts)


class Menu(Struct, frozen=True, kw_only=True):
    """A choice among views; what is chosen now is named."""

    label: str
    chosen: str
    options: tuple[Link, ...]


class Field(Struct, frozen=True, kw_only=True):
    """One text that a reader may write; `name` is a field of Address."""

    name: str
    label: str
    value: str = ""


class Form(Struct, frozen=True, kw_only=True):
    """Texts that lead to a view of the same page; `to` says what stays as it is."""

    to: Address
    fields: tuple[Field, ...]
    button: str


class Note(Struct, frozen=True, kw_only=True):
    """Some paragraphs, each of texts and links that follow one another.

    `failed` says that they stand for an answer, which may be had another time, `ours` that none of
    the texts comes from the input.
    """

    lines: tuple[tuple[PageCell, ...], ...]
    title: str | None = None
    tone: Tone = Tone.PLAIN
    failed: bool = False
    ours: bool = False


class Facts(Struct, frozen=True, kw_only=True):
    """Short texts that stand beside the title; `names` come from the input."""

    names: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All of them in one line."""
        return " · ".join((*self.names, *self.facts))


class Sum(Struct, frozen=True):
    """A whole and the parts that add up to it, each with its confidence, or an empty text."""

    whole: str
    parts: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """`GPU time 12.34 ms = 97.1 % exact + 2.9 % outside`."""
        return f"{self.whole} = " + " + ".join(part for part, _ in self.parts)


class CodeBlock(Struct, frozen=True):
    """Lines of a program, as they are."""

    lines: tuple[str, ...]


class Points(Struct, frozen=True):
    """A title, and lines with their depth, from 1."""

    title: str
    lines: tuple[tuple[int, str], ...]


class Figure(Struct, frozen=True, kw_only=True):
    """A Plotly figure, and the frame that it draws.

    A point whose customdata is a text leads to that href.
    """

    id: str
    title: str
    plot: Plot
    data: pd.DataFrame
    about: tuple[PageCell, ...] = ()


class CellKind(StrEnum):
    """What a column holds: how it is aligned, cut and marked follows from it."""

    NAME = "name"  # what a row is about, as the input names it
    TEXT = "text"  # any other text of the input
    PATH = "path"  # a text of which the end says most
    CODE = "code"  # a text of which the beginning says most
    ID = "id"  # what a command takes, such as a call's id: never cut; several with commas
    LIST = "list"  # several names with commas, of which the first say most
    SENTENCE = "sentence"  # words about the row, of which the first say most
    WORD = "word"  # a short text of kernelmap
    NUMBER = "number"  # a time, a share or a count, as text.py writes it
    BAR = "bar"  # a Bar


class PageColumn(Struct, frozen=True, kw_only=True):
    """A column's heading, and how much room it needs.

    `whole` texts stay in one line in a browser. Where a terminal is narrow, texts are cut to
    `least` characters (None: never), then columns are left out, those of the highest `rank` first
    (0: never). `tells`: where rows of one name differ in this column, it stays beside the name.
    `about` explains the column below the table.
    """

    name: str
    kind: CellKind = CellKind.TEXT
    whole: bool = False
    least: int | None = None
    rank: int = 0
    tells: bool = False
    about: str | None = None


class PageRow(Struct, frozen=True, kw_only=True):
    """One row; `dim` where it is not what a reader looks for, `tone` how urgent it is.

    `ours`: it stands for rows that are left out, and none of its texts comes from the input.
    """

    cells: tuple[Cells, ...]
    dim: bool = False
    tone: Tone = Tone.PLAIN
    ours: bool = False


class PageTable(Struct, frozen=True, kw_only=True):
    """Rows to read; with a `frame` of all of them, those can be downloaded by the table's `id`.

    A frame may be one that is made when it is asked for.

    `stacked`: its cells are sentences. A terminal writes a row as a block: the first two cells, the
    third one below them, and all others beside their headings. `ordered`: its rows follow from one
    another, so that no reader sorts them. `folded`: below what matters; a browser and Markdown show
    its title until somebody opens it.
    """

    title: str
    columns: tuple[PageColumn, ...]
    rows: tuple[PageRow, ...]
    id: str = ""
    frame: pd.DataFrame | Callable[[], pd.DataFrame] | None = None
    about: tuple[PageCell, ...] = ()
    empty: str = "Nothing."
    stacked: bool = False
    ordered: bool = False
    folded: bool = False

    @property
    def sorts(self) -> bool:
        """Whether a reader may sort the rows in a browser: two are seen at a glance."""
        return not self.ordered and len(self.rows) > 2  # noqa: PLR2004 -- as the sentence says

    @property
    def data(self) -> pd.DataFrame:
        """The frame; ValueError where there is none."""
        if self.frame is None:
            raise ValueError(f"the table {self.title!r} has no data")
        return self.frame() if callable(self.frame) else self.frame

    @property
    def filled(self) -> PageTable:
        """The table without columns in which no row says anything."""
        columns, rows = drop_empty_columns(self.columns, self.rows)
        return replace(self, columns=columns, rows=rows)


def drop_empty_columns(
    columns: Sequence[PageColumn], rows: Sequence[PageRow]
) -> tuple[tuple[PageColumn, ...], tuple[PageRow, ...]]:
    """The columns in which some row says something, and the rows without the others."""
    kept = [at for at in range(len(columns)) if any(row.cells[at] for row in rows)]
    shown = tuple(replace(row, cells=tuple(row.cells[at] for at in kept)) for row in rows)
    return tuple(columns[at] for at in kept), shown


class WaitingNote(Struct, frozen=True, kw_only=True):
    """An answer that is being worked out: what it is, and how far it is where that is known."""

    what: str
    done: int | None = None
    of: int | None = None


Section: TypeAlias = (
    Figure | PageTable | Note | Points | Facts | Sum | CodeBlock | Form | WaitingNote
)


class Page(Struct, frozen=True, kw_only=True):
    """One page: its title, the choices above it, and its sections in order.

    `name` stands before the title and comes from the input.
    """

    title: str
    sections: tuple[Section, ...]
    menus: tuple[Menu, ...] = ()
    name: str = ""

    @property
    def waits(self) -> bool:
        """Whether something on it is still being worked out."""
        return any(isinstance(section, WaitingNote) for section in self.sections)

    @property
    def failed(self) -> bool:
        """Whether something on it could not be worked out."""
        return any(isinstance(section, Note) and section.failed for section in self.sections)


def section_of(page: Page, name: str) -> Figure | PageTable | None:
    """The figure or table of that id."""
    for section in page.sections:
        if isinstance(section, Figure | PageTable) and section.id == name:
            return section
    return None
