"""What each part of a change is tested on: the times of both sides, invocation by invocation.

Takes the parts, gives samples. Calls have a time per invocation; time without a call has one per
step, where the result keeps it. Left out: launch counts and the clock, which are no matter of
chance, and what stands on one side only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from kernelmap.compare.causes import COUNTED, Paired, Part
from kernelmap.compare.side import CallSide, RestSide, Side
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
            pairs[at] = (together(pair.before), together(pair.after) / float(factor))
        elif any(part.rests):
            before, after = map(_per_step, part.rests, sides)
            pairs[at] = (before, after)
    return pairs


def together(calls: Sequence[CallSide]) -> Times:
    """The sums of calls over the invocations that all of them have, in order."""
    if not calls:
        return np.zeros(0)
    shared = set(calls[0].samples).intersection(*(call.samples for call in calls[1:]))
    keys = sorted(shared, key=lambda key: (key[0] or "", key[1] or 0, key[2]))
    return np.array([sum(call.samples[key] for call in calls) for key in keys], dtype=np.float64)


def interval(
    part: Part, known: Evidence, found: Paired, unit: Unit, factor: Fraction
) -> tuple[int, int] | None:
    """The interval of the difference of medians in ns per unit, as the part's own change is.

    None where a group of calls ran another number of times: its change is not that of one run.
    """
    if part.pair is None:
        return known.low_ns, known.high_ns
    if not found.pairs[part.pair].same and not _as_often(found, part, unit):
        return None
    scale = float(Fraction(known.invocations[1], unit.after) * factor)
    return round(known.low_ns * scale), round(known.high_ns * scale)


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
