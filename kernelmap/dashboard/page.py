"""A page as plain records: what there is to see, before anybody decides how it is drawn.

Pages are made of sections; two renderers draw them, components.py for the live dashboard and
static_page.py for pages on disk. Every chart and table carries the frame that it shows, which is
what a reader downloads, as CSV that is guarded against spreadsheets (docs/decisions/0011) or as
JSON with one object per row. All texts are plain: to show them as text is the renderer's duty.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from kernelmap.dashboard.address import Address
from kernelmap.dashboard.archive import NotYetError
from kernelmap.errors import KernelmapError
from kernelmap.outputs import csv
from kernelmap.outputs.text import visible

if TYPE_CHECKING:
    import pandas as pd

Figure: TypeAlias = Any  # plotly has no type stubs


@dataclass(frozen=True, slots=True)
class Link:
    """A text that leads to another view; `title` is said when one points at it.

    `leaves`: what it leads to is no page of the dashboard, but a file of its own.
    """

    text: str
    to: Address
    title: str | None = None
    leaves: bool = False


Cell: TypeAlias = "str | Link"
Cells: TypeAlias = "Cell | tuple[Cell, ...]"
"""What stands in one cell of a table: a text or a link, or several after one another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """A choice among views; what is chosen now is named."""

    label: str
    chosen: str
    options: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One text that a reader may write; `name` is a field of Address."""

    name: str
    label: str
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Texts that lead to a view of the same page; `to` says what stays as it is."""

    to: Address
    fields: tuple[Field, ...]
    button: str


class Tone(StrEnum):
    """How much a text wants to be seen."""

    PLAIN = "plain"
    DIM = "dim"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Some paragraphs, each of texts and links that follow one another.

    `failed` says that they stand for an answer, which may be had another time.
    """

    lines: tuple[tuple[Cell, ...], ...]
    title: str | None = None
    tone: Tone = Tone.PLAIN
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A figure, and the frame that it draws.

    A point whose customdata is a text leads to that href.
    """

    id: str
    title: str
    figure: Figure
    data: pd.DataFrame
    about: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's heading; numbers stand right, and texts that are `whole` in one line."""

    name: str
    number: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row; `dim` where it is not what a reader looks for."""

    cells: tuple[Cells, ...]
    dim: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows to read, and the frame of all of them to download."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    data: pd.DataFrame
    about: tuple[Cell, ...] = ()
    empty: str = "Nothing."


def filled(
    columns: Sequence[Column], rows: Sequence[Row]
) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """The columns in which some row says something, and the rows without the others."""
    kept = [at for at in range(len(columns)) if any(row.cells[at] for row in rows)]
    shown = tuple(replace(row, cells=tuple(row.cells[at] for at in kept)) for row in rows)
    return tuple(columns[at] for at in kept), shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An answer that is being worked out: what it is, and how far it is where that is known."""

    what: str
    done: int | None = None
    of: int | None = None


Section: TypeAlias = Chart | Table | Words | Form | Waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: its title, the choices above it, and its sections in order."""

    title: str
    sections: tuple[Section, ...]
    menus: tuple[Menu, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether something on it is still being worked out."""
        return any(isinstance(each, Waiting) for each in self.sections)

    @property
    def failed(self) -> bool:
        """Whether something on it could not be worked out."""
        return any(isinstance(each, Words) and each.failed for each in self.sections)


def attempt(make: Callable[[], Sequence[Section]]) -> tuple[Section, ...]:
    """The sections that `make` gives, or the one that says why there are none, or not yet."""
    try:
        return tuple(make())
    except NotYetError as waiting:
        return (still(waiting),)
    except KernelmapError as error:
        return (sorry(error),)


def still(waiting: NotYetError) -> Waiting:
    """What is being worked out, and how far it is."""
    return Waiting(what=waiting.what, done=waiting.done, of=waiting.of)


def sorry(error: KernelmapError) -> Words:
    """What went wrong, and what to do next."""
    told = visible(f"{error.message}. {error.hint}")
    return Words(lines=((told,),), tone=Tone.WARNING, failed=True)


MIMETYPES: Mapping[str, str] = {"csv": "text/csv", "json": "application/json"}
"""The forms that there are, by their suffix."""


def section_of(page: Page, name: str) -> Chart | Table | None:
    """The chart or table of that id."""
    for section in page.sections:
        if isinstance(section, Chart | Table) and section.id == name:
            return section
    return None


def written(section: Chart | Table, form: str) -> str:
    """The frame of a section as CSV or JSON."""
    if form == "json":
        text: str = section.data.to_json(
            orient="records", indent=1, force_ascii=False, double_precision=15
        )
        return text + "\n"
    plain = section.data.astype(object)
    plain = plain.where(plain.notna(), None)
    buffer = io.StringIO(newline="")
    csv.write_cells(buffer, map(str, plain.columns), plain.itertuples(index=False))
    return buffer.getvalue()
