"""A result as people see it: the page of one table, in a terminal and as Markdown."""

from __future__ import annotations

from rich.text import Text

from kernelmap.pages import one_table as result
from kernelmap.pages.render import markdown, terminal
from kernelmap.tables.build import Tables


def in_terminal(tables: Tables, *, by: str = "op", top: int = 20, width: int = 100) -> Text:
    """What `correlate --by … --top …` prints in a terminal of that width."""
    return terminal.render_text(result.page_of_result(tables, by=by, top=top), width)


def as_markdown(tables: Tables, *, by: str = "op", top: int = 20) -> str:
    """What `correlate --format markdown` prints."""
    return markdown.render_markdown(result.page_of_result(tables, by=by, top=top, notices=True))
