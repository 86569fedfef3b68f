"""Time beside the calls: late launches, eager work between graphs, functions compiled again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from attribution.random_worlds import worlds
from examples import examples
from kernelmap import correlate
from kernelmap.attribution import attribute_time
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.compilations import Compilation, FailedGuard
from kernelmap.model.roofline import Slug
from kernelmap.model.wall_time import IdleCause, IdleTable
from kernelmap.options import Options
from kernelmap.speed.limits.waiting import WaitedTime, find_waiting
from kernelmap.speed.wall.measure import wall_time
from kernelmap.traces import load_trace
from tiny import Timeline, graph, program
from worlds import World, simulate
from worlds.programs import small_graphs

KERNEL_NS = 100  # that a launch of tiny.py takes
ADD, MUL = "triton_poi_fused_add_0", "triton_poi_fused_mul_1"


def waits(compiled: CompiledProgram, trace: Trace) -> tuple[WaitedTime, ...]:
    return idle_and_waits(compiled, trace)[1]


def idle_and_waits(
    compiled: CompiledProgram, trace: Trace
) -> tuple[IdleTable, tuple[WaitedTime, ...]]:
    """When the devices of a world were idle, and the reasons that speak of it."""
    result = match_launches(compiled, trace)
    attribution = attribute_time(result.program, trace, result.matching, Options())
    counted, reason = attribution.counted, result.matching.reason
    idle = wall_time(trace, counted, attribution.step, reason, with_cpu=True).idle
    return idle, find_waiting(result.program, trace, result.matching, attribution, idle)


def of(slug: Slug, all_reasons: tuple[WaitedTime, ...]) -> list[WaitedTime]:
    return [one for one in all_reasons if one.slug is slug]


def launched(calls: int, *, apart_ns: int, dur_ns: int) -> list[WaitedTime]:
    """A graph of so many calls whose launches come so far apart and last so long."""
    alone = graph("0_forward", *[ADD] * calls)
    line = Timeline()
    for _ in range(3):
        line.invoke(alone)
    trace = line.trace()
    launches, apis = trace.launches, trace.apis
    order = np.argsort(launches.start_ns, kind="stable")
    start = np.empty(len(order), dtype=np.int64)
    start[order] = np.arange(len(order)) * max(apart_ns, dur_ns) + 10_000
    begin = apis.start_ns.copy()
    begin[launches.api[order]] = np.arange(len(order)) * apart_ns + 5_000
    late = replace(launches, start_ns=start, dur_ns=np.full(len(order), dur_ns))
    trace = replace(trace, launches=late, apis=replace(apis, start_ns=begin))
    return of(Slug.LAUNCH_BOUND, waits(program(alone), trace))


def test_kernels_shorter_than_the_waits_before_them_are_launch_bound() -> None:
    """Three runs of eight calls: in each, seven launches wait 9 µs behind a kernel of 1 µs."""
    (reason,) = launched(8, apart_ns=10_000, dur_ns=1_000)

    assert (reason.idle_ns, reason.outside_ns) == (3 * 7 * 9_000, 0)
    assert reason.calls == tuple(range(1, 8))
    assert "0_forward" in reason.evidence


@pytest.mark.parametrize(
    ("calls", "apart_ns", "dur_ns"),
    [
        pytest.param(8, 10_000, 6_000, id="kernels longer than the waits"),
        pytest.param(8, 1_000, 10_000, id="the host is ahead"),
        pytest.param(5, 10_000, 1_000, id="few calls"),
    ],
)
def test_a_device_that_is_busy_is_not_launch_bound(calls: int, apart_ns: int, dur_ns: int) -> None:
    """Waits shorter than the work, launches made in time, or too few of them to matter."""
    assert not launched(calls, apart_ns=apart_ns, dur_ns=dur_ns)


def test_eager_work_between_two_graphs_is_an_island() -> None:
    """An island has its launches and the waits around them, but not what runs between passes."""
    first, second = graph("0_inference", ADD, MUL), graph("1_inference", MUL, "aten.mm")
    line = Timeline()
    for _ in range(3):
        line.invoke(first, key="f0").eager("aten::nonzero", launches=2)
        line.invoke(second, key="f1").eager("aten::argmax")
    all_reasons = waits(
        program(replace(first, cache_key="f0"), replace(second, cache_key="f1")), line.trace()
    )
    (reason,) = of(Slug.EAGER_ISLAND, all_reasons)

    assert reason.outside_ns == 3 * 2 * KERNEL_NS
    for text in ("aten.nonzero", "0_inference", "1_inference", "3 times"):
        assert text in reason.evidence
    assert "argmax" not in reason.evidence


@pytest.mark.sampled
def test_eager_work_that_a_graph_replays_is_no_island(samples: Path) -> None:
    """Nobody launches it between two compiled graphs: the whole replay was launched at once."""
    folder = samples / "cuda_captured_eager"
    taught = correlate(folder, like=sorted(folder.glob("captures/capture_*")))
    counted, reason = taught.attribution.counted, taught.matching.reason
    step = taught.attribution.step
    idle = wall_time(taught.trace, counted, step, reason, with_cpu=True).idle
    found = find_waiting(taught.program, taught.trace, taught.matching, taught.attribution, idle)

    assert taught.matching.learnt is not None
    assert not of(Slug.EAGER_ISLAND, found)


@pytest.mark.parametrize("between", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_islands_are_eager_launches_between_graphs(
    seed: int, between: bool, tmp_path: Path
) -> None:
    """There are none without eager work, and none has time that the simulation gave to a call."""
    compiled = small_graphs(seed, 3)
    simulated = simulate(compiled, World(seed=seed, invocations=3, eager=0, between=float(between)))
    simulated.write_kineto(tmp_path / "profile.json")
    eager_ns = sum(truth.dur_ns for truth in simulated.truth if truth.graph is None)
    all_reasons = of(Slug.EAGER_ISLAND, waits(compiled, load_trace(tmp_path / "profile.json")))

    assert bool(all_reasons) == between
    assert sum(reason.outside_ns for reason in all_reasons) <= eager_ns


GUARD = FailedGuard(earlier="0/0", guard="x.size()[0] == 4", detail="")


@pytest.mark.parametrize(
    ("guards", "reasons"), [((GUARD,), 1), ((), 0)], ids=["again", "the first time"]
)
def test_waiting_for_a_second_compilation_is_a_reason(
    guards: tuple[FailedGuard, ...], reasons: int
) -> None:
    """The device waits while the compiler runs; a first compilation is no waste."""
    alone = graph("0_forward", ADD)
    line = Timeline().invoke(alone)
    begin = line.now
    line.now += 1_000_000
    line.enclose("_compile.compile_inner (dynamo_timed)", begin)
    line.invoke(alone)
    once_more = Compilation(
        compile_id="0/1", log="log", serial=1, function="f", failed_guards=guards
    )
    compiled = replace(program(alone), compilations=(once_more,))
    all_reasons = of(Slug.RECOMPILES, waits(compiled, line.trace()))

    assert len(all_reasons) == reasons
    for reason in all_reasons:
        assert 1_000_000 - KERNEL_NS < reason.idle_ns <= 1_000_000
        assert "x.size()[0] == 4" in reason.evidence


def test_a_device_waits_for_a_compiler_before_its_first_launch() -> None:
    """All idleness that the wall time puts down to compiling is in the reason."""
    alone = graph("0_forward", ADD)
    line = Timeline()
    begin = line.now
    line.now += 1_000_000
    line.enclose("_compile.compile_inner (dynamo_timed)", begin)
    line.invoke(alone).invoke(alone)
    once_more = Compilation(
        compile_id="0/1", log="log", serial=1, function="f", failed_guards=(GUARD,)
    )
    compiled = replace(program(alone), compilations=(once_more,))
    idle, all_reasons = idle_and_waits(compiled, line.trace())
    (reason,) = of(Slug.RECOMPILES, all_reasons)

    assert reason.idle_ns == idle.of_causes(IdleCause.COMPILING).total_ns >= 1_000_000


@settings(max_examples=examples(40))
@given(worlds())
def test_reasons_speak_of_idleness_that_has_their_cause(
    world: tuple[CompiledProgram, Trace],
) -> None:
    """None has more than the wall time puts down to its cause, all have no more than there is."""
    idle, all_reasons = idle_and_waits(*world)

    def waited_ns(slug: Slug) -> int:
        return sum(reason.idle_ns for reason in of(slug, all_reasons))

    launching_ns = idle.of_causes(IdleCause.LAUNCHING).total_ns
    assert waited_ns(Slug.LAUNCH_BOUND) <= launching_ns
    assert waited_ns(Slug.RECOMPILES) in (0, idle.of_causes(IdleCause.COMPILING).total_ns)
    kept = (IdleCause.COMPILING, IdleCause.LOADING_DATA, IdleCause.SYNCHRONIZATION)
    assert waited_ns(Slug.EAGER_ISLAND) <= idle.total_ns - idle.of_causes(*kept).total_ns
    assert sum(reason.idle_ns for reason in all_reasons) <= idle.total_ns


@settings(max_examples=examples(40))
@given(worlds())
def test_no_time_is_counted_twice(world: tuple[CompiledProgram, Trace]) -> None:
    """All waits lie within the span of the launches, all eager time within theirs."""
    compiled, trace = world
    all_reasons = waits(compiled, trace)
    launches = trace.launches
    span = int((launches.start_ns + launches.dur_ns).max() - launches.start_ns.min())

    assert all(reason.idle_ns >= 0 and reason.outside_ns >= 0 for reason in all_reasons)
    assert sum(reason.idle_ns for reason in all_reasons) <= span
    assert sum(reason.outside_ns for reason in all_reasons) <= int(launches.dur_ns.sum())
