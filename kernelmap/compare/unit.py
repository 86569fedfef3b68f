"""The unit of a comparison's times: a step, a run of a graph, a launch, or the whole window.

Windows without steps hold as much work as their length happens to let in. Runs of a graph say how
much that is; without any only launches do, and only where both sides have as many of each kind
is the whole of one window the work of the other. Times per unit are exact fractions; they become
whole nanoseconds that add up to their sum, where the largest remainders get the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from kernelmap.compare.causes import Paired
from kernelmap.compare.side import Side

LAUNCH = "launch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a time is told per, and how many of them each side has."""

    word: str
    before: int
    after: int

    @property
    def noun(self) -> str:
        """The word without what it is of: `run` of `run of 0_forward`."""
        return self.word.partition(" ")[0]


def unit_of(before: Side, after: Side, found: Paired) -> Unit:
    """Steps where both sides have them, else runs of the graph that takes the most time.

    Without both the whole recording where as much was launched on both sides, else a launch.
    """
    if before.steps and after.steps:
        return Unit(word="step", before=before.steps, after=after.steps)
    ran = [pair for pair in found.graphs if pair[0].invocations and pair[1].invocations]
    if not ran:
        if _launched(before) == _launched(after):
            return Unit(word="recording", before=1, after=1)
        launches = [max(1, side.summary.launches) for side in (before, after)]
        return Unit(word=LAUNCH, before=launches[0], after=launches[1])
    one, other = max(ran, key=lambda pair: sum(call.time_ns for call in pair[0].calls))
    return Unit(word=f"run of {other.id}", before=one.invocations, after=other.invocations)


def _launched(side: Side) -> Mapping[str, int]:
    """How often each call, and each kind of time without one, was launched."""
    calls = {call.id: call.launches for graph in side.graphs for call in graph.calls}
    return calls | {f"({rest.name})": rest.launches for rest in side.rests}


def per_unit(time_ns: int, units: int) -> int:
    """`time_ns` over `units`, to the nearest nanosecond; halves go up.

    >>> per_unit(10, 4), per_unit(7, 2)
    (3, 4)
    """
    return floor(Fraction(time_ns, units) + Fraction(1, 2))


def whole_parts(parts: Sequence[Fraction], total: int) -> list[int]:
    """One whole number per part, which add up to `total`, the rounded sum of the parts.

    >>> whole_parts([Fraction(1, 3), Fraction(1, 3), Fraction(0), Fraction(4, 3)], 2)
    [1, 0, 0, 1]
    """
    found = [floor(part) for part in parts]
    left = total - sum(found)
    by_rest = sorted(range(len(parts)), key=lambda at: (found[at] - parts[at], at))
    moved = [at for at in by_rest if parts[at] != 0] or by_rest
    step = 1 if left > 0 else -1
    order = moved if left > 0 else moved[::-1]
    for number in range(abs(left)):
        found[order[number % len(order)]] += step
    return found
