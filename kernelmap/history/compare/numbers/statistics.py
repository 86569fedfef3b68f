"""Whether a change of speed is more than noise: which times are tested, and the tests.

A call has a time per invocation; time without a call has one per step, where the result keeps it.
Left out: launch counts and the clock, which are no matter of chance, and what stands on one side
only. The whole has a time per step, or without steps per run of its graphs, in the order of time.
Left out of the runs: what ran outside of graphs, and graphs that ran another number of times than
the one that is counted by.

Mann-Whitney asks whether one side is slower as a whole; Benjamini-Hochberg keeps the share of
false claims among all claims of one comparison below `ALPHA`. The interval of the difference of
medians is a bootstrap with a fixed seed, so that equal inputs give equal answers. The floor is what
the same code differs by between repeats: a change below it is not called significant, whatever the
test says, since tests know of chance and not of drift. scipy is loaded when there is something to
test.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil, comb, sqrt
from statistics import NormalDist

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from kernelmap.errors import UsageError
from kernelmap.history.compare.numbers.causes import COUNTED, ChangePart
from kernelmap.history.compare.numbers.comparable import WorkUnit
from kernelmap.history.compare.numbers.sm_clock import ClockFactors
from kernelmap.history.compare.pairing.sides import Pair, Paired
from kernelmap.history.compare.sides.side import CallSide, ComparedSide, GraphSide, Key, RestSide
from kernelmap.installing import install_command

ALPHA = 0.01
"""The share of false claims among all claims of a comparison. At 5 % a gate over hundreds of calls
and families fails clean changes; below 0.8 %, five runs a side could tell nothing (LEAST). What a
gate catches with it: scripts/gate_power.py."""
LEAST = 5
"""Invocations a side: with four, p is 1/35 at best, however far apart; with five 1/126, below
ALPHA. Arithmetic."""
_POWER = 0.9
"""Chance to detect a real change with the number of invocations that a doubt names. Chosen, as is
usual; it decides a number in a sentence."""
_FEW = 3
"""Invocations whose spread means something: two have a difference and no spread. Arithmetic."""
_DRAWS = 999
"""Resampled medians of an interval: its ends are the 25th from each side. Fewer make the ends
rough, more take longer. Chosen."""
_CHUNK = 4096
"""Values of one draw; medians of more are near enough from a part of them. Of 20,000
invocations scipy's bootstrap, which draws all, takes 0.74 s and 480 MB, ours 0.15 s and 66 MB
(decision 0026)."""
_SEED = 20_24
"""Any fixed number: equal inputs give equal answers."""
_LEVEL = (2.5, 97.5)
"""The ends of a 95 % interval, in percent."""

Times = NDArray[np.float64]


class TestEvidence(Struct, frozen=True, kw_only=True):
    """Medians in ns per invocation, the 95 % interval of their difference, and the tests' answers.

    `p` is Mann-Whitney's, `q` is that after Benjamini-Hochberg; `floor` is a ratio.
    """

    before_ns: int
    after_ns: int
    low_ns: int
    high_ns: int
    p: float
    q: float
    floor: float
    invocations: tuple[int, int]

    @property
    def ratio(self) -> float:
        """After over before."""
        return self.after_ns / self.before_ns if self.before_ns else float("inf")

    @property
    def significant(self) -> bool:
        """Whether the change is neither chance nor as small as what repeats differ by."""
        return self.q <= ALPHA and abs(self.ratio - 1) > self.floor


def find_evidence(
    pairs: Mapping[int, tuple[Times, Times]], floors: Mapping[int, float] = {}
) -> dict[int, TestEvidence]:
    """The evidence for each pair of samples (before, after) that is long enough to test.

    `floors` are by the same keys, 0 without one; all pairs are one family of tests.
    """
    # Shorter samples could never be significant, so they do not count as tests either.
    testable = {key: pair for key, pair in pairs.items() if min(map(len, pair)) >= LEAST}
    chances = {key: _mann_whitney(*pair) for key, pair in testable.items()}
    # p of each pair, and q, which allows for the number of pairs tested together.
    adjusted = dict(zip(chances, _false_claims(list(chances.values())), strict=True))
    evidences = {}
    for key, (before, after) in testable.items():
        low, high = _bootstrap_interval(before, after)
        evidences[key] = TestEvidence(
            before_ns=round(float(np.median(before))),
            after_ns=round(float(np.median(after))),
            low_ns=low,
            high_ns=high,
            p=chances[key],
            q=adjusted[key],
            floor=floors.get(key, 0.0),
            invocations=(len(before), len(after)),
        )
    return evidences


def is_slower(before: Times, after: Times) -> bool:
    """Whether the median of the newer side is the larger one; False without times."""
    return bool(len(before) and len(after) and np.median(after) > np.median(before))


def least_invocations(tests: int = 1) -> int:
    """The fewest invocations a side with which one change among `tests` may be significant.

    >>> least_invocations(), least_invocations(100)
    (5, 9)
    """
    # Two samples of n values that do not overlap have the smallest p there is, 2 / C(2n, n); with
    # several tests it has to be smaller by their number.
    number = LEAST
    while 2 * tests / comb(2 * number, number) > ALPHA:  # no overlap at all: the smallest p
        number += 1
    return number


def telling_invocations(before: Times, after: Times, tests: int = 1) -> int | None:
    """About how many invocations a side would make such a difference of medians significant.

    Noether's formula for Mann-Whitney, with the spread of both sides about their medians. None
    where the medians are equal: then no number would.
    """
    # The difference of medians in ns.
    shift = abs(float(np.median(after) - np.median(before))) if len(before) and len(after) else 0.0
    if shift == 0:
        return None
    least = least_invocations(tests)
    # The larger spread of both sides, in ns.
    spread = max(map(_robust_spread, (before, after)))
    # Without any spread the fewest invocations that can be significant are enough.
    if spread == 0:
        return least
    normal = NormalDist()
    # How much the chance that a run of one side outlasts one of the other differs from one half,
    # for normal noise.
    apart = normal.cdf(shift / (spread * sqrt(2))) - 0.5
    # The quantiles of the smallest significant p (Bonferroni over the tests), and of the power.
    sure = normal.inv_cdf(1 - ALPHA / (2 * tests)) + normal.inv_cdf(_POWER)
    return max(least, ceil(sure**2 / (6 * apart**2)))


def extremes_of_difference(before: Times, after: Times) -> tuple[int, int]:
    """Between which ends the differences of single invocations lie: all that few of them say."""
    return round(float(after.min() - before.max())), round(float(after.max() - before.min()))


def _robust_spread(times: Times) -> float:
    """A standard deviation that odd values do not move; 0 of too few values."""
    if len(times) < _FEW:
        return 0.0
    small = len(times) / (len(times) - 0.8)  # the median deviation of few values is too small
    # 1.4826 median absolute deviations of a normal distribution are its standard deviation.
    return 1.4826 * small * float(np.median(np.abs(times - np.median(times))))


def floor_of_halves(samples: Sequence[Times]) -> float:
    """What one recording differs from itself by: its first half against its second, as a ratio."""
    shifts = []
    for sample in samples:
        # Each half needs as many runs as a test does.
        if len(sample) >= 2 * LEAST and np.median(sample) > 0:
            first, second = sample[: len(sample) // 2], sample[len(sample) // 2 :]
            shifts.append(abs(np.median(second) - np.median(first)) / np.median(sample))
    # The median over the calls: a few that drifted while they were recorded do not set the floor.
    return float(np.median(shifts)) if shifts else 0.0


def floor_of_repeats(medians: Sequence[Times]) -> float:
    """What the same code differs by between runs: the usual spread of a call's medians, a ratio."""
    # Per call, the spread of its medians (one per recording) as a part of its time.
    spreads = [
        1.4826 * float(np.median(np.abs(median - np.median(median)))) / float(np.median(median))
        for median in medians
        if len(median) > 1 and np.median(median) > 0
    ]
    # Three standard deviations are taken to be no chance.
    return 3 * float(np.median(spreads)) if spreads else 0.0


def _mann_whitney(before: Times, after: Times) -> float:
    # All values are equal: nothing differs, and there is nothing that scipy would have to test.
    if np.ptp(np.concatenate([before, after])) == 0:
        return 1.0
    try:
        from scipy.stats import mannwhitneyu
    except ImportError as error:
        raise UsageError(
            "no-scipy",
            "telling a change from noise needs scipy",
            f"Install it: {install_command('store')}",
        ) from error
    return float(mannwhitneyu(before, after, alternative="two-sided", method="auto").pvalue)


def _false_claims(chances: Sequence[float]) -> list[float]:
    """Each p as the smallest rate of false claims at which it would be claimed.

    >>> [round(q, 3) for q in _false_claims([0.01, 0.5, 0.02])]
    [0.03, 0.5, 0.03]
    """
    if all(chance == 1 for chance in chances):  # nothing differs, so scipy is not needed either
        return list(chances)
    from scipy.stats import false_discovery_control

    return [float(rate) for rate in false_discovery_control(chances)]


def _bootstrap_interval(before: Times, after: Times) -> tuple[int, int]:
    """The 95 % bootstrap interval of the difference of medians, in ns."""
    # Per side a column of resampled medians in ns, (draws,).
    rng = np.random.default_rng(_SEED)
    draws = [
        np.median(side[rng.integers(0, len(side), size=(_DRAWS, min(len(side), _CHUNK)))], axis=1)
        for side in (before, after)
    ]
    low, high = np.percentile(draws[1] - draws[0], _LEVEL)
    return round(float(low)), round(float(high))


def times_tested(
    sides: tuple[ComparedSide, ComparedSide],
    pairing: Paired,
    parts: Sequence[ChangePart],
    clocks: ClockFactors,
) -> dict[int, tuple[Times, Times]]:
    """Samples by part. Where the clock moved, its part is taken out of the calls'."""
    # By position of the part: the samples before and after, in ns.
    pairs: dict[int, tuple[Times, Times]] = {}
    for at, part in enumerate(parts):
        # What launch counts and the clock did are parts of their own. So it is taken out of the
        # samples here: the older ones get the launches of now, the newer ones the clock of then.
        if part.pair is not None and part.cause not in COUNTED:
            pair = pairing.pairs[part.pair]
            often = float(launched_more(pair))
            pairs[at] = (
                sum_of_calls(pair.before) * often,
                sum_of_calls(pair.after) / float(clocks.of_calls(pair.before, pair.after)),
            )
        # Of time without a call a sample is a step; the clock is not taken out of it.
        elif any(part.rests):
            before, after = map(per_step, part.rests, sides)
            pairs[at] = (before, after)
    return pairs


def launched_more(pair: Pair) -> Fraction:
    """Launches of one invocation, after over before: what they cost is a part of its own."""
    # Calls that were fused otherwise are other kernels: their launch counts cannot be compared.
    if not pair.same:
        return Fraction(1)
    return pair.after[0].per_invocation / pair.before[0].per_invocation


def sum_of_calls(calls: Sequence[CallSide]) -> Times:
    """The sums of calls over the invocations that all of them have, in order."""
    if not calls:
        return np.zeros(0)
    # A sum of several calls needs the runs in which all of them were recorded.
    shared = set(calls[0].samples).intersection(*(call.samples for call in calls[1:]))
    return in_order({key: sum(call.samples[key] for call in calls) for key in shared})


def scale_to_unit(
    part: ChangePart, stats: TestEvidence, pairing: Paired, unit: WorkUnit, clocks: ClockFactors
) -> Fraction | None:
    """What a difference of the part's medians is multiplied by to be ns per unit.

    None where medians do not say what a unit takes: a group of calls ran another number of times,
    or something outside ran in less than half of the steps.
    """
    if part.pair is None:
        # Samples are steps, and so is the unit: the factor is 1. A median of 0 in spite of some
        # time means that it ran in less than half of the steps.
        medians = (stats.before_ns, stats.after_ns)
        seldom = any(
            rest is not None and rest.time_ns and not median
            for rest, median in zip(part.rests, medians, strict=True)
        )
        return None if seldom else Fraction(1)
    # Invocations a unit, times the clock, which was taken out of the samples.
    pair = pairing.pairs[part.pair]
    factor = clocks.of_calls(pair.before, pair.after)
    if pair.same:
        return Fraction(pair.after[0].launches, unit.after) / pair.after[0].per_invocation * factor
    # A group is sampled by runs of its graph. Where a unit has another number of runs than before,
    # the median of a run does not tell what a unit takes.
    before, after = next(pair for pair in pairing.graphs if pair[1].id == part.graph)
    if before.invocations * unit.after != after.invocations * unit.before:
        return None
    # A sample of a fleet is a rank, so the samples do not count the runs there.
    runs = stats.invocations[1] if after.runs is None else after.runs
    return Fraction(runs, unit.after) * factor


def per_step(rest: RestSide | None, side: ComparedSide) -> Times:
    """One time per step, 0 in those without any; empty where the result does not say."""
    by_step: Mapping[int, int] | None = {} if rest is None else rest.by_step
    if by_step is None:
        return np.zeros(0)
    return np.array([by_step.get(step, 0) for step in sorted(side.by_step)], dtype=np.float64)


def by_steps(side: ComparedSide) -> Times:
    """The whole time of each step; empty without steps."""
    return np.array([side.by_step[step] for step in sorted(side.by_step)], dtype=np.float64)


def by_runs(side: ComparedSide, graph: GraphSide) -> Times:
    """The k-th runs of `graph`, and of all graphs that ran as often, together; empty without any.

    A window may cut one run off at an end of each process, so one more or less is as often.
    """
    # With several processes each may have a run more or less.
    number, cut = graph.invocations, max(1, side.processes)
    ran = [graph for graph in side.graphs if abs(graph.invocations - number) <= cut]
    return sum_in_order(map(_runs_of_graph, ran))


def _runs_of_graph(graph: GraphSide) -> Times:
    # The time of all calls of a graph together, by invocation.
    sums: dict[Key, int] = defaultdict(int)
    for call in graph.calls:
        for key, time_ns in call.samples.items():
            sums[key] += time_ns
    return in_order(sums)


def in_order(samples: Mapping[Key, int]) -> Times:
    """The times of invocations, by process, rank and number."""
    keys = sorted(samples, key=lambda key: (key[0] or "", key[1] or 0, key[2]))
    return np.array([samples[key] for key in keys], dtype=np.float64)


def sum_in_order(series: Iterable[Times]) -> Times:
    """The k-th of each series together, as many as the shortest has; empty ones do not count."""
    # An empty series must not cut the others down to nothing.
    held = [times for times in series if len(times)]
    shortest = min(map(len, held), default=0)
    return np.sum([times[:shortest] for times in held], axis=0) if held else np.zeros(0)
