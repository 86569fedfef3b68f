"""Ranks by step and ops by rank as heat maps: blue below the median of all ranks, red above it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from kernelmap.fleet.tables import FleetTables
from kernelmap.pages.charts.template import make_template, plain_text
from kernelmap.pages.page import Figure
from kernelmap.pages.render.short_names import shorten_names
from kernelmap.pages.text import format_duration, make_visible
from kernelmap.tables.rows import whole_number

# A value equal to the median has the color of the page, be it light or dark. Small differences stay
# visible beside large ones.
_COLORS = (
    (0.0, "rgba(59,116,214,1)"),
    (0.4, "rgba(59,116,214,0.45)"),
    (0.5, "rgba(132,140,152,0.06)"),
    (0.6, "rgba(204,88,80,0.45)"),
    (1.0, "rgba(204,88,80,1)"),
)
_SCALE = {
    "orientation": "h",
    "ticksuffix": " %",
    "tickangle": 0,
    "tickfont": {"size": 10},
    "thickness": 8,
    "outlinewidth": 0,
    "len": 180,
    "lenmode": "pixels",
    "x": 1,
    "xanchor": "right",
    "y": 1,
    "yanchor": "bottom",
    "ypad": 4,
}
_HEIGHT, _ROW, _OP, _MOST = 180, 9, 20, 1_400  # px: least, per rank, per op, most
_NAME = 24  # characters of an op
_LEAST, _OUTLIERS = 2.0, 99  # percent that are full color at least; percentile that is
_COLUMNS = 40  # that have a name below them

_Matrix = Mapping[tuple[str, int], int]
"""Ns by column of a heat map and rank."""


def heat_maps(fleet: FleetTables, href: Callable[[int], str]) -> Iterator[Figure]:
    """Both, as far as there is something to draw; a cell leads to `href` of its rank."""
    for matrix, table, title, noun in (
        (_by_step(fleet), "steps", "Ranks by step", "step"),
        (_by_op(fleet), "by_op", "Ops by rank", "op"),
    ):
        if matrix:
            yield _draw_heat(fleet, matrix, table, title, noun, href)


def _by_step(fleet: FleetTables) -> _Matrix:
    """What a step takes without waiting."""
    return {
        (
            str(row["step"]) if whole_number(row, "step") >= 0 else "window",
            whole_number(row, "rank"),
        ): whole_number(row, "own_ns")
        for row in fleet.rows["steps"]
    }


def _by_op(fleet: FleetTables) -> _Matrix:
    return {
        (str(row["name"]), whole_number(row, "rank")): whole_number(row, "time_ns")
        for row in fleet.rows["by_op"]
    }


def _draw_heat(
    fleet: FleetTables,
    matrix: _Matrix,
    table: str,
    title: str,
    noun: str,
    href: Callable[[int], str],
) -> Figure:
    what = (
        "A row is a rank, a column a step: its time without waiting"
        if noun == "step"
        else "A row is an op, a column a rank: its time a step"
    )
    return Figure(
        id=table,
        title=title,
        plot=_heat_map(matrix, noun, href),
        data=getattr(fleet, table),
        about=(f"{what}, over the median of all ranks.",),
    )


def _heat_map(matrix: _Matrix, noun: str, href: Callable[[int], str]) -> go.Figure:
    """Steps from left to right, or ops, whose names need room, from the top down."""
    names = list(dict.fromkeys(name for name, _ in matrix))
    ranks = sorted({rank for _, rank in matrix})
    # Ns by (ranks, names), NaN where a rank has none; then percent over the median of each name.
    times = np.array([[matrix.get((name, rank), np.nan) for name in names] for rank in ranks])
    median = np.nanmedian(times, axis=0)
    over = (times - median) / np.where(median > 0, median, np.nan) * 100
    finite = np.abs(over[np.isfinite(over)])
    # Full color begins at the 99th percentile, so that one outlier does not pale all others, and at
    # 2 % at least, so that noise stays pale.
    bound = max(_LEAST, float(np.percentile(finite, _OUTLIERS)) if len(finite) else _LEAST)
    about = [
        [
            f"rank {rank} · {plain_text(noun)} "
            f"{plain_text(make_visible(name))}<br>{format_duration(time)}"
            if np.isfinite(time)
            else f"rank {rank}: none"
            for name, time in zip(names, row, strict=True)
        ]
        for rank, row in zip(ranks, times.tolist(), strict=True)
    ]
    # to the tenths that are shown; the sum makes 0 of -0
    percents = [
        [round(cell, 1) + 0.0 if np.isfinite(cell) else None for cell in row] for row in over
    ]
    by_op = noun == "op"
    # Ops have long names, so there the matrix is turned: ops are its rows, ranks its columns.
    ways = [[href(rank)] * len(names) for rank in ranks]
    heat = go.Heatmap(
        z=_turn_rows(percents) if by_op else percents,
        x=ranks if by_op else list(range(len(names))),
        y=list(range(len(names))) if by_op else ranks,
        zmid=0,
        zmin=-bound,
        zmax=bound,
        colorscale=_COLORS,
        colorbar=_SCALE,
        hovertext=_turn_rows(about) if by_op else about,
        customdata=_turn_rows(ways) if by_op else ways,
        hovertemplate="%{hovertext}<br>%{z:+.1f} % of the median<extra></extra>",
    )
    # Of many names only every second, third, … one is written.
    every = max(1, len(names) // _COLUMNS)
    by_name = {
        "title": {"text": "" if by_op else noun},
        "tickvals": list(range(0, len(names), every)),
        "ticktext": [*map(plain_text, shorten_names([*map(make_visible, names)], _NAME))][::every],
    }
    by_rank = {"title": {"text": "rank"}, "tickformat": "d"}
    shared = {"showgrid": False, "zeroline": False, "automargin": True}
    height = _OP * len(names) if by_op else _ROW * len(ranks)
    return go.Figure(heat).update_layout(
        template=make_template(margin={"l": 8, "r": 8, "t": 8, "b": 40}),
        height=min(_MOST, _HEIGHT + height),
        xaxis=(by_rank if by_op else by_name) | shared,
        yaxis=(by_name if by_op else by_rank) | shared | {"autorange": "reversed"},
    )


def _turn_rows(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    return [list(column) for column in zip(*rows, strict=True)]
