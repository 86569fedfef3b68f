"""Climbing through nested ranges."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.model.columns import nearest_ancestor

DEEP = 200


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[int], list[bool]]:
    """Parents, mostly the row before, so that chains grow long; and the rows to stop at."""
    count = draw(st.integers(1, DEEP))
    above = [draw(st.sampled_from([row - 1] * 8 + [-1, row // 2])) for row in range(1, count)]
    parents = [-1, *above]
    stops = draw(st.sets(st.integers(0, DEEP), max_size=4))
    return parents, [row in stops for row in range(len(parents))]


def nearest(row: int, parents: list[int], stops: list[bool]) -> int:
    while row >= 0 and not stops[row]:
        row = parents[row]
    return row


@given(forests(), st.booleans())
def test_the_nearest_marked_row_is_found(
    forest: tuple[list[int], list[bool]],
    all_rows: bool,
) -> None:
    """However deep the nesting, climbing finds what walking up finds."""
    parents, stops = forest
    start = list(range(len(parents))) if all_rows else [len(parents) - 1, -1, 0]
    ancestors = nearest_ancestor(
        np.array(parents, dtype=np.int64),
        np.array(stops, dtype=bool),
        None if all_rows else np.array(start, dtype=np.int64),
    )

    assert ancestors.tolist() == [nearest(row, parents, stops) for row in start]


def test_a_chain_far_deeper_than_any_program_is_climbed() -> None:
    """Every row of a chain of 10,000 finds the one marked at its top."""
    parents = np.arange(10_000, dtype=np.int64) - 1

    assert (nearest_ancestor(parents, parents < 0) == 0).all()
