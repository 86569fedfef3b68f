"""A fleet in the store: what is gathered of all ranks for it, recording, and reading it back.

The run's ordinary tables are those of the median rank. Rows of all ranks come from workers packed
as Parquet, 256 ranks at a time, so the client holds some kB of each rank.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from kernelmap.errors import KernelmapError, UsageError
from kernelmap.fleets.engine import Engine, Failed, Item
from kernelmap.fleets.kept import Kept, join_tables, pack_table
from kernelmap.fleets.rank import WholeTask, table_of, whole_result
from kernelmap.history.store.facts import FleetFacts
from kernelmap.history.store.ranks import RANKS_OF_A_FILE, Ranks, answer_rows
from kernelmap.history.store.run import Run
from kernelmap.pages.result import Result
from kernelmap.tables import json
from kernelmap.tables.build import Tables
from kernelmap.tables.fleet import FLEET, ROWS

if TYPE_CHECKING:
    from kernelmap.fleets.run import Fleet
    from kernelmap.history.store.store import Store


@dataclass(frozen=True, slots=True)
class Gathered:
    """`median` is the result of the median rank as JSON, `rows` are files of Parquet."""

    median: bytes = field(repr=False)
    rows: tuple[bytes, ...] = field(repr=False)


def gather_for_store(
    engine: Engine,
    kept: Kept,
    keys: Sequence[tuple[str, int]],
    median: WholeTask,
) -> Gathered:
    """What a run needs of the ranks with these keys; the `median` one is read once more, in full.

    Raises KernelmapError where one cannot be read.
    """
    # Each task packs the rows of so many ranks into one file, as the store keeps them.
    groups = [
        keys[start : start + RANKS_OF_A_FILE] for start in range(0, len(keys), RANKS_OF_A_FILE)
    ]
    # What is kept of a rank lacks wall time and work, so the median rank goes through the pipeline
    # again.
    (whole,) = _in_order(engine, whole_result, [median])
    return Gathered(median=whole, rows=tuple(_in_order(engine, partial(_rows_of, kept), groups)))


def _in_order(engine: Engine, work: Callable[[Item], bytes], items: Sequence[Item]) -> list[bytes]:
    """What `work` gives of all items, in order. Raises KernelmapError where one fails."""
    parts: dict[int, bytes] = {}
    for done in engine.as_completed(work, items):
        if isinstance(done.value, Failed):
            raise KernelmapError(
                "no-rank-read",
                f"the ranks cannot be read once more, to record them: {done.value.reason}",
                "Run the command again; what was read is kept.",
            )
        parts[done.position] = done.value
    return [parts[position] for position in sorted(parts)]


def _rows_of(kept: Kept, keys: Sequence[tuple[str, int]]) -> bytes:
    parts = [kept.tables_of(key, (ROWS.name,), rank) for key, rank in keys]
    return pack_table(join_tables(parts)[ROWS.name])


@dataclass(frozen=True, repr=False)
class _MedianRank(Result):
    """The tables of the median rank; its files are on the workers."""

    content: Tables

    @property
    def tables(self) -> Tables:
        """Those that were kept of it."""
        return self.content

    @property
    def files(self) -> tuple[Path, ...]:
        """None: where this runs there may be no such file."""
        return ()


def record_fleet(fleet: Fleet, store: Store, **about: Any) -> Run:  # noqa: ANN401 -- those of Store.record
    """Keep a fleet as a new run; `about` is what Store.record takes beside the result.

    Raises UsageError `no-ranks-gathered` for a fleet that was not read to be recorded.
    """
    if fleet.gathered is None:
        raise UsageError(
            "no-ranks-gathered",
            "the tables of its ranks were not gathered",
            "Read the fleet with FleetOptions(gather=True).",
        )
    ranks = Ranks(
        facts=FleetFacts(
            expected=fleet.expected,
            read=fleet.read,
            slow=sum(row["slow"] == "yes" for row in fleet.rows["ranks"]),
            reference=fleet.reference,
            matched=fleet.matched,
        ),
        answer={name: table_of(FLEET[name], list(fleet.rows[name])) for name in FLEET},
        rows=[pq.read_table(io.BytesIO(part)) for part in fleet.gathered.rows],
    )
    # The run shows the notices of the fleet first, then those of the median rank.
    tables = json.load_json(fleet.gathered.median, name=f"rank {fleet.reference}")
    with_notices = Tables(
        summary=tables.summary,
        frames=tables.frames,
        without=tables.without,
        notices=(*fleet.notices, *tables.notices),
    )
    return store.record(_MedianRank(with_notices), **about, ranks=ranks)


def reopen_fleet(run: Run) -> Fleet:
    """The fleet that a run is. Raises UsageError `no-fleet` where it is none."""
    from kernelmap.fleets.run import Fleet

    facts = run.facts.fleet
    if facts is None:
        raise UsageError(
            "no-fleet",
            f"run {run.id} is of one recording, not of many ranks",
            "The command `fleet` with --record keeps a fleet as a run.",
        )
    return Fleet(
        rows={name: answer_rows(run, name) for name in FLEET},
        expected=facts.expected,
        read=facts.read,
        new=0,
        reference=facts.reference,
        matched=facts.matched,
        unplaced=(),
        notices=run.facts.notices,
        inputs=(),
    )
