"""A Page → HTML that opens from disk: the same records, style and keys as the live dashboard.

Takes a page and where other views lie, gives a text; what is not on disk keeps its words and loses
its link. A policy forbids the network: scripts are files beside the page, figures are JSON in it.
Left out: forms, which need a server. The same page gives the same text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import jinja2
from markupsafe import Markup

from kernelmap.dashboard.address import Address, address
from kernelmap.dashboard.figures import config
from kernelmap.dashboard.page import MIMETYPES, Chart, Link, Page, Table
from kernelmap.version import VERSION

Json: TypeAlias = Any  # a figure, as Plotly takes it
PlaceOf = Callable[[Address], str | None]
"""Where a view lies, as a path beside the page; None where it is not on disk."""

POLICY = (
    "default-src 'none'",
    "script-src 'self' file:",  # a browser may not count files beside a file as 'self'
    "style-src 'self' file: 'unsafe-inline'",  # Plotly writes styles
    "img-src data: blob:",
    "font-src data:",
    "base-uri 'none'",
    "form-action 'none'",
)
"""What a browser may do with a page; no directive names the network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a page is told of the others: their places, the bar's titles, and what ends each page.

    `stem` is the name of the page's own file without suffix, by which its data are named.
    """

    place_of: PlaceOf
    titles: Mapping[str, str]
    footer: Sequence[str]
    stem: str


def render(page: Page, asked: Address, around: Around) -> str:
    """The page of an address as HTML."""
    template = _environment().get_template("page.html")
    return template.render(
        page=page,
        version=VERSION,
        policy="; ".join(POLICY),
        bar=_bar(asked, around),
        charts=any(isinstance(each, Chart) for each in page.sections),
        footer=around.footer,
        place_of=around.place_of,
        data_places=lambda found: [
            (form, data_place(around.stem, found, form)) for form in MIMETYPES
        ],
        figure_of=lambda found: _figure(found, around.place_of),
        kind_of=lambda found: type(found).__name__,
    )


def data_place(stem: str, section: Chart | Table, form: str) -> str:
    """Where the data of a section lie, beside the page of that stem."""
    return f"data/{stem}.{section.id}.{form}"


@cache
def _environment() -> jinja2.Environment:
    """Templates are compiled once for all pages: that takes as long as it takes to fill them."""
    here = files("kernelmap.dashboard") / "disk"
    made = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(lambda name: (here / name).read_text("utf-8")),
    )
    made.tests["on_disk"] = _is_on_disk
    return made


@jinja2.pass_context
def _is_on_disk(context: jinja2.runtime.Context, to: Address) -> bool:
    """Whether a view is among the pages."""
    place_of: PlaceOf = context["place_of"]
    return place_of(to) is not None


def _bar(asked: Address, around: Around) -> list[tuple[Link, bool]]:
    """A link per page at the top, with the choices that are made where such a view is on disk."""
    found = []
    for name, title in around.titles.items():
        kept, bare = asked.on(name), Address(page=name)
        to = next((each for each in (kept, bare) if around.place_of(each)), None)
        if to is not None:
            found.append((Link(title, to), name == asked.page))
    return found


def _figure(chart: Chart, place_of: PlaceOf) -> Markup:
    """The figure as JSON that can stand in a script element; its points lead to files."""
    figure: Json = json.loads(chart.figure.to_json())
    for trace in figure["data"]:
        if isinstance(trace.get("customdata"), list):
            trace["customdata"] = [_place(each, place_of) for each in trace["customdata"]]
    told = {"data": figure["data"], "layout": figure["layout"], "config": config(chart.figure)}
    raw = json.dumps(told, sort_keys=True, separators=(",", ":"))
    for char in "<>&":
        raw = raw.replace(char, f"\\u{ord(char):04x}")
    return Markup(raw)  # noqa: S704 -- ASCII without any character that HTML reads


def _place(href: Json, place_of: PlaceOf) -> str | None:
    """The file of the view that a point leads to."""
    if not isinstance(href, str) or not href.startswith("/"):
        return None
    path, _, query = href.partition("?")
    return place_of(address(path, query))
