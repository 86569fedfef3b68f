"""First invocations: kernels are benchmarked there, and a multi-kernel makes its choice."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from answers import confidences, paired
from kernelmap.matching import match_launches
from kernelmap.model import Backend, CompiledGraph, Occurrence, Reason
from tiny import Timeline, graph, program

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"


def test_benchmarks_in_the_first_invocation_are_outside() -> None:
    """Autotuning writes the same ranges as the call; the call is inferred there, exact later."""
    one = graph("0_inference", A, "aten.mm")
    line = Timeline().invoke([A, A, A, A, "aten.mm"]).invoke(one).invoke(one).invoke(one)
    result = match_launches(program(one), line.trace())

    assert confidences(result)[:5] == ["outside"] * 3 + ["inferred"] * 2
    assert set(confidences(result)[5:]) == {"exact"}
    assert set(result.matching.reason[:3].tolist()) == {Reason.AUTOTUNE}


@pytest.mark.parametrize("skip", [[0], [1], [0, 1], [0, 1, 2], [1, 2, 3]])
def test_benchmarks_without_ranges_are_outside_where_one_of_them_has_one(skip: list[int]) -> None:
    """However many of a series lost their ranges: the last launch is the call."""
    one = graph("0_inference", A, B)
    line = Timeline().invoke([A, A, A, A, A, B], key="f1", skip=skip).invoke(one, key="f1")

    assert confidences(match_launches(program(one), line.trace()))[:5] == [
        *["outside"] * 4,
        "inferred",
    ]


@pytest.mark.parametrize("lost", [3, 4])
def test_of_a_kernel_that_is_called_twice_in_a_row_a_lost_range_may_be_a_call(lost: int) -> None:
    """Three benchmarks and two calls: nothing says that the one without a range is no call."""
    one = graph("0_inference", A, A, B)
    line = Timeline().invoke([A, A, A, A, A, B], key="f1", skip=[lost]).invoke(one, key="f1")

    assert confidences(match_launches(program(one), line.trace()))[lost] == "unknown"


def test_benchmarks_beside_graph_ranges_are_outside() -> None:
    """Compile-time autotuning runs before any graph range."""
    one = graph("0_inference", A, B)
    line = Timeline().run(A).run(A).run(A).invoke(one)

    assert [c for _, c in paired(program(one), line.trace())] == ["outside"] * 3 + ["exact"] * 2


def test_operators_beside_benchmarks_are_not_exact() -> None:
    """The autotuner copies its arguments: its copy looks like the code's."""
    one = graph("0_inference", A, "aten.copy_", hashes={A: "chash"})
    trace = Timeline().invoke(["aten.copy_", A, A, "aten.copy_"], skip=[3], key=None).trace()

    assert "exact" not in {c for _, c in paired(program(one), trace)}


def test_a_loop_in_a_first_run_may_hold_benchmarks() -> None:
    """Runs of a loop look like benchmarks of its kernel."""
    one = graph("0_inference", A, B, occurrence={A: Occurrence.LOOP})
    result = match_launches(program(one), Timeline().invoke([A, A, A, B]).trace())

    assert set(confidences(result)[:3]) == {"ambiguous"}


MEMBERS = ("triton_red_0", "triton_per_1")


def multi_kernel(*more: str) -> CompiledGraph:
    """A graph that runs a multi-kernel of `MEMBERS`, then `more`."""
    plain = graph("0_inference", "multi_kernel_0", *more)
    first, *others = plain.kernels
    members = (replace(first, name=name, function=name) for name in MEMBERS)
    kernels = (replace(first, members=MEMBERS, backend=Backend.MULTI), *members, *others)
    calls = (replace(plain.calls[0], backend=Backend.MULTI), *plain.calls[1:])
    return replace(plain, kernels=kernels, calls=calls)


def test_a_multi_kernel_may_choose_anew() -> None:
    """Whichever member ran, its range is the multi-kernel's call."""
    line = Timeline()
    for choice in (0, 0, 1, 0, 1):
        line.invoke([MEMBERS[choice]], key="f1")

    assert paired(program(multi_kernel()), line.trace()) == [("0_inference/0", "exact")] * 5


def test_a_run_that_breaks_off_may_end_in_a_benchmark() -> None:
    """In a first run that the profile cuts off, the last kernel is at best inferred."""
    one = graph("0_inference", A, "aten.mm", B, C, cache_key="f1")
    line = Timeline().invoke([A, "aten.mm", "aten.zero_", B], key="f1")

    assert [c for _, c in paired(program(one), line.trace())] == [
        "exact",
        "exact",
        "unknown",
        "inferred",
    ]


def test_the_last_kernel_of_a_whole_first_run_is_exact() -> None:
    """Benchmarks of another kernel don't touch it."""
    one = graph("0_inference", A, B, cache_key="f1")

    assert paired(program(one), Timeline().invoke([A, A, B], key="f1").trace())[-1] == (
        "0_inference/1",
        "exact",
    )


def test_a_graph_of_one_kernel_runs_as_often_as_its_kernel() -> None:
    """Without graph ranges its benchmarks look like its runs."""
    one = graph("0_inference", A)
    result = match_launches(program(one), Timeline().invoke([A, A, A], marked=False).trace())

    assert result.matching.invocation.tolist() == [0, 1, 2]


def test_kernels_benchmarked_many_times_are_outside() -> None:
    """Without graph ranges the last of a long run of one kernel is the call."""
    one = graph("0_inference", A, B)
    line = Timeline().invoke([*[A] * 500, B], marked=False)
    result = match_launches(program(one), line.trace())

    assert confidences(result) == ["outside"] * 499 + ["inferred"] * 2


def test_members_of_a_multi_kernel_are_benchmarked_one_after_the_other() -> None:
    """Without graph ranges all of them come before the call."""
    multi = multi_kernel(B)
    red, per = MEMBERS
    line = Timeline().invoke([red, red, per, per, red, B], marked=False)

    assert (
        confidences(match_launches(program(multi), line.trace()))
        == ["outside"] * 4 + ["inferred"] * 2
    )


def test_operators_beside_the_kernels_belong_to_an_invocation_if_its_code_runs_them() -> None:
    """Without graph ranges the products around the kernels are its own, other operators are not."""
    one = graph("0_inference", "aten.mm", A, B, "aten.mm")
    seen = ["aten.add", "aten.mm", A, B, "aten.mm", "aten.add"]
    line = Timeline().invoke(seen, marked=False).invoke(seen, marked=False)

    assert (
        match_launches(program(one), line.trace()).matching.call.tolist()
        == [-1, 0, 1, 2, 3, -1] * 2
    )


def test_an_operator_of_the_code_in_another_place_ends_an_invocation() -> None:
    """Beyond it another invocation lies: it does not bring disorder into this one."""
    one = graph("0_inference", "aten.mm", A, B, "aten.bmm")
    seen = ["aten.mm", "aten.bmm", A, B, "aten.bmm"]
    line = Timeline().invoke(seen, marked=False).invoke(seen, marked=False)

    assert (
        match_launches(program(one), line.trace()).matching.call.tolist() == [-1, -1, 1, 2, 3] * 2
    )


@pytest.mark.parametrize("cleared", [True, False])
def test_benchmarks_of_an_invocation_that_was_cut_off_are_no_calls(cleared: bool) -> None:
    """Where nothing shows an invocation, a series with memory cleared in between is no calls.

    Without such signs another graph may run this kernel again and again.
    """
    one = graph("0_inference", A, B, C)
    line = Timeline()
    for _ in range(3):
        line = line.eager("aten::zero_").run(B) if cleared else line.run(B)
    line.run(B).eager("aten::add").invoke(one, marked=False)
    result = match_launches(program(one), line.trace())
    benchmarks = np.equal(result.matching.reason, Reason.AUTOTUNE)

    assert np.flatnonzero(benchmarks).tolist() == ([*range(6)] if cleared else [])
    assert result.matching.call[-5] == 1


def test_what_another_graph_calls_twice_in_a_row_is_no_series_of_benchmarks() -> None:
    """Where nothing shows which graph ran, its kernels may be the calls of either."""
    one, other = graph("0_inference", A, B, C), graph("1_inference", B, B, "triton_red_fused_d_3")
    line = Timeline().eager("aten::zero_").run(B).eager("aten::zero_").run(B).eager("aten::add")
    result = match_launches(program(one, other), line.invoke(one, marked=False).trace())

    assert not np.equal(result.matching.reason, Reason.AUTOTUNE).any()


@pytest.mark.parametrize("occurrence", [Occurrence.ONCE, Occurrence.LOOP])
def test_without_graph_ranges_only_a_fixed_order_shows_invocations(occurrence: Occurrence) -> None:
    """How often a loop's kernel runs says nothing about where an invocation begins."""
    one = graph("0_inference", A, B, occurrence={A: occurrence})
    line = Timeline().invoke([A, B, A, B], marked=False)
    numbers = match_launches(program(one), line.trace()).matching.invocation.tolist()

    assert (numbers == [0, 0, 1, 1]) == (occurrence is Occurrence.ONCE)


def test_library_calls_alone_show_no_invocation() -> None:
    """Eager code runs the same operators: without a graph range they are not taken for a graph."""
    one, other = graph("0_inference", "aten.mm", "aten.mm"), graph("1_inference", A, B)
    line = Timeline().invoke(["aten.mm", "aten.mm", A, B], marked=False)

    assert match_launches(program(one, other), line.trace()).matching.call.tolist() == [
        -1,
        -1,
        2,
        3,
    ]
