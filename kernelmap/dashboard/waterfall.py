"""The causes of a comparison as a waterfall: Comparison in, Plotly figure out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from kernelmap.compare.words import signed
from kernelmap.dashboard.chart_style import FASTER, NEUTRAL, SLOWER, TEMPLATE, scale
from kernelmap.outputs.text import duration

if TYPE_CHECKING:
    from kernelmap.compare.comparison import Comparison


def waterfall(found: Comparison, *, height: int = 360) -> go.Figure:
    """The causes between the time before and the time after, in the unit of the comparison."""
    values = [found.before_ns, *found.by_cause.values(), found.after_ns]
    names = ["before", *(cause.value for cause in found.by_cause), "after"]
    kinds = ["absolute", *("relative" for _ in found.by_cause), "total"]
    unit_ns, unit = scale(max(found.before_ns, found.after_ns))
    told = [duration(values[0]), *map(signed, values[1:-1]), duration(values[-1])]
    running, edges = found.before_ns, [found.before_ns, found.after_ns]
    for change_ns in found.by_cause.values():
        running += change_ns
        edges.append(running)
    room = max(max(edges) - min(edges), 1)
    lowest = max(0, min(edges) - room) / unit_ns
    figure = go.Figure(
        go.Waterfall(
            x=names,
            y=[value / unit_ns for value in values],
            measure=kinds,
            text=told,
            textposition="outside",
            cliponaxis=False,
            base=0,
            increasing={"marker": {"color": SLOWER}},
            decreasing={"marker": {"color": FASTER}},
            totals={"marker": {"color": NEUTRAL}},
            connector={"line": {"width": 1, "color": NEUTRAL}},
            hovertext=[f"{name}: {text}" for name, text in zip(names, told, strict=True)],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    return figure.update_layout(
        template=TEMPLATE,
        height=height,
        showlegend=False,
        xaxis={"fixedrange": True},
        yaxis={
            "title": {"text": f"{unit} a {found.unit.word}"},
            "range": [lowest, (max(edges) + room * 0.25) / unit_ns],
            "tickformat": ",~g",
            "zeroline": False,
        },
    )
