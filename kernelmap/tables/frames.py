"""Columns → a DataFrame with the types of schema.py, and the check that a frame holds to them.

Takes columns (numpy, Arrow, or Python lists with None), gives frames. int64 values and missing
cells survive everything: int64 or Int64, Float64, Arrow-backed strings, and lists as Arrow lists
of strings. A missing cell is pd.NA in a frame and None in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from kernelmap.model.trace import Bool, Int
from kernelmap.tables.rows import Cell, Row, escape_unsound
from kernelmap.tables.table import Column, Table, Type

if TYPE_CHECKING:  # heavy: loaded when a frame is first asked for
    import pandas as pd

Array: TypeAlias = Any  # pyarrow has no type stubs
Dtype: TypeAlias = Any  # pandas' stubs have no name for all of its types
Values: TypeAlias = Any  # a sequence with None, a numpy array or an Arrow array

ARROW: Mapping[Type, Array] = {
    Type.INT: pa.int64(),
    Type.FLOAT: pa.float64(),
    Type.TEXT: pa.string(),
    Type.TEXTS: pa.list_(pa.string()),
}


def frame_of(table: Table, columns: Mapping[str, Values]) -> pd.DataFrame:
    """A frame with exactly the table's columns, in its order; raises ValueError as `arrays_of`."""
    arrays = arrays_of(table, columns)
    import pandas as pd

    return pd.DataFrame({it.name: _array_for_pandas(it, arrays[it.name]) for it in table.columns})


def arrays_of(table: Table, columns: Mapping[str, Values]) -> dict[str, Array]:
    """Exactly the table's columns as Arrow arrays, in its order.

    `columns` are equally long; raises ValueError where a column is missing, unknown, or null
    without leave: that is a fault of the caller, not of the input.
    """
    if set(columns) != set(table.by_name):
        differing = sorted(set(columns) ^ set(table.by_name))
        raise ValueError(f"table {table.name!r}: missing or unknown columns {differing}")
    arrays = {}
    for column in table.columns:
        values = _values_as_arrow(column, columns[column.name])
        if values.null_count and not column.nullable:
            raise ValueError(f"{table.name}.{column.name}: null in a column that has none")
        arrays[column.name] = values
    return arrays


def frame_of_rows(table: Table, records: Sequence[Mapping[str, Cell]]) -> pd.DataFrame:
    """A frame of rows that each have all the table's columns; KeyError where one is missing."""
    return frame_of(table, _columns_of_records(table, records))


def arrays_of_rows(table: Table, records: Sequence[Mapping[str, Cell]]) -> dict[str, Array]:
    """The same as Arrow arrays of the types in `ARROW`, without pandas between."""
    arrays = arrays_of(table, _columns_of_records(table, records))
    return {column.name: arrays[column.name].cast(ARROW[column.type]) for column in table.columns}


def arrow_of_rows(table: Table, records: Sequence[Mapping[str, Cell]]) -> Array:
    """The same as an Arrow table, as Parquet files hold it: each column with its unit and help."""
    return pa.table(
        arrays_of_rows(table, records), schema=pa.schema([field_of(one) for one in table.columns])
    )


def field_of(column: Column) -> Array:
    """An Arrow field with the column's type, unit and help."""
    about = {"help": column.help, **({"unit": column.unit.value} if column.unit else {})}
    return pa.field(column.name, ARROW[column.type], column.nullable, about)


def check_frame(table: Table, frame: pd.DataFrame) -> None:
    """Raise ValueError unless `frame` has the table's columns and types, and no stray null."""
    if tuple(frame.columns) != tuple(table.by_name):
        raise ValueError(f"table {table.name!r}: columns {list(frame.columns)}")
    for column, held in zip(table.columns, frame.dtypes, strict=True):
        if held != dtype_of(column):
            raise ValueError(f"{table.name}.{column.name}: {held}, not {dtype_of(column)}")
        has_mask = column.type is not Type.INT  # plain int64 has no nulls
        if has_mask and not column.nullable and bool(frame[column.name].isna().any()):
            raise ValueError(f"{table.name}.{column.name}: null in a column that has none")


def dtype_of(column: Column) -> Dtype:
    """The pandas type of a column."""
    if column.type is Type.INT and not column.nullable:
        return np.dtype(np.int64)
    import pandas as pd

    if column.type is Type.TEXTS:
        return pd.ArrowDtype(ARROW[Type.TEXTS])
    if column.type is Type.TEXT:
        return pd.StringDtype("pyarrow")
    return pd.Int64Dtype() if column.type is Type.INT else pd.Float64Dtype()


def arrow_of(column: Column, series: pd.Series[Any]) -> Array:
    """A column as one Arrow array of the type in `ARROW`."""
    array = pa.array(series, from_pandas=True)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    return array.cast(ARROW[column.type])


def rows_of_frame(table: Table, frame: pd.DataFrame, *, chunk: int = 8192) -> Iterator[Row]:
    """The rows as dicts of int, float, str, list and None; `chunk` rows are held at once."""
    names = tuple(table.by_name)
    for start in range(0, len(frame), chunk):
        part = frame.iloc[start : start + chunk]
        columns = [arrow_of(column, part[column.name]).to_pylist() for column in table.columns]
        for cells in zip(*columns, strict=True):
            yield dict(zip(names, cells, strict=True))


def cells_of_frame(
    table: Table, frame: pd.DataFrame, names: Sequence[str]
) -> dict[str, list[Cell]]:
    """Some columns of a frame as plain cells, of those that the table has."""
    return {
        name: arrow_of(table.by_name[name], frame[name]).to_pylist()
        for name in names
        if name in table.by_name
    }


def texts_as_arrow(values: Sequence[str | None]) -> Array:
    """Texts as an Arrow array; what UTF-8 cannot hold (odd bytes of a path) becomes escapes."""
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:
        return pa.array(
            [None if text is None else escape_unsound(text) for text in values], pa.string()
        )


def nullable_ints(values: Int, missing: Bool) -> Array:
    """An int64 column that is null where `missing`."""
    return pa.array(values, mask=missing)


def _columns_of_records(
    table: Table, records: Sequence[Mapping[str, Cell]]
) -> dict[str, list[Cell]]:
    return {name: [row[name] for row in records] for name in table.by_name}


def _values_as_arrow(column: Column, values: Values) -> Array:
    """The values of a column as one Arrow array."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    return values if isinstance(values, pa.Array) else _arrow_of(column, values)


def _array_for_pandas(column: Column, values: Array) -> Array:
    """What a frame of pandas holds for a column."""
    import pandas as pd

    if column.type is Type.TEXTS:
        return pd.arrays.ArrowExtensionArray(values.cast(ARROW[Type.TEXTS]))
    if column.type is Type.TEXT:
        return pd.array(values, dtype=dtype_of(column))
    if column.type is Type.INT and not column.nullable:
        return np.asarray(values.cast(ARROW[Type.INT]))
    # pandas keeps numbers and a mask apart; below the mask a number has to stand, here 0.
    valid = np.asarray(values.is_valid())
    filled = np.asarray(values.cast(ARROW[column.type]).fill_null(0))
    holder = pd.arrays.IntegerArray if column.type is Type.INT else pd.arrays.FloatingArray
    return holder(filled.copy(), ~valid)


def _arrow_of(column: Column, values: Values) -> Array:
    if column.type is Type.TEXT:
        return texts_as_arrow(values)
    if column.type is Type.TEXTS:
        return _lists_as_arrow(values)
    return pa.array(values, ARROW[column.type])


def _lists_as_arrow(values: Sequence[Sequence[str] | None]) -> Array:
    """Sequences of texts, or None, as one Arrow array of lists."""
    # List i reaches from offset i to offset i + 1 of the flat texts. A missing list is as long as
    # an empty one, so a mask tells them apart.
    lengths = [0 if value is None else len(value) for value in values]
    offsets = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int32)
    flat = texts_as_arrow([text for value in values if value is not None for text in value])
    missing = pa.array([value is None for value in values], pa.bool_())
    return pa.ListArray.from_arrays(pa.array(offsets), flat, mask=missing)
