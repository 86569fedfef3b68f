"""CSV: one table, exact numbers, a header line; lists are joined with "; ", null is nothing.

A text that a spreadsheet would run as a formula gets an apostrophe before it (docs/decisions/0011).
Numbers never do, and `original` takes the apostrophe off again.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, TextIO

from kernelmap.views.frames import Cell, Row, rows
from kernelmap.views.schema import TABLES
from kernelmap.views.table import Table
from kernelmap.views.tables import Tables

_ENDS = "\r\n"
_APOSTROPHE = "'"
_RUNS = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 -- spreadsheets read the wide signs alike
"""What a formula starts with in some spreadsheet."""


def write(tables: Tables, handle: BinaryIO, *, table: str) -> None:
    """Write one table to `handle` as UTF-8."""
    write_rows(handle, TABLES[table], rows(TABLES[table], tables.frame(table)))


def write_rows(handle: BinaryIO, table: Table, records: Iterable[Row]) -> None:
    """Write the header of `table`, and rows with its columns, to `handle` as UTF-8."""
    text = io.TextIOWrapper(handle, encoding="utf-8", newline="")
    write_cells(text, table.by_name, (row.values() for row in records))
    text.detach()


def write_cells(text: TextIO, header: Iterable[str], records: Iterable[Iterable[Cell]]) -> None:
    """Write a header and rows of any table; `text` leaves newlines as they are."""
    writer = csv.writer(_Rows(text), lineterminator=_ENDS)
    writer.writerow([_cell(name) for name in header])
    for row in records:
        writer.writerow([_cell(value) for value in row])


@dataclass(frozen=True, slots=True)
class _Rows:
    """Ends rows with a newline; told of both line ends, the writer quotes texts with either."""

    text: TextIO

    def write(self, row: str) -> int:
        """Take one whole row."""
        return self.text.write(row.removesuffix(_ENDS) + "\n")


def dumps(tables: Tables, *, table: str) -> str:
    """One table as one text."""
    buffer = io.BytesIO()
    write(tables, buffer, table=table)
    return buffer.getvalue().decode()


def original(text: str) -> str:
    """The text behind a cell of a text column.

    >>> [original(cell) for cell in ("'=1+1", "it's", "'quoted'", "''-x")]
    ['=1+1', "it's", "'quoted'", "'-x"]
    """
    return text[1:] if text.startswith(_APOSTROPHE) and _is_guarded(text) else text


def _cell(value: Cell) -> Cell:
    if isinstance(value, list):
        value = "; ".join(value)
    if isinstance(value, str) and _is_guarded(value):
        return _APOSTROPHE + value
    return value


def _is_guarded(text: str) -> bool:
    """Whether a formula starts here, perhaps behind apostrophes: those get one more."""
    return text.lstrip(_APOSTROPHE).startswith(_RUNS)
