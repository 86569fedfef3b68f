"""Laws of patterns: a row of launches against what is usual at its place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kernelmap.matching.alignment.patterns import places_in

names = st.lists(st.integers(0, 4), max_size=8)


@given(pattern=names)
def test_the_pattern_itself_is_itself(pattern: list[int]) -> None:
    """What is launched as usual stands where it usually stands, whatever repeats in it."""
    assert places_in(pattern, pattern) == [(place,) for place in range(len(pattern))]


@given(pattern=names, kept=st.sets(st.integers(0, 7)))
def test_after_losses_the_true_place_is_among_those_named(
    pattern: list[int], kept: set[int]
) -> None:
    """Whatever was lost, and however often names repeat: a single answer is the true one."""
    left = [place for place in range(len(pattern)) if place in kept]
    found = places_in([pattern[place] for place in left], pattern)
    distinct = len(set(pattern)) == len(pattern)

    assert all(-1 not in places for places in found) or not distinct
    if distinct:
        assert found == [(place,) for place in left]


@given(pattern=names, at=st.integers(0, 8))
def test_a_stranger_by_name_is_a_stranger(pattern: list[int], at: int) -> None:
    """A launch under a name that the pattern lacks is nobody's, and moves nothing else."""
    at = min(at, len(pattern))
    found = places_in([*pattern[:at], 99, *pattern[at:]], pattern)

    assert found[at] == (-1,)
    assert all(place in places for place, places in enumerate(found[:at]))


def test_beside_its_like_a_launch_is_open() -> None:
    """Of two launches of one name, where one is usual, either may be the stranger."""
    assert places_in([7, 7], [7]) == [(-1, 0), (-1, 0)]


def test_before_benchmarks_a_row_has_no_end() -> None:
    """What follows the usual launches of a row that goes on is not taken for its end."""
    assert places_in([1, 2, 3, 2], [1, 2], goes_on=True)[1] == (1,)
