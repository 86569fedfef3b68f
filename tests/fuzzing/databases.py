# ruff: noqa: S608 -- names of our own tables in statements of our own
"""Damage what stands in tables: in a SQLite file, and in a Parquet file."""

from __future__ import annotations

import io
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from pyarrow import parquet

Cell = int | float | str | bytes | None
_ODD: tuple[Cell, ...] = (None, 0, -1, 2**63 - 1, -(2**63), 2**40, 0.5, 1e308, -1e308, "", "x")
_ODD += ("9" * 30, "\x1b[31m", "a\nb", "\u202e", b"", b"\xff\xfe", b"\0" * 9, "x" * 5000)
_TYPES: tuple[Any, ...] = (pa.string(), pa.int8(), pa.int64(), pa.uint64(), pa.float32())
_TYPES += (pa.float64(), pa.bool_(), pa.binary(), pa.timestamp("ns"), pa.decimal128(38, 9))


def in_sqlite(data: bytes, chance: Random) -> bytes:
    """Change cells, columns and tables by SQL; the file as it is where SQLite refuses."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sqlite"
        path.write_bytes(data)
        try:
            with closing(sqlite3.connect(path)) as connection:
                for _ in range(chance.choice((1, 1, 3))):
                    _change(connection, chance)
                connection.commit()
        except (sqlite3.Error, ValueError, OverflowError):
            return data
        return path.read_bytes()


def _change(connection: sqlite3.Connection, chance: Random) -> None:
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master ORDER BY 1")]
    table = chance.choice(tables)
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    column, other = chance.choice(columns), chance.choice(columns)
    odd = chance.choice(_ODD)
    some = chance.choice(("", "WHERE rowid % 7 = 1", "WHERE rowid = 2"))
    statements: tuple[tuple[str, tuple[Cell, ...]], ...] = (
        (f'UPDATE "{table}" SET "{column}" = ? {some}', (odd,)),
        (f'UPDATE "{table}" SET "{column}" = ? {some}', (odd,)),
        (f'UPDATE "{table}" SET "{column}" = "{other}" {some}', ()),
        (f'UPDATE "{table}" SET "{column}" = -"{column}" {some}', ()),
        (f'UPDATE "{table}" SET "{column}" = CAST("{column}" AS TEXT) {some}', ()),
        (f'ALTER TABLE "{table}" DROP COLUMN "{column}"', ()),
        (f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "odd"', ()),
        (f'ALTER TABLE "{table}" ADD COLUMN made AS (zeroblob(99))', ()),
        (f'DELETE FROM "{table}" {some}', ()),
        (f'DROP TABLE "{table}"', ()),
        (f'ALTER TABLE "{table}" RENAME TO "odd"', ()),
        (f'INSERT INTO "{table}" SELECT * FROM "{table}" LIMIT 50', ()),
    )
    statement, values = chance.choice(statements)
    connection.execute(statement, values)


def in_parquet(data: bytes, chance: Random) -> bytes:
    """Change cells, types and columns; the file as it is where Arrow refuses."""
    try:
        table = parquet.read_table(io.BytesIO(data))
        table = chance.choice(_CHANGES)(table, chance)
        written = io.BytesIO()
        parquet.write_table(table, written)
    except (pa.ArrowException, ValueError, OSError, OverflowError, IndexError):
        return data
    return written.getvalue()


def _other_type(table: pa.Table, chance: Random) -> pa.Table:
    at = chance.randrange(table.num_columns)
    column = table.column(at).cast(chance.choice(_TYPES), safe=False)
    return table.set_column(at, table.column_names[at], column)


def _other_cells(table: pa.Table, chance: Random) -> pa.Table:
    at = chance.randrange(table.num_columns)
    column = table.column(at)
    cells = column.to_pylist()
    for _ in range(chance.choice((1, 3, len(cells)))):
        cells[chance.randrange(len(cells))] = chance.choice((None, 0, -1, 2**62, "x", "\x1b", 0.5))
    try:
        changed = pa.array(cells, type=column.type)
    except (pa.ArrowException, TypeError, OverflowError):
        changed = pa.array([None if cell is None else str(cell) for cell in cells])
    return table.set_column(at, table.column_names[at], changed)


def _without_column(table: pa.Table, chance: Random) -> pa.Table:
    return table.remove_column(chance.randrange(table.num_columns))


def _other_name(table: pa.Table, chance: Random) -> pa.Table:
    names = table.column_names
    names[chance.randrange(len(names))] = chance.choice(("", "odd", names[0]))
    return table.rename_columns(names)


def _other_rows(table: pa.Table, chance: Random) -> pa.Table:
    rows = [chance.randrange(table.num_rows) for _ in range(chance.choice((0, 1, 9)))]
    return table.take(pa.array(rows, type=pa.int64()))


_CHANGES: tuple[Callable[[pa.Table, Random], pa.Table], ...] = (
    _other_type,
    _other_cells,
    _other_cells,
    _without_column,
    _other_name,
    _other_rows,
)
