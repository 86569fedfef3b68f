"""Where a series changed its level: laws of the search, planted levels, and what is none."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from examples import examples
from kernelmap.dashboard.change_points import ChangePoint, find_change_points, odd_ones

pytestmark = pytest.mark.skipif(not find_spec("ruptures"), reason="ruptures is not installed")
Values = NDArray[np.float64]
SIGMA = 0.003  # of a recording to the next, as histories have it
SEEDS = st.integers(0, 2**32 - 1)


def leveled(levels: Sequence[tuple[int, float]], seed: int, sigma: float = SIGMA) -> Values:
    """So many runs of each level in ns, with log-normal noise."""
    chance = np.random.default_rng(seed)
    flat = np.concatenate([np.full(count, level) for count, level in levels])
    noisy: Values = flat * np.exp(chance.normal(0, sigma, len(flat)))
    return noisy


LEVELS = st.lists(st.tuples(st.integers(1, 40), st.floats(1e6, 2e6)), min_size=1, max_size=5)


@given(LEVELS, SEEDS, st.floats(1e-3, 1e3))
@settings(max_examples=examples(60))
def test_the_unit_does_not_matter(
    levels: list[tuple[int, float]], seed: int, factor: float
) -> None:
    """Times in another unit have the same change points with the same ratios."""
    values = leveled(levels, seed)
    points, scaled = find_change_points(values), find_change_points(values * factor)

    assert [point.at for point in scaled] == [point.at for point in points]
    assert [point.ratio for point in scaled] == pytest.approx([point.ratio for point in points])
    assert odd_ones(values * factor, scaled) == odd_ones(values, points)


@given(LEVELS, SEEDS)
@settings(max_examples=examples(60))
def test_time_has_no_direction(levels: list[tuple[int, float]], seed: int) -> None:
    """Read backward a series has the same levels, and every ratio is the other way round."""
    values = leveled(levels, seed)
    points, back = find_change_points(values), find_change_points(values[::-1])

    assert [len(values) - point.at for point in reversed(back)] == [point.at for point in points]
    assert [1 / point.ratio for point in reversed(back)] == pytest.approx(
        [point.ratio for point in points]
    )


@given(LEVELS, SEEDS)
@settings(max_examples=examples(60))
def test_levels_are_whole_and_join(levels: list[tuple[int, float]], seed: int) -> None:
    """Levels lie end to end, have at least three runs, and state the medians of their runs."""
    values = leveled(levels, seed)
    points = find_change_points(values)

    for point in points:
        assert point.since + 3 <= point.at <= point.until - 3
        assert point.before == np.median(values[point.since : point.at])
        assert point.after == np.median(values[point.at : point.until])
    for before, after in pairwise(points):
        assert before.at <= after.since < after.at
        assert before.until <= after.at
    assert not points or points[-1].until <= len(values)


@given(
    st.lists(st.integers(8, 40), min_size=2, max_size=4),
    st.lists(st.sampled_from([0.9, 0.96, 1.04, 1.1, 1.5]), min_size=3, max_size=3),
    SEEDS,
)
@settings(max_examples=examples(60))
def test_planted_levels_are_found(counts: list[int], steps: list[float], seed: int) -> None:
    """Steps of many times the noise are found where they are, and nothing besides."""
    levels = np.cumprod([8e6, *steps])
    planted = list(zip(counts, levels, strict=False))
    points = find_change_points(leveled(planted, seed))

    assert [point.at for point in points] == list(np.cumsum(counts)[:-1])
    assert [point.ratio for point in points] == pytest.approx(steps[: len(points)], rel=0.01)


@pytest.mark.parametrize("sigma", [1e-5, 0.003, 0.1])
@pytest.mark.parametrize("count", [6, 9, 16, 40, 150])
def test_noise_has_no_levels(count: int, sigma: float) -> None:
    """Of a hundred series whose times only vary, at most three seem to have a level."""
    seeming = [
        seed for seed in range(100) if find_change_points(leveled([(count, 8e6)], seed, sigma))
    ]

    assert len(seeming) <= 3


@pytest.mark.parametrize("count", [6, 30])
def test_the_same_time_again_and_again_is_one_level(count: int) -> None:
    """Without any noise there is nothing to find, and nothing to divide by."""
    values = np.full(count, 8e6)

    assert find_change_points(values) == ()
    assert odd_ones(values, ()) == ()


@pytest.mark.parametrize("factor", [0.02, 0.9, 1.1, 50.0])
@pytest.mark.parametrize("at", [0, 1, 10, 23])
def test_one_odd_run_is_no_level(at: int, factor: float) -> None:
    """A single run far from the others is odd and no level, wherever it stands."""
    seeming = 0
    for seed in range(40):
        values = leveled([(24, 8e6)], seed)
        values[at] *= factor
        points = find_change_points(values)
        seeming += bool(points)

        assert at in odd_ones(values, points)
    assert seeming <= 1


@pytest.mark.parametrize("at", [4, 12])
def test_two_odd_runs_are_no_level(at: int) -> None:
    """A level has three runs at least; two runs that share one are no odd runs either."""
    values = leveled([(24, 8e6)], 1)
    values[at : at + 2] *= 1.3

    assert find_change_points(values) == ()
    assert odd_ones(values, ()) == ()


@given(
    st.integers(0, 20),
    st.integers(1, 3),
    st.sampled_from([0.5, 1.3, 3.0]),
    st.sampled_from([1.0, 1.1]),
)
@settings(max_examples=examples(60))
def test_an_odd_run_is_off_all_of_its_neighbors(
    at: int, apart: int, factor: float, other: float
) -> None:
    """Two runs near one another share a level or do not; only where they do not they are odd."""
    values = leveled([(24, 8e6)], at)
    values[at] *= factor
    values[at + apart] *= factor * other

    assert odd_ones(values, ()) == (() if other == 1.0 else (at, at + apart))


def test_a_new_level_is_reported_from_its_third_run_on() -> None:
    """A step that became slower is reported from the third run on."""
    values = leveled([(30, 8e6), (3, 8.4e6)], 5)

    assert find_change_points(values[:-1]) == ()
    assert [point.at for point in find_change_points(values)] == [30]


@pytest.mark.parametrize(
    "values", [[], [1.0], [1.0] * 5, [1.0, 2.0] * 2, [0.0] * 12, [1.0] * 6 + [0.0] * 6]
)
def test_where_there_is_nothing_to_say_nothing_is_said(values: list[float]) -> None:
    """Few runs, and times that are none, have neither levels nor odd runs."""
    given_values = np.array(values, dtype=np.float64)

    assert find_change_points(given_values) == ()
    assert odd_ones(given_values, ()) == ()


def test_values_that_cannot_be_times_are_not_looked_at() -> None:
    """NaN and infinity are no times, so a series with one has no levels."""
    for odd in (np.nan, np.inf, -1.0):
        values = leveled([(10, 1e6), (10, 2e6)], 0)
        values[3] = odd

        assert find_change_points(values) == ()
        assert odd_ones(values, ()) == ()


def test_an_odd_run_beside_a_step_moves_nothing() -> None:
    """A step is found at its place with an odd run shortly before it."""
    values = leveled([(20, 8e6), (20, 8.4e6)], 3)
    values[15] *= 1.5
    points = find_change_points(values)

    assert [point.at for point in points] == [20]
    assert odd_ones(values, points) == (15,)


def test_a_ratio_is_after_over_before() -> None:
    """Slower is more than 1."""
    assert ChangePoint(at=3, since=0, until=6, before=2.0, after=3.0).ratio == 1.5
