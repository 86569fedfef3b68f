"""The index expressions of Inductor's Triton kernels, and how many addresses they reach.

A kernel runs over axes (`xindex` from 0 to `xnumel`). Its addresses are sums of digits of the axes:
`x0 = xindex % 256` and `x1 = xindex // 256` are two digits of x, `x0 + 512*x1` an affine expression
of them. How many addresses such a sum reaches can be counted without running over the axes:
`x0 + 512*x1` skips every other row, `x0` alone is broadcast, `r0_1 + 4*x0` overlaps.

Takes and gives plain records; Triton's syntax is read in triton_source.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod

from msgspec import Struct

from kernelmap.model.work import Amount

Extents = Mapping[str, int]
"""How far each axis runs."""


class Digit(Struct, frozen=True):
    """`(axis // divisor) % modulus`; without a modulus it is the highest digit of its axis."""

    axis: str
    divisor: int = 1
    modulus: int | None = None

    def extent(self, extents: Extents) -> int:
        """How many values it takes, from 0."""
        # The axis may end in the middle of a digit's step: the last value counts as well.
        values = -(-extents[self.axis] // self.divisor)
        return values if self.modulus is None else min(values, self.modulus)


class Affine(Struct, frozen=True):
    """`const` plus a sum of digits, each times a factor; terms are sorted, no factor is 0."""

    const: int
    terms: tuple[tuple[Digit, int], ...] = ()

    def __add__(self, other: Affine) -> Affine:
        factors = dict(self.terms)
        for digit, factor in other.terms:
            factors[digit] = factors.get(digit, 0) + factor
        return make_affine(self.const + other.const, factors)

    def __mul__(self, by: int) -> Affine:
        return make_affine(self.const * by, {digit: factor * by for digit, factor in self.terms})

    @property
    def digits(self) -> frozenset[Digit]:
        """The digits that it depends on."""
        return frozenset(digit for digit, _ in self.terms)

    def span(self, extents: Extents) -> tuple[int, int]:
        """The smallest and the largest value."""
        # A term with a negative factor is smallest at its last value.
        ends = [factor * (digit.extent(extents) - 1) for digit, factor in self.terms]
        return self.const + sum(min(end, 0) for end in ends), self.const + sum(
            max(end, 0) for end in ends
        )

    def divide_by(self, by: int, extents: Extents) -> Affine | None:
        """Its floor division by a positive number; None where that is no sum of digits."""
        # Multiples of the divisor can be divided term by term. What is left then vanishes where it
        # stays between 0 and the divisor: `(512*x1 + x0) // 512` is `x1` for x0 below 512.
        multiples, rest = self._split_multiples(by)
        low, high = rest.span(extents)
        if low >= 0 and high < by:
            return make_affine(0, {digit: factor // by for digit, factor in multiples.items()})
        # Else one digit of what is left has to carry it: `(4*x1 + x0) // 16` is `x1 // 4` for x0
        # below 4, which is a digit of the same axis.
        leading = rest.leading_term(by, extents)
        if leading is None:
            return None
        digit = _divide_digit(leading[0], by // leading[1])
        if digit is None:
            return None
        return make_affine(0, {d: f // by for d, f in multiples.items()}) + Affine(0, ((digit, 1),))

    def remainder_by(self, by: int, extents: Extents) -> Affine | None:
        """Its remainder by a positive number; None where that is no sum of digits."""
        # Multiples of the divisor leave no remainder. The rest stands as it is where it stays
        # below.
        _, rest = self._split_multiples(by)
        low, high = rest.span(extents)
        if low >= 0 and high < by:
            return rest
        if len(rest.terms) == 1 and rest.terms[0][1] == 1 and high - low == by - 1:
            return Affine(0, rest.terms)  # turned around, it still takes all values below `by`
        # `(4*x1 + x0) % 16` is `4*(x1 % 4) + x0` for x0 below 4: only the leading digit wraps
        # around.
        leading = rest.leading_term(by, extents)
        if leading is None:
            return None
        digit, factor = leading
        reduced = _reduce_digit(digit, by // factor)
        if reduced is None:
            return None
        return rest + Affine(0, ((digit, -factor),)) + Affine(0, ((reduced, factor),))

    def leading_term(self, by: int, extents: Extents) -> tuple[Digit, int] | None:
        """The term above all others: they stay below its factor, and the factor divides `by`."""
        if not self.terms:
            return None
        digit, factor = max(self.terms, key=lambda term: term[1])
        low, high = (self + Affine(0, ((digit, -factor),))).span(extents)
        return (digit, factor) if by % factor == 0 and low >= 0 and high < factor else None

    def _split_multiples(self, by: int) -> tuple[dict[Digit, int], Affine]:
        """The terms that are multiples of `by`, and what is left."""
        multiples = {digit: factor for digit, factor in self.terms if factor % by == 0}
        rest = {digit: factor for digit, factor in self.terms if factor % by}
        return multiples, make_affine(self.const, rest)


def make_affine(const: int, factors: Mapping[Digit, int]) -> Affine:
    """The sum in its one form: sorted, without zeros."""
    terms = [(digit, factor) for digit, factor in factors.items() if factor]
    return Affine(const, tuple(sorted(terms, key=lambda term: _order_of_digit(term[0]))))


def _order_of_digit(digit: Digit) -> tuple[str, int, int]:
    return digit.axis, digit.divisor, digit.modulus or 0


def _divide_digit(digit: Digit, by: int) -> Digit | None:
    # The highest digit stays one without an end; another one may only be cut at a divisor of its
    # modulus.
    if digit.modulus is None:
        return Digit(digit.axis, digit.divisor * by)
    if digit.modulus % by:
        return None
    return Digit(digit.axis, digit.divisor * by, digit.modulus // by)


def _reduce_digit(digit: Digit, by: int) -> Digit | None:
    # A digit that wraps around already may be shortened to a divisor of its own modulus only.
    if digit.modulus is None or digit.modulus % by == 0:
        return Digit(digit.axis, digit.divisor, by)
    return None


class Below(Struct, frozen=True):
    """A condition: `least <= value < bound`; an end that is None is open."""

    value: Affine
    least: int | None = None
    bound: int | None = None

    def holds_always(self, extents: Extents) -> bool:
        """Whether it holds wherever the axes are."""
        low, high = self.value.span(extents)
        return (self.least is None or low >= self.least) and (
            self.bound is None or high < self.bound
        )


def count_reached(
    index: Affine,
    extents: Extents,
    conditions: Sequence[Below] = (),
    spacing: Sequence[tuple[int, int]] = (),
) -> Amount:
    """How many addresses `index` reaches while its axes run, where all `conditions` hold.

    `spacing` repeats them: each step says how far apart, and how often.
    """
    # The index and all conditions are written in digits that vary freely, so that addresses can be
    # counted from the number of values of each digit.
    conditions = _merge_conditions(conditions)
    split = split_into_elementary([index, *(condition.value for condition in conditions)], extents)
    # Without the conditions there may be such digits; then their count is an upper bound.
    if split is None and conditions:
        return Amount(0, count_reached(index, extents, (), spacing).most)
    # No such digits at all: no more addresses than combinations of the axes' values.
    if split is None:
        return Amount(1, count_points(index.digits, extents) * prod(often for _, often in spacing))
    (index, *values), extents_of = split
    # `steps` collects what the index is made of: how far apart, and how many values. `asked` are
    # the digits that a condition has spoken of already.
    factors = dict(index.terms)
    steps = list(spacing)
    asked: set[Digit] = set()
    held = True
    # A condition leaves some values of a sum, such as `2*x1 + x0 < 5`. Where the index contains
    # this sum as a whole, its digits are replaced by one step with as many values as are left.
    for condition, value in zip(conditions, values, strict=True):
        extent = _extent_where(value, condition, extents_of)
        scale = _scale_of_value(value, factors)
        if extent is None or scale is None or not asked.isdisjoint(value.digits):
            held = False  # which addresses it leaves is not worked out
            continue
        # No value is left, so nothing is reached.
        if not extent:
            return Amount.exactly(0)
        asked |= value.digits
        # With scale 0 the index does not depend on the sum, which then limits no address.
        if scale:
            for digit in value.digits:
                del factors[digit]
            steps.append((scale, extent))
    # All digits that no condition speaks of take all of their values.
    steps += [(abs(factor), extents_of[digit]) for digit, factor in factors.items()]
    amount = count_distinct_sums(steps)
    return amount if held else Amount(0, amount.most)


def _merge_conditions(conditions: Sequence[Below]) -> list[Below]:
    """One condition per value: the strictest of its ends."""
    ends: dict[Affine, tuple[int | None, int | None]] = {}
    for condition in conditions:
        least, bound = ends.get(condition.value, (None, None))
        leasts = [end for end in (least, condition.least) if end is not None]
        bounds = [end for end in (bound, condition.bound) if end is not None]
        ends[condition.value] = (max(leasts, default=None), min(bounds, default=None))
    return [Below(value, least, bound) for value, (least, bound) in ends.items()]


def _extent_where(value: Affine, condition: Below, extents_of: Mapping[Digit, int]) -> int | None:
    """How many values a condition leaves; None where they are no unbroken stretch."""
    # The values run from 0 to `last` beside the constant. A condition cuts a stretch out of them
    # only if they have no gaps and no term turns around.
    steps = [(factor, extents_of[digit]) for digit, factor in value.terms]
    last = sum(factor * (extent - 1) for factor, extent in steps)
    if any(factor < 0 for factor, _ in steps) or count_distinct_sums(steps).least != last + 1:
        return None
    least = 0 if condition.least is None else max(0, condition.least - value.const)
    bound = last + 1 if condition.bound is None else min(last + 1, condition.bound - value.const)
    return max(0, bound - least)


def _scale_of_value(value: Affine, factors: Mapping[Digit, int]) -> int | None:
    """How often an index contains a value, 0 where it has none of its digits; None in part."""
    # The factor of each digit in the index over that in the condition's sum. If all are one whole
    # number, the index contains the sum that often.
    scales = {Fraction(factors.get(digit, 0), factor) for digit, factor in value.terms}
    scale = scales.pop() if scales else Fraction(0)
    return abs(int(scale)) if not scales and scale.denominator == 1 else None


def count_distinct_sums(steps: Iterable[tuple[int, int]]) -> Amount:
    """How many different sums a choice of one multiple per step has.

    A step is a positive factor, and how many multiples of it there are, from 0.

    >>> steps = ([(1, 8), (8, 4)], [(1, 8), (4, 15)], [(3, 4), (5, 3)])
    >>> tuple(map(count_distinct_sums, steps))
    (Amount(least=32, most=32), Amount(least=64, most=64), Amount(least=4, most=12))
    """
    # From the smallest factor to the largest. A step with one value changes nothing.
    ordered = sorted(step for step in steps if step[1] != 1)
    if any(extent == 0 for _, extent in ordered):
        return Amount.exactly(0)
    count, last = 1, 0
    lattice = ordered[0][0] if ordered else 1  # the sums are all multiples of it up to `last`
    # `full` says that the sums so far are all multiples of the lattice up to `last`, without gaps.
    full = True
    for position, (factor, extent) in enumerate(ordered):
        # The next step begins no further than one behind `last`, so that it closes up or overlaps:
        # 8 values of 1, then 15 of 4, reach each number from 0 to 63.
        full = full and factor % lattice == 0 and factor <= last + lattice
        if full:
            last += factor * (extent - 1)
            count = last // lattice + 1
        # The next step leaps over all sums so far, so that each of its values has its own copy of
        # them.
        elif factor > last:
            last += factor * (extent - 1)
            count *= extent
        # The copies overlap with gaps in them, as of 3 and 5: only bounds are known.
        else:
            return Amount(count, count * prod(extent for _, extent in ordered[position:]))
    return Amount.exactly(count)


def count_points(digits: Iterable[Digit], extents: Extents) -> int:
    """How many combinations of values the digits take."""
    split = split_into_elementary([make_affine(0, dict.fromkeys(digits, 1))], extents)
    if split is not None:
        return prod(split[1][digit] for digit in split[0][0].digits)
    # The digits cut their axis in ways that do not nest. Each axis then has at most the product of
    # its digits' values, and no more than it runs.
    axes: dict[str, int] = {}
    for digit in digits:
        axes[digit.axis] = axes.get(digit.axis, 1) * digit.extent(extents)
    return prod(min(number, extents[axis]) for axis, number in axes.items())


def split_into_elementary(
    sums: Sequence[Affine], extents: Extents
) -> tuple[list[Affine], dict[Digit, int]] | None:
    """The sums in digits of which any combination occurs, and how many values each digit takes.

    `xindex` beside `xindex // 784` is split into `xindex % 784` and `xindex // 784`. None where the
    digits of an axis cut it in ways that do not nest, or the last round is not whole.
    """
    # The places at which an axis is cut: where each digit begins and where it wraps around. Each
    # has to be a multiple of the one before, as 16 and 64 are; 16 and 24 do not nest.
    axes = {digit.axis for index in sums for digit in index.digits}
    elements: dict[str, list[Digit]] = {}
    for axis in axes:
        digits = [digit for index in sums for digit in index.digits if digit.axis == axis]
        cuts = sorted(
            {d.divisor for d in digits} | {d.divisor * d.modulus for d in digits if d.modulus}
        )
        if any(above % below for below, above in pairwise(cuts)):
            return None
        # Cuts behind the end of the axis part nothing.
        cuts = [cut for cut in cuts if cut == cuts[0] or cut < extents[axis]]
        # One digit from each cut to the next, and a last one without an end where a digit goes on
        # behind the last cut.
        chain = [Digit(axis, below, above // below) for below, above in pairwise(cuts)]
        ends = [d.divisor * d.modulus for d in digits if d.modulus]
        open_end = len(ends) < len(digits) or max(ends) > cuts[-1]
        if open_end:
            chain.append(Digit(axis, cuts[-1]))
        if not _is_whole_axis(chain, extents[axis]):
            return None
        elements[axis] = chain
    split = [_in_elements(index, elements) for index in sums]
    return split, {digit: digit.extent(extents) for chain in elements.values() for digit in chain}


def _is_whole_axis(chain: Sequence[Digit], extent: int) -> bool:
    """Whether every combination of the digits of one axis occurs below `extent`."""
    # A single digit takes all of its values.
    if len(chain) <= 1:
        return True
    top = chain[-1]
    if top.modulus is not None and extent >= top.divisor * top.modulus:
        return True
    # The highest digit is in full use only if the axis ends with a whole round of the ones below.
    return extent % top.divisor == 0


def _in_elements(whole: Affine, elements: Mapping[str, Sequence[Digit]]) -> Affine:
    factors: dict[Digit, int] = {}
    for digit, factor in whole.terms:
        end = None if digit.modulus is None else digit.divisor * digit.modulus
        # A digit from 16 to 256 is the sum of the parts between: from 16 to 64, and from 64 to 256
        # with four times the factor.
        for part in elements[digit.axis]:
            if part.divisor >= digit.divisor and (end is None or part.divisor < end):
                factors[part] = factors.get(part, 0) + factor * (part.divisor // digit.divisor)
    return make_affine(whole.const, factors)
