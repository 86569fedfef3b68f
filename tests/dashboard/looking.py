"""What a test asks of a page: its sections by kind, its links, its texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from kernelmap.pages.page import Bar, Cells, Link, Note, Page, PageCell, PageTable, Section, Tone

Kind = TypeVar("Kind", bound=Section)


def of_kind(page: Page, kind: type[Kind]) -> list[Kind]:
    """The sections of one kind, in order."""
    return [section for section in page.sections if isinstance(section, kind)]


def table(page: Page, name: str) -> PageTable:
    """The one table of that id."""
    (named,) = [section for section in of_kind(page, PageTable) if section.id == name]
    return named


def warnings(page: Page) -> list[str]:
    """What the page warns of, a text per line."""
    return [
        "".join(map(text, line))
        for note in of_kind(page, Note)
        if note.tone is Tone.WARNING
        for line in note.lines
    ]


def text(cells: Cells) -> str:
    """What a reader sees in a cell."""
    return "".join(part.text if isinstance(part, Link) else part for part in _apart(cells))


def links(cells: Cells) -> list[Link]:
    """The links of a cell."""
    return [part for part in _apart(cells) if isinstance(part, Link)]


def all_links(page: Page) -> Iterator[Link]:
    """The links of tables and words."""
    for section in of_kind(page, PageTable):
        yield from links(section.about)
        for row in section.rows:
            for cells in row.cells:
                yield from links(cells)
    for words in of_kind(page, Note):
        for line in words.lines:
            yield from links(line)


def column(section: PageTable, name: str) -> list[Cells]:
    """The cells of the column of that name."""
    at = [head.name for head in section.columns].index(name)
    return [row.cells[at] for row in section.rows]


def _apart(cells: Cells) -> tuple[PageCell, ...]:
    if isinstance(cells, Bar):
        return ()
    return cells if isinstance(cells, tuple) else (cells,)
