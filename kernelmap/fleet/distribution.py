"""Calls, ops, lines and graphs over ranks: one with a dot per rank, or the calls that differ most.

The median is a line; slow ranks are red.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np
import plotly.graph_objects as go

from kernelmap.fleet.tables import FleetTables
from kernelmap.pages.charts.template import make_template, plain_text
from kernelmap.pages.page import Figure
from kernelmap.pages.render.short_names import shorten_names
from kernelmap.pages.text import format_duration, format_percent, make_visible, unit_of
from kernelmap.tables.fleet import FLEET
from kernelmap.tables.frames import frame_of_rows
from kernelmap.tables.rows import Row, whole_number

_HEIGHT, _AXIS, _CALL = 320, 90, 26  # px: of one row, of an axis, of each call
_NAME = 24  # characters of a call
_RANK, _SLOW, _MEDIAN = "#3b74d6", "#c4472b", "#8792a6"
_DOT, _SMALL_DOT, _SMALL, _MANY = 7, 5, 3, 200  # px, and from how many ranks on dots are small


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
            hovertext=[f"{name} {rank}: {_say_time(times[rank], median)}" for rank in ranks],
            hovertemplate="%{hovertext}<extra></extra>",
            customdata=None if href is None else [href(rank) for rank in ranks],
        )
    figure.add_hline(y=median / unit_ns, line={"color": _MEDIAN, "width": 1, "dash": "dot"})
    return figure.update_layout(
        template=make_template(margin={"l": 64, "r": 12, "t": 8, "b": 44}),
        height=_HEIGHT,
        showlegend=False,
        xaxis={"title": {"text": "rank"}, "tickformat": "d", "zeroline": False},
        yaxis={"title": {"text": unit}, "tickformat": ",~g", "zeroline": False},
    )


def calls_over_ranks(fleet: FleetTables, href: Callable[[int], str]) -> Iterator[Figure]:
    """The calls in which ranks differ most, if that is known; a dot leads to `href` of its rank."""
    if not fleet.calls:
        return
    slow = {whole_number(row, "rank") for row in fleet.rows["ranks"] if row["slow"] == "yes"}
    plot = go.Figure()
    for place, times in enumerate(fleet.calls.values()):
        median = float(np.median(list(times.values())))
        few = len(times) < _MANY
        # With many ranks only the outliers are drawn as dots beside the box.
        box = {"orientation": "h", "boxpoints": "all" if few else "outliers", "jitter": 0}
        line = {"width": 1, "color": _MEDIAN}
        plot.add_box(**_draw_dots(times, median, place, href), **box, pointpos=0, line=line)
        # Slow ranks are drawn once more, in red, over the dots of all.
        there = {rank: ns for rank, ns in times.items() if rank in slow}
        plot.add_scatter(**_draw_dots(there, median, place, href, _SLOW), mode="markers")
    rows: list[Row] = [
        {"name": name, "rank": rank, "time_ns": ns}
        for name, times in fleet.calls.items()
        for rank, ns in times.items()
    ]
    names = [*map(plain_text, shorten_names([*map(make_visible, fleet.calls)], _NAME))]
    by_name = {"tickvals": list(range(len(names))), "ticktext": names, "autorange": "reversed"}
    about = (
        "The calls in which ranks differ most, a step, over the median of all ranks. A box holds"
        " the middle half of the ranks; a dot is a rank, red where it is slow."
    )
    yield Figure(
        id="calls",
        title="Calls over ranks",
        plot=plot.update_layout(
            template=make_template(margin={"l": 8, "r": 12, "t": 8, "b": 44}),
            height=_AXIS + _CALL * len(names),
            showlegend=False,
            xaxis={"ticksuffix": " %", "tickformat": ",~g"},
            yaxis=by_name | {"automargin": True, "showgrid": False, "zeroline": False},
        ),
        data=frame_of_rows(FLEET["by_op"], rows),
        about=(about,),
    )


def _draw_dots(
    times: Mapping[int, int],
    median: float,
    place: int,
    href: Callable[[int], str],
    color: str = _RANK,
) -> dict[str, object]:
    """What both a box and dots of a call are drawn from: percent over the median by rank."""
    return {
        "x": [(ns / median - 1) * 100 if median else 0.0 for ns in times.values()],
        "y": [place] * len(times),
        "hovertext": [f"rank {rank}: {_say_time(ns, median)}" for rank, ns in times.items()],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "customdata": [href(rank) for rank in times],
        "marker": {"color": color, "size": _SMALL_DOT},
        "name": "",
    }


def _say_time(time_ns: int, median: float) -> str:
    if not median:
        return format_duration(time_ns)
    share = format_percent(abs(time_ns / median - 1))
    return (
        f"{format_duration(time_ns)}<br>{share} {'above' if time_ns > median else 'below'} the "
        "median"
    )
