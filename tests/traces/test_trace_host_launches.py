"""Host ranges of code compiled for the CPU count as launches, once."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model.trace import Activity, RangeKind
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

GRAPH = RangeRow("## Call CompiledFxGraph fabc ##", 0, 1000)
BODY = RangeRow("graph_0_inductor_wrapper_call", 10, 990)
KERNEL = RangeRow("graph_0_cpp_fused_add_0", 20, 100)
MM = RangeRow("aten::addmm", 200, 300)


def on_host(*rows: TraceRow) -> list[str]:
    """Names of the CPU launches, in order."""
    launches = assemble_trace(raw_trace(rows)).launches
    cpu = launches.take_rows(launches.activity == Activity.CPU)

    assert (cpu.device == -1).all()
    assert (cpu.api == -1).all()
    return [cpu.names[name] for name in cpu.name_id]


def operators(*rows: TraceRow) -> dict[str, int]:
    """Time of the operator launches that no call launched, by name."""
    launches = assemble_trace(raw_trace(rows)).launches
    times: Counter[str] = Counter()
    for row in np.flatnonzero(launches.activity == Activity.OPERATOR).tolist():
        times[launches.names[int(launches.name_id[row])]] += int(launches.dur_ns[row])
    return dict(times)


def test_kernels_and_extern_calls_of_a_cpu_graph_are_launches() -> None:
    """Below the body C++ kernels and operators launch; what operators call inside doesn't."""
    inner = RangeRow("aten::copy_", 210, 220)

    assert on_host(GRAPH, BODY, KERNEL, MM, inner) == [KERNEL.name, "aten::addmm"]


def test_without_a_wrapper_mark_the_graph_range_is_the_body() -> None:
    """profiler_mark_wrapper_call is off by default: operators stand right below the graph."""
    assert on_host(GRAPH, KERNEL, MM) == [KERNEL.name, "aten::addmm"]


def test_aoti_kernels_need_no_graph_range() -> None:
    """AOTInductor writes no graph range, and shims for library calls."""
    body = RangeRow("inductor_wrapper_call", 0, 1000)
    shim = RangeRow("aoti_torch_cpu_addmm_out", 200, 300)

    assert on_host(body, KERNEL, shim) == [KERNEL.name, shim.name]
    assert on_host(KERNEL) == [KERNEL.name]


def test_the_launch_is_its_range() -> None:
    """A CPU launch has the range's time and points at it."""
    launches = assemble_trace(raw_trace([GRAPH, KERNEL])).launches

    assert launches.range.tolist() == [1]
    assert (launches.start_ns.tolist(), launches.dur_ns.tolist()) == ([20], [80])


def test_kernels_inside_kernels_count_once() -> None:
    """Only the outermost launch counts, so no host time counts twice."""
    assert on_host(GRAPH, KERNEL, RangeRow("cpp_fused_mul_1", 30, 40)) == [KERNEL.name]


@pytest.mark.parametrize("idle", ["aten::empty_strided", "aten::view", "aten::as_strided"])
def test_operators_that_do_no_work_are_no_launches(idle: str) -> None:
    """Allocating and aliasing is not what a call launches."""
    assert on_host(GRAPH, RangeRow(idle, 20, 30), MM) == ["aten::addmm"]


@pytest.mark.parametrize(
    "gpu",
    [
        [ApiRow("cudaLaunchKernel", 210, 220, correlation=1), LaunchRow("k", 900, 950, 1)],
        [ApiRow("cudaLaunchKernel", 210, 220, correlation=1)],
        [RangeRow("triton_poi_fused_add_0", 400, 500)],
    ],
    ids=["kernel", "capture", "wrapper only"],
)
def test_operators_of_a_gpu_graph_are_no_cpu_launches(gpu: list[TraceRow]) -> None:
    """Where anything below the body touched a GPU only C++ kernels are CPU launches."""
    assert on_host(GRAPH, BODY, KERNEL, MM, *gpu) == [KERNEL.name]


def test_a_gpu_invocation_leaves_a_cpu_invocation_alone() -> None:
    """The rule is asked for each invocation."""
    other = RangeRow("## Call CompiledFxGraph fabc ##", 2000, 3000)

    assert on_host(
        GRAPH, MM, ApiRow("cudaLaunchKernel", 210, 220), other, RangeRow("aten::mm", 2100, 2200)
    ) == ["aten::mm"]


def test_eager_operators_alone_are_no_launches() -> None:
    """Without compiled code on the CPU nothing says that this is a CPU profile."""
    assert operators(MM, RangeRow("aten::mul", 400, 500)) == {}


def test_operators_beside_compiled_code_are_launches_with_their_self_time() -> None:
    """What a CPU profile recorded besides calls took its own time, less what it called."""
    step = RangeRow("Optimizer.step#SGD.step", 2000, 3000, kind=RangeKind.ANNOTATION)
    add = RangeRow("aten::_foreach_add_", 2100, 2500)
    copy = RangeRow("aten::copy_", 2200, 2300)
    beside = RangeRow("aten::mul", 20, 90, thread=2)

    assert operators(GRAPH, KERNEL, MM, step, add, copy, beside) == {
        "aten::_foreach_add_": 300,
        "aten::copy_": 100,
        "aten::mul": 70,
    }


def test_what_holds_calls_has_the_time_that_it_took_itself() -> None:
    """A region, an autograd function or an operator around compiled code is less than that code."""
    region = RangeRow("Torch-Compiled Region: 0/0", 0, 1100)
    idle = RangeRow("aten::empty_strided", 120, 150)

    assert operators(region, GRAPH, KERNEL, idle, MM) == {region.name: 100, idle.name: 30}


def test_ranges_that_only_say_where_operators_run_are_none() -> None:
    """Graph ranges, bodies, steps and marks are no operators, whatever their category."""
    step = RangeRow("ProfilerStep#3", 0, 5000)
    user = RangeRow("my part", 1200, 1300, kind=RangeKind.ANNOTATION)

    assert operators(step, GRAPH, BODY, KERNEL, MARK, user) == {}


@pytest.mark.parametrize(
    "gpu",
    [
        LaunchRow("k", 5000, 5100, 1),
        ApiRow("cudaLaunchKernel", 5000, 5010, correlation=1),
        RangeRow("triton_poi_fused_add_0", 5000, 5100),
    ],
    ids=["kernel", "launch", "wrapper"],
)
def test_beside_a_gpu_operators_are_no_launches(gpu: TraceRow) -> None:
    """Where a GPU works, an operator's host time is mostly that of launching."""
    rows = [GRAPH, KERNEL, RangeRow("aten::mul", 2000, 2100), gpu]

    assert on_host(*rows) == [KERNEL.name]
    assert operators(*rows) == {}


def test_a_synchronization_is_no_work_on_a_gpu() -> None:
    """The profiler itself waits for the device once, if it was asked to record one."""
    wait = ApiRow("cudaDeviceSynchronize", 5000, 5010, correlation=1)

    assert operators(GRAPH, KERNEL, RangeRow("aten::mul", 2000, 2100), wait) == {"aten::mul": 100}


def test_operators_of_every_rank_count_or_none() -> None:
    """A rank that ran no compiled code is counted with the others, unless one used a GPU."""
    compiled = raw_trace([GRAPH, KERNEL], source="a", rank=0)
    eager = raw_trace([RangeRow("aten::mul", 0, 100)], source="b", rank=1)
    gpu = raw_trace([LaunchRow("k", 0, 100)], source="c", rank=2)

    assert len(assemble_trace(compiled, eager).launches) == 2
    assert len(assemble_trace(compiled, eager, gpu).launches) == 2


MARK = RangeRow("kernelmap:1 graph 00112233445566ff 0_forward 0/0", 0, 1000)
MARKED_CPP = RangeRow("kernelmap:1 call 00112233445566ff/0 cpp_fused_add_0:1", 20, 100)
MARKED_MM = RangeRow("kernelmap:1 call 00112233445566ff/1 extern_kernels.mm:2", 200, 300)


def test_marked_calls_on_the_cpu_are_launches_of_their_wrapper() -> None:
    """What a capture marks needs no range of torch's; one of those inside counts no more."""
    assert on_host(MARK, MARKED_CPP, MARKED_MM) == ["cpp_fused_add_0", "extern_kernels.mm"]
    assert on_host(MARK, MARKED_CPP, KERNEL) == ["cpp_fused_add_0"]


@pytest.mark.parametrize(
    "gpu",
    [
        ApiRow("cudaLaunchKernel", 410, 420, correlation=1),
        RangeRow("kernelmap:1 call 00112233445566ff/2 triton_poi_fused_mul_2:3", 400, 500),
        RangeRow("kernelmap:1 call 00112233445566ff/2 add_kernel_0", 400, 500),
    ],
    ids=["capture", "generated", "own"],
)
def test_marked_calls_beside_a_gpu_are_launches_of_cpp_alone(gpu: TraceRow) -> None:
    """Where the graph's mark holds anything of a GPU, a library call may have run there."""
    assert on_host(MARK, MARKED_CPP, MARKED_MM, gpu) == ["cpp_fused_add_0"]


PLACES = (GRAPH.name, BODY.name, "inductor_wrapper_call", "ProfilerStep#3", MARK.name, "my part")
OPERATORS = (
    *("aten::mm", "aten::as_strided", "aten::copy_", "shop::clip", "Torch-Compiled Region: 0/0"),
    *("aten::is_leaf", KERNEL.name, MARKED_CPP.name, MARKED_MM.name, "aoti_torch_cpu_addmm_out"),
)
UNSEEN = "aten::is_leaf"
NO_OPERATORS = (*PLACES, MARKED_CPP.name, MARKED_MM.name, UNSEEN)
"""What says where operators run, unless it is a call's own range."""


class Nest(Struct, frozen=True):
    """A range with what lies in it: its name, its time before each part of it, and the parts."""

    name: str
    own_ns: tuple[int, ...]
    parts: tuple[Nest, ...]


def nests(depth: int) -> st.SearchStrategy[Nest]:
    parts = st.lists(nests(depth - 1), max_size=3) if depth else st.just([])
    own = st.tuples(*[st.integers(0, 4)] * 4)
    return st.builds(Nest, st.sampled_from(PLACES + OPERATORS), own, parts.map(tuple))


def laid_out(nest: Nest, at: int, thread: int, rows: list[TraceRow]) -> int:
    """Append the rows of a nest that begins at a time; when it ends."""
    place = len(rows)
    kind = RangeKind.ANNOTATION if nest.name == "my part" else RangeKind.OP
    rows.append(RangeRow(nest.name, at, at))
    end = at
    for own_ns, part in zip(nest.own_ns, nest.parts, strict=False):
        end = laid_out(part, end + own_ns, thread, rows)
    end += nest.own_ns[-1] + 1
    rows[place] = RangeRow(nest.name, at, end, thread=thread, kind=kind)
    return end


def counted_ns(nest: Nest, calls: set[int], place: int = 0, *, within: bool = False) -> int:
    """The time in a nest whose innermost range is an operator, or that a call's range holds.

    `calls` are the ranges that are launches of calls, by their number in the order of their starts,
    of which this nest has `place`. Operators that torch's tables leave out are part of what is
    around them.
    """
    within = within or place in calls
    own = sum(nest.own_ns[: len(nest.parts)]) + nest.own_ns[-1] + 1
    total, number = 0, place + 1
    for part in nest.parts:
        if part.name == UNSEEN and number not in calls:
            part = replace(part, name=nest.name)  # noqa: PLW2901 -- it counts as what is around it
        total += counted_ns(part, calls, number, within=within)
        number += size(part)
    return total + own * (within or nest.name not in NO_OPERATORS)


def size(nest: Nest) -> int:
    return 1 + sum(map(size, nest.parts))


NOTHING = (0, 0, 0, 0)
UNSEEN_AROUND_A_PLACE = Nest(
    "aten::mm", NOTHING, (Nest(UNSEEN, NOTHING, (Nest(GRAPH.name, NOTHING, ()),)),)
)


@given(st.lists(nests(3), min_size=1, max_size=3))
@example([UNSEEN_AROUND_A_PLACE, Nest(KERNEL.name, NOTHING, ())])
def test_launches_of_a_cpu_profile_are_what_operators_and_calls_took(made: list[Nest]) -> None:
    """Whatever is nested in what: what lies in a call is the call's, and nothing counts twice.

    Between calls in a wrapper no operator runs: the time of a place is in no launch.
    """
    rows: list[TraceRow] = []
    firsts = []
    for thread, nest in enumerate(made):
        firsts.append(len(rows))
        laid_out(nest, 0, thread, rows)
    trace = assemble_trace(raw_trace(rows))
    launches, ranges = trace.launches, trace.ranges
    if not launches.on_cpu.any():
        return
    called = launches.range[launches.activity == Activity.CPU]
    calls = set(ranges.event[called].tolist())

    expected = sum(counted_ns(nest, calls, at) for at, nest in zip(firsts, made, strict=True))
    assert int(launches.dur_ns.sum()) == expected
