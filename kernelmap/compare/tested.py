"""The times that statistics test: of each part of a change, and of the whole.

A call has a time per invocation; time without a call has one per step, where the result keeps it.
Left out: launch counts and the clock, which are no matter of chance, and what stands on one side
only. The whole has a time per step, or without steps per run of its graphs, in the order of time.
Left out of the runs: what ran outside of graphs, and graphs that ran another number of times than
the one that is counted by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from kernelmap.compare.causes import COUNTED, Pair, Paired, Part
from kernelmap.compare.side import CallSide, GraphSide, Key, RestSide, Side
from kernelmap.compare.statistics import Evidence, Times
from kernelmap.compare.unit import Unit


def tested(
    sides: tuple[Side, Side], found: Paired, parts: Sequence[Part], factor: Fraction
) -> dict[int, tuple[Times, Times]]:
    """Samples by part. Where the clock moved, its part is taken out of the calls'."""
    pairs: dict[int, tuple[Times, Times]] = {}
    for at, part in enumerate(parts):
        if part.pair is not None and part.cause not in COUNTED:
            pair = found.pairs[part.pair]
            often = float(_launched_more(pair))
            pairs[at] = (together(pair.before) * often, together(pair.after) / float(factor))
        elif any(part.rests):
            before, after = map(_per_step, part.rests, sides)
            pairs[at] = (before, after)
    return pairs


def _launched_more(pair: Pair) -> Fraction:
    """Launches of one invocation, after over before: what they cost is a part of its own."""
    if not pair.same:
        return Fraction(1)
    return pair.after[0].per_invocation / pair.before[0].per_invocation


def together(calls: Sequence[CallSide]) -> Times:
    """The sums of calls over the invocations that all of them have, in order."""
    if not calls:
        return np.zeros(0)
    shared = set(calls[0].samples).intersection(*(call.samples for call in calls[1:]))
    keys = sorted(shared, key=lambda key: (key[0] or "", key[1] or 0, key[2]))
    return np.array([sum(call.samples[key] for call in calls) for key in keys], dtype=np.float64)


def scale(
    part: Part, known: Evidence, found: Paired, unit: Unit, factor: Fraction
) -> Fraction | None:
    """What a difference of the part's medians is multiplied by to be ns per unit.

    None where medians do not say what a unit takes: a group of calls ran another number of times,
    or something outside ran in less than half of the steps.
    """
    if part.pair is None:
        medians = (known.before_ns, known.after_ns)
        seldom = any(
            rest is not None and rest.time_ns and not median
            for rest, median in zip(part.rests, medians, strict=True)
        )
        return None if seldom else Fraction(1)
    pair = found.pairs[part.pair]
    if pair.same:
        return Fraction(pair.after[0].launches, unit.after) / pair.after[0].per_invocation * factor
    if not _as_often(found, part, unit):
        return None
    return Fraction(known.invocations[1], unit.after) * factor


def _per_step(rest: RestSide | None, side: Side) -> Times:
    """One time per step, 0 in those without any; empty where the result does not say."""
    by_step: Mapping[int, int] | None = {} if rest is None else rest.by_step
    if by_step is None:
        return np.zeros(0)
    return np.array([by_step.get(step, 0) for step in sorted(side.by_step)], dtype=np.float64)


def _as_often(found: Paired, part: Part, unit: Unit) -> bool:
    """Whether the part's graph ran equally often per unit on both sides."""
    before, after = next(pair for pair in found.graphs if pair[1].id == part.graph)
    return before.invocations * unit.after == after.invocations * unit.before


def by_steps(side: Side) -> Times:
    """The whole time of each step; empty without steps."""
    return np.array([side.by_step[step] for step in sorted(side.by_step)], dtype=np.float64)


def by_runs(side: Side, graph: GraphSide) -> Times:
    """The k-th runs of `graph`, and of all graphs that ran as often, together; empty without any.

    A window may cut one run off at an end of each process, so one more or less is as often.
    """
    number, cut = graph.invocations, max(1, side.processes)
    ran = [each for each in side.graphs if abs(each.invocations - number) <= cut]
    series = [times for each in ran if len(times := _runs(each))]
    if not series:
        return np.zeros(0)
    shortest = min(map(len, series))
    whole: Times = np.sum([times[:shortest] for times in series], axis=0)
    return whole


def _runs(graph: GraphSide) -> Times:
    sums: dict[Key, int] = defaultdict(int)
    for call in graph.calls:
        for key, time_ns in call.samples.items():
            sums[key] += time_ns
    keys = sorted(sums, key=lambda key: (key[0] or "", key[1] or 0, key[2]))
    return np.array([sums[key] for key in keys], dtype=np.float64)
