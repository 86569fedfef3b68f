"""Graphs whose code was not given: what the trace alone says of them."""

from __future__ import annotations

from answers import calls, paired, reasons
from kernelmap.matching import match_launches
from kernelmap.model import Reason
from tiny import Timeline, graph, program

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"


def test_a_graph_whose_code_is_missing_never_borrows_a_call() -> None:
    """Kernels of unknown code are counted in the trace, not given to a graph that looks similar."""
    given, missing = graph("known", A, B), graph("missing", A)
    line = Timeline()
    for _ in range(3):
        line.invoke(given, key="f1").invoke(missing, key="f2missing")
    result = match_launches(program(given), line.trace())

    assert calls(result) == ["known/0", "known/1", "f2missin/0"] * 3
    assert [graph.code for graph in result.program.graphs] == ["known.py", None]
    assert "code-missing" in {notice.slug for notice in result.notices}


def test_a_trace_alone_names_wrappers() -> None:
    """Without code a call is (graph key, wrapper, k), and its code is unknown."""
    line = Timeline().invoke([A, "aten.mm", A], key="fabcdefghij")
    result = match_launches(program(), line.trace())

    assert calls(result) == ["fabcdefg/0", "fabcdefg/1", "fabcdefg/2"]
    assert [call.wrapper for _, call in result.program.calls] == [A, "aten::mm", A]
    assert result.program.graphs[0].code is None


def test_a_trace_alone_cannot_tell_benchmarks_in_a_single_run() -> None:
    """A kernel that ran twice in a row may be a benchmark and a call: nothing there is exact."""
    autotuned = Timeline().invoke(["aten.zero_", A, "aten.zero_", A, A, B], key="f1")
    settled = Timeline().invoke([A, B, "aten.mm"], key="f2")

    assert "exact" not in {c for _, c in paired(program(), autotuned.trace())}
    assert {c for _, c in paired(program(), settled.trace())} == {"exact"}


def test_a_compiled_region_without_code_says_so() -> None:
    """Where no code was given the reason is that it is missing, not that it differs."""
    line = Timeline()
    begin = line.now
    line.eager("aten::copy_").enclose("CompiledFunction", begin)
    given, alone = graph("0_inference", A), program()

    assert reasons(match_launches(alone, line.trace())) == [Reason.NO_CODE]
    assert reasons(match_launches(program(given), line.trace())) == [Reason.COUNT_DIFFERS]


def test_compiled_code_without_its_code_is_noted() -> None:
    """Where compiled regions ran and no code was given, a notice says what is missing."""
    line = Timeline()
    begin = line.now
    line.eager("aten::copy_").enclose("CompiledFunction", begin)

    assert {n.slug for n in match_launches(program(), line.trace()).notices} == {"trace-alone"}
    assert match_launches(program(), Timeline().eager("aten::mm").trace()).notices == ()


def test_the_shape_of_a_graph_without_code_has_no_benchmarks() -> None:
    """Of shapes seen equally often, the one with benchmarks is not taken for the graph's."""
    line = Timeline().invoke(["aten.zero_", A, "aten.zero_", A, A, B], key="f1")
    line.invoke([A, B], key="f1").invoke([A, B, C], key="f1")
    result = match_launches(program(), line.trace())

    assert [call.wrapper for _, call in result.program.calls] == [A, B]
    assert calls(result)[4:] == ["f1/0", "f1/1", "f1/0", "f1/1", "f1/0", "f1/1", None]
    assert reasons(result)[-1] is Reason.BESIDE


def test_a_short_shape_with_benchmarks_is_not_the_graphs() -> None:
    """A first run that was cut off may be the shortest."""
    line = Timeline().invoke([A, A], key="f1").invoke([A, B, C], key="f1")

    assert [call.wrapper for _, call in match_launches(program(), line.trace()).program.calls] == [
        A,
        B,
        C,
    ]


def test_two_runs_without_code_that_differ_are_not_exact() -> None:
    """Nobody can say which of them shows what the graph runs."""
    line = Timeline().invoke([A, B], key="f1").invoke([A, C, B], key="f1")

    assert "exact" not in {c for _, c in paired(program(), line.trace())}


def test_first_runs_that_agree_may_all_hold_benchmarks() -> None:
    """Every process autotunes for itself: only what a process ran again shows the calls."""
    tuned = [A, A, A, B]
    ranks = [Timeline(pid=str(rank), thread=rank) for rank in range(3)]
    for rank, line in enumerate(ranks):
        line.correlation = 100 * rank
        line.invoke(tuned, key="f1")
    again = Timeline()
    for _ in range(3):
        again.invoke(tuned, key="f1")

    assert "exact" not in {c for _, c in paired(program(), ranks[0].trace(*ranks[1:]))}
    assert {c for _, c in paired(program(), again.trace())} == {"exact"}


def test_without_code_and_without_a_key_nothing_is_exact() -> None:
    """A run that lost a range looks like a graph of its own, and its calls are counted wrongly."""
    line = Timeline().invoke([A, B, C], key=None)
    line.invoke([A, B, C], key=None, skip=[0]).invoke([A, B, C], key=None)

    assert "exact" not in {c for _, c in paired(program(), line.trace())}


def test_graphs_without_code_are_named_by_as_much_of_their_keys_as_tells_them_apart() -> None:
    """Cache keys that begin alike make ids that are longer, never one id for two graphs."""
    line = Timeline().invoke([A, B], key="f1234567xyz").invoke([B, C], key="f1234567xzz")

    assert [graph.id for graph in match_launches(program(), line.trace()).program.graphs] == [
        "f1234567xy",
        "f1234567xz",
    ]
