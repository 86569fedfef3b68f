"""CSV: one table, exact numbers, a header line; lists are joined with "; ", null is nothing."""

from __future__ import annotations

import csv
import io
from typing import BinaryIO

from kernelmap.views.frames import Cell, rows
from kernelmap.views.schema import TABLES
from kernelmap.views.tables import Tables


def write(tables: Tables, handle: BinaryIO, *, table: str) -> None:
    """Write one table to `handle` as UTF-8."""
    text = io.TextIOWrapper(handle, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(TABLES[table].by_name)
    for row in rows(TABLES[table], tables.frame(table)):
        writer.writerow([_cell(value) for value in row.values()])
    text.detach()


def dumps(tables: Tables, *, table: str) -> str:
    """One table as one text."""
    buffer = io.BytesIO()
    write(tables, buffer, table=table)
    return buffer.getvalue().decode()


def _cell(value: Cell) -> Cell:
    return "; ".join(value) if isinstance(value, list) else value
