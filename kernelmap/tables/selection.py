"""What is asked of a table with --top, --columns and --where, and the rows that this leaves of it.

One place for all commands: whatever prints the rows of a table hands them through here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from kernelmap.tables.build import Tables
from kernelmap.tables.rows import Row, whole_number
from kernelmap.tables.schema import LINES, LONG, TABLES
from kernelmap.tables.table import Table
from kernelmap.tables.where import Where, require_columns

_TIMES = ("time_ns", "dur_ns", "change_ns")
"""The column with the time of a row that adds up; of each table the first that it has."""


class Selection(Struct, frozen=True, kw_only=True):
    """How much of a table is asked for; None and nothing: all of it."""

    top: int | None = None
    columns: tuple[str, ...] = ()
    where: Where | None = None

    def require_known(self, table: Table) -> None:
        """Raise UsageError for a column that the table does not have."""
        require_columns(self.columns, table)
        require_columns(self.where.columns if self.where else (), table)


class SelectedRows(Struct, frozen=True, kw_only=True):
    """The rows of a table that were asked for, and what is left out.

    `columns` are the chosen ones in the order in which they were named, else all of the table.
    `shown` is how many rows there are, `matching` how many the condition means, `total` how many
    the table has. `left_out_ns` is the time (of a comparison the change) of the rows that are not
    shown, None where no time of this table adds up.
    """

    table: Table
    columns: tuple[str, ...]
    has_chosen_columns: bool
    shown: int
    matching: int
    total: int
    make_rows: Callable[[], Iterator[Row]]
    left_out_ns: int | None = None

    def rows(self) -> Iterator[Row]:
        """The rows with the chosen columns, one after the other."""
        for row in self.make_rows():
            yield {name: row[name] for name in self.columns}


def select_rows(table: Table, rows: Sequence[Row], selection: Selection) -> SelectedRows:
    """The rows that a selection leaves of a table, in their order.

    Raises UsageError for a column that the table does not have.
    """
    selection.require_known(table)
    kept = rows
    if selection.where is not None:
        columns = {name: [row[name] for row in rows] for name in selection.where.columns}
        is_meant = selection.where.test_rows(table, columns)
        kept = [row for row, is_kept in zip(rows, is_meant, strict=True) if is_kept]
    shown = kept[: selection.top]
    times = times_of(table)
    left_out_ns = _add_up(rows, times) - _add_up(shown, times)
    return SelectedRows(
        table=table,
        columns=selection.columns or tuple(table.by_name),
        has_chosen_columns=bool(selection.columns),
        shown=len(shown),
        matching=len(kept),
        total=len(rows),
        make_rows=lambda: iter(shown),
        left_out_ns=left_out_ns if times else None,
    )


def select_of_tables(tables: Tables, name: str, selection: Selection) -> SelectedRows:
    """The same of a table of a result; one that grows with the trace is never held as rows."""
    table = TABLES[name]
    if name not in LONG:
        return select_rows(table, list(tables.rows(name)), selection)
    selection.require_known(table)
    frame, matching = tables.frame(name), tables.matching(name, selection.where).frame(name)
    shown = matching.iloc[: selection.top]
    whole_ns, shown_ns = (
        sum(int(part[each].sum()) for each in times_of(table)) for part in (frame, shown)
    )
    return SelectedRows(
        table=table,
        columns=selection.columns or tuple(table.by_name),
        has_chosen_columns=bool(selection.columns),
        shown=len(shown),
        matching=len(matching),
        total=len(frame),
        make_rows=lambda: _rows_of(tables.matching(name, selection.where), name, selection.top),
        left_out_ns=whole_ns - shown_ns,
    )


def _rows_of(tables: Tables, name: str, top: int | None) -> Iterator[Row]:
    return islice(tables.rows(name, slice(0, top)), top)


def times_of(table: Table) -> tuple[str, ...]:
    """The columns that hold the time of a row; empty where none adds up over rows."""
    # A line keeps its forward and its backward apart; elsewhere the one is a part of the other.
    if table is LINES:
        return ("time_ns", "backward_ns")
    return tuple(name for name in _TIMES if name in table.by_name)[:1]


def _add_up(rows: Sequence[Row], columns: Sequence[str]) -> int:
    return sum(whole_number(row, name) for row in rows for name in columns)
