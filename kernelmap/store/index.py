"""A cache over many runs: their facts, and the rows of a table of all of them, from a few files.

Without it, one column of time is read out of ten thousand small files, which is too slow.

For the facts of runs and for each table there are segments: Parquet files that hold what many runs
have to say, each row with its run. A segment's name has the digest of its content, so a damaged one
is not used, and the digest of the columns, so another version's is not, either; the runs that it
covers stand in its own metadata. The runs are the truth: whatever lies here may be deleted at any
time, rows of removed runs are passed over, and runs that no segment covers are read themselves.

One recorder in 64 writes it, and readers do where many runs are not covered. A new segment takes in
the smaller ones, so there are few. These stay for as long as somebody may still be reading them;
who writes the next segment takes them away. Where nothing may be written, nothing is.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, TypeAlias

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.store.facts import RunFacts, created, new_id
from kernelmap.store.listing import facts_of
from kernelmap.store.place import INDEX, Place
from kernelmap.store.run import read_table
from kernelmap.suggestions import one_of
from kernelmap.views.frames import ARROW
from kernelmap.views.schema import LONG, TABLES
from kernelmap.views.table import Column, Table, Type

Arrow: TypeAlias = Any  # pyarrow has no type stubs
ReadRun = Callable[[str], Arrow | None]
"""A run's id → its rows in the index's schema; None where it is damaged."""

RUN = "run"
WORTH_IT = 64  # runs without a segment that make it worth to write one
_STILL_READ = timedelta(minutes=10)  # no question takes so long
_SUFFIX = ".parquet"
_COVERED = b"kernelmap.runs"
_ROWS = 100_000  # that are held at once
_TAKES_IN = 4  # a segment takes in those of up to so many times its own runs

_FACTS = "facts"
_SCHEMA = pa.schema([(RUN, pa.string()), (_FACTS, pa.binary())])
_DECODER = msgspec.json.Decoder(RunFacts)


class Segment(Struct, frozen=True, kw_only=True):
    """A file of the index; it covers runs, and speaks for those that no other segment does."""

    path: str
    covers: frozenset[str]
    speaks_for: frozenset[str]


class Cover(Struct, frozen=True, kw_only=True):
    """Which segments speak for which runs, and the runs that must be read themselves."""

    segments: tuple[Segment, ...]
    rest: tuple[str, ...]


class Index(Struct, frozen=True, kw_only=True):
    """The segments of one table; `schema` has the column `run` and those of the table."""

    place: Place
    name: str
    schema: Arrow

    def cover(self, ids: AbstractSet[str]) -> Cover:
        """What the index knows of the runs `ids`. Raises OSError where the place fails."""
        segments: list[Segment] = []
        open_ids = set(ids)
        for path in self._paths():
            covers = self._covered(path)
            speaks_for = covers & open_ids
            if speaks_for and self.place.is_intact(path, _digest(path)):
                open_ids -= speaks_for
                segments.append(Segment(path=path, covers=covers, speaks_for=speaks_for))
        return Cover(segments=tuple(segments), rest=tuple(sorted(open_ids)))

    def refreshed(self, ids: AbstractSet[str], read: ReadRun) -> Cover:
        """`cover`, after a new segment was written where that is worth it and possible."""
        before = self.cover(ids)
        if len(before.rest) < WORTH_IT or not self.place.is_writable():
            return before
        taken_in = [
            segment
            for segment in before.segments
            if len(segment.speaks_for) <= _TAKES_IN * len(before.rest)
        ]
        now = datetime.now(UTC)
        after = before
        with suppress(OSError):  # a cache: without it answers take longer
            self._sweep(before, now - _STILL_READ)
            content = self._segment(taken_in, before.rest, read)
            digest = hashlib.sha256(content).hexdigest()
            made = new_id(now)
            self.place.write(f"{self._folder}/{self._version}-{made}-{digest}{_SUFFIX}", content)
            after = self.cover(ids)
        return after

    def batches(self, segment: Segment) -> Iterator[Arrow]:
        """The rows of the runs that a segment speaks for, in parts. Raises OSError."""
        keep = pa.array(sorted(segment.speaks_for))
        whole = segment.speaks_for == segment.covers
        with self.place.open(segment.path) as file:
            for batch in pq.ParquetFile(file).iter_batches(_ROWS):
                rows = pa.Table.from_batches([batch])
                yield rows if whole else rows.filter(pc.is_in(rows.column(RUN), keep))

    def _sweep(self, cover: Cover, since: datetime) -> None:
        """Delete the segments that speak for no run, and did not before `since` either.

        What took them in is as young as the youngest that speaks.
        """
        speaking = {segment.path for segment in cover.segments}
        if all(_made(path) < since for path in speaking):
            for path in self._paths():
                if path not in speaking and _made(path) < since:
                    self.place.delete(path)

    @property
    def _folder(self) -> str:
        return f"{INDEX}/{self.name}"

    @property
    def _version(self) -> str:
        """Tells the columns and their types, so that no other version's segments are read."""
        return hashlib.sha256(str(self.schema).encode()).hexdigest()[:8]

    def _paths(self) -> list[str]:
        """The segments of these columns, largest first."""
        sizes = self.place.files(self._folder)
        names = sorted(sizes, key=lambda name: (-sizes[name], name))
        return [f"{self._folder}/{name}" for name in names if name.startswith(f"{self._version}-")]

    def _covered(self, path: str) -> frozenset[str]:
        """The runs of a segment; none where it has just gone, or is damaged."""
        try:
            with self.place.open(path) as file:
                about = pq.read_metadata(file).metadata or {}
            return frozenset(json.loads(about.get(_COVERED, b"[]")))
        except (OSError, ValueError, TypeError, pa.ArrowException):
            return frozenset()

    def _segment(self, taken_in: Iterable[Segment], rest: Sequence[str], read: ReadRun) -> bytes:
        """The content of a segment for `rest` and all that the segments `taken_in` speak for."""
        covered: list[str] = []
        buffer = io.BytesIO()
        with pq.ParquetWriter(buffer, self.schema, compression="zstd") as writer:
            for segment in taken_in:
                for rows in self.batches(segment):
                    writer.write_table(rows.cast(self.schema))
                covered += segment.speaks_for
            for rows in _gathered(rest, read, covered):
                writer.write_table(rows.cast(self.schema))
            writer.add_key_value_metadata({_COVERED: json.dumps(sorted(covered)).encode()})
        return buffer.getvalue()


def _digest(path: str) -> str:
    """The digest that a segment's name states."""
    return path.removesuffix(_SUFFIX).rpartition("-")[2]


def _made(path: str) -> datetime:
    """When a segment was written, as its name states; long ago where it does not."""
    made = path.rpartition("/")[2].partition("-")[2].rpartition("-")[0]
    return created(made) or datetime.min.replace(tzinfo=UTC)


def _gathered(ids: Iterable[str], read: ReadRun, covered: list[str]) -> Iterator[Arrow]:
    """The rows of many runs in parts of about _ROWS; `covered` gets those that could be read."""
    held: list[Arrow] = []
    count = 0
    for run_id in ids:
        rows = read(run_id)
        if rows is None:
            continue
        covered.append(run_id)
        held.append(rows)
        count += len(rows)
        if count >= _ROWS:
            yield pa.concat_tables(held)
            held, count = [], 0
    if held:
        yield pa.concat_tables(held)


def known_facts(place: Place, run_ids: AbstractSet[str]) -> Mapping[str, RunFacts]:
    """The facts of those of the runs that the index covers. Raises OSError."""

    def read(run_id: str) -> Arrow | None:
        facts = facts_of(place, run_id)
        if not isinstance(facts, RunFacts):
            return None
        return pa.table({RUN: [run_id], _FACTS: [msgspec.json.encode(facts)]}, schema=_SCHEMA)

    index = Index(place=place, name="facts", schema=_SCHEMA)
    facts_by_id: dict[str, RunFacts] = {}
    for segment in index.refreshed(run_ids, read).segments:
        for rows in index.batches(segment):
            for run_id, raw in zip(*(column.to_pylist() for column in rows.columns), strict=True):
                try:
                    facts_by_id[run_id] = _DECODER.decode(raw)
                except msgspec.DecodeError:  # facts of another version: run.toml has them
                    continue
    return facts_by_id


class Reader(Struct, frozen=True, kw_only=True, dict=True):
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

    def cover(self) -> Cover:
        """What the index covers, after it was written where that is worth it. Raises OSError."""
        index = Index(place=self.place, name=self.table.name, schema=self.schema)
        return index.refreshed(self.runs.keys(), self.rows)

    def rows(self, run_id: str) -> Arrow | None:
        """A run's rows; None where it is damaged."""
        try:
            table = read_table(self.place, self.runs[run_id], self.table)
        except KernelmapError:
            self.left_out.add(run_id)
            return None
        run = pa.array([run_id] * len(table), pa.string())
        return table.append_column(RUN, run).select(self.schema.names).cast(self.schema)


def reader(place: Place, runs: Sequence[RunFacts], table: str) -> Reader:
    """The reader of a table. Raises UsageError for a table that has no history."""
    kept = [name for name in TABLES if name not in LONG]  # those grow with the trace
    if table not in kept:
        hint = one_of(table, kept, "Tables")
        raise UsageError("unknown-table", f"there is no history of {table!r}", hint)
    return Reader(place=place, runs={facts.id: facts for facts in runs}, table=TABLES[table])
