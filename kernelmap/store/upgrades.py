"""Tables of older runs → tables of today, when they are read; the files stay as they are.

A change of the layout or of a column's meaning is a new version in facts.py with one step here. A
column that was merely added needs none: runs without it have null there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import pyarrow as pa

from kernelmap.store.facts import VERSION
from kernelmap.views.frames import ARROW
from kernelmap.views.table import Table

ArrowTable: TypeAlias = Any  # pyarrow has no type stubs
Step = Callable[[str, ArrowTable], ArrowTable]

STEPS: Mapping[int, Step] = {}
"""By version: what makes a table (its name, its content) one of the next version."""


def upgraded(table: Table, found: ArrowTable, version: int) -> ArrowTable:
    """`found`, of a run of `version`, with the columns of `table`, in its order.

    Raises ValueError where a column is missing that may not be null.
    """
    for each in range(version, VERSION):
        found = STEPS[each](table.name, found)
    columns = []
    for column in table.columns:
        if column.name in found.column_names:
            columns.append(found.column(column.name))
        elif column.nullable:
            columns.append(pa.nulls(len(found), ARROW[column.type]))
        else:
            raise ValueError(f"{table.name} has no column {column.name!r}")
    return pa.table(columns, names=list(table.by_name))


def empty(table: Table) -> ArrowTable:
    """A table without rows, for runs that were recorded before there was such a table."""
    return pa.table({c.name: pa.array([], ARROW[c.type]) for c in table.columns})
