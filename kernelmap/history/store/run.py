"""A run of a store as a Result: its facts at once, its tables when they are asked for.

What is read is compared with the digests in run.toml first, byte for byte; a table that differs is
an error that names the run. Tables of older versions come as those of today; their files stay as
they are. A change of the layout or of a column's meaning is a new version in facts.py with one step
in STEPS. A column that was merely added needs none: runs without it have null there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import structs

from kernelmap.errors import KernelmapError
from kernelmap.history.store.configuration import CONFIGURATION, unpack_configuration
from kernelmap.history.store.facts import VERSION, RunFacts, TableFile
from kernelmap.history.store.place import RUNS, Place, Sizes
from kernelmap.model import Notice
from kernelmap.pages.result import Result
from kernelmap.tables.build import Tables, adding_up
from kernelmap.tables.configuration import Configuration
from kernelmap.tables.frames import ARROW, frame_of
from kernelmap.tables.schema import LONG, ON_REQUEST, TABLES
from kernelmap.tables.summary import Summary
from kernelmap.tables.table import Table

if TYPE_CHECKING:
    import pandas as pd

ArrowTable: TypeAlias = Any  # pyarrow has no type stubs
Step = Callable[[str, ArrowTable], ArrowTable]

STEPS: Mapping[int, Step] = {}
"""By version: what makes a table (its name, its content) one of the next version."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Run(Result):
    """One run; `tags` are those of now, `facts.tags` those it was recorded with."""

    facts: RunFacts
    tags: Mapping[str, str]
    place: Place = field(repr=False)

    @property
    def id(self) -> str:
        """Its id, by which nothing else is ever known."""
        return self.facts.id

    @property
    def name(self) -> str:
        """The name that it was recorded under, else its id."""
        return self.facts.name or self.id

    @property
    def summary(self) -> Summary:
        """The window in numbers."""
        return self.facts.window

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What could not be used when the run was made, and what this version does not find."""
        return (*self.facts.notices, *self._missing())

    @property
    def files(self) -> tuple[Path, ...]:
        """The run's own files, where they are files of this machine."""
        if "://" in self.place.address(RUNS):
            return ()
        names = self.place.run(self.id) or {}
        return tuple(Path(self.place.address(f"{RUNS}/{self.id}/{name}")) for name in names)

    @cached_property
    def tables(self) -> Tables:
        """All tables. Raises KernelmapError `run-damaged` where they are not what was recorded."""
        # Tables that grow with the trace are read when somebody asks for them, all others at once.
        long = [name for name in LONG if self.facts.table(name) is not None]
        later = {name: partial(self._frame, TABLES[name]) for name in long}
        frames = {name: self._frame(TABLES[name]) for name in TABLES if name not in LONG}
        try:
            tables = Tables(
                summary=self.summary,
                frames=frames,
                notices=self.notices,
                make_launches=later.get("launches"),
                make_invocations=later.get("invocations"),
                find_configuration=lambda: self._configuration,
            )
            # The time of the tables has to be that of the summary.
            return adding_up(tables)
        except ValueError as error:
            raise damaged(self.id, str(error)) from error

    @property
    def _configuration(self) -> Configuration:
        """What it was made with, as far as it says. Raises KernelmapError `run-damaged`."""
        file = self.facts.table(CONFIGURATION)
        if file is None:
            return Configuration(versions=self.facts.versions)
        raw = checked(self.place, self.id, file)
        try:
            stated = unpack_configuration(pq.ParquetFile(pa.BufferReader(raw)).read())
            return structs.replace(stated, versions=self.facts.versions)
        except (pa.ArrowException, ValueError, KeyError, OSError) as error:
            raise damaged(self.id, f"{CONFIGURATION}: {error}") from error

    def arrow(self, name: str) -> ArrowTable:
        """One table of the schema as Arrow; empty where the run was recorded without it.

        Raises KernelmapError `run-damaged`.
        """
        return read_table(self.place, self.facts, TABLES[name])

    def _frame(self, table: Table) -> pd.DataFrame:
        content = self.arrow(table.name)
        return frame_of(table, {name: content.column(name) for name in table.by_name})

    def _missing(self) -> tuple[Notice, ...]:
        kept = [name for name in TABLES if name not in (*LONG, *ON_REQUEST)]
        lacking = [name for name in kept if self.facts.table(name) is None]
        if not lacking:
            return ()
        notice = Notice(
            slug="run-older",
            message=f"{self.id} was recorded by kernelmap {self.facts.kernelmap} without "
            f"{', '.join(lacking)}: no rows there.",
            hint="Record it again from its inputs for all tables.",
        )
        return (notice,)


def read_table(place: Place, facts: RunFacts, table: Table) -> ArrowTable:
    """One table of a run, whole and as of today. Raises KernelmapError `run-damaged`."""
    file = facts.table(table.name)
    if file is None:
        return empty(table)
    raw = checked(place, facts.id, file)
    many = table.name in LONG  # for the others, starting threads takes longer than reading
    try:
        content = pq.ParquetFile(pa.BufferReader(raw)).read(use_threads=many)
        return upgraded(table, content, facts.version)
    except (pa.ArrowException, ValueError, KeyError, OSError) as error:
        raise damaged(facts.id, f"{table.name}: {error}") from error


def checked(place: Place, run_id: str, file: TableFile) -> bytes:
    """The content of a table's file, which is what was recorded. Raises `run-damaged`."""
    try:
        raw = place.read(f"{RUNS}/{run_id}/{file.name}.parquet")
    except OSError as error:
        raise damaged(run_id, f"{file.name}.parquet: {error.strerror or error}") from error
    if hashlib.sha256(raw).hexdigest() != file.sha256:
        raise damaged(run_id, f"{file.name}.parquet is not what was recorded")
    return raw


def damaged(run_id: str, reason: str) -> KernelmapError:
    """The error for a run that cannot be believed."""
    return KernelmapError(
        "run-damaged",
        f"run {run_id} is damaged: {reason}",
        "Bring that file back from a copy of the store, or record the run's inputs again.",
    )


def odd_sizes(facts: RunFacts, sizes: Sizes) -> str | None:
    """What the sizes of a run's files say against it; None where they are as recorded."""
    for file in facts.tables:
        size = sizes.get(f"{file.name}.parquet")
        if size is None:
            return f"{file.name}.parquet is missing"
        if size != file.bytes:
            return f"{file.name}.parquet has {size} bytes instead of {file.bytes}"
    return None


def upgraded(table: Table, content: ArrowTable, version: int) -> ArrowTable:
    """`content`, of a run of `version`, with the columns of `table`, in its order.

    Raises ValueError where a column that may not be null is missing or has gaps, and what Arrow
    raises where it holds something else than the table says, or is there twice (KeyError).
    """
    # A table of an older layout goes through one step per version.
    for step in range(version, VERSION):
        content = STEPS[step](table.name, content)
    columns = []
    # A column that came later is null; one that may not be null makes the run damaged.
    for column in table.columns:
        if column.name in content.column_names:
            there = content.column(column.name).cast(ARROW[column.type])
            if there.null_count and not column.nullable:
                raise ValueError(f"{table.name}.{column.name} has gaps")
            columns.append(there)
        elif column.nullable:
            columns.append(pa.nulls(len(content), ARROW[column.type]))
        else:
            raise ValueError(f"{table.name} has no column {column.name!r}")
    return pa.table(columns, names=list(table.by_name))


def empty(table: Table) -> ArrowTable:
    """A table without rows, for runs that were recorded before there was such a table."""
    return pa.table({c.name: pa.array([], ARROW[c.type]) for c in table.columns})
