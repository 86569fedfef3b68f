"""SQLite exports as `Tables`: opened to read only, and nothing is written beside them.

`immutable=1` keeps SQLite from locking the file and from making a -wal, -shm or -journal. It also
keeps it from seeing what another program is just writing, so a file with such a companion is not
read. Numbers come as one text per column and stretch of rows: SQLite makes it and numpy reads it
in C, which takes a quarter of the time of rows as Python tuples, and SQLite works beside Python's
lock, so stretches are made by several threads. All of it is integer arithmetic.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import NoneType

import numpy as np

from kernelmap.errors import KernelmapError
from kernelmap.model.trace import Int
from kernelmap.traces.nsys_tables import EXPORT_AGAIN, absent

MAGIC = b"SQLite format 3\0"
_HEADER = 100
_STRETCH = 1 << 17  # rows whose numbers are in memory as text at a time
_THREADS = min(4, os.cpu_count() or 1)
_COMPANIONS = ("-journal", "-wal")

_Row = tuple[int, Sequence[bytes]]
"""How many rows a stretch has, and the numbers of each column as text."""


class SqliteTables:
    """An open export; made by `opened`."""

    def __init__(self, source: str, address: str, connection: sqlite3.Connection) -> None:
        self.source = source
        self._address = address
        self._connection = connection
        connection.text_factory = bytes

    @cached_property
    def names(self) -> frozenset[str]:
        """The tables there are."""
        found = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return frozenset(name.decode("utf-8", "replace") for (name,) in found)

    def columns(self, table: str) -> frozenset[str]:
        """The columns of `table`; none without such a table."""
        if table not in self.names:
            return frozenset()
        rows = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return frozenset(name.decode("utf-8", "replace") for (name,) in rows)

    def integers(self, table: str, columns: Sequence[str]) -> dict[str, Int]:
        """See `Tables`."""
        there = [column for column in columns if column in self.columns(table)]
        lists = ", ".join(f'group_concat(ifnull("{column}", -1))' for column in there)
        parts: list[list[Int]] = [[] for _ in there]
        rows = 0
        select = f"SELECT count(*){', ' if there else ''}{lists}"
        for count, texts in self._each(f"{select} {where}" for where in self._stretches(table)):
            rows += count
            for column, part, text in zip(there, parts, texts, strict=True):
                if count:
                    part.append(self._numbers(text, count, f"{table}.{column}"))
        found = {
            column: np.concatenate(part) if part else absent(0)
            for column, part in zip(there, parts, strict=True)
        }
        return {column: found.get(column, absent(rows)) for column in columns}

    def texts(self, table: str, column: str) -> list[bytes | None]:
        """See `Tables`."""
        found: list[bytes | None] = []
        for where in self._stretches(table):
            rows = self._connection.execute(f'SELECT "{column}" {where}')
            found.extend(chain.from_iterable(rows))
        if not {bytes, NoneType}.issuperset(map(type, found)):
            raise self._wrong(f"{table}.{column} holds values that are no texts")
        return found

    def _each(self, queries: Iterable[str]) -> Iterator[_Row]:
        """What each query gives, in order; a few are worked on at a time."""
        ahead: deque[Future[_Row]] = deque()
        with ThreadPoolExecutor(_THREADS) as pool:
            for query in queries:
                ahead.append(pool.submit(self._row, query))
                if len(ahead) > _THREADS:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def _row(self, query: str) -> _Row:
        with closing(sqlite3.connect(self._address, uri=True)) as connection:
            connection.text_factory = bytes
            count, *texts = connection.execute(query).fetchone()
            return count, texts

    def _stretches(self, table: str) -> Iterator[str]:
        """The FROM and WHERE of stretches that hold each row of `table` once.

        Without indexes, which a user may have added: they would change the order of the rows.
        """
        source = f'FROM "{table}" NOT INDEXED'
        first, last = self._connection.execute(f"SELECT min(rowid), max(rowid) {source}").fetchone()
        while first is not None:
            end = first + _STRETCH
            yield f"{source} WHERE rowid >= {first} AND rowid < {end}"
            if end > last:
                return
            query = f"SELECT min(rowid) {source} WHERE rowid >= {end}"
            (first,) = self._connection.execute(query).fetchone()

    def _numbers(self, text: bytes, count: int, what: str) -> Int:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            try:
                numbers = np.fromstring(text, dtype=np.int64, sep=",")
            except (DeprecationWarning, ValueError) as error:
                raise self._wrong(f"{what} holds values that are no whole numbers") from error
        if len(numbers) != count or _saturated(numbers, text):
            raise self._wrong(f"{what} holds values that are no whole numbers")
        return numbers

    def _wrong(self, what: str) -> KernelmapError:
        return KernelmapError("nsys-damaged", f"{self.source}: {what}", EXPORT_AGAIN)


@contextmanager
def opened(path: Path, source: str | None = None) -> Iterator[SqliteTables]:
    """The export at `path`; KernelmapError where it is damaged or just being written.

    `source` is how messages name it, by default the path.
    """
    _check(path)
    address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            yield SqliteTables(source or str(path), address, connection)
    except sqlite3.Error as error:
        raise KernelmapError(
            "nsys-damaged", f"{path} cannot be read as SQLite: {error}", EXPORT_AGAIN
        ) from error


def is_sqlite(path: Path) -> bool:
    """Whether `path` is a file that begins as SQLite databases do."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def _saturated(numbers: Int, text: bytes) -> bool:
    """Whether a text that was too long for 64 bits was read as the largest number there is."""
    limits = np.iinfo(np.int64)
    if not np.isin(numbers, (limits.min, limits.max)).any():
        return False
    read: list[int] = numbers.tolist()
    return read != [int(each) for each in text.split(b",")]


def _check(path: Path) -> None:
    """KernelmapError where the file is shorter than it says, or a writer has not finished."""
    with path.open("rb") as file:
        header = file.read(_HEADER)
    page = int.from_bytes(header[16:18], "big")
    page = 65536 if page == 1 else page
    pages = int.from_bytes(header[28:32], "big")
    # The count of pages holds only if the change counter beside it was written with it.
    current = header[24:28] == header[92:96]
    size = path.stat().st_size
    if len(header) < _HEADER or (current and size < page * pages):
        raise KernelmapError(
            "nsys-damaged",
            f"{path} is cut off: {size} bytes of {page * pages or 'more'}",
            EXPORT_AGAIN,
        )
    for companion in (path.with_name(path.name + suffix) for suffix in _COMPANIONS):
        if companion.exists() and companion.stat().st_size:
            raise KernelmapError(
                "nsys-being-written",
                f"{path} is being written: {companion.name} lies beside it",
                "Wait until nsys has finished, or close the program that has the file open.",
            )
