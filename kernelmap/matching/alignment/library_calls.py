"""Launches between two spots → the library calls between them.

Takes the launches of one gap and the library calls that the code runs there, both in order. A call
launches nothing, or up to a few kernels in a row, of its operator's family or helpers of its
library (families.py). What belongs to none is somebody else's: another thread's, or eager code
around the graph. Every way to divide the gap has a cost; the cheapest wins by a margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernelmap.matching.names.families import Family, misfit

_NEVER = float("inf")

_SILENT = 1.5
"""A library call launches nothing: its output was a view, or events were lost."""
_AGAIN = 0.4
"""Every launch of a call after its first."""
AHEAD = 0.35
"""A margin from which a division is clearly ahead."""


@dataclass(frozen=True, slots=True)
class Share:
    """Which library call (an index into the gap's calls, -1: none) a launch belongs to."""

    call: int
    alternatives: tuple[int, ...]

    @property
    def clear(self) -> bool:
        """Whether no other answer is close."""
        return len(self.alternatives) <= 1


@dataclass(frozen=True, slots=True)
class Gap:
    """The library calls of a gap, as families in program order.

    The first `tail` of them end one invocation, the others begin the next: what stands between is
    free to be anything. `tail` is -1 inside of an invocation.
    """

    calls: tuple[Family, ...]
    tail: int = -1


def divide(launches: Sequence[Family], left_out: Sequence[float], gap: Gap) -> list[Share]:
    """The share of each launch of a gap.

    `left_out` is what it costs to give a launch to no call; shape (launches,).
    """
    units = _units(list(launches), one_sort=gap.calls.count(Family.SORT) <= 1)
    shares = _divide(
        [launches[unit.main] for unit in units], [left_out[unit.main] for unit in units], gap
    )
    return [
        share
        for unit, share in zip(units, shares, strict=True)
        for _ in range(unit.start, unit.stop)
    ]


@dataclass(frozen=True, slots=True)
class _Unit:
    """Launches `start` to `stop` that one library made together; `main` is the one it is about."""

    start: int
    stop: int
    main: int


def _units(launches: list[Family], *, one_sort: bool) -> list[_Unit]:
    """Launches with what only a library launches right before and after them.

    A sort is many launches; they are one unit where a single call sorts.
    """
    found: list[_Unit] = []
    at = 0
    while at < len(launches):
        start = at
        while at + 1 < len(launches) and launches[at] is Family.PRELUDE:
            at += 1
        main, at = at, at + 1
        while one_sort and launches[main] is Family.SORT and launches[at : at + 1] == [Family.SORT]:
            at += 1
        while at < len(launches) and launches[at] is Family.HELPER:
            at += 1
        # What a sort counts, or a split product reduces, is cleared before it.
        counted = one_sort and launches[main] is Family.SORT
        split = launches[main] is Family.GEMM and at > main + 1
        if (counted or split) and found and launches[found[-1].main] is Family.MEMSET:
            start = found.pop().start
        found.append(_Unit(start, at, main))
    return found


def _divide(launches: Sequence[Family], left_out: Sequence[float], gap: Gap) -> list[Share]:
    calls = gap.calls
    moves = [_moves(kind, cost, gap) for kind, cost in zip(launches, left_out, strict=True)]
    ahead = [[0.0] + [_NEVER] * len(calls)]
    for each in moves:
        reached = [_NEVER] * (len(calls) + 1)
        for begun, then, _, cost in each:
            reached[then] = min(reached[then], ahead[-1][begun] + cost)
        ahead.append(reached)
    behind = [[_SILENT * (len(calls) - begun) for begun in range(len(calls) + 1)]]
    for each in reversed(moves):
        rest = [_NEVER] * (len(calls) + 1)
        for begun, then, _, cost in each:
            rest[begun] = min(rest[begun], cost + behind[-1][then])
        behind.append(rest)
    behind.reverse()
    shares = []
    for at, each in enumerate(moves):
        ways: dict[int, float] = {}
        for begun, then, call, cost in each:
            total = ahead[at][begun] + cost + behind[at + 1][then]
            ways[call] = min(ways.get(call, _NEVER), total)
        best = min(ways, key=lambda call: (ways[call], call))
        close = tuple(call for call, cost in sorted(ways.items()) if cost < ways[best] + AHEAD)
        shares.append(Share(best, close))
    return shares


def _moves(launch: Family, left_out: float, gap: Gap) -> list[tuple[int, int, int, float]]:
    """What a launch may be: (calls begun before it, and after it, its call or -1, cost)."""
    found: list[tuple[int, int, int, float]] = []
    for begun in range(len(gap.calls) + 1):
        found.append((begun, begun, -1, 0.0 if begun == gap.tail else left_out))
        for call in range(max(begun - 1, 0), len(gap.calls)):
            fit = misfit(gap.calls[call], launch)
            if fit is None:
                continue
            extra = _AGAIN if call < begun else _SILENT * (call - begun)
            found.append((begun, call + 1, call, extra + fit))
    return found
