"""Parts of a change in whole nanoseconds that add up to it: the largest remainders get the rest.

Takes exact fractions, gives whole numbers. What did not change stays 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor


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
