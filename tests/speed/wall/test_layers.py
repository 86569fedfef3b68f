"""Causes laid over each other: at every time what the definition says, whatever the order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.model.intervals import unite_intervals
from kernelmap.model.trace import Int
from kernelmap.model.wall_time import IdleCause
from kernelmap.speed.wall.changes import Changes, Layer, lay_over, put_over, take_strongest

END = 30
TIMES = np.arange(-1, END + 2)
NOTHING = (IdleCause.NOTHING, -1)
ORDER = tuple(cause for cause in reversed(IdleCause) if cause is not IdleCause.NOTHING)
INTERVALS = st.lists(
    st.tuples(st.integers(0, END), st.integers(0, END)).map(lambda it: (min(it), max(it))),
    max_size=8,
)
LAYERS = st.lists(st.tuples(st.sampled_from(IdleCause), INTERVALS), max_size=4)

At = list[tuple[int, int]]


def columns(intervals: list[tuple[int, int]]) -> tuple[Int, Int, Int]:
    start_ns, end_ns = np.array(intervals, dtype=np.int64).reshape(-1, 2).T
    return start_ns, end_ns, np.arange(len(start_ns))


def layers_of(drawn: list[tuple[IdleCause, list[tuple[int, int]]]]) -> list[Layer]:
    return [(cause, unite_intervals(*columns(intervals))) for cause, intervals in drawn]


def at_all_times(changes: Changes) -> At:
    return [(int(cause), int(event)) for cause, event in zip(*changes.cause_at(TIMES), strict=True)]


@given(LAYERS)
def test_the_last_layer_that_covers_a_time_counts(
    drawn: list[tuple[IdleCause, list[tuple[int, int]]]],
) -> None:
    """Its cause and its event; NOTHING hides what lies below it and has no event."""
    layers = layers_of(drawn)
    expected: At = [NOTHING] * len(TIMES)
    for cause, spans in layers:
        for at, row in enumerate(spans.row_around(TIMES).tolist()):
            if row >= 0:
                expected[at] = NOTHING if cause is IdleCause.NOTHING else (cause, row)
    changes = lay_over(layers)

    assert at_all_times(changes) == expected
    states = list(zip(changes.cause.tolist(), changes.event.tolist(), strict=True))
    assert all(before != after for before, after in pairwise(states))


@given(st.lists(LAYERS, min_size=1, max_size=4))
def test_of_several_threads_the_strongest_cause_counts(
    drawn: list[list[tuple[IdleCause, list[tuple[int, int]]]]],
) -> None:
    """Of equal causes the last thread's counts; others show only where a thread has no cause."""
    threads = [lay_over(layers_of(layers)) for layers in drawn]
    together = take_strongest(threads, ORDER)
    said = [at_all_times(thread) for thread in threads]

    def strength(state: tuple[int, int]) -> int:
        return -1 if state == NOTHING else ORDER.index(IdleCause(state[0]))

    for at, state in enumerate(at_all_times(together)):
        assert state == max(reversed([states[at] for states in said]), key=strength)
    for thread, states in zip(threads, said, strict=True):
        below = at_all_times(together)
        assert at_all_times(put_over(together, thread)) == [
            other if state == NOTHING else state for state, other in zip(states, below, strict=True)
        ]
