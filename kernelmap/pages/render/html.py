"""A page as HTML: its sections for any frame around them, or a file of its own.

Everything from the input is escaped by the templates. A file of its own asks for nothing: a content
security policy forbids all but the style in it, and where it has charts the scripts that draw them,
by their hashes. The same page gives the same text. Forms are left out where no server answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import jinja2
from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.pages.address import Address, parse_address
from kernelmap.pages.charts.template import make_config
from kernelmap.pages.page import Bar, CellKind, Figure, Page, PageColumn, PageRow, PageTable
from kernelmap.pages.render.scripts import plotly_script, script_hash
from kernelmap.pages.text import make_visible
from kernelmap.version import VERSION

Json: TypeAlias = Any  # a figure, as Plotly takes it
STATIC = files("kernelmap.pages") / "static"
"""The style and the script that all pages share."""


class Places(Struct, frozen=True, kw_only=True):
    """What lies beside a document: the place of a view, None without one; the data of a section.

    The data are pairs of a form, such as csv, and a path. `served`: a server answers there, so that
    forms lead somewhere, and what is not worked out yet may be there when it is asked for again.
    """

    view: Callable[[Address], str | None] = lambda _: None
    data: Callable[[Figure | PageTable], Sequence[tuple[str, str]]] = lambda _: ()
    served: bool = False


def render_document(page: Page, *, title: str, places: Places | None = None) -> str:
    """The page as one file that opens from disk; `places` are in it or beside it."""
    return _compile_template("document.html").render(
        heading=_heading_of_page(page),
        title=title,
        sections=render_sections(page, places or Places()),
        version=VERSION,
        style=Markup((STATIC / "page.css").read_text("utf-8")),  # noqa: S704 -- our own file
        scripts=_scripts_of_page(page),
    )


def render_fragment(page: Page) -> str:
    """The page for a notebook: its title and its sections, without style, scripts and charts."""
    kept = tuple(section for section in page.sections if not isinstance(section, Figure))
    shown = replace(page, sections=kept)
    return Markup("<h3>{}</h3>{}").format(
        _heading_of_page(page), render_sections(shown, Places(), sorts=False)
    )


def _heading_of_page(page: Page) -> str:
    """The name that comes from the input, then the title."""
    return make_visible(" ".join(filter(None, [page.name, page.title])))


def _scripts_of_page(page: Page) -> tuple[Markup, ...]:
    """What sorts tables; Plotly and what draws with it, for charts."""
    scripts = []
    if any(isinstance(section, PageTable) and section.sorts for section in page.sections):
        scripts.append((STATIC / "sort.js").read_text("utf-8"))
    # Plotly takes megabytes, so only pages with charts have it.
    if any(isinstance(section, Figure) for section in page.sections):
        scripts += [plotly_script(), (STATIC / "draw.js").read_text("utf-8")]
    return tuple(map(Markup, scripts))


def render_sections(page: Page, places: Places, *, sorts: bool = True) -> Markup:
    """The sections of a page, one after the other; `sorts`: the page has the script for that."""
    return Markup(  # noqa: S704 -- the template has escaped it
        _compile_template("sections.html").render(
            page=page,
            sorts=sorts,
            place_of=places.view,
            data_places=places.data,
            served=places.served,
            figure_of=lambda figure: _figure_as_json(figure, places),
            kind_of=lambda section: type(section).__name__,
        )
    )


def make_environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """Jinja as all our pages need it: everything is escaped, and nothing may be undefined."""
    return jinja2.Environment(
        autoescape=True,
        finalize=_make_visible,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=loader,
    )


def _make_visible(value: object) -> object:
    """What a template writes: no text of the input turns letters around."""
    return (
        make_visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
    )


def style_of(column: PageColumn) -> str | None:
    """The class of a column's cells in page.css."""
    if column.kind in (CellKind.NUMBER, CellKind.BAR):
        return column.kind.value
    if column.kind in (CellKind.NAME, CellKind.PATH):
        return "name"
    return "whole" if column.whole or column.kind is CellKind.WORD else None


_LONG = 260  # characters: eight lines of a column
# The functor by which two of PyTorch's multi_tensor_apply kernels differ ends before that, as in
# sample_traces/cuda_language_train: with five lines they looked the same.


def is_long(cell: object) -> bool:
    """Whether a text is folded to its first lines, until a reader opens it."""
    return isinstance(cell, str) and len(cell) > _LONG


def row_style(row: PageRow) -> str | None:
    """The classes of a row in page.css; what stands for other rows is not sorted among them."""
    names = [name for name, has in (("dim", row.dim), ("rest", row.ours)) if has]
    return " ".join(names) or None


@cache
def _compile_template(name: str) -> jinja2.Template:
    """A template, compiled once: that takes as long as it takes to fill one."""
    here = files("kernelmap.pages") / "templates"
    made = make_environment(jinja2.FunctionLoader(lambda name: (here / name).read_text("utf-8")))
    made.filters["css"] = style_of
    made.filters["row_css"] = lambda row: (
        Markup(f' class="{names}"') if (names := row_style(row)) else ""  # noqa: S704 -- our words
    )
    made.filters["script_hash"] = script_hash
    made.filters["percent"] = lambda part: f"{part:.2%}"
    made.tests["long"] = is_long
    made.tests["bar"] = lambda cell: isinstance(cell, Bar)
    return made.get_template(name)


def _figure_as_json(figure: Figure, places: Places) -> Markup:
    """The figure as JSON that can stand in a script element; its points lead to places."""
    plot: Json = json.loads(figure.plot.to_json())
    for trace in plot["data"]:
        if isinstance(trace.get("customdata"), list):
            trace["customdata"] = _file_of_point(trace["customdata"], places)
    # Keys in order, so that the same figure gives the same text. What HTML would read as a tag or
    # an entity is written as an escape of JSON.
    drawn = {"data": plot["data"], "layout": plot["layout"], "config": make_config(figure.plot)}
    raw = json.dumps(drawn, sort_keys=True, separators=(",", ":"))
    for char in "<>&":
        raw = raw.replace(char, f"\\u{ord(char):04x}")
    return Markup(raw)  # noqa: S704 -- ASCII without any character that HTML reads


def _file_of_point(href: Json, places: Places) -> Json:
    """The place of the view that a point leads to; a list of places for a list of points."""
    if isinstance(href, list):
        return [_file_of_point(entry, places) for entry in href]
    # Points carry addresses of our own, such as `/fleet?kind=rank&key=3`; anything else leads
    # nowhere.
    if not isinstance(href, str) or not href.startswith("/"):
        return None
    path, _, query = href.partition("?")
    return places.view(parse_address(path, query))
