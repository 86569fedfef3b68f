"""The tables of docs/names.md, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_PAGE = Path(__file__).resolve().parent.parent / "docs" / "names.md"


def rows_under(title: str, *columns: int) -> list[tuple[str, ...]]:
    """The names in the table under a heading, without backticks, with the cells of some columns."""
    return [tuple(cells[at] for at in (0, *columns)) for cells in _cells(title)]


def names_under(title: str) -> list[str]:
    """The names in the table under a heading."""
    return [name for (name,) in rows_under(title)]


def _cells(title: str) -> Iterator[list[str]]:
    section = _PAGE.read_text(encoding="utf-8").split(f"## {title}\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("| `"):
            name, *cells = line.removeprefix("| `").removesuffix(" |").split(" | ")
            yield [name.removesuffix("`"), *cells]
