"""What a test asks of a page: its sections by kind, its links, its texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from kernelmap.present.page import Bar, Cell, Cells, Link, Note, Page, Section, Table, Tone

Kind = TypeVar("Kind", bound=Section)


def of_kind(page: Page, kind: type[Kind]) -> list[Kind]:
    """The sections of one kind, in order."""
    return [each for each in page.sections if isinstance(each, kind)]


def table(page: Page, name: str) -> Table:
    """The one table of that id."""
    (found,) = [each for each in of_kind(page, Table) if each.id == name]
    return found


def warnings(page: Page) -> list[str]:
    """What the page warns of, a text per line."""
    return [
        "".join(map(text, line))
        for each in of_kind(page, Note)
        if each.tone is Tone.WARNING
        for line in each.lines
    ]


def text(cells: Cells) -> str:
    """What a reader sees in a cell."""
    return "".join(each.text if isinstance(each, Link) else each for each in _apart(cells))


def links(cells: Cells) -> list[Link]:
    """The links of a cell."""
    return [each for each in _apart(cells) if isinstance(each, Link)]


def all_links(page: Page) -> Iterator[Link]:
    """The links of tables and words."""
    for each in of_kind(page, Table):
        yield from links(each.about)
        for row in each.rows:
            for cells in row.cells:
                yield from links(cells)
    for words in of_kind(page, Note):
        for line in words.lines:
            yield from links(line)


def column(found: Table, name: str) -> list[Cells]:
    """The cells of the column of that name."""
    at = [each.name for each in found.columns].index(name)
    return [row.cells[at] for row in found.rows]


def _apart(cells: Cells) -> tuple[Cell, ...]:
    if isinstance(cells, Bar):
        return ()
    return cells if isinstance(cells, tuple) else (cells,)
