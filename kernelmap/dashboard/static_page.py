"""The frame around a page on disk: the bar, the menus and the policy of the live dashboard.

Takes a page and where other views lie, gives HTML that opens without a network; outputs/html.py
draws the sections. What is not on disk keeps its words and loses its link. The same page gives the
same text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import jinja2
from msgspec import Struct

from kernelmap.outputs import html
from kernelmap.outputs.csv import MIMETYPES
from kernelmap.present.address import Address
from kernelmap.present.page import Figure, Link, Page, Table
from kernelmap.version import VERSION

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


class Around(Struct, frozen=True, kw_only=True):
    """Where the other views lie, the bar's titles, and what ends each page."""

    places: html.Places
    titles: Mapping[str, str]
    footer: Sequence[str]


def render(page: Page, asked: Address, around: Around) -> str:
    """The page of an address as HTML."""
    return _template().render(
        page=page,
        sections=html.sections(page, around.places),
        version=VERSION,
        policy="; ".join(POLICY),
        bar=_bar(asked, around),
        charts=any(isinstance(section, Figure) for section in page.sections),
        footer=around.footer,
        place_of=around.places.view,
    )


def data_places(stem: str, section: Figure | Table) -> list[tuple[str, str]]:
    """The forms of a section's data, and where they lie beside the page of that stem."""
    return [(form, f"data/{stem}.{section.id}.{form}") for form in MIMETYPES]


@cache
def _template() -> jinja2.Template:
    here = files("kernelmap.dashboard") / "disk"
    made = html.environment(jinja2.FunctionLoader(lambda name: (here / name).read_text("utf-8")))
    made.tests["on_disk"] = _is_on_disk
    return made.get_template("page.html")


@jinja2.pass_context
def _is_on_disk(context: jinja2.runtime.Context, to: Address) -> bool:
    """Whether a view is among the pages."""
    return context["place_of"](to) is not None


def _bar(asked: Address, around: Around) -> list[tuple[Link, bool]]:
    """A link per page at the top, with the choices that are made where such a view is on disk."""
    links = []
    for name, title in around.titles.items():
        kept, bare = asked.on(name), Address(page=name)
        to = next((view for view in (kept, bare) if around.places.view(view)), None)
        if to is not None:
            links.append((Link(title, to), name == asked.page))
    return links
