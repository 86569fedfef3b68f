"""All ranks of a fleet → what is kept of each, and why others are missing.

A report of Nsight Systems may hold several processes: each of them is a rank. Reports are numbered
as their names say, one after the other or, where the names leave room for it, by their first rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.fleet.engine import Engine, Failed
from kernelmap.fleet.kept import Kept
from kernelmap.fleet.rank import RankFacts, RankTask, read_rank
from kernelmap.model import Notice
from kernelmap.model.notices import format_count

Progress = Callable[[int, int], None]


class Outcome(Struct, frozen=True, kw_only=True):
    """What the client learns of a rank that was read: the key of what is kept, and facts.

    `process` is its place in the report that `task` names, 0 where it is alone.
    """

    key: str
    facts: RankFacts
    new: bool
    process: int = 0
    task: int = 0

    @property
    def of_rank(self) -> tuple[str, int]:
        """The key, and the rank that its tables are of."""
        return self.key, self.facts.rank


class Read(Struct, frozen=True, kw_only=True):
    """The ranks that were read, in order, and those that were not, with the reason."""

    outcomes: tuple[Outcome, ...]
    missing: Mapping[int, str]

    def iter_notices(self) -> Iterator[Notice]:
        """A notice where reports hold several ranks; it says how these are numbered."""
        reports = {outcome.task for outcome in self.outcomes if outcome.facts.processes > 1}
        if reports:
            ranks = sum(outcome.task in reports for outcome in self.outcomes)
            yield Notice(
                slug="ranks-share-a-report",
                message=f"{format_count(len(reports), 'report')} of Nsight Systems recorded "
                f"{ranks:,} ranks together: a process is a rank, in the order of their devices.",
                hint="Record a report per rank to be sure of the numbers: torchrun … --no-python"
                " nsys profile -o rank_%q{RANK} python train.py.",
            )


def read_all(
    engine: Engine,
    tasks: Sequence[RankTask],
    kept: Kept,
    progress: Progress | None = None,
    *,
    again: bool,
    absent: Sequence[int] = (),
) -> Read:
    """Read all ranks; those in `absent` have no file."""
    by_report: dict[int, list[Outcome]] = {}
    failed: dict[int, str] = dict.fromkeys(absent, "no input is of this rank")
    for number, done in enumerate(
        engine.as_completed(partial(_read_one, kept, again=again), tasks), start=1
    ):
        if isinstance(done.value, Failed):
            failed[tasks[done.position].rank] = done.value.reason
        else:
            by_report[tasks[done.position].rank] = [
                replace(outcome, task=done.position) for outcome in done.value
            ]
        if progress is not None:
            progress(number, len(tasks))
    return _number_ranks(by_report, failed)


def _number_ranks(by_report: Mapping[int, Sequence[Outcome]], failed: Mapping[int, str]) -> Read:
    """All outcomes and failures, with a number for each rank of a report.

    `by_report` and `failed` have the number that the name of a report states.
    """
    # Reports 0 and 8 of eight processes each: the names are first ranks, and leave room. Reports 0,
    # 1, 2 of eight: these are numbers of reports, and ranks are counted through.
    most = max(map(len, by_report.values()), default=1)
    named = sorted(by_report)
    room = all(later - one >= len(by_report[one]) for one, later in pairwise(named))
    factor = 1 if room else most
    outcomes = [
        replace(outcome, facts=replace(outcome.facts, rank=report * factor + outcome.process))
        for report in named
        for outcome in by_report[report]
    ]
    there = {outcome.facts.rank for outcome in outcomes}
    # A report that failed is taken to have as many ranks as the largest one that was read.
    missing = {
        report * factor + process: reason
        for report, reason in failed.items()
        for process in range(factor)
        if report * factor + process not in there
    }
    return Read(outcomes=tuple(outcomes), missing=missing)


def _read_one(kept: Kept, task: RankTask, *, again: bool) -> list[Outcome]:
    """Read a rank and keep its tables, or find that they are kept. Runs on a worker."""
    key = task.key()
    outcomes = [] if again else list(_iter_kept(kept, key))
    # An entry of only some processes of the report is no use: the report is read as a whole.
    if outcomes and len(outcomes) == outcomes[0].facts.processes:
        return outcomes
    results = read_rank(task)
    for process, result in enumerate(results):
        kept.put_entry(_of_process(key, process), result)
    return [
        Outcome(key=_of_process(key, process), facts=result.facts, new=True, process=process)
        for process, result in enumerate(results)
    ]


def _iter_kept(kept: Kept, key: str) -> Iterator[Outcome]:
    """What is kept of the processes of a report, as far as nothing is missing."""
    process = 0
    # The entry of each process says how many there are.
    while facts := kept.facts_of(_of_process(key, process)):
        yield Outcome(key=_of_process(key, process), facts=facts, new=False, process=process)
        process += 1
        if process == facts.processes:
            return


def _of_process(key: str, process: int) -> str:
    return f"{key}-{process}" if process else key
