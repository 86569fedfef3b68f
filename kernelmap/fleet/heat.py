"""Ranks by step and by op as heat maps: blue below the median of all ranks, red above it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from kernelmap.outputs.figures import plain, template
from kernelmap.outputs.layout import cut
from kernelmap.present.page import Figure
from kernelmap.present.text import duration, visible
from kernelmap.views.rows import whole

if TYPE_CHECKING:
    from kernelmap.fleet.run import Fleet

_COLORS = ((0.0, "#3b74d6"), (0.5, "#f2f3f5"), (1.0, "#cc5850"))
_HEIGHT, _ROW, _MOST = 180, 9, 1_400  # px: least, per rank, most
_NAME = 24  # characters of an op
_LEAST, _OUTLIERS = 2.0, 99  # percent that are full color at least; percentile that is
_COLUMNS = 40  # that have a name below them

_Matrix = Mapping[tuple[str, int], int]
"""Ns by column of a heat map and rank."""


def heat_maps(fleet: Fleet) -> Iterator[Figure]:
    """Both, as far as there is something to draw."""
    for matrix, table, title, noun in (
        (_by_step(fleet), "steps", "Ranks by step", "step"),
        (_by_op(fleet), "by_op", "Ranks by op", "op"),
    ):
        if matrix:
            yield _heat(fleet, matrix, table, title, noun)


def _by_step(fleet: Fleet) -> _Matrix:
    """What a step takes without waiting."""
    return {
        (str(row["step"]) if whole(row, "step") >= 0 else "window", whole(row, "rank")): whole(
            row, "own_ns"
        )
        for row in fleet.rows["steps"]
    }


def _by_op(fleet: Fleet) -> _Matrix:
    return {
        (str(row["name"]), whole(row, "rank")): whole(row, "time_ns") for row in fleet.rows["by_op"]
    }


def _heat(fleet: Fleet, matrix: _Matrix, table: str, title: str, noun: str) -> Figure:
    """Ranks from the top down, blue below the median of their column and red above it."""
    columns = list(dict.fromkeys(name for name, _ in matrix))
    ranks = sorted({rank for _, rank in matrix})
    what = "the time without waiting" if noun == "step" else "its time a step"
    return Figure(
        id=table,
        title=title,
        plot=_heat_map(matrix, columns, ranks, noun),
        data=getattr(fleet, table),
        about=(f"A row is a rank, a column {what}, over the median of all ranks.",),
    )


def _heat_map(
    matrix: _Matrix, columns: Sequence[str], ranks: Sequence[int], noun: str
) -> go.Figure:
    times = np.array([[matrix.get((name, rank), np.nan) for name in columns] for rank in ranks])
    median = np.nanmedian(times, axis=0)
    over = (times - median) / np.where(median > 0, median, np.nan) * 100
    known = np.abs(over[np.isfinite(over)])
    bound = max(_LEAST, float(np.percentile(known, _OUTLIERS)) if len(known) else _LEAST)
    about = [
        [
            f"rank {rank} · {plain(noun)} {plain(visible(name))}<br>{duration(time)}"
            if np.isfinite(time)
            else f"rank {rank}: none"
            for name, time in zip(columns, row, strict=True)
        ]
        for rank, row in zip(ranks, times.tolist(), strict=True)
    ]
    heat = go.Heatmap(
        z=[[None if not np.isfinite(cell) else round(cell, 2) for cell in row] for row in over],
        x=list(range(len(columns))),
        y=list(ranks),
        zmid=0,
        zmin=-bound,
        zmax=bound,
        colorscale=_COLORS,
        colorbar={"ticksuffix": " %", "thickness": 12, "outlinewidth": 0},
        hovertext=about,
        hovertemplate="%{hovertext}<br>%{z:+.1f} % of the median<extra></extra>",
    )
    names = [plain(cut(visible(name), _NAME)) for name in columns]
    every = max(1, len(columns) // _COLUMNS)
    return go.Figure(heat).update_layout(
        template=template(margin={"l": 8, "r": 8, "t": 8, "b": 40}),
        height=min(_MOST, _HEIGHT + _ROW * len(ranks)),
        xaxis={
            "title": {"text": noun if noun == "step" else ""},
            "tickvals": list(range(0, len(columns), every)),
            "ticktext": names[::every],
            "showgrid": False,
            "automargin": True,
        },
        yaxis={
            "title": {"text": "rank"},
            "autorange": "reversed",
            "showgrid": False,
            "automargin": True,
        },
    )
