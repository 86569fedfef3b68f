"""The time of launches that their step waits for, and what it leaves of headroom."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from msgspec.structs import replace

from examples import examples
from kernelmap.attribution.window import choose_window
from kernelmap.model import RangeKind, Trace
from kernelmap.model.trace import Int
from kernelmap.options import Options
from kernelmap.speed.wall.critical import exposed_ns
from kernelmap.speed.wall.measure import Wall, wall_time
from kernelmap.traces.assemble import assemble_trace
from speed.limits.measured_worlds import Measured, measured
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace


def of(rows: list[TraceRow]) -> tuple[Wall, Trace, Int]:
    trace = assemble_trace(raw_trace(rows))
    wall = wall_time(
        trace, np.ones(len(trace.launches), dtype=bool), choose_window(trace, Options()).step
    )
    return wall, trace, exposed_ns(wall, trace)


def launched(number: int, called: int, start: int, end: int, stream: int = 7) -> list[TraceRow]:
    """An api call that takes 1 µs, and its kernel."""
    name = f"k{number}"
    return [
        ApiRow("cudaLaunchKernel", called, called + 1_000, correlation=number),
        LaunchRow(name, start, end, correlation=number, stream=stream),
    ]


def waits(start: int, end: int) -> ApiRow:
    return ApiRow("cudaDeviceSynchronize", start, end, correlation=900)


def by_name(trace: Trace, exposed: Int) -> dict[str, int]:
    names = [trace.launches.names[at] for at in trace.launches.name_id.tolist()]
    return dict(zip(names, exposed.tolist(), strict=True))


QUEUED = [
    *launched(1, 0, 10_000, 60_000),
    *launched(2, 2_000, 60_000, 100_000),
    *launched(3, 4_000, 101_000, 150_000),  # behind a gap in which it was queued
]


def test_work_that_the_host_waits_for_counts_in_full() -> None:
    """Kernels that were queued ahead, and a synchronisation behind them: all of their time."""
    _, trace, exposed = of(
        [*QUEUED, waits(6_000, 152_000), *launched(4, 160_000, 170_000, 180_000)]
    )

    assert by_name(trace, exposed) == {"k1": 50_000, "k2": 40_000, "k3": 49_000, "k4": 10_000}


def test_work_before_the_host_is_late_does_not_count() -> None:
    """The same kernels, and a host that comes late by itself: faster ones would only idle sooner.

    A gap in which the next launch was queued already hands on what the one behind it says.
    """
    loads = RangeRow("DataLoader.__next__", 6_000, 900_000)
    _, trace, exposed = of([*QUEUED, loads, *launched(4, 905_000, 915_000, 920_000)])

    assert by_name(trace, exposed) == {"k1": 0, "k2": 0, "k3": 0, "k4": 5_000}


def test_what_another_stream_hides_does_not_count() -> None:
    """Only the time in which a kernel runs alone counts, of either of two that overlap."""
    rows = [*launched(1, 0, 10_000, 60_000), *launched(2, 2_000, 20_000, 50_000, stream=8)]
    _, trace, exposed = of(rows)

    assert by_name(trace, exposed) == {"k1": 20_000, "k2": 0}


def test_what_ended_before_the_first_step_hides_nothing_in_it() -> None:
    """A kernel from before the steps, also one that reaches into the first, is not moved there."""
    step = RangeRow("ProfilerStep#1", 100_000, 200_000, kind=RangeKind.ANNOTATION)
    mine = [step, *launched(2, 101_000, 130_000, 160_000), waits(102_000, 199_000)]

    _, trace, exposed = of([*launched(1, 1_000, 10_000, 60_000), *mine])
    assert by_name(trace, exposed) == {"k1": 0, "k2": 30_000}

    _, trace, exposed = of([*launched(1, 1_000, 10_000, 110_000), *mine])
    assert by_name(trace, exposed)["k2"] == 30_000


def test_time_between_two_steps_is_in_none_of_them() -> None:
    """A kernel that runs between two ranges of steps keeps neither waiting."""
    kind = RangeKind.ANNOTATION
    rows = [
        RangeRow("ProfilerStep#1", 0, 200_000, kind=kind),
        *launched(1, 1_000, 10_000, 60_000),
        *launched(2, 210_000, 220_000, 270_000),  # launched behind the step, and in no other
        RangeRow("ProfilerStep#2", 300_000, 400_000, kind=kind),
        *launched(3, 301_000, 310_000, 330_000),
        waits(302_000, 399_000),
    ]
    wall, trace, exposed = of(rows)

    assert [step.step for step in wall.steps] == [1, 2]
    assert by_name(trace, exposed)["k2"] == 0
    assert by_name(trace, exposed)["k3"] == 20_000


@settings(max_examples=examples(30))
@given(world=measured())
def test_headroom_of_steps_is_a_part_of_headroom(world: Measured) -> None:
    """It is at most the headroom and the time that counts; the sum is at most the steps."""
    trace, calls = world.trace, world.roofline.calls
    with_steps = [call for call in calls if call.step_headroom_ns is not None]
    for call in with_steps:
        assert call.headroom_ns is not None
        assert call.exposed_ns is not None
        assert 0 <= (call.step_headroom_ns or 0) <= min(call.headroom_ns, call.exposed_ns)
        assert call.exposed_ns <= call.time_ns

    wall = wall_time(trace, world.attribution.counted, world.attribution.step)
    exposed = exposed_ns(wall, trace)
    steps_ns = sum(step.end_ns - step.start_ns for step in wall.steps)
    assert (exposed <= trace.launches.dur_ns).all()
    assert sum(call.step_headroom_ns or 0 for call in with_steps) <= int(exposed.sum()) <= steps_ns


@settings(max_examples=examples(30))
@given(world=measured())
def test_time_alone_is_counted_nanosecond_by_nanosecond(world: Measured) -> None:
    """On a device that never waits for its host, each moment with one launch counts for it."""
    trace = world.trace
    if trace.launches.on_cpu.any() or not len(trace.launches):
        return
    bare = replace(trace.launches, api=np.full(len(trace.launches), -1))
    alone = replace(trace, launches=bare)
    wall = wall_time(alone, np.ones(len(bare), dtype=bool), world.attribution.step)
    exposed = exposed_ns(wall, alone)
    starts, ends = bare.start_ns, bare.start_ns + bare.dur_ns
    times = np.unique(np.concatenate([starts, ends])).tolist()
    expected = np.zeros(len(bare), dtype=np.int64)
    for first, last in pairwise(times):
        for device in set(bare.device.tolist()):
            runs = np.flatnonzero((starts <= first) & (ends >= last) & (bare.device == device))
            if len(runs) == 1:
                expected[runs[0]] += last - first

    assert (exposed <= expected).all()
    if not trace.steps:
        assert exposed.tolist() == expected.tolist()
