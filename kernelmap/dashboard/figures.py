"""Plotly figures of the dashboard: frames and records in, Figure out; the same gives the same.

Left out: colors of text and lines, which the style sheet sets for light and dark. Names from the
store are shown as they are; what Plotly would read as a tag is made plain text here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

import plotly.graph_objects as go

from kernelmap.dashboard.address import Address
from kernelmap.dashboard.series import BUCKETS, Mark, Series
from kernelmap.outputs.figures import LEDGER_COLORS
from kernelmap.outputs.text import duration, percent, visible

if TYPE_CHECKING:
    import pandas as pd

    from kernelmap.compare.comparison import Comparison

Json: TypeAlias = Any  # what Plotly's layout takes

_CONFIG: Json = {
    "displaylogo": False,
    "responsive": True,
    "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "kernelmap"},
}
_ROOM_FOR_TOOLS = 120  # px; over a lower chart they would hide it

_LINES = ("#3b74d6", "#d9822b", "#2b8a57", "#9b59b6", "#c4472b", "#16a0a8", "#8a6d3b", "#66707f")
_MARKS: Mapping[Mark, tuple[str, str]] = {
    Mark.SLOWER: ("triangle-up", "#c4472b"),
    Mark.FASTER: ("triangle-down", "#2b8a57"),
    Mark.CODE: ("diamond", "#8792a6"),
    Mark.ODD: ("x-thin-open", "#8792a6"),
    Mark.APPEARS: ("circle-open", "#3b74d6"),
    Mark.GONE: ("circle-x-open", "#8792a6"),
}
_SCALES = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns"))
_DOTS = 600  # runs; more of them are drawn as a line alone
_TEMPLATE = go.layout.Template(
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


def plain(text: str) -> str:
    """Text that Plotly shows as it stands."""
    return escape(visible(text), quote=False)


def config(figure: go.Figure) -> Json:
    """What Plotly lets a reader do with a chart."""
    height = figure.layout.height
    hidden = height is not None and height < _ROOM_FOR_TOOLS
    return {**_CONFIG, "displayModeBar": False} if hidden else _CONFIG


def over_runs(
    found: Sequence[Series], *, last: int | None, spread: bool = False, height: int = 380
) -> go.Figure:
    """The time of every series, run after run, its levels' marks on it; newest runs at the right.

    A run without a time is a gap. Each series has its own count of runs, so that branches lie over
    one another from the right. `last` draws only so many of the newest. `spread` fills between the
    columns low_ns and high_ns. A point leads to its run, a mark to the comparison that explains it.
    """
    drawn = [each.frame.iloc[-last:] if last else each.frame for each in found]
    longest = max((float(frame["time_ns"].max()) for frame in drawn if _has_time(frame)), default=0)
    scale, short = _scale(longest)
    figure = go.Figure()
    for at, (each, frame) in enumerate(zip(found, drawn, strict=True)):
        color = _LINES[at % len(_LINES)]
        places = list(range(1 - len(frame), 1))
        if spread:
            _band(figure, places, frame, scale, color)
        figure.add_scatter(
            x=places,
            y=(frame["time_ns"] / scale).tolist(),
            name=plain(each.name),
            mode="lines+markers" if len(frame) <= _DOTS else "lines",
            line={"color": color, "width": 1.5},
            marker={"color": color, "size": 5},
            hovertext=[_about(row) for row in frame.to_dict("records")],
            hovertemplate="%{hovertext}<extra></extra>",
            customdata=[Address(page="run", run=run).href for run in frame["run"]],
        )
        _add_marks(figure, each, len(frame), scale)
    return figure.update_layout(
        template=_TEMPLATE,
        height=height,
        showlegend=len(found) > 1,
        xaxis={"title": {"text": "runs, newest at 0"}, "zeroline": False},
        yaxis={"title": {"text": short}, "tickformat": ",~g", "zeroline": False},
    )


def beside(
    found: Sequence[Series],
    column: str,
    say: Callable[[float], str],
    *,
    last: int | None,
    share: bool = False,
) -> go.Figure:
    """Another column of the same series, drawn low below their times; `say` writes its values."""
    drawn = [each.frame.iloc[-last:] if last else each.frame for each in found]
    longest = max(map(len, drawn), default=1)
    figure = go.Figure()
    for at, (each, frame) in enumerate(zip(found, drawn, strict=True)):
        figure.add_scatter(
            x=list(range(1 - len(frame), 1)),
            y=frame[column].tolist(),
            name=plain(each.name),
            mode="lines",
            line={"color": _LINES[at % len(_LINES)], "width": 1.5, "shape": "hv"},
            hovertext=[
                f"{say(float(value))}<br>{_who(row)}"
                for row, value in zip(frame.to_dict("records"), frame[column], strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
            customdata=[Address(page="run", run=run).href for run in frame["run"]],
        )
    return figure.update_layout(
        template=_TEMPLATE,
        height=150,
        margin={"l": 64, "r": 12, "t": 8, "b": 28},
        showlegend=False,
        xaxis={"range": [1 - 1.04 * longest, 0.04 * longest], "zeroline": False},
        yaxis={"rangemode": "tozero", "tickformat": "~%" if share else ",~g", "zeroline": False},
    )


def coverage(frame: pd.DataFrame, *, height: int = 300) -> go.Figure:
    """The shares of time by confidence, run after run; `frame` is one series' of runs_frame."""
    places = list(range(1 - len(frame), 1))
    figure = go.Figure()
    about = [_who(row) for row in frame.to_dict("records")]
    for bucket in BUCKETS:
        shares = frame[bucket]
        figure.add_scatter(
            x=places,
            y=shares.tolist(),
            name=bucket,
            stackgroup="all",
            mode="lines",
            line={"width": 0, "color": LEDGER_COLORS[bucket]},
            hovertext=[
                f"{who}<br>{bucket} {percent(float(share))}"
                for who, share in zip(about, shares, strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
            customdata=[Address(page="run", run=run).href for run in frame["run"]],
        )
    return figure.update_layout(
        template=_TEMPLATE,
        height=height,
        xaxis={"title": {"text": "runs, newest at 0"}, "zeroline": False},
        yaxis={"tickformat": ".0%", "range": [0, 1], "zeroline": False},
    )


def waterfall(found: Comparison, *, height: int = 360) -> go.Figure:
    """The causes between the time before and the time after, in the unit of the comparison."""
    values = [found.before_ns, *found.by_cause.values(), found.after_ns]
    names = ["before", *(cause.value for cause in found.by_cause), "after"]
    kinds = ["absolute", *("relative" for _ in found.by_cause), "total"]
    scale, short = _scale(max(found.before_ns, found.after_ns))
    told = [duration(values[0]), *map(_signed, values[1:-1]), duration(values[-1])]
    running, edges = found.before_ns, [found.before_ns, found.after_ns]
    for change_ns in found.by_cause.values():
        running += change_ns
        edges.append(running)
    room = max(max(edges) - min(edges), 1)
    lowest = max(0, min(edges) - room) / scale
    figure = go.Figure(
        go.Waterfall(
            x=names,
            y=[value / scale for value in values],
            measure=kinds,
            text=told,
            textposition="outside",
            cliponaxis=False,
            base=0,
            increasing={"marker": {"color": "#c4472b"}},
            decreasing={"marker": {"color": "#2b8a57"}},
            totals={"marker": {"color": "#8792a6"}},
            connector={"line": {"width": 1, "color": "#8792a6"}},
            hovertext=[f"{name}: {text}" for name, text in zip(names, told, strict=True)],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    return figure.update_layout(
        template=_TEMPLATE,
        height=height,
        showlegend=False,
        xaxis={"fixedrange": True},
        yaxis={
            "title": {"text": f"{short} a {found.unit.word}"},
            "range": [lowest, (max(edges) + room * 0.25) / scale],
            "tickformat": ",~g",
            "zeroline": False,
        },
    )


def _scale(longest: float) -> tuple[int, str]:
    return next(((s, u) for s, u in _SCALES if longest >= s), _SCALES[-1])


def _has_time(frame: pd.DataFrame) -> bool:
    return bool(frame["time_ns"].notna().any())


def _band(
    figure: go.Figure, places: Sequence[int], frame: pd.DataFrame, scale: int, color: str
) -> None:
    for column, fill in (("high_ns", None), ("low_ns", "tonexty")):
        figure.add_scatter(
            x=places,
            y=(frame[column] / scale).tolist(),
            mode="lines",
            line={"width": 0, "color": color},
            fill=fill,
            fillcolor=f"rgba({','.join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))},0.15)",
            hoverinfo="skip",
            showlegend=False,
        )


def _add_marks(figure: go.Figure, each: Series, shown: int, scale: int) -> None:
    first = len(each.frame) - shown
    marked = [mark for mark in each.marks if mark.at >= first]
    if not marked:
        return
    times = each.frame["time_ns"].tolist()
    rows = each.frame.to_dict("records")
    figure.add_scatter(
        x=[mark.at - len(each.frame) + 1 for mark in marked],
        y=[times[mark.at] / scale for mark in marked],
        mode="markers",
        name="marks",
        showlegend=False,
        marker={
            "symbol": [_MARKS[mark.mark][0] for mark in marked],
            "color": [_MARKS[mark.mark][1] for mark in marked],
            "size": 13,
            "line": {"width": 2, "color": [_MARKS[mark.mark][1] for mark in marked]},
        },
        hovertext=[
            f"<b>{mark.mark.value}</b>{_ratio(mark.ratio)}<br>{_about(rows[mark.at])}"
            "<br>click: what changed"
            for mark in marked
        ],
        hovertemplate="%{hovertext}<extra></extra>",
        customdata=[
            Address(page="compare", before=mark.before, after=mark.after).href for mark in marked
        ],
    )


def _about(row: Mapping[Hashable, Json]) -> str:
    return f"{duration(float(row['time_ns']))}<br>{_who(row)}"


def _who(row: Mapping[Hashable, Json]) -> str:
    told = [row.get("commit"), row.get("name"), str(row["created"])[:16].replace("T", " ")]
    texts = [str(text) for text in told if isinstance(text, str)]
    return f"{plain(str(row['run']))}<br>{plain(' · '.join(texts))}"


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f" ({ratio - 1:+.1%})"


def _signed(ns: int) -> str:
    return f"{'+' if ns > 0 else '-' if ns < 0 else ''}{duration(abs(ns))}"
