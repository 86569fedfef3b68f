"""The tables of SQLite files that profilers write, bounded; nothing is written beside them.

Columns are asked for by name, because exports insert new ones in the middle and users add their
own; a column that the table lacks is all -1. Rows come in one order however often a table is asked,
but in no order that means anything.

`immutable=1` keeps SQLite from locking the file and from making a -wal, -shm or -journal. It also
keeps it from seeing what another program is just writing, so a file with such a companion is not
read. SQLite hands over a stretch of rows as one text per column, which numpy reads: that is faster
than one value at a time, and integer arithmetic throughout.
A file gives what is stored in it, once: columns that are computed from others, and pages that lead
to each other again and again, would make gigabytes of a few pages, so they are errors.
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from types import NoneType

import numpy as np
from msgspec import Struct

from kernelmap.errors import KernelmapError
from kernelmap.model.paths import open_file
from kernelmap.model.trace import NONE, Bool, Int
from kernelmap.traces.columns import absent

_ROWID = "rowid"
_HEADER = 100  # bytes at the start of a SQLite file that describe it
_STRETCH = 1 << 17  # rows whose numbers are in memory as text at a time
_COMPANIONS = ("-journal", "-wal")
_STEPS = 10_000  # of SQLite's machine between two looks at how many there were
_STEPS_PER_BYTE, _STEPS_ANYWAY = 64, 50_000_000  # a row of few bytes takes some steps per column
_LONGEST = 64 << 20  # bytes of one value
_COMPUTED = 2  # in pragma_table_xinfo: a generated column that is not stored


class SqliteForm(Struct, frozen=True, kw_only=True):
    """One kind of file: the program that writes it, and how to have it written again.

    `damaged` and `being_written` make an error of a message and a hint: each kind has its slugs.
    """

    writer: str
    again: str
    damaged: Callable[[str, str], KernelmapError]
    being_written: Callable[[str, str], KernelmapError]

    def make_damaged_error(self, message: str) -> KernelmapError:
        """The error for a file that cannot be believed."""
        return self.damaged(message, self.again)

    def make_writing_error(self, message: str) -> KernelmapError:
        """The error for a file that is not finished."""
        return self.being_written(
            message,
            f"Wait until {self.writer} has finished, or close the program that has the file open.",
        )


class Unreadable:
    """Numbers of rows by table."""

    def __init__(self) -> None:
        self._rows: dict[str, set[int]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    def note(self, table: str, rows: Iterable[int]) -> None:
        """Add rows of `table`."""
        self._rows.setdefault(table, set()).update(rows)

    def of(self, table: str) -> list[int]:
        """The rows of `table`, in order."""
        return sorted(self._rows.get(table, ()))

    @property
    def tables(self) -> list[str]:
        """The tables that have such rows."""
        return sorted(table for table, rows in self._rows.items() if rows)


class SqliteTables:
    """An open file; made by `open_tables`.

    `source` is how messages name it, `form` what they say of it; `unreadable` are the rows that
    were met so far in which a value is of another type than its column's.
    """

    def __init__(
        self, source: str, path: Path, connection: sqlite3.Connection, form: SqliteForm
    ) -> None:
        self.source = source
        self.form = form
        self.unreadable = Unreadable()
        self._connection = connection
        connection.text_factory = bytes
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        self._size = path.stat().st_size
        self._steps = 0
        connection.set_progress_handler(self._is_endless, _STEPS)

    @cached_property
    def names(self) -> frozenset[str]:
        """The tables there are, without views."""
        select = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
        return frozenset(_text(name) for (name,) in self._connection.execute(select))

    def columns(self, table: str) -> frozenset[str]:
        """The columns of `table`; none without such a table."""
        if table not in self.names:
            return frozenset()
        rows = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return frozenset(_text(name) for (name,) in rows)

    def integers(self, table: str, columns: Sequence[str]) -> dict[str, Int]:
        """Columns of whole numbers, each int64 (rows,); -1 for NULL and for a missing column.

        -1 also for a value that is no whole number of 64 bits: its row is noted as unreadable.
        KernelmapError where no row of a column is readable.
        """
        there = [column for column in columns if column in self.columns(table)]
        self._require_stored(table, there)
        rows, values = self._select_integers(table, there)
        by_column = dict(zip(there, values, strict=True))
        return {
            column: by_column[column] if column in by_column else absent(rows) for column in columns
        }

    def texts(self, table: str, column: str) -> list[bytes | None]:
        """A column of texts as UTF-8 (not checked), None for NULL.

        None also for a value that is no text; rows are noted and errors raised as above.
        """
        self._require_stored(table, [column])
        cells: list[bytes | None] = []
        wrong: list[int] = []
        size = 0
        for where in self._stretches(table):
            for (value,) in self._connection.execute(f'SELECT "{column}" {where}'):
                if not isinstance(value, bytes | NoneType):
                    wrong.append(len(cells))
                text = value if isinstance(value, bytes) else None
                cells.append(text)
                # Rows that share bytes could give far more text than the
                # file holds, so the sum is limited.
                size += len(text or b"")
                if size > self._size:
                    raise self._wrong(f"{table}.{column} gives more text than the file has bytes")
        self._note(wrong, len(cells), table, f"{table}.{column} holds values that are no texts")
        return cells

    def _require_stored(self, table: str, columns: Sequence[str]) -> None:
        """KernelmapError where one of the columns, or the row's id, is computed when it is read."""
        asked = {_ROWID, *(column.casefold() for column in columns)}
        select = "SELECT name, hidden FROM pragma_table_xinfo(?)"
        for raw_name, hidden in self._connection.execute(select, (table,)):
            name = _text(raw_name)
            if hidden == _COMPUTED and name.casefold() in asked:
                raise self._wrong(f"{table}.{name} is computed from other columns, not stored")

    def _is_endless(self) -> bool:
        """Whether SQLite took more steps than the file has work; that interrupts it."""
        self._steps += _STEPS
        return self._steps > _STEPS_ANYWAY + _STEPS_PER_BYTE * self._size

    def _select_integers(self, table: str, columns: Sequence[str]) -> tuple[int, list[Int]]:
        """How many rows there are, and columns of whole numbers, -1 for NULL."""
        # Per column one text of all its numbers in the stretch; NULL becomes -1.
        lists = "".join(f', group_concat(ifnull("{column}", -1))' for column in columns)
        parts: list[list[Int]] = [[absent(0)] for _ in columns]
        bad: dict[str, list[int]] = {column: [] for column in columns}
        rows = 0
        for where in self._stretches(table):
            count, *texts = self._connection.execute(f"SELECT count(*){lists} {where}").fetchone()
            for column, part, text in zip(columns, parts, texts, strict=True):
                numbers = _numbers(text, count)
                if numbers is None:
                    numbers, wrong = self._one_by_one(column, where)
                    # Rows are counted from the start of the table, not of the stretch.
                    bad[column] += (rows + wrong).tolist()
                part.append(numbers)
            rows += count
        for column, wrong_rows in bad.items():
            what = f"{table}.{column} holds values that are no whole numbers"
            self._note(wrong_rows, rows, table, what)
        return rows, [np.concatenate(part) for part in parts]

    def _one_by_one(self, column: str, where: str) -> tuple[Int, Int]:
        """A column of a stretch of rows, -1 for what is no number, and the rows with such a value.

        A value of another type may be of any size: none is fetched.
        """
        kinds = f"""WHEN 'integer' THEN "{column}" WHEN 'null' THEN {NONE}"""
        typed = f'CASE typeof("{column}") {kinds} END'
        values = [value for (value,) in self._connection.execute(f"SELECT {typed} {where}")]
        wrong = [row for row, value in enumerate(values) if value is None]
        numbers = [NONE if value is None else value for value in values]
        return np.array(numbers, dtype=np.int64), np.array(wrong, dtype=np.int64)

    def _note(self, wrong: list[int], rows: int, table: str, what: str) -> None:
        """Note unreadable rows; KernelmapError where there are no others."""
        if wrong and len(wrong) == rows:
            raise self._wrong(what)
        self.unreadable.note(table, wrong)

    def _stretches(self, table: str) -> Iterator[str]:
        """The FROM and WHERE of stretches that hold each row of `table` once.

        Without indexes, which a user may have added: they would change the order of the rows.
        """
        source = f'FROM "{table}" NOT INDEXED'
        first, last = self._connection.execute(f"SELECT min(rowid), max(rowid) {source}").fetchone()
        # Stretches go by row id; after a gap the next one begins at the next row that exists.
        while first is not None:
            end = first + _STRETCH
            yield f"{source} WHERE rowid >= {first} AND rowid < {end}"
            if end > last:
                return
            query = f"SELECT min(rowid) {source} WHERE rowid >= {end}"
            (first,) = self._connection.execute(query).fetchone()

    def _wrong(self, what: str) -> KernelmapError:
        return self.form.make_damaged_error(f"{self.source}: {what}")


@contextmanager
def open_tables(path: Path, form: SqliteForm, source: str | None = None) -> Iterator[SqliteTables]:
    """The tables of the file at `path`; KernelmapError where it is damaged or just being written.

    `source` is how messages name it, by default the path.
    """
    _check(path, form)
    address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            yield SqliteTables(source or str(path), path, connection, form)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # its own words may quote odd bytes
        raise form.make_damaged_error(f"{path} cannot be read as SQLite: {error}") from error


def readable(tables: SqliteTables, table: str, rows: int) -> Bool | None:
    """Mask of the rows of `table` that were not noted as unreadable; None where none was."""
    wrong = tables.unreadable.of(table)
    if not wrong:
        return None
    mask = np.ones(rows, dtype=np.bool_)
    mask[wrong] = False
    return mask


def readable_rows(tables: SqliteTables, table: str, columns: Sequence[str]) -> dict[str, Int]:
    """Columns of whole numbers of the readable rows of `table`, each int64 (rows,)."""
    by_column = tables.integers(table, columns)
    kept = readable(tables, table, len(next(iter(by_column.values()))))
    return by_column if kept is None else {name: column[kept] for name, column in by_column.items()}


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _numbers(text: bytes, count: int) -> Int | None:
    """The `count` numbers that `text` lists; None where it lists anything else."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            numbers = np.fromstring(text, dtype=np.int64, sep=",")
        except (DeprecationWarning, ValueError):
            return None
    return numbers if len(numbers) == count and not _saturated(numbers, text) else None


def _saturated(numbers: Int, text: bytes) -> bool:
    """Whether a text that was too long for 64 bits was read as the largest number there is."""
    limits = np.iinfo(np.int64)
    if not np.isin(numbers, (limits.min, limits.max)).any():
        return False
    written = zip(numbers.tolist(), text.split(b","), strict=False)
    return any(digits != b"%d" % n for n, digits in written if n in (limits.min, limits.max))


def _check(path: Path, form: SqliteForm) -> None:
    """KernelmapError where the file is shorter than it says, or a writer has not finished."""
    with open_file(path) as file:
        header = file.read(_HEADER)
    # The header states the size of a page (1 stands for 65536) and how many pages there are.
    stated = int.from_bytes(header[16:18], "big")
    page = 65536 if stated == 1 else stated
    pages = int.from_bytes(header[28:32], "big")
    # The count of pages holds only if the change counter beside it was written with it.
    current = header[24:28] == header[92:96]
    size = path.stat().st_size
    if len(header) < _HEADER or (current and size < page * pages):
        raise form.make_damaged_error(
            f"{path} is cut off: {size} bytes of {page * pages or 'more'}"
        )
    real = path.resolve()  # a writer's files lie where the file is, not where a link to it is
    for companion in (real.with_name(real.name + suffix) for suffix in _COMPANIONS):
        if companion.exists() and companion.stat().st_size:
            said = f"{path} is being written: {companion.name} lies beside it"
            raise form.make_writing_error(said)
