"""Two sides → the comparison: verdict, change per unit, causes with their evidence, roll-ups.

The one place that puts the parts together; every text and the gate are made of what it gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.history.compare.memory.graphs import (
    MemoryComparison,
    compare_memory,
    pairs_of_recordings,
)
from kernelmap.history.compare.numbers.causes import BY_CLOCK, Cause, ChangePart, parts_of
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparable import (
    LAUNCH,
    WorkUnit,
    find_differences,
    measure_clock,
    per_unit,
    unit_of,
    whole_parts,
)
from kernelmap.history.compare.numbers.differences import Difference
from kernelmap.history.compare.numbers.drift import (
    Drift,
    Drifting,
    drifting_operator,
    evidence_beyond_drift,
    members_of_calls,
)
from kernelmap.history.compare.numbers.explaining import order_by_explanation
from kernelmap.history.compare.numbers.on_the_clock import ClockChange, clock_change
from kernelmap.history.compare.numbers.rolled import Rolled, roll_up
from kernelmap.history.compare.numbers.sm_clock import (
    ClockFactors,
    SmClock,
    clock_factors,
    follows_sm_clock,
    measure_sm_clock,
)
from kernelmap.history.compare.numbers.statistics import (
    TestEvidence,
    floor_of_halves,
    scale_to_unit,
    sum_of_calls,
    times_tested,
)
from kernelmap.history.compare.numbers.sums import ChangeSum, SampledChange, sum_changes
from kernelmap.history.compare.pairing.sides import Pair, Paired, pair_sides
from kernelmap.history.compare.sides.side import ComparedSide, GraphSide


class Comparison(Struct, frozen=True, kw_only=True):
    """`changes` add up to `change_ns`, and so do `sums` and every table of `tables`.

    `sums` hold the same changes, one row per cause and kernel or operator. The whole and the tables
    are means per unit. A change with evidence is that of medians, and what its mean has beyond them
    is a change of its own, of Cause.SPREAD. `graphs` are those on both sides, `pairs` are all
    calls, with those they belong to. `clock` is the factor by which all of the same code changed, 1
    without one; `floor` is what repeats of the same code differ by, as a ratio, and `drift` what a
    launch of some length differs by from process to process. `sm_clock` says at which SM clock the
    same calls ran, None where that was not sampled on both sides; `at_equal_clocks` whether what it
    explains of compute-bound calls is a cause of its own. `memory` is what the code of both sides
    states, empty where one side does not know it.
    """

    sides: tuple[ComparedSide, ComparedSide]
    unit: WorkUnit
    differences: tuple[Difference, ...]
    graphs: tuple[tuple[GraphSide, GraphSide], ...]
    pairs: tuple[Pair, ...]
    before_ns: int
    after_ns: int
    changes: tuple[Change, ...]
    sums: tuple[ChangeSum, ...]
    tables: Mapping[str, tuple[Rolled, ...]]
    clock: Fraction
    floor: float
    drift: Drift
    sm_clock: SmClock | None = None
    at_equal_clocks: bool = False
    memory: MemoryComparison = MemoryComparison()

    @property
    def clocks(self) -> ClockFactors:
        """By which factor the clock changed the time of each pair of calls."""
        return clock_factors(self.clock, self.sm_clock, at_equal_clocks=self.at_equal_clocks)

    @property
    def by_clock_ns(self) -> int:
        """The part of the change that a clock made, ns per unit."""
        return sum(self.by_cause.get(cause, 0) for cause in BY_CLOCK)

    @property
    def held_calls(self) -> int:
        """How many calls are held at equal clocks."""
        if not self.at_equal_clocks or self.sm_clock is None:
            return 0
        return sum(follows_sm_clock(pair.before, pair.after) for pair in self.pairs)

    @property
    def change_ns(self) -> int:
        """The whole change per unit."""
        return self.after_ns - self.before_ns

    @property
    def on_the_clock(self) -> ClockChange | None:
        """What a step takes on the clock; None where times are not of steps, or a side lacks it."""
        if self.unit.word != "step":
            return None
        return clock_change(*(side.clock_ns for side in self.sides))

    @property
    def by_cause(self) -> dict[Cause, int]:
        """Ns per unit of each cause of a sum that changed anything, largest first."""
        sums: dict[Cause, int] = {}
        for each in self.sums:
            sums[each.cause] = sums.get(each.cause, 0) + each.change_ns
        return dict(
            sorted(((c, n) for c, n in sums.items() if n), key=lambda entry: -abs(entry[1]))
        )


def compare_sides(
    before: ComparedSide,
    after: ComparedSide,
    *,
    floor: float | None = None,
    at_equal_clocks: bool = False,
) -> Comparison:
    """Hold `after` against `before`; `floor` is learnt from the recordings where it is None.

    `at_equal_clocks` takes out of compute-bound calls what the sampled SM clocks explain.
    """
    # Which calls are which, what the unit of work is, and by which factor the clock moved.
    pairing = pair_sides(before, after)
    unit = unit_of(before, after, pairing)
    units = (unit.before, unit.after)
    factor = measure_clock(pairing.pairs)
    equal = [(pair.before[0], pair.after[0]) for pair in pairing.pairs if pair.same]
    sm_clock = measure_sm_clock(equal, before.total_ns)
    clocks = clock_factors(factor, sm_clock, at_equal_clocks=at_equal_clocks)
    sides = (before, after)
    # The change in exact fractions of a ns per unit, each part with its cause.
    parts = parts_of(pairing, sides, units, clocks, per_launch=unit.word == LAUNCH)
    totals = (per_unit(before.total_ns, unit.before), per_unit(after.total_ns, unit.after))
    # Of a single recording the floor is what its first half differs from its second by.
    least = _own_floor(pairing) if floor is None else floor
    # Samples in ns, by the position of the part; all parts that have some are tested together.
    samples = times_tested(sides, pairing, parts, clocks)
    # What a launch differs by from process to process, learnt from the calls of the same code.
    drift = Drift.from_pairs(sides, pairing.pairs, clocks)
    members = {at: _members_of_part(parts[at]) for at in samples}
    evidences = evidence_beyond_drift(samples, members, least, drift)
    # Each tested part becomes two: what its median changed, and what single runs add to the mean.
    usual = [
        (*usual_part, samples.get(at))
        for at, part in enumerate(parts)
        for usual_part in _usual_change(part, evidences.get(at), pairing, unit, clocks)
    ]
    # Whole ns that add up to the rounded change of the whole.
    numbers = whole_parts([part.exact for part, *_ in usual], totals[1] - totals[0])
    # Parts that round to 0 are no change. Runs far from the median are not tested again in a sum.
    changed = [
        SampledChange(
            change=_make_change(part, number, stats, per),
            samples=None if part.cause is Cause.SPREAD else pair,
            per=per,
            drifting=_members_of_part(part),
        )
        for (part, stats, per, pair), number in zip(usual, numbers, strict=True)
        if number
    ]
    changes = [each.change for each in changed]
    sums = sum_changes(changed, least, drift)
    return Comparison(
        sides=sides,
        unit=unit,
        differences=order_by_explanation(
            find_differences(sides, pairing, parts, unit), sums, after.summary.side
        ),
        graphs=pairing.graphs,
        pairs=pairing.pairs,
        before_ns=totals[0],
        after_ns=totals[1],
        changes=tuple(sorted(changes, key=lambda change: (-abs(change.change_ns), change.what))),
        sums=sums,
        tables=roll_up(sides, units, pairing),
        clock=factor,
        floor=least,
        drift=drift,
        sm_clock=sm_clock,
        at_equal_clocks=at_equal_clocks,
        memory=compare_memory(before.memory, after.memory, pairs_of_recordings(pairing)),
    )


def _members_of_part(part: ChangePart) -> tuple[Drifting, ...]:
    """What the older side of a part is the sum of."""
    if part.pair is not None:
        return members_of_calls(part.before, part.pair)
    rest = part.rests[0]
    return () if rest is None else drifting_operator(rest)


def _own_floor(pairing: Paired) -> float:
    """What the calls of both sides differ from themselves by."""
    # Every call by itself: together they would hide which one drifted.
    calls = [call for pair in pairing.pairs for call in (*pair.before, *pair.after)]
    return floor_of_halves([sum_of_calls([call]) for call in calls])


_Usual = tuple[ChangePart, TestEvidence | None, Fraction | None]
"""A part, its evidence, and what makes the evidence's ns those of a unit."""


def _usual_change(
    part: ChangePart,
    stats: TestEvidence | None,
    pairing: Paired,
    unit: WorkUnit,
    clocks: ClockFactors,
) -> list[_Usual]:
    """The part as far as medians changed, and what means have beyond that as a part of its own.

    So a row and its interval speak of one statistic, and the rows still add up to the whole.
    """
    per = None if stats is None else scale_to_unit(part, stats, pairing, unit, clocks)
    # Without a test, or where medians do not tell what a unit takes, the part stays that of means.
    if stats is None or per is None:
        return [(part, stats, None)]
    # What the medians differ by in ns per unit; the mean's rest goes into a part of its own.
    exact = (stats.after_ns - stats.before_ns) * per
    spread = replace(part, cause=Cause.SPREAD, exact=part.exact - exact, detail=None)
    return [(replace(part, exact=exact), stats, per), (spread, None, None)]


def _make_change(
    part: ChangePart, number: int, stats: TestEvidence | None, per: Fraction | None
) -> Change:
    interval = None
    if stats is not None and per is not None:
        interval = (round(stats.low_ns * per), round(stats.high_ns * per))
    return Change(
        cause=part.cause,
        what=part.what,
        graph=part.graph,
        detail=part.detail,
        before=part.before,
        after=part.after,
        # Exact fractions, rounded as the totals are.
        before_ns=per_unit(part.times[0].numerator, part.times[0].denominator),
        after_ns=per_unit(part.times[1].numerator, part.times[1].denominator),
        change_ns=number,
        witness=part.witness,
        evidence=stats,
        interval_ns=interval,
    )
