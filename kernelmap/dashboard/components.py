"""A Page → Dash components. Texts become React's text nodes, so none of them is ever markup."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, TypeAlias

from dash import dcc, html

from kernelmap.outputs.csv import MIMETYPES
from kernelmap.outputs.figures import config
from kernelmap.outputs.html import is_long, row_style, style_of
from kernelmap.present.address import Address
from kernelmap.present.page import (
    Bar,
    Cell,
    Cells,
    Code,
    Column,
    Facts,
    Figure,
    Form,
    Link,
    Menu,
    Note,
    Page,
    Points,
    Section,
    Sum,
    Table,
    Waiting,
    plain,
)
from kernelmap.present.text import visible

Component: TypeAlias = Any  # dash's components are generated classes


def page(shown: Page, address: Address) -> Component:
    """Everything below the bar at the top."""
    return html.Div(
        [
            html.Div([_menu(menu) for menu in shown.menus], className="menus"),
            html.H1(visible(shown.title), className="unseen"),
            *(section(part, address) for part in shown.sections),
        ],
        className="page",
    )


@singledispatch
def section(shown: Section, address: Address) -> Component:
    """One section of a page."""
    raise TypeError(shown, address)


@section.register
def _(shown: Note, _: Address) -> Component:
    lines = [html.P([_cell(cell) for cell in line]) for line in shown.lines]
    title = [html.H2(visible(shown.title))] if shown.title else []
    return html.Section([*title, *lines], className=f"card words {shown.tone.value}")


@section.register
def _(shown: Points, _: Address) -> Component:
    lines = [html.Li(visible(text), className=f"depth-{depth}") for depth, text in shown.lines]
    title = [html.H2(visible(shown.title))] if shown.title else []
    return html.Section([*title, html.Ul(lines)], className="card words")


@section.register
def _(shown: Code, _: Address) -> Component:
    text = "\n".join(map(visible, shown.lines))
    return html.Section(html.Pre(text), className="card")


@section.register
def _(shown: Facts | Sum, _: Address) -> Component:
    return html.P(visible(shown.text), className="dim")


@section.register
def _(shown: Figure, address: Address) -> Component:
    figure = shown.plot.update_layout(uirevision=address.href)
    height = figure.layout.height
    graph = dcc.Graph(
        id={"chart": shown.id},
        figure=figure,
        config=config(figure),
        className="chart named" if figure.layout.xaxis.ticktext else "chart",
        style=None if height is None else {"height": f"{height}px"},
        responsive=True,
    )
    return html.Section([_head(shown, address), graph], className="card")


@section.register
def _(shown: Table, address: Address) -> Component:
    if not shown.rows:
        body: Component = html.P(shown.empty, className="dim")
    else:
        head = html.Tr([_th(column, sorts=shown.sorts) for column in shown.columns])
        rows = [
            html.Tr(
                [_td(cell, column) for cell, column in zip(row.cells, shown.columns, strict=True)],
                className=row_style(row),
            )
            for row in shown.rows
        ]
        body = html.Div(
            html.Table(
                [html.Thead(head), html.Tbody(rows)],
                className="labelled sorts" if shown.sorts else "labelled",
                key=_digest(shown),
            ),
            className="scroll",
            tabIndex="0",
        )
    notes = [html.P(c.about, className="dim") for c in shown.columns if c.about]
    if shown.folded:
        folded = html.Details([html.Summary(shown.title), body, *notes])
        return html.Section([folded], className="card")
    style = "card" if shown.rows else "card none"
    return html.Section([_head(shown, address), body, *notes], className=style)


@section.register
def _(shown: Form, _: Address) -> Component:
    kept = [
        dcc.Input(type="hidden", name=name, value=value)
        for name, value in shown.to.said.items()
        if name not in {field.name for field in shown.fields}
    ]
    fields = [
        html.Label(
            [field.label, dcc.Input(name=field.name, value=field.value, autoComplete="off")],
        )
        for field in shown.fields
    ]
    return html.Form(
        [*kept, *fields, html.Button(shown.button, type="submit")],
        action=shown.to.path,
        method="GET",
        className="card form",
    )


@section.register
def _(shown: Waiting, _: Address) -> Component:
    has_total = shown.of is not None
    bar = html.Progress(value=str(shown.done), max=str(shown.of)) if has_total else html.Progress()
    far = f" ({shown.done} of {shown.of})" if has_total else ""
    return html.Div([bar, f"{shown.what}{far} …"], className="waiting", role="status")


def _head(shown: Figure | Table, address: Address) -> Component:
    links = [
        html.A(form.upper(), href=data_href(address, shown.id, form), className="download")
        for form in (MIMETYPES if shown.id else ())
    ]
    return html.Header(
        [
            html.H2(visible(shown.title)),
            html.Span(links, className="downloads", title="Download what is shown as data"),
            html.P([_cell(cell) for cell in shown.about], className="dim") if shown.about else None,
        ]
    )


def data_href(address: Address, section_id: str, form: str) -> str:
    """Where the frame of a section is downloaded."""
    return f"/data/{section_id}.{form}{address.href}"


def _menu(menu: Menu) -> Component:
    options = [
        html.Li(
            dcc.Link(
                option.text,
                href=option.to.href,
                className="now" if option.text == menu.chosen else None,
            )
        )
        for option in menu.options
    ]
    summary = html.Summary([html.Span(menu.label, className="dim"), " ", menu.chosen])
    return html.Details([summary, html.Ul(options)], className="menu", key=menu.label)


def _digest(shown: Table) -> str:
    """What a table says, in short: where that changes, the browser makes it anew, unsorted."""
    said = repr([[plain(cell) for cell in row.cells] for row in shown.rows])
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _th(column: Column, *, sorts: bool) -> Component:
    """A heading; a button where its column can be sorted by, which sort.js does."""
    name = html.Button(column.name, type="button") if sorts and column.name else column.name
    return html.Th(name, className=style_of(column))


def _td(cell: Cells, column: Column) -> Component:
    """A cell that knows its heading: on a phone it stands beside it."""
    attributes: dict[str, Any] = {"data-label": column.name}
    return html.Td(_cells(cell), className=style_of(column), **attributes)


def _cells(cells: Cells) -> Component:
    if isinstance(cells, str) and is_long(cells):
        return html.Details(html.Summary(visible(cells)), className="long")
    if isinstance(cells, Bar):
        if cells.end <= cells.start:
            return None
        wide = {"marginLeft": f"{cells.start:.2%}", "width": f"{cells.end - cells.start:.2%}"}
        broken = " broken" if cells.broken else ""
        return html.Span(className=f"bar {cells.tone.value}{broken}", style=wide)
    return [_cell(cell) for cell in cells] if isinstance(cells, tuple) else _cell(cells)


def _cell(cell: Cell) -> Component:
    if isinstance(cell, Link) and cell.url is not None:
        return html.A(visible(cell.text), href=cell.url, title=cell.title, rel="noreferrer")
    if isinstance(cell, Link):
        way = html.A if cell.leaves else dcc.Link
        return way(visible(cell.text), href=cell.to.href, title=cell.title)
    return visible(cell)


def bar(titles: Mapping[str, str], address: Address) -> Sequence[Component]:
    """The links to the pages, that of `address` marked."""
    return [
        dcc.Link(
            title,
            href=address.on(name).href,
            className="now" if name == address.page else None,
        )
        for name, title in titles.items()
    ]
