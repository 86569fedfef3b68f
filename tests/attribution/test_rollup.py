"""Buckets of time added to rows."""

from __future__ import annotations

import pytest

from kernelmap.attribution.divide import divide_bucket, divide_calls
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
    unattributed = None if len(calls) == 1 else "(ambiguous)" if calls else "(unknown)"
    bucket = TimeBucket(calls=calls, unattributed=unattributed, op=None, launches=1, time_ns=90)
    rollup.add_bucket(divide_bucket(bucket, divide_calls(BOTH)), ["aten.mm"], [])

    assert rollup.rows["aten.mm"].backward_ns == expected
