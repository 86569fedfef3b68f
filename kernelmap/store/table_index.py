"""A table of all runs from the index: its rows, each with its run.

Takes all runs of the store, even where a question is of a few: the index is of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import pyarrow as pa

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.store.facts import RunFacts
from kernelmap.store.index import RUN, Cover, Index
from kernelmap.store.place import Place
from kernelmap.store.run import read_table
from kernelmap.views.frames import ARROW
from kernelmap.views.schema import LONG, TABLES
from kernelmap.views.table import Column, Table, Type

Arrow: TypeAlias = Any  # pyarrow has no type stubs


@dataclass(frozen=True, kw_only=True)
class Reader:
    """One table of all runs of a store, by way of the index; `left_out` gets the damaged runs."""

    place: Place
    runs: Mapping[str, RunFacts]
    table: Table
    left_out: set[str] = field(default_factory=set)

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """The table's columns but its lists, by name."""
        return {c.name: c for c in self.table.columns if c.type is not Type.TEXTS}

    @cached_property
    def schema(self) -> Arrow:
        """The run, then these columns."""
        kept = ((column.name, ARROW[column.type]) for column in self.columns.values())
        return pa.schema([(RUN, pa.string()), *kept])

    def cover(self) -> Cover:
        """What the index covers, after it was written where that is worth it. Raises OSError."""
        index = Index(place=self.place, name=self.table.name, schema=self.schema)
        return index.refreshed(self.runs.keys(), self.rows)

    def rows(self, run_id: str) -> Arrow | None:
        """A run's rows; None where it is damaged."""
        try:
            found = read_table(self.place, self.runs[run_id], self.table)
        except KernelmapError:
            self.left_out.add(run_id)
            return None
        run = pa.array([run_id] * len(found), pa.string())
        return found.append_column(RUN, run).select(self.schema.names).cast(self.schema)


def reader(place: Place, runs: Sequence[RunFacts], table: str) -> Reader:
    """The reader of a table. Raises UsageError for a table that has no history."""
    kept = [each for each in TABLES if each not in LONG]  # those grow with the trace
    if table not in kept:
        raise UsageError(
            "unknown-table", f"there is no history of {table!r}", f"Tables: {', '.join(kept)}."
        )
    return Reader(place=place, runs={facts.id: facts for facts in runs}, table=TABLES[table])
