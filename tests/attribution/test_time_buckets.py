"""The buckets of time that has no call: each launch in one of them, under what is known of it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.attribution.records import OutsideOps
from kernelmap.attribution.time_buckets import OUTSIDE, UNKNOWN, fill_time_buckets
from kernelmap.model import NONE, Confidence
from kernelmap.model.matching import LaunchPlaces, Matching
from kernelmap.model.source import FunctionPlace
from trace_rows import LaunchRow, raw_trace

OPS = ("aten.mm", "aten.add", "(autotuning)")
PLACES = tuple(
    FunctionPlace(file="train.py", function=name, entered=1) for name in ("step", "loss")
)
LAUNCH = st.tuples(
    st.sampled_from([(Confidence.OUTSIDE, OUTSIDE), (Confidence.UNKNOWN, UNKNOWN)]),
    st.integers(NONE, len(OPS) - 1),
    st.integers(NONE, len(PLACES) - 1),
    st.booleans(),
    st.integers(1, 10**9),
)


@given(st.lists(LAUNCH, max_size=20))
def test_a_launch_without_a_call_is_in_the_bucket_of_all_that_is_known_of_it(
    launches: list[tuple[tuple[Confidence, str], int, int, bool, int]],
) -> None:
    """Of its op, its function and its pass; nobody asks for the pass where no function is known."""
    count = len(launches)
    confidences, ops, places, passes, times = zip(*launches, strict=True) if launches else [()] * 5
    nothing = np.full(count, NONE)
    matching = Matching(
        call=nothing,
        invocation=nothing,
        method=np.zeros(count, dtype=np.int8),
        confidence=np.array([confidence for confidence, _ in confidences], dtype=np.int8),
        reason=np.zeros(count, dtype=np.int8),
        call_range=nothing,
        candidate_start=np.zeros(count + 1, dtype=np.int64),
        candidates=nothing[:0],
    )
    dur_ns = np.array(times, dtype=np.int64)
    rows = [LaunchRow("k", 0, time_ns) for time_ns in times]
    buckets = fill_time_buckets(
        matching,
        raw_trace(rows).launches,
        np.ones(count, dtype=bool),
        OutsideOps(np.array(ops, dtype=np.int64), OPS),
        LaunchPlaces(np.array(places, dtype=np.int64), np.array(passes, dtype=bool), PLACES),
    )
    told = {
        row: (bucket.unattributed, bucket.op, bucket.place, bucket.is_backward)
        for bucket in buckets
        for row in bucket.rows.tolist()
    }

    assert [told[row] for row in range(count)] == [
        (
            unattributed,
            None if op < 0 else OPS[op],
            None if place < 0 else PLACES[place],
            is_backward and place >= 0,
        )
        for (_, unattributed), op, place, is_backward, _ in launches
    ]
    assert len(set(told.values())) == len(buckets)
    assert sum(bucket.launches for bucket in buckets) == count
    assert all(bucket.time_ns == dur_ns[bucket.rows].sum() for bucket in buckets)
