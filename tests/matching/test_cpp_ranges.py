"""Ranges that C++ wrappers open: which calls leave one, what marks a run, what stays open."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from kernelmap.matching import Match, match_launches
from kernelmap.model import (
    Backend,
    CompiledGraph,
    Confidence,
    Reason,
    Trace,
    WrapperCall,
)
from kernelmap.model.names import bare_kernel
from kernelmap.model.program import CompiledProgram, Operands
from tiny import Timeline, call, graph, program
from trace_rows import RangeRow

MM, ADDMM = "aoti_torch_cuda_mm_out", "aoti_torch_cuda_addmm_out"
POI = "triton_poi_fused_a_0"
BODY = "inductor_wrapper_call"


def shim(index: int, name: str, *, recorded: bool | None = True) -> WrapperCall:
    """A library call of a C++ wrapper."""
    made = call(index, f"aten.{name.rpartition('cuda_')[2].removesuffix('_out')}")
    return replace(made, wrapper=name, recorded=recorded, operands=Operands())


def wrapper(*names: str, recorded: bool = True, key: str | None = None) -> CompiledGraph:
    """A graph of library calls and Triton kernels, as C++ calls them."""
    kernels = graph("model", *(name for name in names if name.startswith("triton_"))).kernels
    calls = tuple(
        replace(call(at, name), recorded=recorded, operands=Operands())
        if name.startswith("triton_")
        else shim(at, name, recorded=recorded)
        for at, name in enumerate(names)
    )
    return CompiledGraph(
        id="model", calls=calls, kernels=kernels, code="m.cpp", kind="inference", cache_key=key
    )


def runs(*names: str, times: int = 1, around: str | None = BODY) -> Timeline:
    """Runs of a wrapper that opens ranges of these names."""
    line = Timeline()
    for _ in range(times):
        at, begin = len(line.rows), line.now
        line.now += 10
        for name in names:
            before = len(line.rows)
            line.run(bare_kernel(name))
            (row,) = (row for row in line.rows[before:] if isinstance(row, RangeRow))
            line.rows[line.rows.index(row)] = dataclasses.replace(row, name=name)
        line.now += 10
        if around is not None:
            line.enclose(around, begin)
            line.rows.insert(at, line.rows.pop(0))
    return line


def paired(given: CompiledProgram, trace: Trace) -> list[tuple[str | None, str]]:
    result = match_launches(given, trace)
    ids = [graph.call_id(wrapper_call) for graph, wrapper_call in result.program.calls]
    return [
        (ids[at] if at >= 0 else None, Confidence(confidence).name.lower())
        for at, confidence in zip(
            result.matching.call.tolist(), result.matching.confidence.tolist(), strict=True
        )
    ]


def slugs(result: Match) -> list[str]:
    return [notice.slug for notice in result.notices]


def test_runs_without_a_mark_that_begin_and_end_alike_are_told_apart() -> None:
    """A library call is never benchmarked: a second one in a row begins the next run."""
    given = wrapper(ADDMM, POI, ADDMM)
    trace = runs(ADDMM, POI, ADDMM, times=3, around=None).trace()

    assert paired(program(given), trace) == [(f"model/{at}", "inferred") for at in range(3)] * 3


@pytest.mark.parametrize("member", ["", "kernels_.", "kernels."])
def test_the_ranges_of_a_run_are_its_calls(member: str) -> None:
    """The k-th range of a C function is its k-th call; a kernel may bear the name of a member."""
    given = wrapper(MM, POI, MM)
    trace = runs(MM, member + POI, MM, times=2).trace()

    assert paired(program(given), trace) == 2 * [
        ("model/0", "exact"),
        ("model/1", "exact"),
        ("model/2", "exact"),
    ]


def test_without_a_mark_nothing_proves_where_a_run_begins() -> None:
    """On the bare thread the same ranges are cut out by their order: at best inferred."""
    trace = runs(MM, POI, times=2, around=None).trace()

    assert paired(program(wrapper(MM, POI)), trace) == 2 * [
        ("model/0", "inferred"),
        ("model/1", "inferred"),
    ]


def test_a_mark_inside_of_a_graph_range_is_looked_through() -> None:
    """Compiled at run time, the wrapper's own mark lies in the range with the cache key."""
    line = runs(MM, POI)
    line.enclose("## Call CompiledFxGraph fkey ##", 1_000)
    others = program(wrapper(MM, POI, key="fkey"), graph("1_forward", POI))

    assert paired(others, line.trace()) == [("model/0", "exact"), ("model/1", "exact")]


def test_calls_that_leave_no_range_are_never_taken_for_eager_code() -> None:
    """With the kernel profile off a library's kernel has no sure owner; generated names do."""
    given = wrapper(MM, POI, recorded=False)
    line = Timeline().launch("sgemm").launch(POI).eager("aten::add")
    result = match_launches(program(given), line.trace())

    assert paired(program(given), line.trace()) == [
        (None, "unknown"),
        ("model/1", "inferred"),
        (None, "outside"),
    ]
    assert Reason(int(result.matching.reason[0])) is Reason.COUNT_DIFFERS
    assert slugs(result) == ["calls-without-ranges"]


def test_a_known_run_without_ranges_is_not_complete() -> None:
    """Even where the key names the graph, a launch in its range may be any silent call's."""
    given = wrapper(MM, POI, recorded=False, key="fkey")
    line = Timeline()
    begin = line.now
    line.launch("sgemm").launch(POI)
    line.enclose("## Call CompiledFxGraph fkey ##", begin)

    assert paired(program(given), line.trace()) == [(None, "unknown"), ("model/1", "inferred")]


def test_more_ranges_than_calls_are_no_benchmarks() -> None:
    """No autotuner runs a library call: surplus ranges are ambiguous, not autotuning."""
    trace = runs(MM, MM, MM, ADDMM, POI).trace()
    pairs = paired(program(wrapper(MM, MM, ADDMM, POI)), trace)

    assert "outside" not in {confidence for _, confidence in pairs}
    assert ("model/0", "exact") not in pairs[:3]


def test_without_code_a_library_call_is_named_by_its_range() -> None:
    """Its operator follows from the name of the C function."""
    result = match_launches(program(), runs(MM, POI, times=3).trace())
    calls = [wrapper_call for _, wrapper_call in result.program.calls]

    assert [
        (wrapper_call.wrapper, wrapper_call.backend, wrapper_call.target) for wrapper_call in calls
    ] == [
        (MM, Backend.EXTERN, "aten.mm"),
        (POI, Backend.TRITON, None),
    ]
