"""Charts of the dashboard: series or frames in, Plotly figure out.

The same input gives the same figure. A point leads to its run, one that bears a mark to the
comparison that explains it. Left out: colors of text and lines, which the style sheet sets for
light and dark.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import plotly.graph_objects as go

from kernelmap.dashboard.axes import RUNS, Place, forks, layout_of, places_of
from kernelmap.dashboard.series import BUCKETS, Mark, Marked, Series, recorded
from kernelmap.pages.address import Address
from kernelmap.pages.charts.template import LEDGER_COLORS, make_template, plain_text
from kernelmap.pages.text import format_duration, format_percent, signed_percent, unit_of

if TYPE_CHECKING:
    import pandas as pd

Json: TypeAlias = Any  # what Plotly takes

SLOWER, FASTER, NEUTRAL = "#c4472b", "#2b8a57", "#8792a6"
TEMPLATE = make_template(
    margin={"l": 64, "r": 12, "t": 8, "b": 44},
    legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
)
_LINES = ("#3b74d6", "#d9822b", "#2b8a57", "#9b59b6", "#c4472b", "#16a0a8", "#8a6d3b", "#66707f")
_MARKS: Mapping[Mark, tuple[str, str]] = {
    Mark.SLOWER: ("triangle-up", SLOWER),
    Mark.FASTER: ("triangle-down", FASTER),
    Mark.CODE: ("diamond", NEUTRAL),
    Mark.ODD: ("x-thin-open", NEUTRAL),
    Mark.APPEARS: ("circle-open", "#3b74d6"),
    Mark.GONE: ("circle-x-open", NEUTRAL),
}
SHARE, BYTES = "~%", "~s"
"""Formats of an axis: a part of 1, and numbers with the prefixes of units."""
_DOTS = 600  # runs; more of them are drawn as a line alone


def over_runs(
    series: Sequence[Series],
    *,
    last: int | None,
    axis: str = RUNS,
    spread: bool = False,
    height: int = 380,
) -> go.Figure:
    """The time of every series, run after run, its levels' marks on it; newest runs at the right.

    A run without a time is a gap. `axis` is what runs are placed by (axes.py); by time and commit
    a dotted line shows where a branch left the main one. `last` draws only so many of the newest.
    `spread` fills between the columns low_ns and high_ns. A point leads to its run, a mark to the
    comparison that explains it.
    """
    drawn = [one.frame.iloc[-last:] if last else one.frame for one in series]
    # One unit for all series of the chart, that of the longest time.
    longest = max((float(frame["time_ns"].max()) for frame in drawn if _has_time(frame)), default=0)
    unit_ns, unit = unit_of(longest)
    figure = _figure(
        height=height,
        showlegend=len(series) > 1,
        xaxis=layout_of(series, drawn, axis),
        yaxis={"title": {"text": unit}, "tickformat": ",~g", "zeroline": False},
    )
    placed = places_of(series, drawn, axis)
    for at, (one, frame, places) in enumerate(zip(series, drawn, placed, strict=True)):
        color = _LINES[at % len(_LINES)]
        if spread:
            _band(figure, places, frame, unit_ns, color)
        figure.add_scatter(
            x=list(places),
            y=(frame["time_ns"] / unit_ns).tolist(),
            name=plain_text(one.name),
            mode=_mode(frame),
            line={"color": color, "width": 1.5},
            marker={"color": color, "size": 5},
            hovertext=_texts(one, len(frame)),
            hovertemplate="%{hovertext}<extra></extra>",
            customdata=_links(one, len(frame)),
        )
        _add_marks(figure, one, places, unit_ns)
    for fork in forks(series, drawn, placed) if axis != RUNS else ():
        figure.add_scatter(
            x=list(fork.places),
            y=[time_ns / unit_ns for time_ns in fork.times_ns],
            mode="lines",
            line={"color": _LINES[fork.series % len(_LINES)], "width": 1.5, "dash": "dot"},
            hoverinfo="skip",
            showlegend=False,
        )
    return figure


def beside(
    series: Sequence[Series],
    column: str,
    say: Callable[[float], str],
    *,
    last: int | None,
    axis: str = RUNS,
    ticks: str = ",~g",
) -> go.Figure:
    """Another column of the same series, drawn low below their times; `say` writes its values.

    `ticks` is how Plotly writes those of the axis: SHARE or BYTES, else as plain numbers.
    """
    drawn = [one.frame.iloc[-last:] if last else one.frame for one in series]
    longest = max(map(len, drawn), default=1)
    around = {"range": [1 - 1.04 * longest, 0.04 * longest]} if axis == RUNS else {}
    figure = _figure(
        height=150,
        margin={"l": 64, "r": 12, "t": 8, "b": 28},
        showlegend=False,
        xaxis={**layout_of(series, drawn, axis), "title": None, **around},
        yaxis={"rangemode": "tozero", "tickformat": ticks, "zeroline": False},
    )
    placed = places_of(series, drawn, axis)
    for at, (one, frame, places) in enumerate(zip(series, drawn, placed, strict=True)):
        figure.add_scatter(
            x=list(places),
            y=frame[column].tolist(),
            name=plain_text(one.name),
            mode=_mode(frame),
            line={"color": _LINES[at % len(_LINES)], "width": 1.5, "shape": "hv"},
            marker={"size": 4},
            hovertext=[
                f"{say(float(value))}<br>{_who(row)}"
                for row, value in zip(frame.to_dict("records"), frame[column], strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
            customdata=[Address(page="run", run=run).href for run in frame["run"]],
        )
    return figure


def coverage(frame: pd.DataFrame, *, height: int = 300) -> go.Figure:
    """The shares of time by confidence, run after run; `frame` is one series' of runs_frame."""
    places: list[float] = list(range(1 - len(frame), 1))
    # By count the axis needs no series, as it would to put commits in order.
    xaxis = layout_of([], [frame], RUNS)
    if len(frame) == 1:  # an area between two runs; a run alone is drawn as wide as one
        # The run twice, half a place to each side.
        frame, places = frame.iloc[[0, 0]], [-0.5, 0.5]
        xaxis = {**xaxis, "dtick": 1}
    figure = _figure(
        height=height,
        xaxis=xaxis,
        yaxis={"tickformat": ".0%", "range": [0, 1], "zeroline": False},
    )
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
                f"{who}<br>{bucket} {format_percent(float(share))}"
                for who, share in zip(about, shares, strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
            customdata=[Address(page="run", run=run).href for run in frame["run"]],
        )
    return figure


def _figure(**layout: object) -> go.Figure:
    """A figure to draw in. A layout that is given at once costs a fifth of one that is updated."""
    return go.Figure(layout={"template": TEMPLATE, **layout})


def _mode(frame: pd.DataFrame) -> str:
    """A run alone has no line, so runs are dots as well, unless they are too many."""
    return "lines+markers" if len(frame) <= _DOTS else "lines"


def _has_time(frame: pd.DataFrame) -> bool:
    return bool(frame["time_ns"].notna().any())


def _band(
    figure: go.Figure, places: Sequence[Place], frame: pd.DataFrame, unit_ns: int, color: str
) -> None:
    # The lower curve fills the area up to the upper one, which is drawn first.
    for column, fill in (("high_ns", None), ("low_ns", "tonexty")):
        figure.add_scatter(
            x=list(places),
            y=(frame[column] / unit_ns).tolist(),
            mode="lines",
            line={"width": 0, "color": color},
            fill=fill,
            fillcolor=f"rgba({','.join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))},0.15)",
            hoverinfo="skip",
            showlegend=False,
        )


def _add_marks(figure: go.Figure, series: Series, places: Sequence[Place], unit_ns: int) -> None:
    """Draw the marks over the points; the points below hold their texts and links."""
    marked = _shown(series, len(places))
    if not marked:
        return
    times = series.frame["time_ns"].tolist()
    colors = [_MARKS[mark.mark][1] for mark in marked]
    figure.add_scatter(
        # Positions of marks count in the whole series and places only in its newest runs, so both
        # are counted from the end.
        x=[places[mark.at - len(series.frame)] for mark in marked],
        y=[times[mark.at] / unit_ns for mark in marked],
        mode="markers",
        name="marks",
        showlegend=False,
        marker={
            "symbol": [_MARKS[mark.mark][0] for mark in marked],
            "color": colors,
            "size": 13,
            "line": {"width": 2, "color": colors},
        },
        hoverinfo="skip",
    )


def _shown(series: Series, shown: int) -> list[Marked]:
    """The marks among the newest runs."""
    return [mark for mark in series.marks if mark.at >= len(series.frame) - shown]


def _texts(series: Series, shown: int) -> list[str]:
    rows = series.frame.to_dict("records")
    texts = [_about(row) for row in rows]
    for mark in series.marks:
        head = f"<b>{mark.mark.value}</b>{_ratio(mark.ratio)}"
        texts[mark.at] = f"{head}<br>{texts[mark.at]}<br>click: what changed"
    # Positions of marks count in the whole series, so the part that is drawn is cut out last.
    return texts[len(rows) - shown :]


def _links(series: Series, shown: int) -> list[str]:
    links = [Address(page="run", run=run).href for run in series.frame["run"]]
    for mark in series.marks:
        links[mark.at] = Address(page="compare", before=mark.before, after=mark.after).href
    return links[len(links) - shown :]


def _about(row: Mapping[Hashable, Json]) -> str:
    return f"{format_duration(float(row['time_ns']))}<br>{_who(row)}"


def _who(row: Mapping[Hashable, Json]) -> str:
    facts = [row.get("commit"), row.get("name"), recorded(row["created"])]
    texts = [str(text) for text in facts if isinstance(text, str)]
    return f"{plain_text(str(row['run']))}<br>{plain_text(' · '.join(texts))}"


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f" ({signed_percent(ratio - 1)})"
