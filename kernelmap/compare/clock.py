"""Whether all of the same code changed alike: a slower clock, another power limit, another GPU.

Takes pairs of calls that compute the same with the same code, gives one factor. It is believed only
where most of the time moved by it: both by count and by weight, and each call on its own. A change
that only some calls made is theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kernelmap.compare.causes import Cause, Pair, of_launch

_LEAST_CALLS = 5
_LEAST_SHIFT = 0.01
_NEAR = 0.02  # of the factor
_MOST = 0.8  # of the time of the same code
_DIGITS = 10**6


def clock(pairs: Sequence[Pair]) -> Fraction:
    """After over before of the time per launch; 1 where the calls do not agree on another."""
    ratios = sorted(
        (_ratio(pair), pair.before[0].time_ns)
        for pair in pairs
        if pair.same
        and pair.before[0].time_ns
        and pair.after[0].time_ns
        and of_launch(pair)[0] is Cause.SAME_CODE
    )
    if len(ratios) < _LEAST_CALLS:
        return Fraction(1)
    total = sum(weight for _, weight in ratios)
    middle = ratios[len(ratios) // 2][0]
    heavy = _weighted_median(ratios, total)
    near = sum(weight for ratio, weight in ratios if abs(ratio / heavy - 1) <= _NEAR)
    agreed = abs(middle / heavy - 1) <= _NEAR and near >= _MOST * total
    if not agreed or abs(heavy - 1) < _LEAST_SHIFT:
        return Fraction(1)
    return Fraction(round(heavy * _DIGITS), _DIGITS)


def _ratio(pair: Pair) -> float:
    one, other = pair.before[0], pair.after[0]
    return (other.time_ns / other.launches) / (one.time_ns / one.launches)


def _weighted_median(ratios: Sequence[tuple[float, int]], total: int) -> float:
    running = 0
    for ratio, weight in ratios:
        running += weight
        if 2 * running >= total:
            return ratio
    return ratios[-1][0]
