"""A fleet in the store: recording one as a run, and reading it back.

The run's ordinary tables are those of the median rank.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from kernelmap.errors import UsageError
from kernelmap.fleet.gathered import Gathered
from kernelmap.fleet.rank import table_of
from kernelmap.fleet.tables import FleetTables
from kernelmap.history.store.facts import FleetFacts
from kernelmap.history.store.ranks import Ranks, answer_rows
from kernelmap.history.store.run import Run
from kernelmap.pages.result import Result
from kernelmap.tables import json
from kernelmap.tables.build import Tables
from kernelmap.tables.fleet import FLEET

if TYPE_CHECKING:
    from kernelmap.history.store.store import Store


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


def record_fleet(
    fleet: FleetTables,
    gathered: Gathered | None,
    store: Store,
    **about: Any,  # noqa: ANN401 -- those of Store.record
) -> Run:
    """Keep a fleet as a new run; `about` is what Store.record takes beside the result.

    Raises UsageError `no-ranks-gathered` for a fleet that was not read to be recorded.
    """
    if gathered is None:
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
        rows=[pq.read_table(io.BytesIO(part)) for part in gathered.rows],
    )
    # The run shows the notices of the fleet first, then those of the median rank.
    tables = json.load_json(gathered.median, name=f"rank {fleet.reference}")
    with_notices = Tables(
        summary=tables.summary,
        frames=tables.frames,
        without=tables.without,
        notices=(*fleet.notices, *tables.notices),
        find_configuration=lambda: tables.configuration,
    )
    return store.record(_MedianRank(with_notices), **about, ranks=ranks)


def reopen_fleet(run: Run) -> FleetTables:
    """The tables of the fleet that a run is. Raises UsageError `no-fleet` where it is none."""
    facts = run.facts.fleet
    if facts is None:
        raise UsageError(
            "no-fleet",
            f"run {run.id} is of one recording, not of many ranks",
            "The command `fleet` with --record keeps a fleet as a run.",
        )
    return FleetTables(
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
