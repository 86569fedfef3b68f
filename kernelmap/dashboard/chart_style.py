"""What all charts of the dashboard share: template, tools, units, and texts made harmless.

Left out: colors of text and lines, which the style sheet sets for light and dark.
"""

from __future__ import annotations

from html import escape
from typing import Any, TypeAlias

import plotly.graph_objects as go

from kernelmap.outputs.text import visible

Json: TypeAlias = Any  # what Plotly takes

SLOWER, FASTER, NEUTRAL = "#c4472b", "#2b8a57", "#8792a6"
TEMPLATE = go.layout.Template(
    layout={
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"size": 12.5},
        "margin": {"l": 64, "r": 12, "t": 8, "b": 44},
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "namelength": -1},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    }
)
_SCALES = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns"))
_CONFIG: Json = {
    "displaylogo": False,
    "responsive": True,
    "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "kernelmap"},
}
_ROOM_FOR_TOOLS = 120  # px; over a lower chart they would hide it


def plain(text: str) -> str:
    """Text that Plotly shows as it stands."""
    return escape(visible(text), quote=False)


def config(figure: go.Figure) -> Json:
    """What Plotly lets a reader do with a chart."""
    height = figure.layout.height
    hidden = height is not None and height < _ROOM_FOR_TOOLS
    return {**_CONFIG, "displayModeBar": False} if hidden else _CONFIG


def scale(longest_ns: float) -> tuple[int, str]:
    """The unit in which a time reads well: how many ns it has, and its name.

    >>> scale(2_500_000)
    (1000000, 'ms')
    """
    return next(((ns, unit) for ns, unit in _SCALES if longest_ns >= ns), _SCALES[-1])
