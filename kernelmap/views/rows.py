"""Tables as rows of plain cells, and frames of them where one is asked for.

Takes records with a table's columns, gives rows that hold to schema.py. Standard library only: a
table that is made row by row loads pandas and pyarrow where a frame of it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from kernelmap.model.source import row_name
from kernelmap.views.schema import TABLES
from kernelmap.views.table import Table, Type

if TYPE_CHECKING:  # heavy: loaded when a frame is first asked for
    import pandas as pd

Cell: TypeAlias = int | float | str | list[str] | None
Row: TypeAlias = dict[str, Cell]


def rows_of(table: Table, records: Sequence[Mapping[str, Cell]]) -> list[Row]:
    """The rows that `frames.rows` gives for a frame of `records`, without a frame.

    Raises KeyError where a record lacks a column, ValueError where one is null without leave.
    """
    made: list[Row] = [{} for _ in records]
    for name, column in table.by_name.items():
        as_cell = _CELLS[column.type]
        for row, record in zip(made, records, strict=True):
            value = record[name]
            if value is None and not column.nullable:
                raise ValueError(f"{table.name}.{name}: null in a column that has none")
            row[name] = None if value is None else as_cell(value)
    return made


Columns: TypeAlias = Mapping[str, Sequence[Cell]]


def rows_of_columns(table: Table, columns: Columns) -> list[Row]:
    """The same for columns; they are equally long and hold cells of the right types."""
    for name, column in table.by_name.items():
        if not column.nullable and None in columns[name]:
            raise ValueError(f"{table.name}.{name}: null in a column that has none")
    names = tuple(table.by_name)
    cells = zip(*(columns[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in cells]


class Frames(Mapping[str, "pd.DataFrame"]):
    """Frames by the names of their tables, each made of its rows when it is first asked for.

    `later` makes the columns of further tables, when they are first asked for.
    """

    def __init__(
        self,
        rows: Mapping[str, Sequence[Row]],
        later: Mapping[str, Callable[[], Columns]] | None = None,
    ) -> None:
        self._rows = dict(rows)
        self._later = later or {}
        self._columns: dict[str, Columns] = {}
        self._made: dict[str, pd.DataFrame] = {}

    def columns(self, name: str) -> Columns:
        """The cells of a table by column; KeyError where there is none of that name."""
        if name not in self._columns:
            # Tables that are made later have columns first and rows on demand; all others have rows
            # first.
            if name in self._later and name not in self._rows:
                self._columns[name] = self._later[name]()
            else:
                rows = self._rows[name]
                self._columns[name] = {it: [row[it] for row in rows] for it in TABLES[name].by_name}
        return self._columns[name]

    def rows(self, name: str) -> Sequence[Row]:
        """The rows of a table; KeyError where there is none of that name."""
        if name not in self._rows:
            self._rows[name] = rows_of_columns(TABLES[name], self.columns(name))
        return self._rows[name]

    def __getitem__(self, name: str) -> pd.DataFrame:
        """The frame of a table."""
        if name not in self._made:
            from kernelmap.views.frames import frame_of_rows

            self._made[name] = frame_of_rows(TABLES[name], self.rows(name))
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is such a table; makes no frame."""
        return name in self._rows or name in self._later

    def __iter__(self) -> Iterator[str]:
        """The names of the tables."""
        return iter(dict.fromkeys((*self._rows, *self._later)))

    def __len__(self) -> int:
        """How many tables there are."""
        return len(list(iter(self)))


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
    return text.encode("utf-8", "backslashreplace").decode()


_CELLS: Mapping[Type, Callable[[Any], Cell]] = {
    Type.INT: int,
    Type.FLOAT: float,
    Type.TEXT: escape_unsound,
    Type.TEXTS: lambda texts: [escape_unsound(text) for text in texts],
}
