"""Time is conserved: every nanosecond is in one bucket, and every table adds up to the window."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from attribution.random_worlds import worlds
from examples import examples
from kernelmap.attribution import Attribution, attribute_time
from kernelmap.matching import match_launches
from kernelmap.model import (
    CompiledProgram,
    Confidence,
    Trace,
)
from kernelmap.model.busy_time import BusyTime
from kernelmap.model.intervals import measure_unions
from kernelmap.options import Options
from kernelmap.traces.assemble import assemble_trace
from tiny import program
from trace_rows import LaunchRow, RangeRow, raw_trace


def attributed(world: tuple[CompiledProgram, Trace]) -> tuple[Trace, Attribution]:
    compiled, trace = world
    result = match_launches(compiled, trace)
    return trace, attribute_time(result.program, trace, result.matching, Options())


@settings(max_examples=examples(40))
@given(worlds())
def test_every_table_adds_up_to_the_window(world: tuple[CompiledProgram, Trace]) -> None:
    """Attributed plus unmatched time is the time on the GPU, to the nanosecond."""
    trace, attribution = attributed(world)
    total = int(trace.launches.dur_ns.sum())

    assert attribution.total_ns == total
    for table in ("calls", "kernels", "ops", "modules", "nodes", "graphs", "ledger"):
        assert sum(row.time_ns for row in getattr(attribution, table)) == total, table
    assert sum(row.time_ns + row.backward_ns for row in attribution.lines) == total


@settings(max_examples=examples(40))
@given(worlds())
def test_every_launch_is_in_one_bucket(world: tuple[CompiledProgram, Trace]) -> None:
    """The ledger counts each launch once, under its one confidence."""
    compiled, trace = world
    result = match_launches(compiled, trace)
    attribution = attribute_time(result.program, trace, result.matching, Options())
    counted = Counter(Confidence(c).name.lower() for c in result.matching.confidence.tolist())
    by_bucket: Counter[str] = Counter()
    for row in attribution.ledger:
        by_bucket[row.bucket] += row.launches

    assert by_bucket == counted
    assert sum(row.launches for row in attribution.calls) == len(trace.launches)
    assert sum(row.launches for row in attribution.kernels) == len(trace.launches)


@settings(max_examples=examples(40))
@given(worlds())
def test_a_confidence_means_what_it_says(world: tuple[CompiledProgram, Trace]) -> None:
    """Exact and inferred launches have one call, ambiguous ones name candidates, others nothing."""
    compiled, trace = world
    matching = match_launches(compiled, trace).matching

    for row, confidence in enumerate(matching.confidence.tolist()):
        one = confidence <= Confidence.INFERRED
        assert (matching.call[row] >= 0) == one
        assert bool(matching.candidates_of(row)) == (confidence == Confidence.AMBIGUOUS)


@settings(max_examples=examples(40))
@given(worlds())
def test_bounds_enclose_an_ops_time(world: tuple[CompiledProgram, Trace]) -> None:
    """Exclusive time is at most an op's time, which is at most the time of all it takes part in."""
    _, attribution = attributed(world)

    for row in attribution.ops:
        assert row.exclusive_ns <= row.time_ns <= row.involved_ns
    for line in attribution.lines:
        assert 0 <= line.time_ns + line.backward_ns <= line.involved_ns


INTERVALS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 40), st.integers(0, 10)),
    max_size=30,
)


@given(INTERVALS)
def test_busy_time_is_the_union_of_intervals(rows: list[tuple[int, int, int, int]]) -> None:
    """Every nanosecond in which a device worked for a group counts once."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    union = {
        (group, device, t)
        for group, device, start, length in rows
        for t in range(start, start + length)
    }
    expected = Counter(group for group, _, _ in union)

    group, device, start, length = columns

    assert measure_unions(group, device, start, length, groups=3).tolist() == [
        expected[g] for g in range(3)
    ]


@settings(max_examples=examples(40))
@given(worlds(), st.data())
def test_busy_time_of_a_group_depends_on_its_launches_alone(
    world: tuple[CompiledProgram, Trace], data: st.DataObject
) -> None:
    """Launches of other groups or none change nothing; a group is busy no longer than it runs."""
    _, trace = world
    launches = trace.launches
    groups = data.draw(st.lists(st.integers(-1, 2), min_size=len(launches), max_size=len(launches)))
    group = np.array(groups, dtype=np.int64)
    busy = BusyTime(trace)
    busy_of_groups = busy.of_groups_ns(group, groups=3).tolist()

    for number, busy_ns in enumerate(busy_of_groups):
        alone = replace(trace, launches=launches.take_rows(group == number))
        assert busy_ns == busy.of_ns(group == number)
        assert busy_ns == BusyTime(alone).of_ns(np.ones(len(alone.launches), dtype=np.bool_))
        assert busy_ns <= int(launches.dur_ns[group == number].sum())


def test_two_ranks_with_a_device_0_each_are_busy_apart() -> None:
    """Device numbers count within a rank: what runs at the same time on two GPUs adds up."""
    ranks = [
        raw_trace([RangeRow("aten::mm", 0, 9), LaunchRow("k", 0, 100)], source=f"rank{n}", rank=n)
        for n in range(2)
    ]
    trace = assemble_trace(*ranks)
    result = match_launches(program(), trace)

    assert attribute_time(result.program, trace, result.matching, Options()).busy_ns == 200
