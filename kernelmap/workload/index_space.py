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
        return affine(self.const + other.const, factors)

    def __mul__(self, by: int) -> Affine:
        return affine(self.const * by, {digit: factor * by for digit, factor in self.terms})

    @property
    def digits(self) -> frozenset[Digit]:
        """The digits that it depends on."""
        return frozenset(digit for digit, _ in self.terms)

    def span(self, extents: Extents) -> tuple[int, int]:
        """The smallest and the largest value."""
        ends = [factor * (digit.extent(extents) - 1) for digit, factor in self.terms]
        return self.const + sum(min(end, 0) for end in ends), self.const + sum(
            max(end, 0) for end in ends
        )

    def divided(self, by: int, extents: Extents) -> Affine | None:
        """Its floor division by a positive number; None where that is no sum of digits."""
        multiples, rest = self._multiples(by)
        low, high = rest.span(extents)
        if low >= 0 and high < by:
            return affine(0, {digit: factor // by for digit, factor in multiples.items()})
        leading = rest.leading(by, extents)
        if leading is None:
            return None
        digit = _divided(leading[0], by // leading[1])
        if digit is None:
            return None
        return affine(0, {d: f // by for d, f in multiples.items()}) + Affine(0, ((digit, 1),))

    def remainder(self, by: int, extents: Extents) -> Affine | None:
        """Its remainder by a positive number; None where that is no sum of digits."""
        _, rest = self._multiples(by)
        low, high = rest.span(extents)
        if low >= 0 and high < by:
            return rest
        if len(rest.terms) == 1 and rest.terms[0][1] == 1 and high - low == by - 1:
            return Affine(0, rest.terms)  # turned around, it still takes all values below `by`
        leading = rest.leading(by, extents)
        if leading is None:
            return None
        digit, factor = leading
        reduced = _reduced(digit, by // factor)
        if reduced is None:
            return None
        return rest + Affine(0, ((digit, -factor),)) + Affine(0, ((reduced, factor),))

    def leading(self, by: int, extents: Extents) -> tuple[Digit, int] | None:
        """The term above all others: they stay below its factor, and the factor divides `by`."""
        if not self.terms:
            return None
        digit, factor = max(self.terms, key=lambda term: term[1])
        low, high = (self + Affine(0, ((digit, -factor),))).span(extents)
        return (digit, factor) if by % factor == 0 and low >= 0 and high < factor else None

    def _multiples(self, by: int) -> tuple[dict[Digit, int], Affine]:
        """The terms that are multiples of `by`, and what is left."""
        multiples = {digit: factor for digit, factor in self.terms if factor % by == 0}
        rest = {digit: factor for digit, factor in self.terms if factor % by}
        return multiples, affine(self.const, rest)


def affine(const: int, factors: Mapping[Digit, int]) -> Affine:
    """The sum in its one form: sorted, without zeros."""
    terms = [(digit, factor) for digit, factor in factors.items() if factor]
    return Affine(const, tuple(sorted(terms, key=lambda term: _order(term[0]))))


def _order(digit: Digit) -> tuple[str, int, int]:
    return digit.axis, digit.divisor, digit.modulus or 0


def _divided(digit: Digit, by: int) -> Digit | None:
    if digit.modulus is None:
        return Digit(digit.axis, digit.divisor * by)
    if digit.modulus % by:
        return None
    return Digit(digit.axis, digit.divisor * by, digit.modulus // by)


def _reduced(digit: Digit, by: int) -> Digit | None:
    if digit.modulus is None or digit.modulus % by == 0:
        return Digit(digit.axis, digit.divisor, by)
    return None


class Below(Struct, frozen=True):
    """A condition: `least <= value < bound`; an end that is None is open."""

    value: Affine
    least: int | None = None
    bound: int | None = None

    def always(self, extents: Extents) -> bool:
        """Whether it holds wherever the axes are."""
        low, high = self.value.span(extents)
        return (self.least is None or low >= self.least) and (
            self.bound is None or high < self.bound
        )


def reached(
    index: Affine,
    extents: Extents,
    conditions: Sequence[Below] = (),
    spacing: Sequence[tuple[int, int]] = (),
) -> Amount:
    """How many addresses `index` reaches while its axes run, where all `conditions` hold.

    `spacing` repeats them: each step says how far apart, and how often.
    """
    conditions = _merged(conditions)
    split = elementary([index, *(condition.value for condition in conditions)], extents)
    if split is None and conditions:
        return Amount(0, reached(index, extents, (), spacing).most)
    if split is None:
        return Amount(1, points(index.digits, extents) * prod(often for _, often in spacing))
    (index, *values), extents_of = split
    factors = dict(index.terms)
    steps = list(spacing)
    asked: set[Digit] = set()
    held = True
    for condition, value in zip(conditions, values, strict=True):
        extent = _extent_where(value, condition, extents_of)
        scale = _scale(value, factors)
        if extent is None or scale is None or not asked.isdisjoint(value.digits):
            held = False  # which addresses it leaves is not worked out
            continue
        if not extent:
            return Amount.exactly(0)
        asked |= value.digits
        if scale:
            for digit in value.digits:
                del factors[digit]
            steps.append((scale, extent))
    steps += [(abs(factor), extents_of[digit]) for digit, factor in factors.items()]
    amount = distinct(steps)
    return amount if held else Amount(0, amount.most)


def _merged(conditions: Sequence[Below]) -> list[Below]:
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
    steps = [(factor, extents_of[digit]) for digit, factor in value.terms]
    last = sum(factor * (extent - 1) for factor, extent in steps)
    if any(factor < 0 for factor, _ in steps) or distinct(steps).least != last + 1:
        return None
    least = 0 if condition.least is None else max(0, condition.least - value.const)
    bound = last + 1 if condition.bound is None else min(last + 1, condition.bound - value.const)
    return max(0, bound - least)


def _scale(value: Affine, factors: Mapping[Digit, int]) -> int | None:
    """How often an index contains a value, 0 where it has none of its digits; None in part."""
    scales = {Fraction(factors.get(digit, 0), factor) for digit, factor in value.terms}
    scale = scales.pop() if scales else Fraction(0)
    return abs(int(scale)) if not scales and scale.denominator == 1 else None


def distinct(steps: Iterable[tuple[int, int]]) -> Amount:
    """How many different sums a choice of one multiple per step has.

    A step is a positive factor, and how many multiples of it there are, from 0.

    >>> distinct([(1, 8), (8, 4)]), distinct([(1, 8), (4, 15)]), distinct([(3, 4), (5, 3)])
    (Amount(least=32, most=32), Amount(least=64, most=64), Amount(least=4, most=12))
    """
    ordered = sorted(step for step in steps if step[1] != 1)
    if any(extent == 0 for _, extent in ordered):
        return Amount.exactly(0)
    count, last = 1, 0
    lattice = ordered[0][0] if ordered else 1  # the sums are all multiples of it up to `last`
    full = True
    for position, (factor, extent) in enumerate(ordered):
        full = full and factor % lattice == 0 and factor <= last + lattice
        if full:
            last += factor * (extent - 1)
            count = last // lattice + 1
        elif factor > last:
            last += factor * (extent - 1)
            count *= extent
        else:
            return Amount(count, count * prod(extent for _, extent in ordered[position:]))
    return Amount.exactly(count)


def points(digits: Iterable[Digit], extents: Extents) -> int:
    """How many combinations of values the digits take."""
    split = elementary([affine(0, dict.fromkeys(digits, 1))], extents)
    if split is not None:
        return prod(split[1][digit] for digit in split[0][0].digits)
    axes: dict[str, int] = {}
    for digit in digits:
        axes[digit.axis] = axes.get(digit.axis, 1) * digit.extent(extents)
    return prod(min(number, extents[axis]) for axis, number in axes.items())


def elementary(
    sums: Sequence[Affine], extents: Extents
) -> tuple[list[Affine], dict[Digit, int]] | None:
    """The sums in digits of which any combination occurs, and how many values each digit takes.

    `xindex` beside `xindex // 784` is split into `xindex % 784` and `xindex // 784`. None where the
    digits of an axis cut it in ways that do not nest, or the last round is not whole.
    """
    axes = {digit.axis for index in sums for digit in index.digits}
    elements: dict[str, list[Digit]] = {}
    for axis in axes:
        digits = [digit for index in sums for digit in index.digits if digit.axis == axis]
        cuts = sorted(
            {d.divisor for d in digits} | {d.divisor * d.modulus for d in digits if d.modulus}
        )
        if any(above % below for below, above in pairwise(cuts)):
            return None
        cuts = [cut for cut in cuts if cut == cuts[0] or cut < extents[axis]]
        chain = [Digit(axis, below, above // below) for below, above in pairwise(cuts)]
        ends = [d.divisor * d.modulus for d in digits if d.modulus]
        open_end = len(ends) < len(digits) or max(ends) > cuts[-1]
        if open_end:
            chain.append(Digit(axis, cuts[-1]))
        if not _whole(chain, extents[axis]):
            return None
        elements[axis] = chain
    split = [_in_elements(index, elements) for index in sums]
    return split, {digit: digit.extent(extents) for chain in elements.values() for digit in chain}


def _whole(chain: Sequence[Digit], extent: int) -> bool:
    """Whether every combination of the digits of one axis occurs below `extent`."""
    if len(chain) <= 1:
        return True
    top = chain[-1]
    if top.modulus is not None and extent >= top.divisor * top.modulus:
        return True
    return extent % top.divisor == 0


def _in_elements(whole: Affine, elements: Mapping[str, Sequence[Digit]]) -> Affine:
    factors: dict[Digit, int] = {}
    for digit, factor in whole.terms:
        end = None if digit.modulus is None else digit.divisor * digit.modulus
        for part in elements[digit.axis]:
            if part.divisor >= digit.divisor and (end is None or part.divisor < end):
                factors[part] = factors.get(part, 0) + factor * (part.divisor // digit.divisor)
    return affine(whole.const, factors)
