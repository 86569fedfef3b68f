"""The report: one HTML file that works offline, with Plotly inside.

Takes Tables, gives the page as text. Nothing in it comes from or goes to a network: a content
security policy allows the scripts that are written here, by their hashes, and nothing else.
Everything from the input reaches the page as JSON data and is shown as text.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files

import jinja2
import msgspec
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from kernelmap.outputs.figures import FIGURES, LEDGER_COLORS, figure
from kernelmap.outputs.terminal import facts
from kernelmap.outputs.text import duration, percent, visible
from kernelmap.views.frames import rows
from kernelmap.views.schema import TABLES, Column, Type, Unit
from kernelmap.views.tables import Tables

_SHOWN = {
    "ops": "name origin time_ns share exclusive_ns involved_ns backward_ns launches calls",
    "calls": "wrapper call time_ns share p50_ns p95_ns launches ops source backend line",
    "kernels": "wrapper time_ns share launches calls ops graph device_name",
    "lines": "file line time_ns share backward_ns involved_ns calls code",
    "nodes": "name time_ns share involved_ns calls target stage graph",
    "modules": "name origin time_ns share exclusive_ns involved_ns backward_ns launches calls",
    "graphs": "graph kind compile_id time_ns mean_ns invocations calls cache compile_ns "
    "failed_guard graph_breaks code",
}
_LABELS = {
    "exclusive_ns": "at least",
    "involved_ns": "at most",
    "p50_ns": "median",
    "p95_ns": "95 %",
    "device_name": "device name",
    "compile_id": "compile id",
    "call": "where",
    "failed_guard": "failed guard",
    "graph_breaks": "graph breaks",
}
_OF_LINES = {"time_ns": "forward"}
_NAMED = 4
_TITLES = {"ops": "Original ops", "lines": "Source lines", "nodes": "Graph nodes"}


def render(tables: Tables) -> str:
    """The report; the same tables give the same text."""
    summary = tables.summary
    script = Markup(_template("report.js"))  # noqa: S704 -- our own file
    plotly = Markup(get_plotlyjs())  # noqa: S704 -- Plotly's own file
    page = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        _template("report.html")
    )
    return page.render(
        title=_title(summary.sources),
        side=summary.side.upper(),
        total=duration(summary.total_ns),
        busy=duration(summary.busy_ns),
        facts=[visible(fact) for fact in facts(summary)],
        ledger=[
            {"name": bucket, "share": percent(share), "color": LEDGER_COLORS[bucket]}
            for bucket, share in summary.coverage.items()
            if share
        ],
        notices=tables.notices,
        version=summary.version,
        style=Markup(_template("report.css")),  # noqa: S704 -- our own file
        plotly=plotly,
        script=script,
        data=_data(tables),
        script_sources=" ".join(_hash(each) for each in (plotly, script)),
    )


def _title(sources: Sequence[str]) -> str:
    """The names of the inputs, as far as a reader can take them in."""
    rest = len(sources) - _NAMED
    named = " · ".join(map(visible, sources[:_NAMED])) or "kernelmap"
    return f"{named} · {rest} more" if rest > 0 else named


def _data(tables: Tables) -> Markup:
    """Figures and tables as JSON that can stand in a script element."""
    figures = {name: msgspec.Raw(figure(tables, name).to_json().encode()) for name in FIGURES}
    shown = [_table(tables, name) for name in _SHOWN]
    raw = msgspec.json.encode({"figures": figures, "tables": shown}).decode()
    for char in "<>&\u2028\u2029":
        raw = raw.replace(char, f"\\u{ord(char):04x}")
    return Markup(raw)  # noqa: S704 -- holds no character that HTML or a script could read


def _table(tables: Tables, name: str) -> dict[str, object]:
    columns = [TABLES[name].by_name[column] for column in _SHOWN[name].split()]
    found = rows(TABLES[name], tables.frame(name))
    return {
        "name": name,
        "title": _TITLES.get(name, name.capitalize()),
        "columns": [
            {"label": _label(column, name), "kind": _kind(column), "help": column.help}
            for column in columns
        ],
        "rows": [[row[column.name] for column in columns] for row in found],
    }


def _label(column: Column, table: str) -> str:
    if table == "lines" and column.name in _OF_LINES:
        return _OF_LINES[column.name]
    return _LABELS.get(column.name, column.name.removesuffix("_ns"))


def _kind(column: Column) -> str:
    """How the page shows a column: time, share, number, list or text."""
    if column.unit is Unit.NS:
        return "time"
    if column.unit is Unit.ONE:
        return "share"
    return {Type.INT: "number", Type.TEXTS: "list"}.get(column.type, "text")


def _template(name: str) -> str:
    return files("kernelmap.outputs").joinpath("templates", name).read_text("utf-8")


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
