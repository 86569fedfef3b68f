"""Parquet: one file per table, and back.

Column types, units and meanings come from schema.py and stand in every file; so do the summary and
the notices (as JSON, in the file's own metadata), so a single file says where it is from. pandas
reads the nullable types back; lists arrive there as arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO

import msgspec
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec.structs import replace

from kernelmap.errors import KernelmapError
from kernelmap.model import Notice
from kernelmap.model.savings import Savings
from kernelmap.tables.build import Tables, adding_up
from kernelmap.tables.configuration import Configuration
from kernelmap.tables.frames import (
    ARROW,
    Array,
    arrays_of_rows,
    arrow_of,
    field_of,
    frame_of,
    frame_of_rows,
)
from kernelmap.tables.json import encode_json
from kernelmap.tables.later_frames import Frames
from kernelmap.tables.schema import LATER, LEDGER, LONG, TABLES, WALL
from kernelmap.tables.summary import Summary
from kernelmap.tables.table import Table, Type

FORMAT = b"kernelmap.correlation"
VERSION = b"1"
_CONFIGURATION = b"kernelmap.configuration"
_OF_RESULT = (b"kernelmap.summary", b"kernelmap.notices")


def write_parquet(tables: Tables, handle: BinaryIO, *, table: str) -> None:
    """Write one table to `handle`."""
    pq.write_table(_arrow_table(tables, TABLES[table]), handle, compression="zstd")


def read_parquet(folder: Path) -> Tables:
    """The tables of a folder that holds one file per table; raises KernelmapError otherwise.

    Tables that other results left in the folder are not mixed with these: every file says whose it
    is. Only the long tables may be missing; they are read when they are asked for.
    """
    with _with_clear_errors(folder):
        # The ledger is always there; it says which result the folder holds, and each file has to
        # say the same.
        about = _read_about(TABLES["ledger"], folder)
        there = {table.name for table in TABLES.values() if _path_of_table(table, folder).is_file()}
        long = {name: TABLES[name] for name in LONG if name in there}
        for table in TABLES.values():
            if table.name not in (*LONG, *LATER) or table.name in there:
                _check_same_result(_read_about(table, folder), about, table)
        make = {name: partial(_read_later, table, folder) for name, table in long.items()}
        tables = Tables(
            summary=msgspec.json.decode(about[b"kernelmap.summary"], type=Summary),
            frames={
                table.name: _read_table(table, folder)
                if table.name in there or table.name not in LATER
                else frame_of_rows(table, ())
                for table in TABLES.values()
                if table.name not in LONG
            },
            without=tuple(name for name in LATER if name not in there),
            notices=msgspec.json.decode(about[b"kernelmap.notices"], type=tuple[Notice, ...]),
            make_launches=make.get("launches"),
            make_invocations=make.get("invocations"),
            find_savings=partial(_read_savings, folder) if WALL.name in there else None,
            find_configuration=partial(_read_configuration, about),
        )
        return adding_up(tables)


def _arrow_table(tables: Tables, table: Table) -> Array:
    schema = pa.schema([field_of(column) for column in table.columns])
    made = pa.table(_arrays_of_table(tables, table), schema=schema)
    about = {
        b"kernelmap.format": FORMAT,
        b"kernelmap.version": VERSION,
        b"kernelmap.table": table.name.encode(),
        b"kernelmap.summary": msgspec.json.encode(tables.summary),
        b"kernelmap.notices": msgspec.json.encode(tables.notices),
    }
    if table is LEDGER and tables.configuration.is_stated:
        about[_CONFIGURATION] = encode_json(tables.configuration)
    if table is WALL:
        about[b"kernelmap.savings"] = encode_json(tables.savings)
    return made.replace_schema_metadata({**_pandas_types(table.name), **about})


def _arrays_of_table(tables: Tables, table: Table) -> list[Array]:
    """The columns of a table, without a frame of pandas between where there is none yet."""
    if isinstance(tables.frames, Frames) and table.name in tables.frames:
        return list(arrays_of_rows(table, tables.frames.rows(table.name)).values())
    frame = tables.frame(table.name)
    return [arrow_of(column, frame[column.name]) for column in table.columns]


@cache
def _pandas_types(name: str) -> Mapping[bytes, bytes]:
    """What pandas needs to read a table's nullable types back: the same for all of its frames.

    It has no name for Arrow lists that it could read, so lists are declared as objects.
    """
    table = TABLES[name]
    # An empty frame is enough: only its types are asked for.
    lists = {column.name: object for column in table.columns if column.type is Type.TEXTS}
    frame = frame_of_rows(table, ()).astype(lists)
    return dict(pa.Table.from_pandas(frame, preserve_index=False).schema.metadata)


def _path_of_table(table: Table, folder: Path) -> Path:
    return folder / f"{table.name}.parquet"


@contextmanager
def _with_clear_errors(folder: Path) -> Iterator[None]:
    """Make whatever comes up where a file is none of ours one clear error."""
    try:
        yield
    except (OSError, KeyError, ValueError, pa.ArrowException, msgspec.DecodeError) as error:
        raise KernelmapError(
            "not-a-correlation",
            f"{folder} is no folder of tables that kernelmap saved: {error}",
            "Give a folder that `correlate` wrote with -o.",
        ) from error


def _read_savings(folder: Path) -> Savings | None:
    """What stands beside the wall time; earlier versions wrote nothing there."""
    with _with_clear_errors(folder):
        saved = _read_about(WALL, folder).get(b"kernelmap.savings")
        savings = None if saved is None else msgspec.json.decode(saved, type=Savings | None)
        return savings and replace(savings, command="")


def _read_configuration(about: Mapping[bytes, bytes]) -> Configuration:
    """What stands beside the ledger; earlier versions wrote nothing there."""
    saved = about.get(_CONFIGURATION)
    return Configuration() if saved is None else msgspec.json.decode(saved, type=Configuration)


def _read_later(table: Table, folder: Path) -> pd.DataFrame:
    with _with_clear_errors(folder):
        return _read_table(table, folder)


def _read_table(table: Table, folder: Path) -> pd.DataFrame:
    """One table; a column that a file of an earlier kernelmap lacks is null where it may be."""
    stored = pq.read_table(_path_of_table(table, folder))
    # A column that may not be null has to be in the file: without it the frame is refused.
    absent = {
        column.name: pa.nulls(len(stored), ARROW[column.type])
        for column in table.columns
        if column.nullable and column.name not in stored.column_names
    }
    there = {name: stored.column(name) for name in table.by_name if name not in absent}
    return frame_of(table, there | absent)


def _read_about(table: Table, folder: Path) -> Mapping[bytes, bytes]:
    about: Mapping[bytes, bytes] = pq.read_schema(_path_of_table(table, folder)).metadata or {}
    if about.get(b"kernelmap.format") != FORMAT or about.get(b"kernelmap.version") != VERSION:
        raise ValueError(f"the table {table.name} is of another format or version")
    return about


def _check_same_result(
    metadata: Mapping[bytes, bytes], about: Mapping[bytes, bytes], table: Table
) -> None:
    same = all(metadata.get(key) == about.get(key) for key in _OF_RESULT)
    if not same or metadata.get(b"kernelmap.table") != table.name.encode():
        raise ValueError(f"the table {table.name} is of another result than the ledger")
