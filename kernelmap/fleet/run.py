"""The story of a fleet: place files by rank, read the ranks, join their tables, name causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from kernelmap.commands import command, input_word
from kernelmap.errors import KernelmapError
from kernelmap.fleet.alignment import StepAlignment, align_ranks
from kernelmap.fleet.answer import Assessed
from kernelmap.fleet.engine import Cluster, Engine, open_engine
from kernelmap.fleet.files import is_url
from kernelmap.fleet.fleet_result import Fleet
from kernelmap.fleet.gathered import Gathered, gather_for_store
from kernelmap.fleet.inputs import PlacedFiles, place_by_rank
from kernelmap.fleet.joining import assess_on_workers
from kernelmap.fleet.kept import Kept, place_to_keep
from kernelmap.fleet.manifests import complete_steps_of, processes_in
from kernelmap.fleet.notices import notices_of
from kernelmap.fleet.rank import RankTask, WholeTask
from kernelmap.fleet.reading import Outcome, Progress, read_all
from kernelmap.fleet.slow_tasks import explain_slow_ranks, make_reports
from kernelmap.fleet.threads import divergence_in, threads_of, with_threads
from kernelmap.fleet.unequal import iter_divergence
from kernelmap.model import Notice
from kernelmap.model.bundle import RecordedProcess
from kernelmap.options import Options
from kernelmap.speed.limits.device_limits import limits_of
from kernelmap.tables.fleet import FLEET
from kernelmap.tables.rows import Row, whole_number


class FleetOptions(Struct, frozen=True, kw_only=True):
    """Choices of a fleet.

    `code` are files and folders that all ranks ran; `pattern` finds the rank in a path; `kept` is
    where the tables of ranks are kept, as kept.py says by default; `again` reads
    ranks that are kept, too. `gather` brings what `record` needs of all ranks, `reports` the report
    of the median rank and of the slowest ones. `anyway` takes ranks in that bear no figures.
    """

    pattern: str | None = None
    code: tuple[str, ...] = ()
    options: Options = Options()
    cluster: Cluster = Cluster()
    kept: str | None = None
    again: bool = False
    gather: bool = False
    reports: bool = False
    anyway: bool = False


def run_fleet(
    sources: Sequence[str],
    options: FleetOptions | None = None,
    progress: Progress | None = None,
) -> Fleet:
    """What `kernelmap.fleet` gives."""
    chosen = options or FleetOptions()
    # First it is settled which file is of which rank, for which only the beginnings of files are
    # read, and a task is made for each rank.
    limits_of((), chosen.options.device_limits)  # a file that is none is said before the work
    placed = place_by_rank(sources, chosen.pattern, limit_s=chosen.cluster.limit_s)
    processes = processes_in(placed.manifests)
    threads = threads_of(processes)
    tasks = _tasks_of_ranks(placed, processes, chosen)
    kept = Kept(_place_to_keep(chosen.kept))
    with open_engine(chosen.cluster, len(tasks)) as engine:
        # Workers read the ranks and keep their tables. From here on a rank is a key, and a few
        # facts.
        read = read_all(engine, tasks, kept, progress, again=chosen.again, absent=placed.absent)
        outcomes, missing = read.outcomes, read.missing
        if not outcomes:
            raise _none_read(missing, tasks)
        alignment = align_ranks([outcome.facts for outcome in outcomes])
        devices = {outcome.facts.device for outcome in outcomes}
        limits = limits_of(devices, chosen.options.device_limits)
        assessed = assess_on_workers(engine, kept, outcomes, alignment, limits)
        # What is only known of some ranks, or only wanted at times, comes afterwards.
        causes, failed = explain_slow_ranks(engine, kept, outcomes, assessed, threads)
        reports: dict[int, bytes] = {}
        if chosen.reports:
            reports, without = make_reports(engine, tasks, outcomes, assessed)
            failed += without
        gathered = None
        if chosen.gather:
            gathered = _gather_for_store(engine, kept, tasks, outcomes, assessed.reference)
        versions = tuple(
            Notice(slug="versions-differ", message=f"Versions differ: {text}.")
            for text in engine.notices
        )
    return Fleet(
        rows={
            **assessed.tables,
            "ranks": _rows_of_ranks(assessed, missing, threads),
            "divergence": _rows_of_divergence(assessed, alignment, threads),
            "causes": causes,
        },
        expected=len(outcomes) + len(missing),
        read=len(outcomes),
        new=sum(outcome.new for outcome in outcomes),
        reference=assessed.reference,
        matched=assessed.matched,
        unplaced=placed.unplaced,
        notices=(
            *versions,
            *failed,
            *notices_of(placed, missing, len(outcomes)),
            *read.iter_notices(),
            *alignment.iter_notices(),
            *assessed.notices,
        ),
        inputs=tuple(sources),
        parts=assessed.parts,
        calls=assessed.calls,
        reports=reports,
        gathered=gathered,
    )


def _tasks_of_ranks(
    placed: PlacedFiles, processes: Mapping[int, RecordedProcess], chosen: FleetOptions
) -> list[RankTask]:
    """A task for each rank that has files; `processes` are those of manifests, by rank."""
    return [
        RankTask(
            rank=rank_files.rank,
            files=tuple(map(_seen_by_all, rank_files.files)),
            shared=tuple(map(_seen_by_all, chosen.code)),
            options=chosen.options,
            anyway=chosen.anyway,
            complete_steps=complete_steps_of(processes.get(rank_files.rank)),
        )
        for rank_files in placed.ranks
    ]


def _none_read(missing: Mapping[int, str], tasks: Sequence[RankTask]) -> KernelmapError:
    rank, reason = min(missing.items())
    files = next((task.files for task in tasks if task.rank == rank), ())
    alone = command("correlate", *map(input_word, files))
    return KernelmapError(
        "no-rank-read",
        f"none of {len(missing)} ranks can be read; rank {rank}: {reason}",
        f"It may say more alone: `{alone}`"
        if files and not any("://" in name for name in files)
        else "Give one of them to `correlate` alone: it may say more.",
    )


def _gather_for_store(
    engine: Engine,
    kept: Kept,
    tasks: Sequence[RankTask],
    outcomes: Sequence[Outcome],
    reference: int,
) -> Gathered:
    """All tables of the median rank, which is `reference`, and the rows of all ranks."""
    (median,) = (outcome for outcome in outcomes if outcome.facts.rank == reference)
    whole = WholeTask(reference, tasks[median.task], median.process)
    return gather_for_store(engine, kept, [outcome.of_rank for outcome in outcomes], whole)


def _rows_of_ranks(
    assessed: Assessed, missing: Mapping[int, str], threads: Mapping[int, Row]
) -> list[Row]:
    """Rows of tables.fleet.RANKS: ranks that were read and ranks that were not, in order."""
    names = FLEET["ranks"].by_name
    not_read: list[Row] = [
        dict.fromkeys(names, None) | {"rank": rank, "state": "missing", "reason": reason}
        for rank, reason in sorted(missing.items())
    ]
    rows = with_threads([*assessed.ranks, *not_read], threads)
    return sorted(rows, key=lambda row: whole_number(row, "rank"))


def _rows_of_divergence(
    assessed: Assessed, alignment: StepAlignment, threads: Mapping[int, Row]
) -> list[Row]:
    """Rows of tables.fleet.DIVERGENCE: programs, counts of collectives, threads."""
    return [
        *assessed.tables["divergence"],
        *iter_divergence(alignment.unequal),
        *divergence_in(threads, assessed.reference),
    ]


def _place_to_keep(given: str | None) -> str:
    """Where the tables of ranks are kept, as workers elsewhere can find it."""
    return _seen_by_all(given or place_to_keep())


def _seen_by_all(name: str) -> str:
    return name if is_url(name) else str(Path(name).absolute())
