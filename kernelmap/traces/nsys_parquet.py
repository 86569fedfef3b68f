"""Folders that `nsys export --type parquetdir` made, as `Tables`: one Parquet file per table.

Global ids are unsigned there and signed in SQLite: they are taken bit by bit, and no number passes
through a float. Any other number is held to what SQLite can hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kernelmap.errors import KernelmapError
from kernelmap.model.paths import UNPACKED, unpacked_too_far
from kernelmap.model.trace import NONE, Bool, Int
from kernelmap.traces.nsys_tables import Unreadable, absent

if TYPE_CHECKING:  # heavy: loaded when a folder is read
    import pyarrow as pa
    from pyarrow.parquet import FileMetaData

_SUFFIX = ".parquet"
_GLOBAL = "global"  # how the names of columns of global ids begin
_LARGEST = 2**63 - 1
_NUMBER = 8  # bytes of a number in a column
_AGAIN = "Export the report again: nsys export --type parquetdir REPORT.nsys-rep"


class ParquetTables:
    """The export in one folder."""

    def __init__(self, folder: Path) -> None:
        self.source = str(folder)
        self.unreadable = Unreadable()
        self._folder = folder
        self._columns = cache(self._read_columns)

    def columns(self, table: str) -> frozenset[str]:
        """The columns of `table`; none without such a file."""
        return self._columns(table)

    def integers(self, table: str, columns: Sequence[str]) -> dict[str, Int]:
        """See `Tables`."""
        from pyarrow import compute, types

        there = [column for column in columns if column in self.columns(table)]
        read = self._read(table, there)
        values_by_column = {}
        for column in there:
            with self._reading(table):
                values = read.column(column).combine_chunks()
            if types.is_null(values.type):
                continue
            if not types.is_integer(values.type):
                raise self._wrong(f"{table}.{column} holds values that are no whole numbers")
            missing = compute.is_null(values).to_numpy(zero_copy_only=False)
            numbers = compute.fill_null(values, 0).to_numpy(zero_copy_only=False)
            if not column.startswith(_GLOBAL) and numbers.max(initial=0) > _LARGEST:
                large = numbers > _LARGEST
                self._note(large, table, f"{table}.{column} holds numbers of more than 63 bits")
                missing = missing | large
            values_by_column[column] = np.where(missing, NONE, numbers.astype(np.int64))
        return {column: values_by_column.get(column, absent(read.num_rows)) for column in columns}

    def texts(self, table: str, column: str) -> list[bytes | None]:
        """See `Tables`."""
        from pyarrow import binary, large_binary, types

        with self._reading(table):
            values = self._read(table, [column]).column(column)
        kind = values.type.value_type if types.is_dictionary(values.type) else values.type
        if types.is_null(kind):
            return [None] * len(values)
        if not (types.is_string(kind) or types.is_large_string(kind)):
            raise self._wrong(f"{table}.{column} holds values that are no texts")
        bits = large_binary() if types.is_large_string(kind) else binary()
        cells: list[bytes | None] = []
        nowhere: list[Bool] = []
        for chunk in values.chunks:
            # Each text once, however many rows have it.
            different = chunk if types.is_dictionary(chunk.type) else chunk.dictionary_encode()
            texts: list[bytes | None] = [*different.dictionary.cast(bits).to_pylist(), None]
            rows = different.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False)
            lost = (rows < 0) | (rows >= len(texts))
            nowhere.append(lost)
            cells.extend(texts[at] for at in np.where(lost, len(texts) - 1, rows).tolist())
        if nowhere:
            what = f"{table}.{column} names texts that are not there"
            self._note(np.concatenate(nowhere), table, what)
        return cells

    def _read(self, table: str, columns: Sequence[str]) -> pa.Table:
        from pyarrow import parquet

        with self._reading(table):
            self._check_size(parquet.read_metadata(self._path(table)), table, columns)
            return parquet.read_table(
                self._path(table), columns=list(columns), read_dictionary=list(columns)
            )

    def _check_size(self, about: FileMetaData, table: str, columns: Sequence[str]) -> None:
        """Raise KernelmapError where `columns` would be far larger than the file is."""
        size = 0
        for group in map(about.row_group, range(about.num_row_groups)):
            for part in map(group.column, range(group.num_columns)):
                if part.path_in_schema.partition(".")[0] in columns:
                    size += max(part.total_uncompressed_size, _NUMBER * part.num_values)
        if unpacked_too_far(self._path(table).stat().st_size, size):
            raise UNPACKED.error(self._path(table))

    def _read_columns(self, table: str) -> frozenset[str]:
        from pyarrow import parquet

        path = self._path(table)
        if not path.is_file():
            return frozenset()
        with self._reading(table):
            return frozenset(parquet.read_schema(path).names)

    @contextmanager
    def _reading(self, table: str) -> Iterator[None]:
        """Make what Arrow says of a damaged file an error of ours.

        Names that are no UTF-8 are a ValueError, a column that is there twice is a KeyError.
        """
        import pyarrow as pa

        try:
            yield
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            raise self._wrong(f"table {table} cannot be read: {error}") from error

    def _path(self, table: str) -> Path:
        return self._folder / f"{table}{_SUFFIX}"

    def _note(self, wrong: Bool, table: str, what: str) -> None:
        """Note unreadable rows; KernelmapError where there are no others."""
        if len(wrong) and wrong.all():
            raise self._wrong(what)
        self.unreadable.note(table, np.flatnonzero(wrong).tolist())

    def _wrong(self, what: str) -> KernelmapError:
        return KernelmapError("nsys-damaged", f"{self.source}: {what}", _AGAIN)
