"""How many addresses an index reaches, against running over all of its axes."""

from __future__ import annotations

from itertools import product

from hypothesis import example, given
from hypothesis import strategies as st

from kernelmap.model.work import Amount
from kernelmap.speed.work.index_space import (
    Affine,
    Below,
    Digit,
    count_distinct_sums,
    count_points,
    count_reached,
    make_affine,
)

EXTENTS = {"x": 12, "y": 3, "r0_": 6}
DIVISORS = (1, 2, 3, 4, 6, 12, 5)

digits = st.builds(
    Digit,
    st.sampled_from(sorted(EXTENTS)),
    st.sampled_from(DIVISORS),
    st.none() | st.sampled_from(DIVISORS[1:]),
)
factors = st.integers(0, 40) | st.sampled_from([1, 2, 4, 12])
indices = st.builds(make_affine, st.integers(-3, 9), st.dictionaries(digits, factors, max_size=3))
conditions = st.lists(
    st.builds(Below, indices, st.none() | st.integers(-2, 20), st.none() | st.integers(0, 40)),
    max_size=2,
)


def value(index: Affine, place: dict[str, int]) -> int:
    total = index.const
    for digit, factor in index.terms:
        number = place[digit.axis] // digit.divisor
        total += factor * (number if digit.modulus is None else number % digit.modulus)
    return total


def places() -> list[dict[str, int]]:
    ranges = [range(extent) for extent in EXTENTS.values()]
    return [dict(zip(EXTENTS, place, strict=True)) for place in product(*ranges)]


PLACES = places()


@given(indices, conditions)
def test_the_count_holds_what_the_axes_reach(index: Affine, where: list[Below]) -> None:
    """The addresses that a run over all axes reaches lie between both bounds."""
    true = {
        value(index, place)
        for place in PLACES
        if all(
            (c.least is None or value(c.value, place) >= c.least)
            and (c.bound is None or value(c.value, place) < c.bound)
            for c in where
        )
    }
    amount = count_reached(index, EXTENTS, where)

    assert amount.least <= len(true) <= amount.most


@given(indices, st.integers(1, 48))
def test_division_and_remainder_are_what_they_say(index: Affine, by: int) -> None:
    """Where a quotient is a sum of digits, it is the quotient everywhere."""
    quotient, remainder = index.divide_by(by, EXTENTS), index.remainder_by(by, EXTENTS)

    if quotient is not None:
        assert all(value(quotient, place) == value(index, place) // by for place in PLACES)
    if remainder is not None:
        seen = {value(index, place) % by for place in PLACES}
        assert {value(remainder, place) for place in PLACES} == seen


@example([(2, 3), (5, 2), (9, 2)])  # the last step meets the largest sum of the others
@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 6)), max_size=4))
def test_sums_of_steps_are_counted(steps: list[tuple[int, int]]) -> None:
    """Every choice of one multiple per step gives a sum; different ones count."""
    sums = {
        sum(factor * number for (factor, _), number in zip(steps, chosen, strict=True))
        for chosen in product(*[range(extent) for _, extent in steps])
    }
    amount = count_distinct_sums(steps)

    assert amount.least <= len(sums) <= amount.most


@given(st.sets(digits, max_size=3))
def test_no_data_has_more_elements_than_its_axes(chosen: set[Digit]) -> None:
    """Data that depend on digits have at most as many elements as the digits have combinations."""
    true = {tuple(value(Affine(0, ((d, 1),)), place) for d in chosen) for place in PLACES}

    assert len(true) <= count_points(chosen, EXTENTS)


def test_what_inductor_writes_is_counted_exactly() -> None:
    """Rows, slices, broadcasts, windows and padded splits of a reduction leave no doubt."""
    x, r = Digit("x"), Digit("r0_")
    x0, x1 = Digit("x", 1, 4), Digit("x", 4)
    row = make_affine(0, {x0: 1, x1: 4})
    cases = {
        make_affine(3, {x: 1}): 12,
        make_affine(0, {x0: 1, x1: 100}): 12,
        make_affine(0, {x0: 1}): 4,
        row: 12,
        make_affine(0, {r: 1, x: 4}): 6 + 11 * 4,
        make_affine(5, {}): 1,
    }
    padded = make_affine(0, {r: 1, Digit("y"): 6})

    assert {index: count_reached(index, EXTENTS) for index in cases} == {
        index: Amount.exactly(number) for index, number in cases.items()
    }
    assert count_reached(padded, EXTENTS, [Below(padded, bound=16)]) == Amount.exactly(16)
    assert count_reached(row, EXTENTS, [Below(Affine(0, ((x0, 1),)), 2, 4)]) == Amount.exactly(6)
