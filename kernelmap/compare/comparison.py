"""Two sides → the comparison: verdict, change per unit, causes with their evidence, roll-ups.

The one place that puts the parts together; every text and the gate are made of what it gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kernelmap.compare.causes import Cause, Paired, Part, paired, parts_of
from kernelmap.compare.clock import clock
from kernelmap.compare.comparable import Difference, differences
from kernelmap.compare.pieces import Witness
from kernelmap.compare.rolled import Rolled, rolled
from kernelmap.compare.side import CallSide, Side, side
from kernelmap.compare.statistics import Evidence, Times, evidence, floor_of_halves
from kernelmap.compare.whole_parts import per_unit, whole_parts
from kernelmap.outputs.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a time is told per: a step, a run of a graph, or the whole window; and how many."""

    word: str
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One cause: whole ns per unit; `before` and `after` are calls, or empty for other time.

    `witness` is what paired the calls, or told a call on one side only from others that compute the
    same; None where there was nothing to tell.
    """

    cause: Cause
    what: str
    graph: str | None
    detail: str | None
    before: tuple[CallSide, ...]
    after: tuple[CallSide, ...]
    before_ns: int
    after_ns: int
    change_ns: int
    witness: Witness | None = None
    evidence: Evidence | None = None

    @property
    def significant(self) -> bool | None:
        """Whether it is more than noise; None where there are too few invocations to tell.

        What stands on one side only is no matter of chance.
        """
        if self.evidence is not None:
            return self.evidence.significant
        return True if bool(self.before_ns) != bool(self.after_ns) else None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """`changes` add up to `change_ns`, and so does every table of `tables`.

    `clock` is the factor by which all of the same code changed, 1 without one; `floor` is what
    repeats of the same code differ by, as a ratio.
    """

    sides: tuple[Side, Side]
    unit: Unit
    differences: tuple[Difference, ...]
    before_ns: int
    after_ns: int
    changes: tuple[Change, ...]
    tables: Mapping[str, tuple[Rolled, ...]]
    clock: Fraction
    floor: float

    @property
    def change_ns(self) -> int:
        """The whole change per unit."""
        return self.after_ns - self.before_ns

    @property
    def by_cause(self) -> dict[Cause, int]:
        """Ns per unit of each cause that changed anything, largest first."""
        sums: dict[Cause, int] = {}
        for change in self.changes:
            sums[change.cause] = sums.get(change.cause, 0) + change.change_ns
        return dict(sorted(((c, n) for c, n in sums.items() if n), key=lambda each: -abs(each[1])))


def diff(before: Result, after: Result) -> Comparison:
    """What changed from one result to another, fresh, saved or kept as a run.

    Raises UsageError `no-scipy` where statistics are possible and scipy is not installed.
    """
    return compare(side(before.tables, "before"), side(after.tables, "after"))


def compare(before: Side, after: Side, *, floor: float | None = None) -> Comparison:
    """Hold `after` against `before`; `floor` is learnt from the recordings where it is None."""
    found = paired(before, after)
    unit = _unit(before, after, found)
    units = (unit.before, unit.after)
    factor = clock(found.pairs)
    sides = (before, after)
    parts = parts_of(found, sides, units, factor)
    totals = (per_unit(before.total_ns, unit.before), per_unit(after.total_ns, unit.after))
    pairs, halves = _samples(found, parts, factor)
    least = floor_of_halves(halves) if floor is None else floor
    told = evidence(pairs, least)
    numbers = whole_parts([part.exact for part in parts], totals[1] - totals[0])
    changes = [
        _change(part, number, told.get(at))
        for at, (part, number) in enumerate(zip(parts, numbers, strict=True))
        if number
    ]
    return Comparison(
        sides=sides,
        unit=unit,
        differences=differences(sides, found, parts),
        before_ns=totals[0],
        after_ns=totals[1],
        changes=tuple(sorted(changes, key=lambda each: (-abs(each.change_ns), each.what))),
        tables=rolled(sides, units, found),
        clock=factor,
        floor=least,
    )


def _unit(before: Side, after: Side, found: Paired) -> Unit:
    if before.steps and after.steps:
        return Unit(word="step", before=before.steps, after=after.steps)
    ran = [pair for pair in found.graphs if pair[0].invocations and pair[1].invocations]
    if not ran:
        return Unit(word="recording", before=1, after=1)
    one, other = max(ran, key=lambda pair: sum(call.time_ns for call in pair[0].calls))
    return Unit(word=f"run of {other.id}", before=one.invocations, after=other.invocations)


def _samples(
    found: Paired, parts: Sequence[Part], factor: Fraction
) -> tuple[dict[int, tuple[Times, Times]], list[Times]]:
    """Samples by part, and those of the calls of both sides for the floor.

    Where the clock moved, its part is taken out of what is tested.
    """
    pairs: dict[int, tuple[Times, Times]] = {}
    for at, part in enumerate(parts):
        if part.pair is None or part.cause in (Cause.LAUNCHES, Cause.CLOCK):
            continue
        pair = found.pairs[part.pair]
        pairs[at] = (_together(pair.before), _together(pair.after) / float(factor))
    calls = [call for pair in found.pairs for call in (*pair.before, *pair.after)]
    return pairs, [_together([call]) for call in calls]


def _together(calls: Sequence[CallSide]) -> Times:
    """The sums of calls over the invocations that all of them have, in order."""
    if not calls:
        return np.zeros(0)
    shared = set(calls[0].samples).intersection(*(call.samples for call in calls[1:]))
    keys = sorted(shared, key=lambda key: (key[0] or "", key[1] or 0, key[2]))
    return np.array([sum(call.samples[key] for call in calls) for key in keys], dtype=np.float64)


def _change(part: Part, number: int, found: Evidence | None) -> Change:
    return Change(
        cause=part.cause,
        what=part.what,
        graph=part.graph,
        detail=part.detail,
        before=part.before,
        after=part.after,
        before_ns=per_unit(part.times[0].numerator, part.times[0].denominator),
        after_ns=per_unit(part.times[1].numerator, part.times[1].denominator),
        change_ns=number,
        witness=part.witness,
        evidence=found,
    )
