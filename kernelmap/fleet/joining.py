"""The tables of all ranks, joined and assessed on the workers: they do not pass the client."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kernelmap.errors import unreadable
from kernelmap.fleet.alignment import StepAlignment, align_tables
from kernelmap.fleet.answer import Assessed, assess_ranks
from kernelmap.fleet.communication import of_steps
from kernelmap.fleet.engine import Engine
from kernelmap.fleet.kept import Kept, compact_texts, join_tables
from kernelmap.fleet.reading import Outcome
from kernelmap.fleet.shares import ROWS_OF_A_TASK, CollectiveShare, share_collectives, share_of
from kernelmap.fleet.totals import LimitsByDevice
from kernelmap.tables.frames import Array


def assess_on_workers(
    engine: Engine,
    kept: Kept,
    outcomes: Sequence[Outcome],
    alignment: StepAlignment,
    limits: LimitsByDevice,
) -> Assessed:
    """How the ranks that were read compare, on devices with `limits`.

    Raises KernelmapError where kept tables are gone.
    """
    keys = [outcome.of_rank for outcome in outcomes]
    facts = [outcome.facts for outcome in outcomes]
    # Steps and rows of all ranks are joined on the workers, and stay there.
    tables = engine.tree(partial(_join_leaf, kept), _join_parts, keys)
    # Collectives may be many, so they are shared out to as many tasks as they need; each task keeps
    # of every rank what is of its share, and gives back sums.
    communication = [
        engine.later(
            of_steps,
            engine.tree(partial(_steps_leaf, kept, alignment, share), _join_parts, keys),
        )
        for share in share_collectives(facts, ROWS_OF_A_TASK)
    ]
    # Workers free the joined tables when this returns and nothing here holds them any more.
    try:
        return engine.apply(assess_ranks, tables, facts, limits, *communication)
    except OSError as error:  # a file that was kept a moment ago is gone
        raise unreadable(kept.place, error) from error


def _join_leaf(kept: Kept, keys: Sequence[tuple[str, int]]) -> dict[str, Array]:
    names = ("rank_steps", "rank_rows")
    return compact_texts(join_tables([kept.tables_of(key, names, rank) for key, rank in keys]))


def _steps_leaf(
    kept: Kept, alignment: StepAlignment, share: CollectiveShare, keys: Sequence[tuple[str, int]]
) -> dict[str, Array]:
    """Steps and collectives of some ranks, as far as they are of the share."""
    names = ("rank_steps", "rank_collectives")
    # Aligned before they are cut: a shifted rank may have a collective in another share.
    ranks = (align_tables(kept.tables_of(key, names, rank), rank, alignment) for key, rank in keys)
    return compact_texts(join_tables([share_of(tables, share) for tables in ranks]))


def _join_parts(parts: Sequence[dict[str, Array]]) -> dict[str, Array]:
    return join_tables(parts)
