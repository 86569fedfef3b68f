"""A roofline as a chart, as JSON, and as what users hold in Python.

The chart is the usual one: how many operations a call makes of a byte (x) against how many it makes
in a second (y), both logarithmic, below the roof of the device's bandwidth and its peaks. Calls
whose bytes or operations are not known have no place in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from msgspec.structs import asdict

from kernelmap.model import Notice
from kernelmap.model.roofline import DeviceLimits, ModelUse
from kernelmap.pages import roofline as shown
from kernelmap.pages.charts.template import make_template, plain_text
from kernelmap.pages.page import Figure, Page
from kernelmap.pages.render import html, markdown
from kernelmap.pages.text import format_duration, format_percent, make_visible
from kernelmap.pages.write import page_form, write_text
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.json import indent_json
from kernelmap.tables.roofline import COLLECTIVE_SPEEDS, REASONS, ROOFLINE, RooflineTables
from kernelmap.tables.rows import Row, whole_number

_COLORS = {"memory": "#3b74d6", "compute": "#e0a233", "latency": "#9aa3ae", None: "#84b3f2"}
_ROOF, _LARGEST, _HEIGHT = "#cc5850", 40, 460
_TERA = 10**12
_ROWS = 10  # in a notebook
_OPERANDS = 8  # that a point names
_WIDER = 4  # how far the axes reach beyond the calls


@dataclass(frozen=True, kw_only=True, repr=False)
class RooflineResult:
    """A roofline that users hold.

    `calls`, `ops`, `lines`, `modules`, `kernels`, `reasons` and `collectives` are DataFrames.
    """

    tables: RooflineTables
    inputs: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        """One line for a prompt."""
        return make_visible(f"<RooflineResult: {self.page().title}>")

    def _repr_html_(self) -> str:
        """What a notebook shows: the calls with the most to win."""
        return html.render_fragment(self.page(top=_ROWS))

    def __dir__(self) -> list[str]:
        """Its members, and its tables."""
        return [*super().__dir__(), *(f"{word}s" for word in ROOFLINE)]

    def __getattr__(self, name: str) -> pd.DataFrame:
        """A table by its name."""
        word = name.removesuffix("s")
        if word not in ROOFLINE or word == name:
            raise AttributeError(f"a {type(self).__name__} has no {name!r}")
        return self.tables.frames[word]

    @property
    def reasons(self) -> pd.DataFrame:
        """Why calls take longer than they need to, the largest saving first."""
        return self.tables.reasons

    @property
    def collectives(self) -> pd.DataFrame:
        """The bus bandwidth of collectives, and the computing that covers them."""
        return self.tables.collectives

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What could not be used."""
        return self.tables.roofline.notices

    def page(self, *, by: str = "call", top: int = 20, notices: bool = False) -> Page:
        """The table of `by` as a page."""
        return shown.page_of_roofline(self.tables, by=by, top=top, notices=notices)

    def figure(self) -> go.Figure:
        """The roofline as a Plotly figure."""
        return draw_roofline(self.tables)

    def render(self, form: str, *, by: str = "call", top: int = 20) -> str:
        """The roofline as `json`, `markdown` or `html`."""
        if form == "json":
            return dump_json(self.tables)
        if form == "markdown":
            return markdown.render_markdown(self.page(by=by, top=top, notices=True))
        return html.render_document(_page_with_chart(self.tables, by=by, top=top), title="Roofline")

    def write(self, path: str | Path, *, by: str = "call", top: int = 20) -> Path:
        """Write to `path` in the form of its suffix: .json, .md or .html; gives it back.

        Raises KernelmapError for another suffix, an input, and where it cannot be written.
        """
        target = Path(path)
        write_text(target, self.render(page_form(target), by=by, top=top), self.inputs)
        return target


def about_roofline(tables: RooflineTables) -> dict[str, object]:
    """What is said of the whole window: its devices, its time, and how well it is used."""
    roofline = tables.roofline
    return {
        "devices": [
            {"name": name, "limits": asdict(limits) if limits else None}
            for name, limits in roofline.devices.items()
        ],
        "total_ns": roofline.total_ns,
        "idle_ns": tables.idle_ns,
        "model_use": _use_with_share(roofline.model_use),
    }


def dump_json(tables: RooflineTables) -> str:
    """All tables as one JSON document; numbers are exact."""
    roofline = tables.roofline
    value = {
        "format": "kernelmap.speed.limits",
        "version": 1,
        **about_roofline(tables),
        "model_use_by_step_kind": {
            kind: _use_with_share(use) for kind, use in roofline.use_by_kind.items()
        },
        **{
            f"{word}s": list(rows_of_frame(table, tables.frames[word]))
            for word, table in ROOFLINE.items()
        },
        "reasons": list(rows_of_frame(REASONS, tables.reasons)),
        "collectives": list(rows_of_frame(COLLECTIVE_SPEEDS, tables.collectives)),
        "savings": tables.savings,
        "notices": roofline.notices,
    }
    return indent_json(value)


def _use_with_share(use: ModelUse) -> dict[str, object]:
    return {**asdict(use), "mfu": use.mfu}


def draw_roofline(tables: RooflineTables) -> go.Figure:
    """The roofline: a point per call of which bytes and operations are known; its size is time."""
    limits = _only_limits(tables)
    frame = tables.frames["call"]
    # On logarithmic axes nothing can stand at 0.
    points = [
        row for row in rows_of_frame(ROOFLINE["call"], frame) if row["flops"] and row["bytes"]
    ]
    chart = go.Figure(layout=_make_layout())
    if limits is not None and points:
        chart.add_traces(list(_draw_roofs(limits, [_intensity_of(row) for row in points])))
    longest = max((whole_number(row, "time_ns") for row in points), default=0)
    for bound, color in _COLORS.items():
        chosen = [row for row in points if row["bound"] == bound]
        if chosen:
            chart.add_trace(_draw_dots(chosen, color, bound, longest))
    return chart


def _page_with_chart(tables: RooflineTables, *, by: str, top: int) -> Page:
    """The page with the chart above its table."""
    page = shown.page_of_roofline(tables, by=by, top=top, notices=True)
    frame = tables.frames["call"]
    plot = draw_roofline(tables)
    chart = Figure(id="roofline", title="Roofline", plot=plot, data=frame, about=_ABOUT)
    first, *others = page.sections
    return Page(title=page.title, sections=(first, *([chart] if plot.data else []), *others))


_ABOUT = ("A point is a call, its size the time that it took. The line is the device's limit.",)


def _only_limits(tables: RooflineTables) -> DeviceLimits | None:
    limits = list(tables.roofline.devices.values())
    return limits[0] if len(limits) == 1 else None


def _draw_roofs(limits: DeviceLimits, intensities: Sequence[float]) -> Iterator[go.Scatter]:
    """The slope of the bandwidth up to each peak; dtypes of one peak share a line."""
    names: dict[int, list[str]] = {}
    for dtype, peak in limits.peaks.items():
        names.setdefault(peak, []).append(dtype)
    # Operations per byte from which on a peak and not the bandwidth is the limit. The axis reaches
    # from below all calls and ridges to above them.
    ridges = {peak: peak / limits.bandwidth for peak in names}
    low = min(*intensities, *ridges.values()) / _WIDER
    high = max(*intensities, *ridges.values()) * _WIDER
    for peak, dtypes in names.items():
        roof = peak / _TERA
        # Three points: the foot of the slope, the ridge, and the end of the flat roof.
        y = [low * limits.bandwidth / _TERA, roof, roof]
        yield _draw_line([low, ridges[peak], high], y, ", ".join(dtypes))


def _draw_line(x: Sequence[float], y: Sequence[float], name: str) -> go.Scatter:
    return go.Scatter(x=x, y=y, mode="lines", name=name, line={"color": _ROOF, "width": 1.2})


def _draw_dots(chosen: Sequence[Row], color: str, bound: str | None, longest: int) -> go.Scatter:
    """The calls of one bound; `longest` is the time that the largest point stands for."""
    return go.Scatter(
        x=[_intensity_of(row) for row in chosen],
        y=[row["tflops"] for row in chosen],
        mode="markers",
        name=bound or "no limit known",
        marker={
            "color": color,
            "opacity": 0.75,
            "size": [whole_number(row, "time_ns") for row in chosen],
            "sizemode": "area",
            # Plotly's formula for areas: the longest call gets a point of the largest size.
            "sizeref": 2 * longest / _LARGEST**2,
            "sizemin": 4,
        },
        text=[_hover_text(row) for row in chosen],
        hovertemplate="%{text}<extra></extra>",
    )


def _hover_text(row: Row) -> str:
    share, headroom = row["share_of_limit"], row["headroom_ns"]
    lines = [
        f"{row['call']} · {row['wrapper']}",
        f"time {format_duration(whole_number(row, 'time_ns'))}",
    ]
    if isinstance(headroom, int) and isinstance(share, float):
        lines.append(f"{format_percent(share)} of its limit, headroom {format_duration(headroom)}")
    operands = row["operands"]
    if isinstance(operands, list):
        lines += operands[:_OPERANDS]
        lines += [f"and {len(operands) - _OPERANDS} more"] * (len(operands) > _OPERANDS)
    return "<br>".join(plain_text(line) for line in lines)


def _intensity_of(row: Row) -> float:
    return whole_number(row, "flops") / max(1, whole_number(row, "bytes"))


def _make_layout() -> go.Layout:
    axis = {"type": "log", "automargin": True, "exponentformat": "power", "dtick": 1}
    return go.Layout(
        template=make_template(margin={"l": 8, "r": 8, "t": 8, "b": 40}),
        height=_HEIGHT,
        xaxis={**axis, "title": {"text": "operations per byte"}},
        yaxis={**axis, "title": {"text": "TFLOP/s"}},
    )
