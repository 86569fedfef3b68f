"""Launches whose own range was lost, found by what their thread ran before and after them."""

from __future__ import annotations

from dataclasses import replace

from answers import calls, paired
from kernelmap.matching import match_launches
from kernelmap.model import Occurrence, Reason
from tiny import Timeline, graph, program
from trace_rows import LaunchRow

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"
MM = "aten.mm"


def test_what_runs_between_two_statements_is_the_one_between_them() -> None:
    """A product whose range was lost is inferred from its neighbors."""
    one = graph("0_inference", A, MM, B)
    line = Timeline().invoke(one).invoke(one, skip=[1]).invoke(one).invoke(one)
    result = paired(program(one), line.trace())

    assert result[3:6] == [
        ("0_inference/0", "exact"),
        ("0_inference/1", "inferred"),
        ("0_inference/2", "exact"),
    ]


def test_the_neighbor_of_a_lost_range_is_known_by_it() -> None:
    """If the range of one of two products was lost, its launch still says which the other is."""
    one = graph("0_inference", A, MM, MM, B)
    line = Timeline().invoke(one).invoke(one, skip=[2]).invoke(one).invoke(one)
    result = paired(program(one), line.trace())

    assert result[5:7] == [("0_inference/1", "inferred"), ("0_inference/2", "inferred")]


def test_two_lost_ranges_in_a_row_are_shared_out_as_in_other_invocations() -> None:
    """Wherever their ranges were not lost each of the two products launches one kernel."""
    one = graph("0_inference", A, MM, MM, B)
    line = Timeline().invoke(one).invoke(one, skip=[1, 2]).invoke(one).invoke(one)
    result = paired(program(one), line.trace())

    assert result[5:7] == [("0_inference/1", "inferred"), ("0_inference/2", "inferred")]


def test_a_branch_is_placed_where_it_runs_in_other_invocations() -> None:
    """The statement between two others ran the same kernel each time its range was not lost."""
    one = graph("0_inference", A, MM, B, C, occurrence={MM: Occurrence.BRANCH})
    line = Timeline().invoke(one).invoke(one, skip=[1, 3]).invoke(one).invoke(one)

    assert paired(program(one), line.trace())[4:7] == [
        ("0_inference/0", "exact"),
        ("0_inference/1", "inferred"),
        ("0_inference/2", "exact"),
    ]


def test_what_is_of_another_kind_is_not_the_statement() -> None:
    """A copy is no product, wherever it runs."""
    one = graph("0_inference", A, MM, B)
    line = Timeline().invoke(one)
    line.invoke([A, "aten.copy_", B], skip=[1]).invoke(one).invoke(one)
    products = [row for row in line.rows if isinstance(row, LaunchRow) and row.name == "sgemm"]
    copy = replace(products[1], name="void at::native::direct_copy_kernel()")
    line.rows = [copy if row is products[1] else row for row in line.rows]
    result = match_launches(program(one), line.trace())

    assert calls(result)[4] is None


def test_a_benchmark_without_a_range_is_one_still() -> None:
    """Before another launch of the same kernel, with nothing in between, it is no call."""
    one = graph("0_inference", A, B, C)
    line = Timeline().invoke([A, A, A, A, B, C], skip=[1]).invoke(one).invoke(one).invoke(one)
    result = match_launches(program(one), line.trace())

    assert calls(result)[:4] == [None, None, None, "0_inference/0"]
    assert result.matching.reason[1] == Reason.AUTOTUNE


def test_the_call_behind_benchmarks_is_the_last_launch() -> None:
    """Even where its own range was lost and a benchmark's range stands for it."""
    one = graph("0_inference", A, B, C)
    line = Timeline().invoke([A, A, A, A, B, C], skip=[3]).invoke(one).invoke(one).invoke(one)
    result = match_launches(program(one), line.trace())

    assert calls(result)[:6] == [None] * 3 + [f"0_inference/{index}" for index in range(3)]
    assert result.matching.reason[2] == Reason.AUTOTUNE


def test_the_call_is_the_last_launch_where_the_last_benchmark_lost_its_range_as_well() -> None:
    """The benchmark before both of them has the last range of the series."""
    one = graph("0_inference", A, B, C)
    line = Timeline().invoke([A, A, A, A, B, C], skip=[2, 3]).invoke(one).invoke(one).invoke(one)
    result = match_launches(program(one), line.trace())

    assert calls(result)[:6] == [None] * 3 + [f"0_inference/{index}" for index in range(3)]
    assert set(result.matching.reason[:3].tolist()) == {Reason.AUTOTUNE}
