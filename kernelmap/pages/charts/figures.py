"""Plotly figures: frame in, Figure out; the same frame gives the same bytes.

Left out: the page around them, and colors for its text.
Names from the input are shown as they are: Plotly reads a little HTML in its texts, so what would
be a tag or a link is made plain text here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd
import plotly.graph_objects as go
from msgspec import Struct

from kernelmap.errors import UsageError
from kernelmap.model.notices import format_count
from kernelmap.pages.charts.template import LEDGER_COLORS, make_template, plain_text
from kernelmap.pages.charts.treemap import draw_treemap
from kernelmap.pages.columns import VIEWS
from kernelmap.pages.render.short_names import shorten_names
from kernelmap.pages.text import format_duration, format_percent, make_visible, unit_of
from kernelmap.suggestions import one_of
from kernelmap.tables.build import Tables
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.rows import Row, whole_number
from kernelmap.tables.schema import TABLES

if TYPE_CHECKING:
    from kernelmap.pages.report.shared import Records

_BAR, _REST, _RANGE = "#6697ea", "#a3abb6", "#56616f"
_LABEL = 38
_LINE = 26
_TEMPLATE = make_template(
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


def draw_ops(frame: pd.DataFrame, *, top: int = 20) -> go.Figure:
    """The `top` original ops by time, each with its bounds: alone, and in all calls it is part of.

    `frame` is the table ops (or modules).
    """
    bars = []
    for row in rows_of_frame(TABLES["ops"], frame.iloc[:top]):
        least, most = whole_number(row, "exclusive_ns"), whole_number(row, "involved_ns")
        # At least: calls of this op alone. At most: all calls that the op has a part in.
        bounds = f"at least {format_duration(least)}, at most {format_duration(most)}"
        seen = (
            f"{format_count(whole_number(row, 'launches'), 'launch')}, "
            f"{format_count(whole_number(row, 'calls'), 'call')}"
        )
        # Gray bars are time outside of compiled code, or time of which nothing is known.
        aside = row["origin"] != "compiled"
        about = f"{bounds}<br>{seen}"
        bars.append(_bar_of_row("ops", row, about, aside=aside, bounds=(least, most)))
    return _draw_horizontal(bars)


def draw_kernels(frame: pd.DataFrame, *, top: int = 20) -> go.Figure:
    """The `top` kernels by time; `frame` is the table kernels."""
    bars = []
    for row in rows_of_frame(TABLES["kernels"], frame.iloc[:top]):
        named = row["ops"]
        worked = ", ".join(named) if isinstance(named, list) else ""
        seen = (
            f"{format_count(whole_number(row, 'launches'), 'launch')}, "
            f"{format_count(whole_number(row, 'calls'), 'call')}"
        )
        # A name that only repeats the bar's own is left out.
        device = str(row["device_name"] or "") if row["wrapper"] != row["device_name"] else ""
        about = "<br>".join([seen, *(_break_lines(text) for text in (worked, device) if text)])
        bars.append(_bar_of_row("kernels", row, about, aside=row["wrapper"] is None))
    return _draw_horizontal(bars)


def draw_bars(name: str, frame: pd.DataFrame, *, top: int = 20) -> go.Figure:
    """The `top` rows by time; `frame` is the table `name`: lines, calls, modules or graphs."""
    view, drawn = VIEWS[name], []
    records = list(rows_of_frame(TABLES[name], frame))
    # The own times add up to the window; the times shown may hold others, as that of a module holds
    # the modules in it.
    total = sum(map(view.own_ns, records))
    counts = (("launches", "launch"), ("calls", "call"), ("invocations", "invocation"))
    for row in sorted(records, key=view.time_ns, reverse=True)[:top]:
        numbers = [(row.get(column), noun) for column, noun in counts]
        seen = [format_count(number, noun) for number, noun in numbers if isinstance(number, int)]
        drawn.append(
            _Bar(
                name=view.title(row),
                time_ns=view.time_ns(row),
                share=view.time_ns(row) / total if total else None,
                aside=view.is_rest(row),
                about=", ".join(seen),
            )
        )
    return _draw_horizontal(drawn)


def draw_ledger(frame: pd.DataFrame) -> go.Figure:
    """One bar of all time, cut by confidence; `frame` is the table ledger."""
    times: dict[str, int] = {}
    for row in rows_of_frame(TABLES["ledger"], frame):
        bucket = str(row["bucket"])
        times[bucket] = times.get(bucket, 0) + whole_number(row, "time_ns")
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
            hovertext=[
                (
                    f"<b>{plain_text(bucket)}</b><br>{format_duration(time_ns)} · "
                    f"{format_percent(share)}"
                )
            ],
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


def _bars_of(name: str) -> Callable[[Tables, Records | None], go.Figure]:
    return lambda tables, _: draw_bars(name, tables.frame(name))


FIGURES: Mapping[str, Callable[[Tables, Records | None], go.Figure]] = {
    "ops": lambda tables, _: draw_ops(tables.frame("ops")),
    **{name: _bars_of(name) for name in ("lines", "calls", "modules")},
    "kernels": lambda tables, _: draw_kernels(tables.frame("kernels")),
    "graphs": _bars_of("graphs"),
    "treemap": draw_treemap,
    "ledger": lambda tables, _: draw_ledger(_own_side(tables)),
}


def draw_figure(tables: Tables, name: str, records: Records | None = None) -> go.Figure:
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


def _bar_of_row(
    table: str, row: Row, about: str, *, aside: bool, bounds: tuple[int, int] | None = None
) -> _Bar:
    share = row["share"]
    return _Bar(
        name=VIEWS[table].title(row),
        time_ns=whole_number(row, "time_ns"),
        share=share if isinstance(share, float) else None,
        aside=aside or VIEWS[table].is_rest(row),
        about=about,
        least_ns=bounds[0] if bounds else None,
        most_ns=bounds[1] if bounds else None,
    )


def _draw_horizontal(bars: Sequence[_Bar]) -> go.Figure:
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
            hovertext=[_hover_text(bar) for bar in bars],
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
        | {
            "ticktext": [
                *map(plain_text, shorten_names([make_visible(bar.name) for bar in bars], _LABEL))
            ]
        },
        yaxis2=rows_axis
        | {
            "ticktext": [
                f"{format_duration(bar.time_ns)} · {format_percent(bar.share)}" for bar in bars
            ],
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


def _hover_text(bar: _Bar) -> str:
    cost = f"{format_duration(bar.time_ns)} · {format_percent(bar.share)}"
    return f"<b>{_break_lines(bar.name)}</b><br>{cost}<br>{bar.about}"


def _break_lines(text: str, width: int = 64) -> str:
    """A long text in lines of `width` characters, neutral to Plotly."""
    text = make_visible(text)
    cuts = [text[start : start + width] for start in range(0, len(text), width)]
    return "<br>".join(plain_text(part) for part in cuts[:6]) + ("…" if len(cuts) > 6 else "")  # noqa: PLR2004 -- a hover is no page
