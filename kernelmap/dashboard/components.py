"""A Page → Dash components. Texts become React's text nodes, so none of them is ever markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, TypeAlias

from dash import dcc, html

from kernelmap.dashboard.address import Address
from kernelmap.dashboard.chart_style import config
from kernelmap.dashboard.downloads import MIMETYPES
from kernelmap.dashboard.page import (
    Cell,
    Cells,
    Chart,
    Column,
    Form,
    Link,
    Menu,
    Page,
    Section,
    Table,
    Waiting,
    Words,
)

Component: TypeAlias = Any  # dash's components are generated classes


def page(found: Page, address: Address) -> Component:
    """Everything below the bar at the top."""
    return html.Div(
        [
            html.Div([_menu(each) for each in found.menus], className="menus"),
            html.H1(found.title, className="unseen"),
            *(section(each, address) for each in found.sections),
        ],
        className="page",
    )


@singledispatch
def section(found: Section, address: Address) -> Component:
    """One section of a page."""
    raise TypeError(found, address)


@section.register
def _(found: Words, _: Address) -> Component:
    lines = [html.P([_cell(each) for each in line]) for line in found.lines]
    title = [html.H2(found.title)] if found.title else []
    return html.Section([*title, *lines], className=f"card words {found.tone.value}")


@section.register
def _(found: Chart, address: Address) -> Component:
    figure = found.figure.update_layout(uirevision=address.href)
    height = figure.layout.height
    graph = dcc.Graph(
        id={"chart": found.id},
        figure=figure,
        config=config(figure),
        className="chart",
        style=None if height is None else {"height": f"{height}px"},
        responsive=True,
    )
    return html.Section([_head(found, address), graph], className="card")


@section.register
def _(found: Table, address: Address) -> Component:
    if not found.rows:
        body: Component = html.P(found.empty, className="dim")
    else:
        head = html.Tr([html.Th(c.name, className=_side(c)) for c in found.columns])
        rows = [
            html.Tr(
                [
                    html.Td(_cells(cell), className=_side(column))
                    for cell, column in zip(row.cells, found.columns, strict=True)
                ],
                className="dim" if row.dim else None,
            )
            for row in found.rows
        ]
        body = html.Div(
            html.Table([html.Thead(head), html.Tbody(rows)]), className="scroll", tabIndex="0"
        )
    return html.Section([_head(found, address), body], className="card")


@section.register
def _(found: Form, _: Address) -> Component:
    kept = [
        dcc.Input(type="hidden", name=name, value=value)
        for name, value in found.to.said.items()
        if name not in {each.name for each in found.fields}
    ]
    fields = [
        html.Label(
            [each.label, dcc.Input(name=each.name, value=each.value, autoComplete="off")],
        )
        for each in found.fields
    ]
    return html.Form(
        [*kept, *fields, html.Button(found.button, type="submit")],
        action=found.to.path,
        method="GET",
        className="card form",
    )


@section.register
def _(found: Waiting, _: Address) -> Component:
    known = found.of is not None
    bar = html.Progress(value=str(found.done), max=str(found.of)) if known else html.Progress()
    far = f" ({found.done} of {found.of})" if known else ""
    return html.Div([bar, f"{found.what}{far} …"], className="waiting", role="status")


def _head(found: Chart | Table, address: Address) -> Component:
    links = [
        html.A(form.upper(), href=data_href(address, found.id, form), className="download")
        for form in MIMETYPES
    ]
    return html.Header(
        [
            html.H2(found.title),
            html.Span(links, className="downloads", title="Download what is shown as data"),
            html.P([_cell(each) for each in found.about], className="dim") if found.about else None,
        ]
    )


def data_href(address: Address, section_id: str, form: str) -> str:
    """Where the frame of a section is downloaded."""
    return f"/data/{section_id}.{form}{address.href}"


def _menu(found: Menu) -> Component:
    options = [
        html.Li(
            dcc.Link(
                each.text, href=each.to.href, className="now" if each.text == found.chosen else None
            )
        )
        for each in found.options
    ]
    summary = html.Summary([html.Span(found.label, className="dim"), " ", found.chosen])
    return html.Details([summary, html.Ul(options)], className="menu", key=found.label)


def _cells(cells: Cells) -> Component:
    return [_cell(each) for each in cells] if isinstance(cells, tuple) else _cell(cells)


def _cell(cell: Cell) -> Component:
    if isinstance(cell, Link):
        if cell.leaves:
            return html.A(cell.text, href=cell.to.href, title=cell.title)
        return dcc.Link(cell.text, href=cell.to.href, title=cell.title)
    return cell


def _side(column: Column) -> str | None:
    return "number" if column.number else "whole" if column.whole else None


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
