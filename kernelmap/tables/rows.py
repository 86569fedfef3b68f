"""Tables as rows of plain cells: records with a table's columns → rows that hold to schema.py.

Standard library only: a table that is made row by row needs neither pandas nor pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from kernelmap.model.source import row_name
from kernelmap.tables.table import Table, Type

Cell: TypeAlias = int | float | str | list[str] | None
Row: TypeAlias = dict[str, Cell]


def rows_of(table: Table, records: Sequence[Mapping[str, Cell]]) -> list[Row]:
    """The rows that `frames.rows` gives for a frame of `records`, without a frame.

    Raises KeyError where a record lacks a column, ValueError where one is null without leave.
    """
    columns: dict[str, list[Cell]] = {}
    for name, column in table.by_name.items():
        as_cell = _CELLS[column.type]
        values = [record[name] for record in records]
        columns[name] = [None if value is None else as_cell(value) for value in values]
    return rows_of_columns(table, columns)


Columns: TypeAlias = Mapping[str, Sequence[Cell]]


def rows_of_columns(table: Table, columns: Columns) -> list[Row]:
    """The same for columns; they are equally long and hold cells of the right types."""
    for name, column in table.by_name.items():
        if not column.nullable and None in columns[name]:
            raise ValueError(f"{table.name}.{name}: null in a column that has none")
    names = tuple(table.by_name)
    cells = zip(*(columns[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in cells]


def whole_number(row: Row, name: str) -> int:
    """A whole number of a row, 0 where it is missing."""
    value = row[name]
    return value if isinstance(value, int) else 0


def name_of_line(row: Mapping[str, object]) -> str:
    """What a row of the table of lines is called: `model.py:12`, or `in forward (model.py:9)`."""
    line, entered = row["line"], row["function_line"]
    return row_name(
        str(row["file"]),
        line if isinstance(line, int) else None,
        None if row["code"] is None else str(row["code"]),
        entered if isinstance(entered, int) else None,
    )


def whole_numbers(cells: Sequence[Cell]) -> list[int]:
    """Whole numbers of a column, 0 where one is missing."""
    return [cell if isinstance(cell, int) else 0 for cell in cells]


def escape_unsound(text: str) -> str:
    """The text with escapes for what UTF-8 cannot hold."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()


_CELLS: Mapping[Type, Callable[[Any], Cell]] = {
    Type.INT: int,
    Type.FLOAT: float,
    Type.TEXT: escape_unsound,
    Type.TEXTS: lambda texts: [escape_unsound(text) for text in texts],
}
