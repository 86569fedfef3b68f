"""Buckets of time added to rows."""

from __future__ import annotations

import pytest

from kernelmap.attribution.rollup import Rollup
from kernelmap.attribution.time_buckets import TimeBucket
from tiny import graph, program

BOTH = program(graph("0_forward", "aten.mm"), graph("0_backward", "aten.mm"))


@pytest.mark.parametrize(("calls", "expected"), [((0,), 0), ((1,), 90), ((0, 1), 0), ((), 0)])
def test_time_is_backward_only_where_every_candidate_is(
    calls: tuple[int, ...], expected: int
) -> None:
    """Ambiguous time between a forward and a backward is not called backward."""
    rollup: Rollup[str] = Rollup(BOTH)
    rollup.add(
        TimeBucket(calls=calls, unattributed=None, op=None, launches=1, time_ns=90), ["aten.mm"], []
    )

    assert rollup.rows["aten.mm"].backward_ns == expected
