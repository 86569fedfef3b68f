"""A page as Markdown, for a wiki or a pull request.

Whatever may come from the input stands in code spans, where neither Markdown nor HTML means
anything. Figures, bars and forms are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernelmap.pages.page import (
    CellKind,
    CodeBlock,
    Facts,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Points,
    Section,
    Sum,
    plain_text,
)
from kernelmap.pages.text import make_visible

_NUMBER = re.compile(r"[<>]?[-+\d][-+\w.,:%/ ]*")  # as pages/text.py writes them


def render_markdown(page: Page) -> str:
    """The title, and the sections with an empty line between them."""
    title = " ".join([*([code_span(page.name)] if page.name else []), page.title]).strip()
    blocks = [f"### {title}" if title else "", *(render_section(part) for part in page.sections)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def render_section(shown: Section) -> str:
    """One section; empty for what is for browsers."""
    if isinstance(shown, PageTable):
        return _render_table(shown)
    if isinstance(shown, Note):
        title = f"**{code_span(shown.title)}**" if shown.title else ""
        texts = [
            plain_text(text) if shown.ours else code_span(plain_text(text)) for text in shown.lines
        ]
        listed = "\n".join(f"- {text}" for text in texts) if len(texts) > 1 else "".join(texts)
        return "\n\n".join(filter(None, [title, listed]))
    if isinstance(shown, Points):
        lines = [f"{'  ' * (depth - 1)}- {code_span(text)}" for depth, text in shown.lines]
        return "\n".join([*([f"{shown.title}:", ""] if shown.title else []), *lines])
    if isinstance(shown, CodeBlock):
        return "\n".join(f"    {make_visible(text)}" for text in shown.lines)
    if isinstance(shown, Facts):
        return " · ".join([*map(code_span, shown.names), *shown.facts])
    return shown.text if isinstance(shown, Sum) else ""


def _render_table(shown: PageTable) -> str:
    title = [f"#### {shown.title}", ""] if shown.title else []
    if not shown.rows:
        return "\n".join([*title, shown.empty])
    kept = [(at, it) for at, it in enumerate(shown.columns) if it.kind is not CellKind.BAR]
    lines = [
        *title,
        table_line([column.name for _, column in kept]),
        table_line(["---:" if column.kind is CellKind.NUMBER else "---" for _, column in kept]),
        *(table_line([_render_cell(row, at, it) for at, it in kept]) for row in shown.rows),
    ]
    # Below the table stands what explains its columns.
    for _, column in kept:
        lines += ["", code_span(column.about)] if column.about else []
    if shown.folded:
        opened = f"<details>\n<summary>{shown.title}</summary>\n"
        return "\n".join([opened, *lines[len(title) :], "", "</details>"])
    return "\n".join(lines)


def _render_cell(row: PageRow, at: int, column: PageColumn) -> str:
    """A cell; only numbers and kernelmap's own words stand as they are."""
    text = plain_text(row.cells[at])
    number = column.kind is CellKind.NUMBER and _NUMBER.fullmatch(text)
    if row.ours or number or column.kind is CellKind.WORD:
        return text
    return code_span(text) if at == 0 else code_span(text, empty="")


def table_line(cells: Sequence[str]) -> str:
    """One line of a Markdown table; the cells are Markdown already."""
    return "| " + " | ".join(cells) + " |"


def code_span(text: str, empty: str = "` `") -> str:
    """A code span that any text fits in: longer fences than the text has, bars escaped."""
    text = make_visible(text).replace("|", "\\|")
    if not text.strip():
        return empty
    # A span ends at a fence of its own length, so its fence is longer than any row of backticks in
    # the text.
    fence = "`"
    while fence in text:
        fence += "`"
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"
