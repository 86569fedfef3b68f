"""What all Plotly figures have in common: template, tools, colors, and names as plain text.

Names from the input are shown as they are: Plotly reads a little HTML in its texts, so what would
be a tag or a link is made plain text here.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, TypeAlias

import plotly.graph_objects as go

from kernelmap.pages.text import make_visible

Json: TypeAlias = Any  # what Plotly takes

LEDGER_COLORS: Mapping[str, str] = {
    "exact": "#3b74d6",
    "inferred": "#84b3f2",
    "ambiguous": "#e0a233",
    "outside": "#9aa3ae",
    "unknown": "#cc5850",
}
_CONFIG: Json = {
    "displaylogo": False,
    "responsive": True,
    "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "kernelmap"},
}
_ROOM_FOR_TOOLS = 120  # px; over a lower chart they would hide it


def make_template(**layout: object) -> go.layout.Template:
    """What all figures have in common, and more of a layout; colors of text come from the page."""
    return go.layout.Template(
        layout={
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"size": 12.5},
            "hovermode": "closest",
            "hoverlabel": {"align": "left", "namelength": -1},
            **layout,
        }
    )


def make_config(plot: go.Figure) -> Json:
    """What Plotly lets a reader do with a figure."""
    height = plot.layout.height
    hidden = height is not None and height < _ROOM_FOR_TOOLS
    return {**_CONFIG, "displayModeBar": False} if hidden else _CONFIG


def plain_text(text: str) -> str:
    """Text that Plotly shows as exactly this text: no tag, link or entity of its own."""
    return escape(make_visible(text), quote=False)
