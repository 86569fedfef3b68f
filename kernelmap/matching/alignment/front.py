"""The best paths through the graphs' spots so far, of many sequences at once.

`Moves` are the costs of walking in program order, or against it; `Front` holds, per sequence, the
worth of the best path that stands at each spot, and of the best one that has left a graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kernelmap.matching.alignment.spots import Spots
from kernelmap.model.trace import Bool

Worth = NDArray[np.int32]

NEVER = -(10**9)
"""The worth of what cannot be; nothing that is added to it makes it possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a path pays: logarithms of odds, as whole numbers, so that equal paths cost the same."""

    lost: int = 40
    """A spot that has to run is not seen."""
    stray: int = 70
    """A launch under a name of its own belongs to no call."""
    common: int = 40
    """So does one under a name that any kernel may bear."""
    tuned: int = 40
    """The launches right before one under the same name are the autotuner's benchmarks."""
    benchmark: int = 2
    """Each of them."""
    edge: int = 40
    """A graph is entered after its start, or left before its end, however far."""


COSTS = Costs()


@dataclass(frozen=True, slots=True)
class Names:
    """The spots under each name, side by side: shape (names + 1, most spots of a name).

    `spot` is filled up with a number that is no spot, `real` says where. The last row is no name.
    """

    spot: NDArray[np.int64]
    real: Bool

    @classmethod
    def of(cls, spots_by_name: Sequence[tuple[int, ...]], nobody: int) -> Names:
        """Lay out the spots of names; `nobody` is the number that is no spot."""
        width = max((len(each) for each in spots_by_name), default=0) or 1
        spot = np.full((len(spots_by_name) + 1, width), nobody, dtype=np.int64)
        for name, each in enumerate(spots_by_name):
            spot[name, : len(each)] = each
        return cls(spot, spot != nobody)


@dataclass(frozen=True, slots=True)
class Moves:
    """Costs by name and spot: to enter and to leave the spot's graph there; shapes as in `Names`.

    `source` and `cost` have one more dimension, the first: the spots from which one gets here, and
    for what.
    """

    enter: Worth
    leave: Worth
    source: tuple[NDArray[np.int64], ...]
    cost: tuple[Worth, ...]


def moves(spots: Spots, names: Names) -> tuple[Moves, Moves]:
    """Walking in program order, and against it."""
    # Nobody's place is never entered: its cost leaves nothing of what the best path is worth.
    enter = np.minimum(COSTS.edge, COSTS.lost * np.array([*spots.before, 0], dtype=np.int32))
    leave = np.minimum(COSTS.edge, COSTS.lost * np.array([*spots.after, 0], dtype=np.int32))
    enter[-1] = leave[-1] = -NEVER
    ahead = [_near(spots, spot) for spot in range(len(spots))]
    behind: list[list[tuple[int, int]]] = [[] for _ in ahead]
    for spot, sources in enumerate(ahead):
        for source, cost in sources:
            behind[source].append((spot, cost))
    return (
        Moves(enter[names.spot], leave[names.spot], *_table(ahead, names)),
        Moves(leave[names.spot], enter[names.spot], *_table(behind, names)),
    )


class Front:
    """The best paths of `count` sequences, all going `along` the same moves."""

    def __init__(self, names: Names, along: Moves, count: int, *, whole: bool) -> None:
        """What begins a `whole` sequence enters a graph as anything else does."""
        self._names, self._moves = names, along
        self._rows = np.arange(count)[:, None]
        self._nobody = int(names.spot[-1, 0])
        self._reached = np.full((count, self._nobody + 1), NEVER, dtype=np.int32)
        self._hub = np.full((count, 1), 0 if whole else NEVER, dtype=np.int32)
        least = np.where(names.real, NEVER if whole else 0, NEVER)
        self._least: Worth = least.astype(np.int32)

    def values(self, name: NDArray[np.int64]) -> Worth:
        """The best path to each spot of one name per sequence; shape (sequences, spots)."""
        moves = self._moves
        values = self._hub - moves.enter[name]
        np.maximum(values, self._least[name], out=values)
        # Flat positions: one gather for each of the few ways to come here.
        base = self._rows * self._reached.shape[1]
        reached = self._reached.reshape(-1)
        for source, cost in zip(moves.source, moves.cost, strict=True):
            near = reached.take(source[name] + base)
            near -= cost[name]
            np.maximum(values, near, out=values)
        return values

    def extend(self, name: NDArray[np.int64], values: Worth) -> None:
        """Note paths that stand at the spots of one name per sequence."""
        at = self._names.spot[name] + self._rows * self._reached.shape[1]
        reached = self._reached.reshape(-1)
        reached[at] = np.maximum(reached.take(at), values)
        self._reached[:, self._nobody] = NEVER
        left = (values - self._moves.leave[name]).max(axis=1, keepdims=True)
        self._hub = np.maximum(self._hub, left)


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


def _table(
    near: Sequence[Sequence[tuple[int, int]]], names: Names
) -> tuple[tuple[NDArray[np.int64], ...], tuple[Worth, ...]]:
    """Sources and costs by name and spot, filled up with nobody."""
    width = max((len(each) for each in near), default=0) or 1
    source = np.full((len(near) + 1, width), len(near), dtype=np.int64)
    cost = np.zeros((len(near) + 1, width), dtype=np.int32)
    for spot, each in enumerate(near):
        for column, (other, price) in enumerate(each):
            source[spot, column], cost[spot, column] = other, price
    return (
        tuple(np.ascontiguousarray(column[names.spot]) for column in source.T),
        tuple(np.ascontiguousarray(column[names.spot]) for column in cost.T),
    )
