"""The library launches of a walk: which of them most invocations have, and whose they are.

A gap is what lies between two neighboring spots of a walk. Inside an invocation the code says which
library calls run there; between two invocations those at the end of one and at the start of the
next. The same gap of other invocations tells the graph's own launches from strangers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kernelmap.matching.decode import CLEAR
from kernelmap.matching.draft import Draft
from kernelmap.matching.families import kernel_family, operator_family
from kernelmap.matching.library_calls import Gap, Share, divide
from kernelmap.matching.runs import Run, Walk
from kernelmap.matching.situation import Situation
from kernelmap.matching.spots import Spots
from kernelmap.model import Activity, Confidence, Method, Reason
from kernelmap.model.trace import Int

_ENOUGH = 3  # invocations that can agree on what they launch
_USUAL, _UNSURE, _UNUSUAL = 3.0, 1.0, 0.3  # what it costs to leave out a launch


@dataclass(frozen=True, slots=True)
class _Place:
    """A gap of one walk: its rows, the spots at its ends (-1: the walk's end) and their runs.

    `sure` says whether the spots at its ends are clear.
    """

    rows: tuple[int, ...]
    names: tuple[int, ...]
    before: int
    after: int
    run: Run | None
    next: Run | None
    sure: bool


class Gaps:
    """All gaps of some walks, ready to be settled."""

    def __init__(self, situation: Situation, spots: Spots, walks: Sequence[Walk]) -> None:
        self._situation = situation
        self._spots = spots
        self._libraries = _libraries(situation)
        self._places = {id(walk): list(self._of(walk)) for walk in walks}
        self._habits: dict[tuple[int, int], list[Counter[int]]] = defaultdict(list)
        for places in self._places.values():
            for place in places:
                if place.run is place.next:
                    self._habits[place.before, place.after].append(Counter(place.names))
        self._usual = {ends: _usual(seen) for ends, seen in self._habits.items()}
        self._solved: dict[tuple[object, ...], list[Share]] = {}

    def settle(self, walk: Walk, draft: Draft) -> None:
        """Decide the library launches of `walk`."""
        clear: list[tuple[int, int]] = []
        for place in self._places[id(walk)]:
            calls, tail = self._calls(place)
            if not calls or not place.rows or not place.sure:
                continue
            key = (place.before, place.after, tail, place.names)
            if key not in self._solved:
                self._solved[key] = self._divide(place, calls, tail)
            for row, share in zip(place.rows, self._solved[key], strict=True):
                run = place.run if tail < 0 or share.call < tail else place.next
                if share.call < 0 or -1 in share.alternatives or not run or not run.believable:
                    continue
                draft.invocation[row] = draft.invocation[run.rows[0]]
                if share.clear:
                    clear.append((row, calls[share.call]))
                else:
                    self._name_all(draft, row, [calls[call] for call in share.alternatives])
        rows = np.array([row for row, _ in clear], dtype=np.int64)
        draft.call[rows] = [call for _, call in clear]
        draft.settle(rows, Confidence.INFERRED, method=Method.ALIGNMENT)

    def _name_all(self, draft: Draft, row: int, calls: Sequence[int]) -> None:
        draft.name(row, calls)
        draft.settle(
            np.array([row]),
            Confidence.AMBIGUOUS,
            method=Method.CANDIDATES,
            reason=Reason.COUNT_DIFFERS,
        )

    def _divide(self, place: _Place, calls: Sequence[int], tail: int) -> list[Share]:
        launches = self._situation.trace.launches
        kinds = [
            kernel_family(launches.names[name], Activity(int(launches.activity[row])))
            for row, name in zip(place.rows, place.names, strict=True)
        ]
        program = self._situation.program
        families = tuple(operator_family(program.calls[call][1].target or "") for call in calls)
        usual = self._usual.get((place.before, place.after)) if tail < 0 else None
        seen: Counter[int] = Counter()
        left_out = []
        for name in place.names:
            seen[name] += 1
            if usual is None:
                left_out.append(_UNSURE)
            else:
                left_out.append(_USUAL if seen[name] <= usual[name] else _UNUSUAL)
        return divide(kinds, left_out, Gap(families, tail))

    def _calls(self, place: _Place) -> tuple[tuple[int, ...], int]:
        """Positions of the library calls of a gap, and how many of them end an invocation."""
        spots = self._spots
        if place.run is not None and place.run is place.next:
            return self._between(spots.call[place.before], spots.call[place.after]), -1
        tail: tuple[int, ...] = ()
        head: tuple[int, ...] = ()
        if place.run is not None:
            tail = self._between(spots.call[place.before], self._end(place.before))
        if place.next is not None:
            head = self._between(self._start(place.after), spots.call[place.after])
        return (*tail, *head), len(tail)

    def _between(self, first: int, last: int) -> tuple[int, ...]:
        libraries = self._libraries
        return tuple(libraries[bisect_right(libraries, first) : bisect_left(libraries, last)])

    def _end(self, spot: int) -> int:
        """The position after the last call that may follow `spot` before the next spot."""
        spots = self._spots
        if spot + 1 < len(spots) and spots.graph[spot + 1] == spots.graph[spot]:
            return spots.call[spot + 1]
        program, graph = self._situation.program, spots.graph[spot]
        return program.first_call[graph] + len(program.graphs[graph].calls)

    def _start(self, spot: int) -> int:
        """The position before the first call that may precede `spot` after the spot before."""
        spots = self._spots
        if spot > 0 and spots.graph[spot - 1] == spots.graph[spot]:
            return spots.call[spot - 1]
        return self._situation.program.first_call[spots.graph[spot]] - 1

    def _of(self, walk: Walk) -> Iterator[_Place]:
        launches = self._situation.trace.launches
        strays = {i for i, run in zip(walk.at, walk.run_at, strict=True) if run is None}
        ends = [
            (place, answer.spot, run, answer.margin >= CLEAR)
            for place, answer, run in zip(walk.at, walk.answers, walk.run_at, strict=True)
            if run is not None
        ]
        bounds = [(-1, -1, None, True), *ends, (len(walk.rows), -1, None, True)]
        for (begin, before, run, one), (end, after, following, other) in pairwise(bounds):
            rows = _before_benchmarks(walk, range(begin + 1, end), strays, launches.name_id)
            names = tuple(launches.name_id[list(rows)].tolist()) if rows else ()
            yield _Place(rows, names, before, after, run, following, sure=one and other)


def _before_benchmarks(walk: Walk, gap: range, strays: set[int], name_id: Int) -> tuple[int, ...]:
    """The rows of a gap up to the first stray.

    What the autotuner clears between its benchmarks it clears before the first one, too.
    """
    first = next((i for i in gap if i in strays), None)
    if first is None:
        return tuple(walk.rows[i] for i in gap)
    after = {int(name_id[walk.rows[i]]) for i in gap if i > first}
    while first > gap.start and int(name_id[walk.rows[first - 1]]) in after:
        first -= 1
    return tuple(walk.rows[gap.start : first])


def _libraries(situation: Situation) -> list[int]:
    """Positions of the calls that run an operator's library, in program order."""
    return [
        position
        for position, (_, call) in enumerate(situation.program.calls)
        if call.kernel is None and call.target is not None
    ]


def _usual(seen: Sequence[Counter[int]]) -> Counter[int] | None:
    """How often most invocations launch each name at one place, None where too few can tell."""
    if len(seen) < _ENOUGH:
        return None
    usual: Counter[int] = Counter()
    for name in {name for each in seen for name in each}:
        counts = sorted(each[name] for each in seen)
        usual[name] = counts[len(counts) // 2]
    return usual
