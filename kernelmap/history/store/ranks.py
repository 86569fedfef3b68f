"""A fleet as a run: the median rank has the ordinary tables, those of all ranks lie beside them.

    runs/<id>/calls.parquet …          the median rank, as if it alone had been recorded
              fleet_ranks.parquet …    the answer: the tables of tables/fleet.py
              rank_rows.0.parquet …    calls, ops, lines and graphs of every rank, 256 ranks a file

Whatever reads a run thus reads a fleet. Code that knows of ranks takes medians over them from here.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct

from kernelmap.history.store.facts import FleetFacts, RunFacts
from kernelmap.history.store.place import Place
from kernelmap.history.store.run import Run, checked, damaged, read_table, upgraded
from kernelmap.tables.fleet import FLEET, OUTSIDE, ROWS
from kernelmap.tables.rows import Cell, Row, name_of_line

ArrowTable: TypeAlias = Any  # pyarrow has no type stubs

RANKS_OF_A_FILE = 256
"""Ranks whose rows stand in one file."""


class Ranks(Struct, frozen=True, kw_only=True):
    """What a fleet is recorded with: `answer` by the names of FLEET, `rows` a table per file."""

    facts: FleetFacts
    answer: Mapping[str, ArrowTable]
    rows: Sequence[ArrowTable]

    def files(self) -> Iterator[tuple[str, ArrowTable]]:
        """Names of files, without their suffix, and what they hold."""
        for name, table in self.answer.items():
            yield FLEET[name].name, table
        for number, part in enumerate(self.rows):
            yield f"{ROWS.name}.{number}", part


def answer_table(place: Place, facts: RunFacts, name: str) -> ArrowTable:
    """A table of FLEET of a run, without rows where it is no fleet. Raises `run-damaged`."""
    return read_table(place, facts, FLEET[name])


def answer_rows(run: Run, name: str) -> list[Row]:
    """Its rows. Raises KernelmapError `run-damaged`."""
    rows: list[Row] = answer_table(run.place, run.facts, name).to_pylist()
    return rows


def rank_parts(run: Run) -> Iterator[ArrowTable]:
    """The rows of all ranks, file by file; all rows of a rank are in one. Raises `run-damaged`."""
    # Rows of all ranks lie in several files, so that not all have to be held at once.
    for file in run.facts.tables:
        if file.name.startswith(f"{ROWS.name}."):
            raw = checked(run.place, run.id, file)
            try:
                yield upgraded(ROWS, pq.read_table(io.BytesIO(raw)), run.facts.version)
            except (pa.ArrowException, ValueError, KeyError, OSError) as error:
                raise damaged(run.id, f"{file.name}: {error}") from error


def rows_where(parts: Iterable[ArrowTable], **values: str | int) -> list[Row]:
    """The rows whose columns have these values."""
    rows: list[Row] = []
    for part in parts:
        kept = part
        for name, value in values.items():
            kept = kept.filter(pc.equal(kept.column(name), value))
        rows += kept.to_pylist()
    return rows


class OverRanks(Struct, frozen=True, kw_only=True):
    """Some rows of a fleet together, ns per step: the medians of their ranks, least and most."""

    ranks: int
    least_ns: int
    median_ns: int
    most_ns: int


def over_ranks(
    place: Place, facts: RunFacts, by: str, rows: Sequence[Mapping[str, Cell]]
) -> OverRanks | None:
    """The `rows` of one run, of the table of calls, ops, lines or graphs, over its ranks.

    None for a run that is no fleet, and where none of the rows is known of ranks. Raises
    KernelmapError `run-damaged`.
    """
    if facts.fleet is None:
        return None
    # By what a row is on every rank: op, line or fingerprint.
    keys = {_key(by, row) for row in rows}
    # What each of the rows takes over the ranks, ns a step.
    spread = [
        row
        for row in answer_table(place, facts, "spread").to_pylist()
        if row["by"] == by and row["key"] in keys
    ]
    if not spread:
        return None
    return OverRanks(
        ranks=max(row["ranks"] for row in spread),
        least_ns=sum(row["least_ns"] for row in spread),
        median_ns=sum(row["median_ns"] for row in spread),
        most_ns=sum(row["most_ns"] for row in spread),
    )


def _key(by: str, row: Mapping[str, Cell]) -> str:
    """The identity of a row on every rank, as the task of a rank writes it."""
    if by == "op":
        # An op outside compiled code is another one than the same op inside.
        return f"{row['name']}{OUTSIDE if row['origin'] == 'outside' else ''}"
    if by == "line":
        return name_of_line(row)
    # Without a fingerprint, the call's or graph's own id.
    return str(row["fingerprint"] or row[by])
