"""A cache over many runs: what lists and histories need of all of them, in one file per table.

Without it, a list of five hundred runs opens five hundred small files, and so does each history.

    index/facts-<columns>.cache     what each run says of itself
    index/calls-<columns>.cache     its rows, each with its run; so for every table with a history

A file is the SHA-256 of what follows, then Parquet, whose metadata name the runs that are covered.
The name has a digest of the columns, so what another version wrote is not read. The runs are the
truth: the cache may be deleted at any time, rows of removed runs are passed over, and runs that it
does not cover are read themselves.

One recorder in 64 brings it up to date, and readers do where 64 runs or more are not covered: the
file is made anew from the old one and those runs, and takes its place as a whole. Of two who do so
at once the later stands. Where nothing may be written, nothing is.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cached_property
from typing import Any, TypeAlias

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.history.store.facts import RunFacts
from kernelmap.history.store.listing import facts_of
from kernelmap.history.store.place import INDEX, Place
from kernelmap.history.store.run import read_table
from kernelmap.suggestions import one_of
from kernelmap.tables.frames import ARROW
from kernelmap.tables.schema import LONG, TABLES
from kernelmap.tables.table import Column, Table, Type

Arrow: TypeAlias = Any  # pyarrow has no type stubs
ReadRun = Callable[[str], Arrow | None]
"""A run's id → its rows in the index's schema; None where it is damaged."""

RUN = "run"
WORTH_IT = 64  # runs that are not covered and make it worth to write the file anew
_ROWS = 100_000  # that are held at once
_COVERED = b"kernelmap.runs"
_DIGEST_BYTES = hashlib.sha256().digest_size

_FACTS = "facts"
_SCHEMA = pa.schema([(RUN, pa.string()), (_FACTS, pa.binary())])
_DECODER = msgspec.json.Decoder(RunFacts)


class Cached(Struct, frozen=True, kw_only=True):
    """What a file of the index holds: the rows of the runs that it `covers`.

    `parquet` is the open file; None where there is none that can be used.
    """

    covers: frozenset[str] = frozenset()
    parquet: Arrow | None = None

    def batches(
        self, ids: AbstractSet[str], columns: Sequence[str] | None = None
    ) -> Iterator[Arrow]:
        """The rows of those of the runs `ids` that are covered, in parts; `columns` have `run`."""
        if self.parquet is None:
            return
        # Only rows of the runs that are asked for: the file may hold some of removed ones.
        wanted = pa.array(sorted(ids & self.covers), pa.string())
        for batch in self.parquet.iter_batches(_ROWS, columns=columns):
            rows = pa.Table.from_batches([batch])
            yield rows.filter(pc.is_in(rows.column(RUN), wanted))


class Index(Struct, frozen=True, kw_only=True):
    """The file of one table; `schema` has the column `run` and those of the table."""

    place: Place
    name: str
    schema: Arrow
    read_run: ReadRun

    def refresh(self, ids: AbstractSet[str]) -> Cached:
        """What the file holds, after it was made anew where it lacks many of all runs `ids`."""
        cached = self._load()
        # Few uncovered runs are read by themselves; that costs less than a new file.
        if len(ids - cached.covers) < WORTH_IT or not self.place.is_writable():
            return cached
        content = self._make(ids, cached)
        # The digest in front tells readers whether the file is whole.
        with suppress(OSError):  # a cache: without it answers take longer
            self.place.write(self._path, hashlib.sha256(content).digest() + content)
        return _opened(content)

    def _load(self) -> Cached:
        """What the file holds; no run where it is missing or damaged."""
        with suppress(OSError, ValueError, pa.ArrowException):
            raw = self.place.read(self._path)
            digest, content = raw[:_DIGEST_BYTES], raw[_DIGEST_BYTES:]
            if hashlib.sha256(content).digest() == digest:
                return _opened(content)
        return Cached()

    def _make(self, ids: AbstractSet[str], cached: Cached) -> bytes:
        """The file of all runs `ids`: those that it covered, and those that can be read."""
        # What the old file covers is copied, and the rest is read run by run.
        covered = sorted(ids & cached.covers)
        buffer = io.BytesIO()
        with pq.ParquetWriter(buffer, self.schema, compression="zstd") as writer:
            for rows in cached.batches(ids):
                writer.write_table(rows)
            # Rows of several runs are gathered and written together.
            held, count = [self.schema.empty_table()], 0
            for run_id in sorted(ids - cached.covers):
                of_run = self.read_run(run_id)
                if of_run is None:
                    continue
                covered.append(run_id)
                held.append(of_run)
                count += len(of_run)
                if count >= _ROWS:
                    writer.write_table(pa.concat_tables(held))
                    held, count = [self.schema.empty_table()], 0
            writer.write_table(pa.concat_tables(held))
            # The runs behind the rows are named, for a run may have no row in this table.
            writer.add_key_value_metadata({_COVERED: json.dumps(covered).encode()})
        return buffer.getvalue()

    @property
    def _path(self) -> str:
        # Part of the name, so that files with the columns of another version are not read.
        columns = hashlib.sha256(str(self.schema).encode()).hexdigest()[:8]
        return f"{INDEX}/{self.name}-{columns}.cache"


def _opened(content: bytes) -> Cached:
    parquet = pq.ParquetFile(pa.BufferReader(content))
    covers = json.loads((parquet.metadata.metadata or {}).get(_COVERED, b"[]"))
    return Cached(covers=frozenset(covers), parquet=parquet)


def known_facts(place: Place, run_ids: AbstractSet[str]) -> Mapping[str, RunFacts]:
    """The facts of those of the runs that the index covers."""

    def read(run_id: str) -> Arrow | None:
        facts = facts_of(place, run_id)
        if not isinstance(facts, RunFacts):
            return None
        return pa.table({RUN: [run_id], _FACTS: [msgspec.json.encode(facts)]}, schema=_SCHEMA)

    # One row per run, with its facts as JSON.
    index = Index(place=place, name=_FACTS, schema=_SCHEMA, read_run=read)
    facts_by_id: dict[str, RunFacts] = {}
    for rows in index.refresh(run_ids).batches(run_ids):
        for run_id, raw in zip(*(column.to_pylist() for column in rows.columns), strict=True):
            with suppress(msgspec.DecodeError):  # facts of another version: run.toml has them
                facts_by_id[run_id] = _DECODER.decode(raw)
    return facts_by_id


class TableOfRuns(Struct, frozen=True, kw_only=True, dict=True):
    """One table of all runs of a store, by way of the index; `left_out` gets the damaged runs."""

    place: Place
    runs: Mapping[str, RunFacts]
    table: Table
    left_out: set[str] = set()

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """The table's columns but its lists, by name."""
        return {c.name: c for c in self.table.columns if c.type is not Type.TEXTS}

    @cached_property
    def schema(self) -> Arrow:
        """The run, then these columns."""
        kept = ((column.name, ARROW[column.type]) for column in self.columns.values())
        return pa.schema([(RUN, pa.string()), *kept])

    def refresh(self) -> Cached:
        """What the index holds of the table, after it was made anew where that is worth it."""
        name, schema = self.table.name, self.schema
        index = Index(place=self.place, name=name, schema=schema, read_run=self._read_run)
        return index.refresh(self.runs.keys())

    def parts(self, ids: AbstractSet[str], columns: Sequence[str] | None = None) -> Iterator[Arrow]:
        """The rows of the runs `ids`, part by part; of some columns, `run` among them, or all."""
        cached = self.refresh()
        # What the index covers, and each other run from its own file.
        yield from cached.batches(ids, columns)
        for run_id in sorted(ids - cached.covers):
            rows = self._read_run(run_id)
            if rows is not None:
                yield rows if columns is None else rows.select(columns)

    def _read_run(self, run_id: str) -> Arrow | None:
        """A run's rows; None where it is damaged."""
        try:
            table = read_table(self.place, self.runs[run_id], self.table)
        except KernelmapError:
            self.left_out.add(run_id)
            return None
        # The ids tell whose rows these are, once rows of many runs are one table.
        run = pa.array([run_id] * len(table), pa.string())
        return table.append_column(RUN, run).select(self.schema.names).cast(self.schema)


def table_of_runs(place: Place, runs: Sequence[RunFacts], table: str) -> TableOfRuns:
    """A table of all `runs` of a store. Raises UsageError for a table that has no history."""
    kept = [name for name in TABLES if name not in LONG]  # those grow with the trace
    if table not in kept:
        hint = one_of(table, kept, "Tables")
        raise UsageError("unknown-table", f"there is no history of {table!r}", hint)
    return TableOfRuns(place=place, runs={facts.id: facts for facts in runs}, table=TABLES[table])
