"""Launch names in launch order → the spot that each stands at, and how far ahead that answer is.

A path walks through the graphs' spots: it starts anywhere, goes on to the next spot for nothing,
leaves a graph at its end and enters any at its start for nothing. What costs is listed in `Costs`;
the cheapest path explains the launches best. The work is linear: of all ways to come from another
graph only the best one so far counts (one number), and within a graph only the few spots that can
be reached for less than that.

For every launch and spot the worth of the best path through both is known (forward plus backward),
so the second best answer is known as well: the difference is the margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kernelmap.matching.spots import Spots
from kernelmap.model.trace import Int

_NEVER = -(10**15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a path pays: logarithms of odds, as whole numbers, so that equal paths cost the same."""

    lost: int = 40
    """A spot that has to run is not seen."""
    stray: int = 40
    """A launch under a known name belongs to no call."""
    tuned: int = 40
    """The launches right before one under the same name are the autotuner's benchmarks."""
    benchmark: int = 2
    """Each of them."""
    edge: int = 40
    """A graph is entered after its start, or left before its end, however far."""


COSTS = Costs()

CLEAR = 30
"""A margin from which one answer is clearly ahead: nearly one lost event."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Where one launch stands: the best `spot` (-1: none), and all that are not clearly worse.

    `margin` is how much more the second best costs.
    """

    spot: int
    margin: int
    alternatives: tuple[int, ...]


class Decoder:
    """Decodes sequences of launches; names are numbers that point into `spots_by_name`."""

    def __init__(self, spots: Spots, spots_by_name: Sequence[tuple[int, ...]]) -> None:
        self._spots = spots
        self._of_name = [np.array(each, dtype=np.int64) for each in spots_by_name]
        self._natural = [_follow_each_other(each, spots) for each in spots_by_name]
        enter = np.minimum(COSTS.edge, COSTS.lost * np.array(spots.before, dtype=np.int64))
        leave = np.minimum(COSTS.edge, COSTS.lost * np.array(spots.after, dtype=np.int64))
        ahead = [_near(spots, spot) for spot in range(len(spots))]
        self._ahead = _Front(enter, leave, ahead, self._of_name)
        self._behind = _Front(leave, enter, _reversed(ahead), self._of_name)

    def decode(
        self,
        names: Sequence[int],
        fits: Sequence[Int],
        again: Sequence[bool],
        *,
        whole: bool = False,
    ) -> list[Answer]:
        """The answer for each launch of one sequence, in launch order.

        `fits` holds for each launch what speaks against each spot of its name, 0 or less; `again`
        says whether it follows a launch of the same name directly. Only a sequence that is `whole`
        begins and ends where graphs do: a window cuts anywhere.
        """
        self._ahead.clear(whole=whole)
        self._behind.clear(whole=whole)
        before = self._benchmarks_before(names, again)
        ahead, without = self._forward(names, fits, before)
        behind = self._backward(names, fits, before)
        totals = [one + other for one, other in zip(ahead, behind, strict=True)]
        best = max((int(each.max()) for each in totals), default=0)
        # What the best path is worth that leaves out each launch and goes on with the next one.
        skipped = [int((w + b).max()) for w, b in zip(without, behind[1:], strict=True)]
        skipped.append(max((int(each.max()) for each in ahead[:-1]), default=0))
        return [
            self._answer(self._of_name[name], total, best, other)
            for name, total, other in zip(names, totals, skipped, strict=True)
        ]

    def _answer(self, spots: Int, total: Int, best: int, skipped: int) -> Answer:
        at = int(total.argmax())
        top = int(total[at])
        if top <= best - CLEAR:
            return Answer(-1, best - top, ())
        close = tuple(spots[total > best - CLEAR].tolist())
        if top < best:
            # Another launch stands here on the best path: this one may be none of the code's.
            return Answer(-1, best - top, close)
        margin = best - skipped
        if len(total) > 1:
            margin = min(margin, top - int(np.partition(total, -2)[-2]))
        return Answer(int(spots[at]), margin, close)

    def _benchmarks_before(self, names: Sequence[int], again: Sequence[bool]) -> list[int]:
        """How many launches under the same name come right before each.

        0 for names whose calls follow each other in the code: there a row is no sign of tuning.
        """
        counts: list[int] = []
        for name, repeated in zip(names, again, strict=True):
            counts.append(counts[-1] + 1 if repeated and not self._natural[name] else 0)
        return counts

    def _forward(
        self, names: Sequence[int], fits: Sequence[Int], before: Sequence[int]
    ) -> tuple[list[Int], list[Int]]:
        """Per launch and spot, the best path up to it, the launch explained.

        The second list says the same of launches 1 and on, the launch before each left out.
        """
        front = self._ahead
        found: list[Int] = []
        without: list[Int] = []
        fresh = np.zeros(0, dtype=np.int64)
        for at, (name, count) in enumerate(zip(names, before, strict=True)):
            values = front.values(name)
            if count == 0:
                fresh = values
            values = _tuned(values, fresh, count) + fits[at] + COSTS.stray
            if at + 1 < len(names):
                left_out = _tuned(front.values(names[at + 1]), fresh, before[at + 1])
                without.append(left_out + fits[at + 1] + COSTS.stray)
            front.extend(name, values)
            found.append(values)
        return found, without

    def _backward(
        self, names: Sequence[int], fits: Sequence[Int], before: Sequence[int]
    ) -> list[Int]:
        """Per launch and spot, the best path from it to the end, the launch itself left out."""
        front = self._behind
        found: list[Int] = []
        waiting: list[Int] = []
        for at in range(len(names) - 1, -1, -1):
            name, count = names[at], before[at]
            values = front.values(name)
            found.append(values)
            reached = values + fits[at] + COSTS.stray
            front.extend(name, reached)
            if _saved(count) > 0:
                waiting.append(reached + _saved(count))
            if count == 0 and waiting:
                # The run of equal names begins here: what was left out of it counts from now on.
                front.extend(name, np.maximum.reduce(waiting))
                waiting.clear()
        return found[::-1]


class _Front:
    """The best paths so far: by the spot they stand at, and the best one to leave a graph."""

    def __init__(
        self, enter: Int, leave: Int, near: Sequence[Sequence[tuple[int, int]]], names: list[Int]
    ) -> None:
        width = max((len(each) for each in near), default=0) or 1
        nobody = len(enter)
        source = np.full((nobody, width), nobody, dtype=np.int64)
        cost = np.zeros((nobody, width), dtype=np.int64)
        for spot, each in enumerate(near):
            for column, (other, price) in enumerate(each):
                source[spot, column], cost[spot, column] = other, price
        self._spots = names
        self._enter = [enter[spots] for spots in names]
        self._leave = [leave[spots] for spots in names]
        self._source = [source[spots] for spots in names]
        self._cost = [cost[spots] for spots in names]
        self._reached = np.full(nobody + 1, _NEVER, dtype=np.int64)
        self.clear(whole=False)

    def clear(self, *, whole: bool) -> None:
        """Forget all paths. What begins a `whole` sequence enters a graph as anything else does."""
        self._reached[:] = _NEVER
        self._hub = 0 if whole else _NEVER
        self._least = _NEVER if whole else 0

    def values(self, name: int) -> Int:
        """The best path to each spot of a name."""
        inside = (self._reached[self._source[name]] - self._cost[name]).max(axis=1)
        entered = np.maximum(self._hub - self._enter[name], self._least)
        best: Int = np.maximum(inside, entered)
        return best

    def extend(self, name: int, values: Int) -> None:
        """Note paths that stand at the spots of a name."""
        spots = self._spots[name]
        self._reached[spots] = np.maximum(self._reached[spots], values)
        self._hub = max(self._hub, int((values - self._leave[name]).max()))


def _tuned(values: Int, fresh: Int, count: int) -> Int:
    """`values`, or what they are if the `count` launches since `fresh` were benchmarks."""
    saved = _saved(count)
    return np.maximum(values, fresh + saved) if saved > 0 else values


def _saved(count: int) -> int:
    """What a path saves where `count` launches are benchmarks instead of strays."""
    return count * (COSTS.stray - COSTS.benchmark) - COSTS.tuned if count else 0


def _follow_each_other(spots_of_name: Iterable[int], spots: Spots) -> bool:
    own = set(spots_of_name)
    return any(spot + 1 in own and spots.graph[spot] == spots.graph[spot + 1] for spot in own)


def _near(spots: Spots, spot: int) -> list[tuple[int, int]]:
    """The spots that come right before `spot` in its graph, with the cost of what lies between."""
    found: list[tuple[int, int]] = []
    cost, source = 0, spot - 1
    while source >= 0 and spots.graph[source] == spots.graph[spot] and cost <= 2 * COSTS.edge:
        found.append((source, cost))
        cost += COSTS.lost if spots.certain[source] else 0
        source -= 1
    first = spots.loop[spot]
    if first >= 0:
        # A loop comes back: from any of its spots, this one included, to any other.
        at = spot
        while at < len(spots) and spots.loop[at] == first:
            found.append((at, 0))
            at += 1
    return found


def _reversed(near: Sequence[Sequence[tuple[int, int]]]) -> list[list[tuple[int, int]]]:
    """`near` the other way round: what comes right after each spot."""
    found: list[list[tuple[int, int]]] = [[] for _ in near]
    for spot, sources in enumerate(near):
        for source, cost in sources:
            found[source].append((spot, cost))
    return found
