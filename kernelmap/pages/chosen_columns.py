"""Rows of any table with chosen columns, for people: `--columns` and `--where` on a terminal.

The columns keep the names that files have; times, shares and bytes are written for reading.
"""

from __future__ import annotations

from kernelmap.model.notices import format_count
from kernelmap.pages.page import (
    CellKind,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
)
from kernelmap.pages.text import (
    ELLIPSIS,
    format_duration,
    format_percent,
    make_visible,
)
from kernelmap.tables.rows import Cell
from kernelmap.tables.selection import SelectedRows, Selection
from kernelmap.tables.table import Column, Type, Unit

_LEAST = 16  # characters to which a terminal may cut a text


def table_of_chosen(selected: SelectedRows) -> PageTable:
    """The rows; one more says how many that match are not shown."""
    columns = [selected.table.by_name[name] for name in selected.columns]
    rows = [
        PageRow(cells=tuple(_cell_text(column, row[column.name]) for column in columns))
        for row in selected.rows()
    ]
    more = selected.matching - selected.shown
    if more:
        blank = [""] * (len(columns) - 1)
        rows.append(PageRow(cells=(f"{ELLIPSIS} {more:,} more", *blank), dim=True, ours=True))
    return PageTable(
        title="",
        columns=tuple(
            PageColumn(
                name=column.name,
                kind=CellKind.TEXT if _is_text(column) else CellKind.NUMBER,
                least=_LEAST if _is_text(column) else None,
                rank=place,
            )
            for place, column in enumerate(columns)
        ),
        rows=tuple(rows),
        empty="No row matches.",
        ordered=True,
    )


def page_of_chosen(selected: SelectedRows, selection: Selection, title: str) -> Page:
    """The rows as a page of their own, with what was not shown of the table below them."""
    return Page(
        title=title, sections=(table_of_chosen(selected), *note_of_where(selected, selection))
    )


def note_of_where(selected: SelectedRows, selection: Selection) -> tuple[Note, ...]:
    """How many rows the condition means, and the time of all others; nothing without one."""
    if selection.where is None:
        return ()
    rows = format_count(selected.total, "row")
    said = f"{selected.matching:,} of {rows}: {selection.where.text}"
    if selected.left_out_ns:
        said += f"; rows that are not shown hold {format_duration(selected.left_out_ns)}"
    return (Note(lines=((make_visible(said),),)),)


def _is_text(column: Column) -> bool:
    return column.type in (Type.TEXT, Type.TEXTS)


def _cell_text(column: Column, cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, list):
        return make_visible(", ".join(cell))
    if isinstance(cell, str):
        return make_visible(cell)
    if column.unit is Unit.NS:
        return format_duration(cell)
    if column.unit is Unit.ONE:
        return format_percent(cell)
    return f"{cell:,.4g}" if isinstance(cell, float) else f"{cell:,}"
