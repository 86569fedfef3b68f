"""Content → the report as text: one file that loads nothing else.

A content security policy allows our script and Plotly's, by their hashes, and nothing else but
styles, since Plotly writes some. Plotly stands in the page as text until a chart is looked at.
Everything from the input reaches the page as JSON in one element and is shown as text. The same
content gives the same page.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

import jinja2
import msgspec
from markupsafe import Markup
from msgspec import Struct

from kernelmap.pages.render.scripts import plotly_script, script_hash
from kernelmap.pages.report import (
    calls,
    graphs,
    kernels,
    lines,
    memory,
    ops,
    overview,
    provenance,
    roofline,
    timeline,
)
from kernelmap.pages.report.packed import PackedTexts, as_json
from kernelmap.pages.report.shared import Content, call_columns, colored_ops, list_findable
from kernelmap.pages.text import make_visible

_STATIC = files("kernelmap.pages.report") / "static"
_NAMED = 4
_PARTS = (
    *("core", "format", "dom", "packed", "palette", "find"),
    *(
        "editor",
        "reasons",
        "names",
        "table",
        "bars",
        "charts",
        "treemap",
        "spread",
        "lanes",
        "counters",
        "kinds",
        "ran",
        "listing",
        "ruler",
        "memory_curve",
        "memory_chart",
    ),
)
_PANES = ("syntax", "chain", "graph", "pane", "layout", "find", "chosen", "keys")


class ReportView(Struct, frozen=True, kw_only=True):
    """One view; `data` gives what its script is handed, None where the view is left out."""

    name: str
    title: str
    data: Callable[[Content, PackedTexts], object]
    without: str | None = None


VIEWS = (
    ReportView(name="overview", title="Overview", data=overview.data_of_overview),
    ReportView(name="lines", title="Lines", data=lines.data_of_lines),
    ReportView(name="ops", title="Ops", data=ops.data_of_ops),
    ReportView(name="calls", title="Calls", data=calls.data_of_calls),
    ReportView(
        name="timeline",
        title="Timeline",
        data=timeline.data_of_timeline,
        without="A timeline needs the launches, and this report was made from a saved result, "
        "which has only their sums. Make the report from the trace itself.",
    ),
    ReportView(name="kernels", title="Kernels", data=kernels.data_of_kernels),
    ReportView(name="graphs", title="Graphs", data=graphs.data_of_graphs),
    ReportView(
        name="provenance",
        title="Provenance",
        data=provenance.data_of_provenance,
        without="These panes need the generated code, and this report was made from a saved "
        "result, which holds tables only. Make the report from the code and the trace.",
    ),
    ReportView(
        name="roofline",
        title="Roofline",
        data=roofline.data_of_roofline,
        without="A roofline needs what calls move and compute, and this saved result does not say "
        "so. Make the report from the code and the trace.",
    ),
    ReportView(
        name="memory",
        title="Memory",
        data=memory.data_of_memory,
        without="Who holds memory stands in the generated code, and this report was made from a "
        "saved result, which holds tables only. Make the report from the code and the trace.",
    ),
)
"""The views in the order of their tabs; `without` is said where `data` gives None."""


def render_report(content: Content) -> str:
    """The page; the same content gives the same text."""
    summary = content.tables.summary
    script = Markup(_join_scripts())  # noqa: S704 -- our own files
    plotly = Markup(plotly_script())  # noqa: S704 -- Plotly's own file
    page = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(
        _read_static("page.html")
    )
    return page.render(
        title=_title_of_report(content),
        views=VIEWS,
        version=summary.version,
        style=Markup(_join_styles()),  # noqa: S704 -- as above
        script=script,
        data=_data_as_json(content),
        plotly=plotly,
        script_hashes=" ".join(script_hash(text) for text in (script, plotly)),
    )


def _title_of_report(content: Content) -> str:
    """The report's name, else the names of the inputs, as far as a reader can take them in."""
    if content.name:
        return make_visible(content.name)
    sources = content.tables.summary.sources
    rest = len(sources) - _NAMED
    named = " · ".join(map(make_visible, sources[:_NAMED])) or "kernelmap"
    return f"{named} · {rest} more" if rest > 0 else named


_LAUNCH = "LAUNCH"
"""What stands for the number of a launch in the command that the page shows."""


def _commands_of_inputs(content: Content) -> dict[str, str] | None:
    """Commands of the same inputs that the page tells; None for a saved result, which has none."""
    records = content.records
    if records is None:
        return None
    return {
        "explain": records.again("explain", _LAUNCH),
        "doctor": records.again("doctor"),
    }


def _data_as_json(content: Content) -> Markup:
    """All data as JSON that can stand in a script element."""
    texts = PackedTexts()
    views = {view.name: view.data(content, texts) for view in VIEWS}
    summary = content.tables.summary
    data = {
        "title": _title_of_report(content),
        "paths": list(content.path_map.items()),
        "commands": _commands_of_inputs(content),
        "side": summary.side,
        "total_ns": summary.total_ns,
        "colored": colored_ops(content),
        "calls": as_json(call_columns(content)),
        "findable": as_json(list_findable(content)),
        "views": {
            name: as_json(view_data) for name, view_data in views.items() if view_data is not None
        },
        "without": {view.name: view.without for view in VIEWS if views[view.name] is None},
        "texts": texts.pack_all(),
    }
    # These characters could end the script element, or a line within it; as escapes of JSON they
    # are the same text.
    raw = msgspec.json.encode(data).decode()
    for char in "<>&\u2028\u2029":
        raw = raw.replace(char, f"\\u{ord(char):04x}")
    return Markup(raw)  # noqa: S704 -- holds no character that HTML or a script could read


def _join_scripts() -> str:
    panes = (f"provenance_{part}" for part in _PANES)
    names = (*_PARTS, *panes, *(view.name for view in VIEWS), "start")
    return "".join(_read_static(f"{name}.js") for name in names)


def _join_styles() -> str:
    """The page's styles, then those of the views that have some of their own."""
    # Not every view has a style of its own.
    names = {path.name for path in _STATIC.iterdir()}
    views = (f"{view.name}.css" for view in VIEWS)
    return "".join(_read_static(name) for name in ("core.css", *views) if name in names)


def _read_static(name: str) -> str:
    return _STATIC.joinpath(name).read_text("utf-8")
