"""A page of the dashboard as an HTML document, served or on disk, with the bar and the menus.

Takes a page and where other views lie; pages/render/html.py draws the sections. A document on disk
opens without a network, and what is not on disk keeps its words and loses its link. A served one
asks the server for itself again. The same page gives the same text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import jinja2
from msgspec import Struct

from kernelmap.pages.address import Address
from kernelmap.pages.csv import MIMETYPES
from kernelmap.pages.page import Figure, Link, Page, PageTable
from kernelmap.pages.render import html
from kernelmap.pages.render.scripts import plotly_script
from kernelmap.version import VERSION

DISK_POLICY = (
    "default-src 'none'",
    "script-src 'self' file:",  # a browser may not count files beside a file as 'self'
    "style-src 'self' file: 'unsafe-inline'",  # Plotly writes styles
    "img-src data: blob:",
    "font-src data:",
    "base-uri 'none'",
    "form-action 'none'",
)
"""What a browser may do with a page on disk; no directive names the network."""

RENEWING = "renew.js"
"""The script that only served pages have."""
_SHARED = ("page.css", "page.js", "sort.js", "draw.js")
_PLOTLY = "plotly.min.js"
_HERE = files("kernelmap.dashboard")


class Around(Struct, frozen=True, kw_only=True):
    """What stands around the sections of a page.

    `places` is where the other views lie, `static` what precedes the names of the style and the
    scripts, `titles` are those of the bar, `footer` ends the page. `mark` is what a browser that
    has this page sends along when it asks again; None where it has to be drawn anew.
    """

    places: html.Places
    static: str
    titles: Mapping[str, str]
    footer: Sequence[str] = ()
    mark: str | None = None


def render_page(page: Page, asked: Address, around: Around) -> str:
    """The page of an address as HTML."""
    has_charts = any(isinstance(section, Figure) for section in page.sections)
    return _template().render(
        page=page,
        sections=html.render_sections(page, around.places),
        version=VERSION,
        policy="; ".join(DISK_POLICY),
        bar=_bar(asked, around),
        home=around.places.view(Address()),
        charts=has_charts or page.waits,  # an answer that is awaited may be a chart
        footer=around.footer,
        places=around.places,
        static=around.static,
        mark=around.mark,
    )


def data_places(stem: str, section: Figure | PageTable) -> list[tuple[str, str]]:
    """The forms of a section's data, and where they lie beside the page on disk of that stem."""
    return [(form, f"data/{stem}.{section.id}.{form}") for form in MIMETYPES]


def shared_files() -> Mapping[str, str]:
    """The style and the scripts that all pages use, by name."""
    texts = {name: (html.STATIC / name).read_text("utf-8") for name in _SHARED}
    return {**texts, _PLOTLY: plotly_script()}


def served_files() -> Mapping[str, str]:
    """Those of served pages, by name."""
    return {**shared_files(), RENEWING: (_HERE / "static" / RENEWING).read_text("utf-8")}


@cache
def _template() -> jinja2.Template:
    here = _HERE / "templates"
    made = html.make_environment(
        jinja2.FunctionLoader(lambda name: (here / name).read_text("utf-8"))
    )
    made.tests["has_place"] = _has_place
    return made.get_template("page.html")


@jinja2.pass_context
def _has_place(context: jinja2.runtime.Context, to: Address) -> bool:
    """Whether a view is among the pages."""
    return context["places"].view(to) is not None


def _bar(asked: Address, around: Around) -> list[tuple[Link, bool]]:
    """A link per page at the top, with the choices that are made where there is such a view."""
    links = []
    for name, title in around.titles.items():
        # The choices of branch, device and tags are kept where such a view exists, as on disk not
        # all do.
        kept, bare = asked.on_page(name), Address(page=name)
        to = next((view for view in (kept, bare) if around.places.view(view)), None)
        if to is not None:
            links.append((Link(title, to), name == asked.page))
    return links
