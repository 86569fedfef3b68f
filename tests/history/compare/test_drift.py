"""What the same code differs by from process to process, learnt from a comparison."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from kernelmap.history.compare.numbers.drift import Drift, Drifting

LENGTHS = st.floats(500.0, 1e6)


def drift(lengths: list[float], logs: list[float], *, over_processes: bool = False) -> Drift:
    return Drift(
        lengths=np.array(lengths),
        logs=np.array(logs),
        pairs=np.arange(len(lengths)),
        over_processes=over_processes,
    )


def members(count: int, launch_ns: float, *, first: int = -1) -> list[Drifting]:
    return [
        Drifting(launch_ns=launch_ns, time_ns=launch_ns, pair=-1 if first < 0 else first + at)
        for at in range(count)
    ]


@given(LENGTHS, st.integers(1, 200))
@settings(max_examples=examples(60))
def test_drifts_of_many_calls_cancel_each_other(launch_ns: float, count: int) -> None:
    """The sum of n equal calls differs by the nth part of a call's variance."""
    alone = drift([], []).floor_of_sum(members(1, launch_ns), slower=True)

    assert drift([], []).floor_of_sum(members(count, launch_ns), slower=True) == pytest.approx(
        alone / count**0.5
    )


@given(LENGTHS, LENGTHS)
@settings(max_examples=examples(60))
def test_a_longer_launch_differs_by_no_larger_part(one: float, other: float) -> None:
    """What lies elsewhere costs some time, whatever the launch takes: 3 % of it at most, a side."""
    floors = [
        drift([], []).floor_of_sum(members(1, length), slower=True)
        for length in sorted((one, other))
    ]

    assert floors[1] <= floors[0] * (1 + 1e-9)
    assert floors[0] <= 3 * 0.03 * 2**0.5 + 1e-9


def test_calls_of_about_the_length_say_how_much_it_is() -> None:
    """Others that differ by 5 % from process to process: a call has to differ by more.

    Calls of another length say nothing.
    """
    logs = [0.05 * (-1) ** at for at in range(20)]
    wild = drift([5_000.0] * 20, logs)
    one, least = members(1, 5_000.0), drift([], []).floor_of_sum(members(1, 5_000.0), slower=True)

    assert wild.floor_of_sum(one, slower=True) == wild.floor_of_sum(one, slower=False) > 3 * 0.03
    assert drift([50_000.0] * 20, logs).floor_of_sum(one, slower=True) == least
    assert drift([5_000.0] * 20, [0.0] * 20).floor_of_sum(one, slower=True) == least


def test_slower_calls_do_not_excuse_each_other() -> None:
    """However many became slower: only those that became faster say how much drifts that way."""
    many = drift([5_000.0] * 20, [0.5] * 15 + [0.0] * 5)
    one, least = members(1, 5_000.0), drift([], []).floor_of_sum(members(1, 5_000.0), slower=True)

    assert many.floor_of_sum(one, slower=True) == least
    assert many.floor_of_sum(one, slower=False) > 0.5


def test_what_is_judged_does_not_testify_for_itself() -> None:
    """A family of which every call is slower would excuse itself."""
    faster = drift([50_000.0] * 20, [-0.2] * 10 + [0.0] * 10)

    assert faster.floor_of_sum(members(10, 50_000.0, first=0), slower=True) < 0.02
    assert faster.floor_of_sum(members(1, 50_000.0), slower=True) > 0.2


def test_a_fleet_knows_its_processes_already() -> None:
    """Times of ranks are of many processes; nothing is added. Nor to a sum of no time."""
    ranks = drift([5_000.0] * 20, [0.1, -0.1] * 10, over_processes=True)

    assert ranks.floor_of_sum(members(1, 5_000.0), slower=True) == 0
    assert drift([], []).floor_of_sum([], slower=True) == 0
