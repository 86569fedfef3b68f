"""Slow ranks, in a task for each: why it is slow against the median rank, and its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelmap.fleet.answer import Assessed
from kernelmap.fleet.engine import Engine, Failed
from kernelmap.fleet.kept import Kept
from kernelmap.fleet.rank import RankTask, WholeTask, report_of
from kernelmap.fleet.reading import Outcome
from kernelmap.fleet.slow import CauseTask, causes_of
from kernelmap.fleet.threads import find_unusual
from kernelmap.model import Notice
from kernelmap.tables.rows import Row

_REPORTS = 8  # slow ranks that get one, some MB each


def explain_slow_ranks(
    engine: Engine,
    kept: Kept,
    outcomes: Sequence[Outcome],
    assessed: Assessed,
    threads: Mapping[int, Row],
) -> tuple[list[Row], list[Notice]]:
    """The causes of all slow ranks, the slowest first; what could not be compared.

    Each is compared with the median rank in a task of its own. `threads` are those of
    torch by rank, as manifests state them.
    """
    keys = {outcome.facts.rank: outcome.key for outcome in outcomes}
    others = find_unusual(threads, "threads", assessed.reference)
    tasks = [
        CauseTask(
            place=kept.place,
            rank=rank,
            key=keys[rank],
            against=assessed.reference,
            against_key=keys[assessed.reference],
            excess_ns=excess_ns,
            threads=others.get(rank),
        )
        for rank, excess_ns in assessed.slow
    ]
    causes: dict[int, list[Row]] = {}
    failed = []
    for done in engine.as_completed(causes_of, tasks):
        if isinstance(done.value, Failed):
            rank = tasks[done.position].rank
            failed.append(
                Notice(
                    slug="no-causes",
                    message=f"Rank {rank} is slow, and why is not known: {done.value.reason}.",
                )
            )
        else:
            causes[done.position] = done.value
    return [row for position in sorted(causes) for row in causes[position]], failed


def make_reports(
    engine: Engine, tasks: Sequence[RankTask], outcomes: Sequence[Outcome], assessed: Assessed
) -> tuple[dict[int, bytes], list[Notice]]:
    """The reports of the slowest ranks and of the median rank; what could not be made."""
    slowest = [rank for rank, _ in assessed.slow[:_REPORTS]]
    by_rank = {outcome.facts.rank: outcome for outcome in outcomes}
    wanted = [
        WholeTask(rank, tasks[by_rank[rank].task], by_rank[rank].process)
        for rank in (*slowest, assessed.reference)
    ]
    made: dict[int, bytes] = {}
    failed = []
    for done in engine.as_completed(report_of, wanted):
        rank = wanted[done.position].rank
        if isinstance(done.value, Failed):
            message = f"The report of rank {rank} was not made: {done.value.reason}."
            failed.append(Notice(slug="no-report-of-rank", message=message))
        else:
            made[rank] = done.value
    return made, failed
