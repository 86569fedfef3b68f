"""At which SM clock both sides ran, where it was sampled, and what changes at equal clocks.

A change of the clock is no change of the code, so a comparison says it before anything else. Only
samples that fell into launches of the compared calls count, and both sides are weighed by the same
times, those of the older side: so a side that runs more of a call at a low clock is not slower by
that.

`diff --at-equal-clocks` takes out of the newer side what the clock explains: a call that is compute
bound on both sides takes as much longer as the clock is lower. Calls that are bound by memory or by
latency do not follow the SM clock, and of what the roofline does not know nobody can say it: these
stay as they were recorded (decision 0065).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from msgspec import Struct

from kernelmap.history.compare.sides.side import CallSide

_LEAST_SHIFT = 0.01
"""A smaller change of the clock is none to speak of: clocks move in steps of 15 MHz, which is 0.8 %
of 1,980 MHz. Chosen: no pair of recordings has clocks yet."""
_DIGITS = 10**6
"""Parts of a change are exact fractions, so the clock's factor is one with six digits."""
_COMPUTE = "compute"


class SmClock(Struct, frozen=True, kw_only=True):
    """Mean MHz of both sides over the compared calls of which both have samples.

    `samples` are those of each side, `share` is the part of the older side's time that these calls
    take.
    """

    before_mhz: float
    after_mhz: float
    samples: tuple[int, int]
    share: float

    @property
    def ratio(self) -> float:
        """After over before."""
        return self.after_mhz / self.before_mhz

    @property
    def has_moved(self) -> bool:
        """Whether the difference is more than a step of a clock."""
        return abs(self.ratio - 1) >= _LEAST_SHIFT


class ClockFactors(Struct, frozen=True, kw_only=True):
    """By which factor the clock changed the time of calls: the newer side's over the older one's.

    `common` is that of all of the same code alike, found in the times; `measured` is that of the
    sampled clocks, None where clocks are not held equal.
    """

    common: Fraction
    measured: Fraction | None = None

    def of_calls(self, before: Sequence[CallSide], after: Sequence[CallSide]) -> Fraction:
        """The factor of the calls of a pair."""
        follows = self.measured is not None and follows_sm_clock(before, after)
        return self.measured if self.measured is not None and follows else self.common

    def is_measured(self, before: Sequence[CallSide], after: Sequence[CallSide]) -> bool:
        """Whether that factor is the measured one."""
        return self.measured is not None and follows_sm_clock(before, after)


def follows_sm_clock(before: Sequence[CallSide], after: Sequence[CallSide]) -> bool:
    """Whether a pair of calls takes as much longer as the SM clock is lower: both compute bound."""
    return len(before) == len(after) == 1 and before[0].bound == after[0].bound == _COMPUTE


def measure_sm_clock(
    calls: Iterable[tuple[CallSide, CallSide]], before_total_ns: int
) -> SmClock | None:
    """The SM clocks over pairs of equal calls; None where no pair was sampled on both sides."""
    weights = before_sum = after_sum = 0.0
    samples = [0, 0]
    for one, other in calls:
        if one.sm_mhz and other.sm_mhz and one.time_ns:
            weights += one.time_ns
            before_sum += one.time_ns * one.sm_mhz
            after_sum += one.time_ns * other.sm_mhz
            samples[0] += one.clock_samples
            samples[1] += other.clock_samples
    if not weights:
        return None
    return SmClock(
        before_mhz=before_sum / weights,
        after_mhz=after_sum / weights,
        samples=(samples[0], samples[1]),
        share=weights / before_total_ns if before_total_ns else 0.0,
    )


def clock_factors(
    common: Fraction, clock: SmClock | None, *, at_equal_clocks: bool
) -> ClockFactors:
    """The factors of one comparison: how much longer compute takes at the newer side's clock."""
    if clock is None or not at_equal_clocks:
        return ClockFactors(common=common)
    return ClockFactors(common=common, measured=Fraction(round(_DIGITS / clock.ratio), _DIGITS))
