"""One call, op, line or graph on every rank as dots: the median as a line, slow ranks in red."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np
import plotly.graph_objects as go

from kernelmap.outputs.figures import template
from kernelmap.present.text import duration, percent, unit_of

_HEIGHT = 320
_RANK, _SLOW, _MEDIAN = "#3b74d6", "#c4472b", "#8792a6"
_DOT, _SMALL, _MANY = 7, 3, 200  # px, and from how many ranks on dots are small


def over_ranks(
    times: Mapping[int, int], slow: Collection[int], href: Callable[[int], str] | None = None
) -> go.Figure:
    """`times` are ns by rank; `href` is where a dot leads."""
    median = float(np.median(list(times.values())))
    unit_ns, unit = unit_of(max(times.values()))
    figure = go.Figure()
    for name, color, ranks in (
        ("rank", _RANK, [rank for rank in times if rank not in slow]),
        ("slow rank", _SLOW, [rank for rank in times if rank in slow]),
    ):
        figure.add_scatter(
            x=ranks,
            y=[times[rank] / unit_ns for rank in ranks],
            name=name,
            mode="markers",
            marker={"color": color, "size": _DOT if len(times) < _MANY else _SMALL},
            hovertext=[f"{name} {rank}: {_said(times[rank], median)}" for rank in ranks],
            hovertemplate="%{hovertext}<extra></extra>",
            customdata=None if href is None else [href(rank) for rank in ranks],
        )
    figure.add_hline(y=median / unit_ns, line={"color": _MEDIAN, "width": 1, "dash": "dot"})
    return figure.update_layout(
        template=template(margin={"l": 64, "r": 12, "t": 8, "b": 44}),
        height=_HEIGHT,
        showlegend=False,
        xaxis={"title": {"text": "rank"}, "tickformat": "d", "zeroline": False},
        yaxis={"title": {"text": unit}, "tickformat": ",~g", "zeroline": False},
    )


def _said(time_ns: int, median: float) -> str:
    if not median:
        return duration(time_ns)
    share = percent(abs(time_ns / median - 1))
    return f"{duration(time_ns)}<br>{share} {'above' if time_ns > median else 'below'} the median"
