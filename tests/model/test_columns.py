"""Values are numbered by their rank, however far apart they lie, and rows by all their columns."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.model.columns import (
    code_values,
    distinct_values,
    pair_columns,
    positions_between,
    row_groups,
)
from kernelmap.model.trace import Int

VALUES = st.one_of(st.integers(-3, 9), st.sampled_from([0, 10**6, 2**40, -(2**40)]))
ROWS = st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=30)


def columns_of(rows: list[tuple[int, int, int]]) -> list[Int]:
    return list(np.array(rows, dtype=np.int64).reshape(-1, 3).T)


@given(st.lists(VALUES, max_size=40))
def test_codes_are_ranks_among_the_distinct_values(values: list[int]) -> None:
    """Whether a table of all possible values is made or they are sorted."""
    column = np.array(values, dtype=np.int64)
    ordered, number = code_values(column)

    assert ordered.tolist() == sorted(set(values)) == distinct_values(column).tolist()
    assert [ordered[at] for at in number.tolist()] == values


@given(ROWS)
def test_equal_rows_have_one_number(rows: list[tuple[int, int, int]]) -> None:
    """Numbers count up from 0 in the order of the rows' values, and no two rows share one."""
    rank = {row: number for number, row in enumerate(sorted(set(rows)))}

    assert pair_columns(*columns_of(rows)).tolist() == [rank[row] for row in rows]


@given(ROWS)
def test_groups_hold_the_equal_rows_in_their_order(rows: list[tuple[int, int, int]]) -> None:
    """Every row is in one group."""
    groups = [at.tolist() for at in row_groups(*columns_of(rows))]

    assert sorted(groups) == sorted(
        [at for at, other in enumerate(rows) if other == row] for row in set(rows)
    )


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=20))
def test_positions_between_are_those_of_all_runs_one_after_another(
    runs: list[tuple[int, int]],
) -> None:
    """Whether runs overlap or are empty."""
    begin, length = np.array(runs, dtype=np.int64).reshape(-1, 2).T
    said = positions_between(begin, begin + length).tolist()

    assert said == [at for first, many in runs for at in range(first, first + many)]
