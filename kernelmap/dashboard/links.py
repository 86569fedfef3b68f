"""The views that a page leads to: its menus, then its links, then the points of its charts.

Left out: points that stand for runs, of which a chart has hundreds, and files of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernelmap.dashboard.address import Address, address
from kernelmap.dashboard.page import Cell, Cells, Chart, Link, Page, Section, Table, Words

_FOLLOWED = "/compare?"


def links(page: Page) -> Iterator[Address]:
    """The addresses, in the page's order; one that stands there twice comes twice."""
    for menu in page.menus:
        yield from (option.to for option in menu.options)
    for section in page.sections:
        for cell in _cells(section):
            if isinstance(cell, Link) and not cell.leaves:
                yield cell.to
    for section in page.sections:
        if isinstance(section, Chart):
            yield from _of_points(section)


def _cells(section: Section) -> Iterator[Cell]:
    """All that stands in a section, texts among it."""
    if isinstance(section, Chart | Table):
        yield from section.about
    if isinstance(section, Table):
        for row in section.rows:
            for cells in row.cells:
                yield from _each(cells)
    elif isinstance(section, Words):
        for line in section.lines:
            yield from line


def _each(cells: Cells) -> tuple[Cell, ...]:
    return cells if isinstance(cells, tuple) else (cells,)


def _of_points(chart: Chart) -> Iterator[Address]:
    for trace in chart.figure.data:
        if trace.customdata is None:
            continue
        for href in trace.customdata:
            if isinstance(href, str) and href.startswith(_FOLLOWED):
                yield address(*href.split("?", 1))
