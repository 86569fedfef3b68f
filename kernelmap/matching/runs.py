"""Answers in launch order → invocations: walks through one graph, from its start to its end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kernelmap.matching.decode import Answer
from kernelmap.matching.spots import Spots

_SERIES = 3  # launches in a row that begin to look like benchmarks
_WHOLE = 0.6
"""Share of the spots that have to run from which an invocation is believable."""


@dataclass(slots=True)
class Run:
    """One invocation: the rows at its spots in launch order, with their answers.

    `believable` is False where so little of the graph was seen that another graph, whose code was
    not given, may have run. At the ends of a sequence the window may have cut the rest off.
    """

    graph: int
    rows: list[int] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    believable: bool = True


@dataclass(frozen=True, slots=True)
class Walk:
    """One sequence: all its `rows` in launch order, and what was found at the places `at`.

    `run_at` holds the run of each place, None at strays; `answers` the answers.
    """

    rows: list[int]
    at: list[int]
    answers: list[Answer]
    run_at: list[Run | None]
    runs: list[Run]

    @property
    def strays(self) -> list[int]:
        """Rows under a known name that stand at no spot."""
        return [
            self.rows[place] for place, run in zip(self.at, self.run_at, strict=True) if run is None
        ]


def runs_of(rows: list[int], at: list[int], answers: Sequence[Answer], spots: Spots) -> Walk:
    """Cut one sequence into invocations.

    Two graphs may take turns (two threads): a run goes on as long as its graph's spots follow.
    """
    going: dict[int, Run] = {}
    runs: list[Run] = []
    run_at: list[Run | None] = []
    for place, answer in zip(at, answers, strict=True):
        if answer.spot < 0:
            run_at.append(None)
            continue
        graph = spots.graph[answer.spot]
        run = going.get(graph)
        if run is None or not _follows(run.answers[-1].spot, answer.spot, spots):
            run = going[graph] = Run(graph)
            runs.append(run)
        run.rows.append(rows[place])
        run.answers.append(answer)
        run_at.append(run)
    for run in runs[1:-1]:
        run.believable = _share_seen(run, spots) >= _WHOLE
    return Walk(rows, at, list(answers), run_at, runs)


def without_series(
    answers: Sequence[Answer], names: Sequence[int], again: Sequence[bool], spots: Spots
) -> list[Answer]:
    """`answers`, except for series of launches that only the autotuner makes.

    A graph of a single kernel may run many times in a row, and the autotuner's benchmarks of that
    kernel look the same. Where a series is far longer than the usual one of its name, none of it is
    known to be a call.
    """
    series: list[list[int]] = []
    for place, repeated in enumerate(again):
        if not repeated:
            series.append([])
        series[-1].append(place)
    lengths: dict[int, list[int]] = defaultdict(list)
    for each in series:
        lengths[names[each[0]]].append(len(each))
    usual = {name: sorted(each)[len(each) // 2] for name, each in lengths.items()}
    found = list(answers)
    for each in series:
        if len(each) < _SERIES or len(each) <= 2 * usual[names[each[0]]]:
            continue
        for place in each:
            spot = answers[place].spot
            if spot >= 0 and spots.before[spot] + spots.after[spot] == 0:
                found[place] = replace(answers[place], spot=-1)
    return found


def without_choosing(
    answers: Sequence[Answer], names: Sequence[int], again: Sequence[bool], spots: Spots
) -> list[Answer]:
    """`answers`, except for launches of a multi-kernel before its choice was made.

    A process runs the kernel that it chose; up to the last launch of another one it was measuring,
    and the series right behind that may be measurements of the chosen one.
    """
    places: dict[int, list[int]] = defaultdict(list)
    for place, answer in enumerate(answers):
        if answer.spot >= 0 and spots.choice[answer.spot]:
            places[answer.spot].append(place)
    found = list(answers)
    for each in places.values():
        others = [place for place in each if names[place] != names[each[-1]]]
        if not others:
            continue
        until = others[-1] + 1
        while until + 1 < len(names) and again[until + 1]:
            until += 1
        for place in each:
            if place <= until:
                found[place] = replace(answers[place], spot=-1)
    return found


def _follows(spot: int, after: int, spots: Spots) -> bool:
    looped = spots.loop[spot] >= 0 and spots.loop[spot] == spots.loop[after]
    return after > spot or looped


def _share_seen(run: Run, spots: Spots) -> float:
    """How much of what has to run was seen, 0 to 1."""
    last = run.answers[-1].spot
    whole = spots.before[last] + spots.certain[last] + spots.after[last]
    seen = len({a.spot for a in run.answers if spots.certain[a.spot]})
    return seen / whole if whole else 1.0
