"""The story of a fleet: place files by rank, read the ranks, join their tables, name causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from kernelmap.commands import command, input_word
from kernelmap.errors import KernelmapError, unreadable
from kernelmap.fleets.alignment import StepAlignment, align_ranks, align_tables
from kernelmap.fleets.answer import Assessed, assess_ranks
from kernelmap.fleets.communication import of_steps
from kernelmap.fleets.engine import Cluster, Engine, Failed, open_engine
from kernelmap.fleets.files import is_url
from kernelmap.fleets.inputs import Unplaced, place_by_rank
from kernelmap.fleets.kept import Kept, compact_texts, join_tables, place_to_keep
from kernelmap.fleets.manifests import complete_steps_of, processes_in
from kernelmap.fleets.notices import notices_of
from kernelmap.fleets.rank import RankTask, WholeTask, report_of
from kernelmap.fleets.reading import Outcome, Progress, read_all
from kernelmap.fleets.recorded import Gathered, gather_for_store, record_fleet
from kernelmap.fleets.shares import ROWS_OF_A_TASK, CollectiveShare, share_collectives, share_of
from kernelmap.fleets.slow import CauseTask, causes_of
from kernelmap.fleets.threads import divergence_in, find_unusual, threads_of, with_threads
from kernelmap.fleets.unequal import iter_divergence
from kernelmap.history.store.run import Run
from kernelmap.model import Notice
from kernelmap.model.paths import Source
from kernelmap.options import Options
from kernelmap.tables.fleet import FLEET
from kernelmap.tables.frames import Array, frame_of_rows
from kernelmap.tables.rows import Row

if TYPE_CHECKING:
    import pandas as pd

    from kernelmap.history.store.store import Store

_REPORTS = 8  # slow ranks that get one, some MB each


class FleetOptions(Struct, frozen=True, kw_only=True):
    """Choices of a fleet.

    `code` are files and folders that all ranks ran; `pattern` finds the rank in a path; `kept` is
    where the tables of ranks are kept, as kept.py says by default; `again` reads
    ranks that are kept, too. `gather` brings what `record` needs of all ranks, `reports` the report
    of the median rank and of the slowest ones.
    """

    pattern: str | None = None
    code: tuple[str, ...] = ()
    options: Options = Options()
    cluster: Cluster = Cluster()
    kept: str | None = None
    again: bool = False
    gather: bool = False
    reports: bool = False


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """The answer for all ranks; `rows` by the names of views.fleet.FLEET.

    `expected` is how many ranks there were, `read` how many were read, of which `new` anew.
    `reference` is the median rank, `matched` counts collectives that were matched over ranks.
    `parts` are the rows of views.fleet.ROWS of the slow ranks and of that one, `calls` the ns by
    rank of the calls in which ranks differ most; a run of a store has neither. `reports` are HTML.
    """

    rows: Mapping[str, Sequence[Row]]
    expected: int
    read: int
    new: int
    reference: int
    matched: int
    unplaced: tuple[Unplaced, ...]
    notices: tuple[Notice, ...]
    inputs: tuple[str, ...]
    parts: Mapping[int, Sequence[Row]] = field(default_factory=dict, repr=False)
    calls: Mapping[str, Mapping[int, int]] = field(default_factory=dict, repr=False)
    reports: Mapping[int, bytes] = field(default_factory=dict, repr=False)
    gathered: Gathered | None = field(default=None, repr=False)

    def __getattr__(self, name: str) -> pd.DataFrame:
        """A table by its name: ranks, steps, causes, spread, divergence, communication, what_if."""
        if name not in FLEET:
            raise AttributeError(f"a {type(self).__name__} has no {name!r}")
        return frame_of_rows(FLEET[name], self.rows[name])

    def render(self, form: str, *, by: str = "call", top: int = 20) -> str:
        """The answer as `json`, `markdown` or `html`."""
        from kernelmap.fleets.write import render_fleet

        return render_fleet(self, form, by=by, top=top)

    def write(self, path: Source, *, by: str = "call", top: int = 20) -> Path:
        """Write to `path`: .json, .md, .html, or a folder of Parquet files; gives it back.

        Reports of ranks go into a folder beside an .html file, which leads to them.
        Raises KernelmapError for another suffix, and where it cannot be written.
        """
        from kernelmap.fleets.write import write_fleet

        return write_fleet(self, Path(path), by=by, top=top)

    def record(self, store: Store, **about: Any) -> Run:  # noqa: ANN401 -- those of recorded.record
        """Keep the answer as a run of `store`, with its name, branch, commit and tags.

        Needs a fleet that was read with FleetOptions(gather=True).
        """
        return record_fleet(self, store, **about)


def run_fleet(
    sources: Sequence[str],
    options: FleetOptions | None = None,
    progress: Progress | None = None,
) -> Fleet:
    """What `kernelmap.fleet` gives."""
    chosen = options or FleetOptions()
    # First it is settled which file is of which rank, for which only the beginnings of files are
    # read, and a task is made for each rank.
    placed = place_by_rank(sources, chosen.pattern, limit_s=chosen.cluster.limit_s)
    kept = Kept(_place_to_keep(chosen.kept))
    processes = processes_in(placed.manifests)
    tasks = [
        RankTask(
            rank=rank_files.rank,
            files=tuple(map(_seen_by_all, rank_files.files)),
            shared=tuple(map(_seen_by_all, chosen.code)),
            options=chosen.options,
            complete_steps=complete_steps_of(processes.get(rank_files.rank)),
        )
        for rank_files in placed.ranks
    ]
    with open_engine(chosen.cluster, len(tasks)) as engine:
        # Workers read the ranks and keep their tables. From here on a rank is a key, and a few
        # facts.
        read = read_all(engine, tasks, kept, progress, again=chosen.again, absent=placed.absent)
        outcomes, missing = read.outcomes, read.missing
        if not outcomes:
            raise _none_read(missing, tasks)
        keys = [outcome.of_rank for outcome in outcomes]
        # Steps and rows of all ranks are joined on the workers, and stay there.
        tables = engine.tree(partial(_join_leaf, kept), _join_parts, keys)
        # Collectives may be many, so they are shared out to as many tasks as they need; each
        # task keeps of every rank what is of its share, and gives back sums.
        facts = [outcome.facts for outcome in outcomes]
        alignment = align_ranks(facts)
        communication = [
            engine.later(
                of_steps,
                engine.tree(partial(_steps_leaf, kept, alignment, share), _join_parts, keys),
            )
            for share in share_collectives(facts, ROWS_OF_A_TASK)
        ]
        try:
            assessed = engine.apply(assess_ranks, tables, facts, *communication)
        except OSError as error:  # a file that was kept a moment ago is gone
            raise unreadable(kept.place, error) from error
        del tables, communication  # so that workers free them
        # Each slow rank is compared with the median rank in a task of its own.
        threads = threads_of(processes)
        causes, failed = _causes_of_slow(engine, assessed, outcomes, kept, threads)
        reports: dict[int, bytes] = {}
        if chosen.reports:
            reports, without = _make_reports(engine, assessed, outcomes, tasks)
            failed += without
        gathered = None
        if chosen.gather:
            # Recording needs all tables of the median rank, and the rows of all ranks.
            (median,) = (
                outcome for outcome in outcomes if outcome.facts.rank == assessed.reference
            )
            whole = WholeTask(assessed.reference, tasks[median.task], median.process)
            gathered = gather_for_store(engine, kept, keys, whole)
        notices = tuple(
            Notice(slug="versions-differ", message=f"Versions differ: {text}.")
            for text in engine.notices
        )
    return Fleet(
        rows={
            **assessed.tables,
            "ranks": sorted(
                with_threads([*assessed.ranks, *_missing_rows(missing)], threads),
                key=lambda row: _whole_number(row["rank"]),
            ),
            "divergence": [
                *assessed.tables["divergence"],
                *iter_divergence(alignment.unequal),
                *divergence_in(threads, assessed.reference),
            ],
            "causes": causes,
        },
        expected=len(outcomes) + len(missing),
        read=len(outcomes),
        new=sum(outcome.new for outcome in outcomes),
        reference=assessed.reference,
        matched=assessed.matched,
        unplaced=placed.unplaced,
        notices=(
            *notices,
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


def _causes_of_slow(
    engine: Engine,
    assessed: Assessed,
    outcomes: Sequence[Outcome],
    kept: Kept,
    threads: Mapping[int, Row],
) -> tuple[list[Row], list[Notice]]:
    """The causes of all slow ranks, the slowest first; what could not be compared."""
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


def _make_reports(
    engine: Engine, assessed: Assessed, outcomes: Sequence[Outcome], tasks: Sequence[RankTask]
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


def _missing_rows(missing: Mapping[int, str]) -> list[Row]:
    """Rows of views.fleet.RANKS for the ranks that were not read."""
    names = FLEET["ranks"].by_name
    return [
        dict.fromkeys(names, None) | {"rank": rank, "state": "missing", "reason": reason}
        for rank, reason in sorted(missing.items())
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


def _place_to_keep(given: str | None) -> str:
    """Where the tables of ranks are kept, as workers elsewhere can find it."""
    return _seen_by_all(given or place_to_keep())


def _seen_by_all(name: str) -> str:
    return name if is_url(name) else str(Path(name).absolute())


def _whole_number(value: object) -> int:
    return value if isinstance(value, int) else 0
