"""Launches on a time axis, a lane per stream: the figure `timeline`.

It shows the beginning of the window, as many launches as a browser draws at once; the report's view
Timeline has all of them.
"""

from __future__ import annotations

from collections import defaultdict

import pandas as pd
import plotly.graph_objects as go

from kernelmap.outputs.figures import LEDGER_COLORS, plain, template
from kernelmap.present.text import duration, unit_of
from kernelmap.views.frames import rows
from kernelmap.views.rows import Row, whole
from kernelmap.views.schema import TABLES

_MOST = 5000
_LANE, _ROOM = 34, 90  # px


def timeline(frame: pd.DataFrame, *, most: int = _MOST) -> go.Figure:
    """The first `most` launches by their start; `frame` is the table launches."""
    first = frame.sort_values(["start_ns", "launch"]).iloc[:most]
    records = list(rows(TABLES["launches"], first))
    zero = min((whole(row, "start_ns") for row in records), default=0)
    ends = [whole(row, "start_ns") + whole(row, "dur_ns") - zero for row in records]
    scale, unit = unit_of(max(ends, default=0))
    lanes = {name: at for at, name in enumerate(sorted({_lane(row) for row in records}))}
    by_confidence: dict[str, list[Row]] = defaultdict(list)
    for row in records:
        by_confidence[str(row["confidence"])].append(row)
    figure = go.Figure()
    for confidence in filter(by_confidence.__contains__, LEDGER_COLORS):
        drawn = by_confidence[confidence]
        figure.add_bar(
            base=[(whole(row, "start_ns") - zero) / scale for row in drawn],
            x=[whole(row, "dur_ns") / scale for row in drawn],
            y=[lanes[_lane(row)] for row in drawn],
            orientation="h",
            name=confidence,
            marker={"color": LEDGER_COLORS[confidence], "line": {"width": 0}},
            hovertext=[_hover(row) for row in drawn],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    left = len(frame) - len(first)
    more = f" · the first {len(first):,} of {len(frame):,} launches" if left else ""
    return figure.update_layout(
        template=template(margin={"l": 8, "r": 8, "t": 32, "b": 40}, bargap=0.25),
        barmode="overlay",
        height=_ROOM + _LANE * max(len(lanes), 1),
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        xaxis={"title": {"text": unit + more, "standoff": 6}, "tickformat": ",~g"},
        yaxis={
            "tickvals": list(lanes.values()),
            "ticktext": [plain(name) for name in lanes],
            "range": [len(lanes) - 0.5, -0.5],
            "fixedrange": True,
            "automargin": True,
        },
    )


def _lane(row: Row) -> str:
    """`GPU 0 stream 7`, or `CPU`; with the rank of a distributed run before it."""
    rank = "" if row["rank"] is None else f"rank {row['rank']} "
    if row["device"] is None:
        return f"{rank}CPU"
    return f"{rank}GPU {row['device']} stream {row['stream']}"


def _hover(row: Row) -> str:
    parts = [str(row[name]) for name in ("call", "op", "confidence") if row[name]]
    return f"<b>{plain(str(row['name']))}</b><br>{duration(whole(row, 'dur_ns'))}<br>" + plain(
        " · ".join(parts)
    )
