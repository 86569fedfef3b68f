"""A comparison → the text of a file: JSON, Markdown or HTML."""

from __future__ import annotations

from kernelmap.history.compare import in_json
from kernelmap.history.compare.comparison import Comparison
from kernelmap.history.compare.show import say_sides, short_page, whole_page
from kernelmap.pages.render import html, markdown

ROWS = 20
"""Rows of each table in Markdown, where nobody says how many."""


def render_comparison(comparison: Comparison, form: str, top: int = ROWS) -> str:
    """The comparison as `json`, `markdown` or `html`; `top` rows of each table in Markdown."""
    if form == "json":
        return in_json.dumps(comparison)
    if form == "markdown":
        return markdown.render_markdown(short_page(comparison, top=top, calls=True))
    return html.render_document(whole_page(comparison), title=say_sides(comparison))
