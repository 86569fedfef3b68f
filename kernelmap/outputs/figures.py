"""Plotly figures: frame in, Figure out; the same frame gives the same bytes.

Left out: the page around them, and colors for its text.
Names from the input are shown as they are: Plotly reads a little HTML in its texts, so what would
be a tag or a link is made plain text here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd
import plotly.graph_objects as go
from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.model.notices import count
from kernelmap.outputs.short_names import shorten_names
from kernelmap.present.columns import VIEWS
from kernelmap.present.text import duration, percent, unit_of, visible
from kernelmap.suggestions import one_of
from kernelmap.views.frames import rows
from kernelmap.views.rows import Row, whole
from kernelmap.views.schema import TABLES
from kernelmap.views.tables import Tables

if TYPE_CHECKING:
    from kernelmap.outputs.report.shared import Records

Json: TypeAlias = Any  # what Plotly takes

LEDGER_COLORS: Mapping[str, str] = {
    "exact": "#3b74d6",
    "inferred": "#84b3f2",
    "ambiguous": "#e0a233",
    "outside": "#9aa3ae",
    "unknown": "#cc5850",
}
_BAR, _REST, _RANGE = "#6697ea", "#a3abb6", "#56616f"
_LABEL = 38
_LINE = 26
_CONFIG: Json = {
    "displaylogo": False,
    "responsive": True,
    "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "kernelmap"},
}
_ROOM_FOR_TOOLS = 120  # px; over a lower chart they would hide it


def template(**layout: object) -> go.layout.Template:
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


def config(plot: go.Figure) -> Json:
    """What Plotly lets a reader do with a figure."""
    height = plot.layout.height
    hidden = height is not None and height < _ROOM_FOR_TOOLS
    return {**_CONFIG, "displayModeBar": False} if hidden else _CONFIG


def plain(text: str) -> str:
    """Text that Plotly shows as exactly this text: no tag, link or entity of its own."""
    return escape(visible(text), quote=False)


_TEMPLATE = template(
    margin={"l": 8, "r": 8, "t": 8, "b": 40}, bargap=0.42, showlegend=False, dragmode=False
)


class _Bar(Struct, frozen=True, kw_only=True):
    """One horizontal bar, gray where `aside`, with bounds where the table has them."""

    name: str
    time_ns: int
    share: float | None
    aside: bool
    about: str
    least_ns: int | None = None
    most_ns: int | None = None


def ops(frame: pd.DataFrame, *, top: int = 20) -> go.Figure:
    """The `top` original ops by time, each with its bounds: alone, and in all calls it is part of.

    `frame` is the table ops (or modules).
    """
    bars = []
    for row in rows(TABLES["ops"], frame.iloc[:top]):
        least, most = whole(row, "exclusive_ns"), whole(row, "involved_ns")
        # At least: calls of this op alone. At most: all calls that the op has a part in.
        bounds = f"at least {duration(least)}, at most {duration(most)}"
        seen = f"{count(whole(row, 'launches'), 'launch')}, {count(whole(row, 'calls'), 'call')}"
        # Gray bars are time outside of compiled code, or time of which nothing is known.
        aside = row["origin"] != "compiled"
        about = f"{bounds}<br>{seen}"
        bars.append(_bar("ops", row, about, aside=aside, bounds=(least, most)))
    return _horizontal(bars)


def kernels(frame: pd.DataFrame, *, top: int = 20) -> go.Figure:
    """The `top` kernels by time; `frame` is the table kernels."""
    bars = []
    for row in rows(TABLES["kernels"], frame.iloc[:top]):
        named = row["ops"]
        worked = ", ".join(named) if isinstance(named, list) else ""
        seen = f"{count(whole(row, 'launches'), 'launch')}, {count(whole(row, 'calls'), 'call')}"
        # A name that only repeats the bar's own is left out.
        device = str(row["device_name"] or "") if row["wrapper"] != row["device_name"] else ""
        about = "<br>".join([seen, *(_lines(text) for text in (worked, device) if text)])
        bars.append(_bar("kernels", row, about, aside=row["wrapper"] is None))
    return _horizontal(bars)


def bars(name: str, frame: pd.DataFrame, *, top: int = 20) -> go.Figure:
    """The `top` rows by time; `frame` is the table `name`: lines, calls, modules or graphs."""
    view, drawn = VIEWS[name], []
    records = list(rows(TABLES[name], frame))
    # The own times add up to the window; the times shown may hold others, as that of a module holds
    # the modules in it.
    total = sum(map(view.own_ns, records))
    counts = (("launches", "launch"), ("calls", "call"), ("invocations", "invocation"))
    for row in sorted(records, key=view.time_ns, reverse=True)[:top]:
        numbers = [(row.get(column), noun) for column, noun in counts]
        seen = [count(number, noun) for number, noun in numbers if isinstance(number, int)]
        drawn.append(
            _Bar(
                name=view.title(row),
                time_ns=view.time_ns(row),
                share=view.time_ns(row) / total if total else None,
                aside=view.rests(row),
                about=", ".join(seen),
            )
        )
    return _horizontal(drawn)


def ledger(frame: pd.DataFrame) -> go.Figure:
    """One bar of all time, cut by confidence; `frame` is the table ledger."""
    times: dict[str, int] = {}
    for row in rows(TABLES["ledger"], frame):
        bucket = str(row["bucket"])
        times[bucket] = times.get(bucket, 0) + whole(row, "time_ns")
    total = sum(times.values())
    figure = go.Figure()
    for bucket, time_ns in times.items():
        share = time_ns / total if total else None
        figure.add_bar(
            x=[time_ns],
            y=[0],
            orientation="h",
            name=bucket,
            marker={"color": LEDGER_COLORS.get(bucket, _REST), "line": {"width": 0}},
            hovertext=[f"<b>{plain(bucket)}</b><br>{duration(time_ns)} · {percent(share)}"],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    hidden = {"visible": False, "fixedrange": True}
    return figure.update_layout(
        template=_TEMPLATE,
        barmode="stack",
        bargap=0,
        height=34,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        xaxis={**hidden, "range": [0, total or 1]},
        yaxis=hidden,
    )


def _treemap(tables: Tables, records: Records | None) -> go.Figure:
    from kernelmap.outputs.treemap import treemap

    return treemap(tables, records)


def _bars_of(name: str) -> Callable[[Tables, Records | None], go.Figure]:
    return lambda tables, _: bars(name, tables.frame(name))


FIGURES: Mapping[str, Callable[[Tables, Records | None], go.Figure]] = {
    "ops": lambda tables, _: ops(tables.frame("ops")),
    **{name: _bars_of(name) for name in ("lines", "calls", "modules")},
    "kernels": lambda tables, _: kernels(tables.frame("kernels")),
    "graphs": _bars_of("graphs"),
    "treemap": _treemap,
    "ledger": lambda tables, _: ledger(_own_side(tables)),
}


def figure(tables: Tables, name: str, records: Records | None = None) -> go.Figure:
    """The figure of one name (a key of FIGURES); raises UsageError for any other.

    `records` are what the tables were made from: a treemap by module, line and op needs them.
    """
    if name not in FIGURES:
        hint = one_of(name, FIGURES, "Figures")
        raise UsageError("unknown-figure", f"there is no figure {name!r}", hint)
    return FIGURES[name](tables, records)


def _own_side(tables: Tables) -> pd.DataFrame:
    frame = tables.frame("ledger")
    return frame[frame["side"] == tables.summary.side]


def _bar(
    table: str, row: Row, about: str, *, aside: bool, bounds: tuple[int, int] | None = None
) -> _Bar:
    share = row["share"]
    return _Bar(
        name=VIEWS[table].title(row),
        time_ns=whole(row, "time_ns"),
        share=share if isinstance(share, float) else None,
        aside=aside or VIEWS[table].rests(row),
        about=about,
        least_ns=bounds[0] if bounds else None,
        most_ns=bounds[1] if bounds else None,
    )


def _horizontal(bars: Sequence[_Bar]) -> go.Figure:
    """Bars from the top down; names stand left of them, times and shares right.

    Places are numbers and names are tick texts, so two bars of one (cut) name stay two.
    """
    longest = max((max(bar.time_ns, bar.most_ns or 0) for bar in bars), default=0)
    scale, unit = unit_of(longest)
    places = list(range(len(bars)))
    figure = go.Figure(
        go.Bar(
            x=[bar.time_ns / scale for bar in bars],
            y=places,
            orientation="h",
            marker={"color": [_REST if bar.aside else _BAR for bar in bars], "cornerradius": 2},
            hovertext=[_hover(bar) for bar in bars],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    _draw_bounds(figure, [(place, bar) for place, bar in enumerate(bars) if not bar.aside], scale)
    # An axis is drawn only where something stands on it; this is what the right one carries.
    figure.add_scatter(x=[None] * len(bars), y=places, yaxis="y2", mode="markers", hoverinfo="skip")
    # Both axes have a tick at every bar: names on the left, times on the right.
    rows_axis = {
        "tickvals": places,
        "range": [len(bars) - 0.5, -0.5],
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 8,
        "tickcolor": "rgba(0,0,0,0)",
        "automargin": True,
    }
    return figure.update_layout(
        template=_TEMPLATE,
        height=60 + _LINE * max(len(bars), 1),
        xaxis={
            "title": {"text": unit, "standoff": 6},
            "rangemode": "tozero",
            "fixedrange": True,
            "zeroline": False,
            "tickformat": ",~g",
        },
        yaxis=rows_axis
        | {"ticktext": [*map(plain, shorten_names([visible(bar.name) for bar in bars], _LABEL))]},
        yaxis2=rows_axis
        | {
            "ticktext": [f"{duration(bar.time_ns)} · {percent(bar.share)}" for bar in bars],
            "overlaying": "y",
            "side": "right",
        },
    )


def _draw_bounds(figure: go.Figure, placed: Sequence[tuple[int, _Bar]], scale: int) -> None:
    """Lines from the lower to the upper bound, over the bars that have bounds."""
    # Bars that stand for no op have no bounds. The line is drawn as the error bar of an invisible
    # point.
    bounded = [
        (place, bar.time_ns, bar.least_ns, bar.most_ns)
        for place, bar in placed
        if bar.least_ns is not None and bar.most_ns is not None
    ]
    figure.add_scatter(
        x=[time / scale for _, time, _, _ in bounded],
        y=[place for place, _, _, _ in bounded],
        mode="markers",
        marker={"opacity": 0},
        hoverinfo="skip",
        name="bounds",
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [max(0, most - time) / scale for _, time, _, most in bounded],
            "arrayminus": [max(0, time - least) / scale for _, time, least, _ in bounded],
            "color": _RANGE,
            "thickness": 1.5,
            "width": 4,
        },
    )


def _hover(bar: _Bar) -> str:
    cost = f"{duration(bar.time_ns)} · {percent(bar.share)}"
    return f"<b>{_lines(bar.name)}</b><br>{cost}<br>{bar.about}"


def _lines(text: str, width: int = 64) -> str:
    """A long text in lines of `width` characters, neutral to Plotly."""
    text = visible(text)
    cuts = [text[start : start + width] for start in range(0, len(text), width)]
    return "<br>".join(plain(part) for part in cuts[:6]) + ("…" if len(cuts) > 6 else "")  # noqa: PLR2004 -- a hover is no page
