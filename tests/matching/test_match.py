"""Launches, ranges and graphs in tiny worlds: who gets a launch, and how sure that is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernelmap.matching import Match, match
from kernelmap.model import Backend, Confidence, Occurrence, Reason, Trace
from kernelmap.model.program import CompiledGraph, CompiledProgram
from tiny import Timeline, graph, program

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"


def calls(result: Match) -> list[str | None]:
    """The call id of every launch, None without one."""
    ids = [graph.call_id(call) for graph, call in result.program.calls]
    return [ids[call] if call >= 0 else None for call in result.matching.call.tolist()]


def confidences(result: Match) -> list[str]:
    return [Confidence(value).name.lower() for value in result.matching.confidence.tolist()]


def reasons(result: Match) -> list[Reason]:
    return [Reason(value) for value in result.matching.reason.tolist()]


def paired(known: CompiledProgram, trace: Trace) -> list[tuple[str | None, str]]:
    result = match(known, trace)
    return list(zip(calls(result), confidences(result), strict=True))


def test_a_wrapper_that_runs_twice_is_two_calls() -> None:
    """The k-th range of a wrapper inside an invocation is its k-th statement."""
    twice = graph("0_inference", A, "aten.mm", A)

    assert paired(program(twice), Timeline().invoke(twice).trace()) == [
        ("0_inference/0", "exact"),
        ("0_inference/1", "exact"),
        ("0_inference/2", "exact"),
    ]


def test_eager_code_around_a_graph_is_outside() -> None:
    """The same operator before and after a compiled call belongs to eager code."""
    one = graph("0_inference", "aten.mm", A)
    trace = Timeline().eager("aten::mm").invoke(one).eager("aten::mm", launches=2).trace()

    assert [c for _, c in paired(program(one), trace)] == [
        "outside",
        "exact",
        "exact",
        "outside",
        "outside",
    ]


def test_forward_and_backward_may_share_every_kernel_name() -> None:
    """Graphs with equal names are told apart by what else their ranges hold."""
    forward, backward = graph("0_forward", A, "aten.mm", B), graph("0_backward", B, A, "aten.mm")
    line = Timeline()
    for _ in range(3):
        line.invoke(forward, key="f1").invoke(backward, key="f2")
    result = match(program(forward, backward), line.trace())

    assert (
        calls(result)
        == [
            *("0_forward/0", "0_forward/1", "0_forward/2"),
            *("0_backward/0", "0_backward/1", "0_backward/2"),
        ]
        * 3
    )
    assert set(confidences(result)) == {"exact"}
    assert result.matching.invocation.tolist() == [i for i in range(3) for _ in range(6)]


def test_content_hashes_decide_between_equal_names() -> None:
    """Two graphs with the same statements are told apart by kernel_hash."""
    one = graph("one", A, hashes={A: "chash1"})
    two = graph("two", A, hashes={A: "chash2"})
    trace = Timeline().invoke(two, key=None).invoke(one, key=None).trace()

    assert paired(program(one, two), trace) == [("two/0", "exact"), ("one/0", "exact")]


def test_graphs_that_cannot_be_told_apart_are_all_named() -> None:
    """Equal graphs without keys or hashes stay ambiguous, both calls named."""
    one, two = graph("one", A), graph("two", A)
    result = match(program(one, two), Timeline().invoke(one, key=None).trace())

    assert confidences(result) == ["ambiguous"]
    assert result.matching.candidates_of(0) == (0, 1)


def test_a_cache_key_in_the_code_names_the_graph() -> None:
    """The key of the range is looked up before anything is guessed."""
    one, two = graph("one", A, cache_key="f1"), graph("two", A, cache_key="f2")

    assert paired(program(one, two), Timeline().invoke(two, key="f2").trace()) == [
        ("two/0", "exact")
    ]


def test_another_key_never_makes_a_named_graph_certain_nor_uncertain() -> None:
    """A recompilation whose code is not given may look alike: only the logged key is exact."""
    one = graph("one", A, cache_key="f1")
    line = Timeline().invoke(one, key="f1").invoke(one, key="f2")

    assert paired(program(one), line.trace()) == [("one/0", "exact"), ("one/0", "inferred")]


def test_a_graph_whose_code_is_missing_never_borrows_a_call() -> None:
    """Kernels of unknown code are counted in the trace, not given to a graph that looks similar."""
    known, missing = graph("known", A, B), graph("missing", A)
    line = Timeline()
    for _ in range(3):
        line.invoke(known, key="f1").invoke(missing, key="f2missing")
    result = match(program(known), line.trace())

    assert calls(result) == ["known/0", "known/1", "f2missin/0"] * 3
    assert [graph.code for graph in result.program.graphs] == ["known.py", None]
    assert "code-missing" in {notice.slug for notice in result.notices}


def test_two_keys_that_fit_one_graph_are_not_exact() -> None:
    """When two cache keys fit the same code, at most one can be right."""
    known = graph("known", A)
    line = Timeline().invoke(known, key="f1").invoke(known, key="f2")

    assert set(paired(program(known), line.trace())) == {("known/0", "inferred")}


def test_benchmarks_in_the_first_invocation_are_outside() -> None:
    """Autotuning writes the same ranges as the call; the call is inferred there, exact later."""
    one = graph("0_inference", A, "aten.mm")
    line = Timeline().invoke([A, A, A, A, "aten.mm"]).invoke(one).invoke(one).invoke(one)
    result = match(program(one), line.trace())

    assert confidences(result)[:5] == ["outside"] * 3 + ["inferred"] * 2
    assert set(confidences(result)[5:]) == {"exact"}
    assert set(result.matching.reason[:3].tolist()) == {Reason.AUTOTUNE}


def test_benchmarks_beside_graph_ranges_are_outside() -> None:
    """Compile-time autotuning runs before any graph range."""
    one = graph("0_inference", A, B)
    line = Timeline().run(A).run(A).run(A).invoke(one)

    assert [c for _, c in paired(program(one), line.trace())] == ["outside"] * 3 + ["exact"] * 2


def test_without_graph_ranges_the_order_decides() -> None:
    """Old torch marks no graphs: kernels in a row are cut into invocations."""
    forward, backward = graph("0_forward", A, B), graph("0_backward", A, C)
    line = Timeline()
    for _ in range(2):
        line.invoke(forward, marked=False).eager("aten::mul").invoke(backward, marked=False)
    result = match(program(forward, backward), line.trace())

    assert [c for c in calls(result) if c] == [
        *("0_forward/0", "0_forward/1", "0_backward/0", "0_backward/1"),
    ] * 2


def test_a_lost_graph_range_makes_nothing_wrong() -> None:
    """Where other graph ranges exist, an unmarked run is at best inferred."""
    one = graph("0_inference", A, B)
    line = Timeline().invoke(one).invoke(one, marked=False).invoke(one).invoke(one)
    result = paired(program(one), line.trace())

    assert result[2:4] == [("0_inference/0", "inferred"), ("0_inference/1", "inferred")]
    assert {c for _, c in result[:2] + result[4:]} == {"exact"}


def test_a_lost_wrapper_range_leaves_its_launch_to_the_name() -> None:
    """A launch below the graph range whose own range was lost is inferred by its device name."""
    one = graph("0_inference", A, B)
    line = Timeline().invoke(one).invoke(one, skip=[1]).invoke(one).invoke(one)

    assert paired(program(one), line.trace())[2:4] == [
        ("0_inference/0", "exact"),
        ("0_inference/1", "inferred"),
    ]


def test_a_launch_without_host_side_is_never_exact() -> None:
    """A name that one call has is inferred; one that two calls have names both."""
    one = graph("0_inference", A, B, A)
    line = Timeline().launch(B, api=None).launch(A, api=None).launch("sgemm", api=None)
    result = match(program(one), line.trace())

    assert confidences(result) == ["inferred", "ambiguous", "unknown"]
    assert result.matching.candidates_of(1) == (0, 2)


def test_nothing_under_a_graph_launch_is_exact() -> None:
    """A replay's host side tells of the replay only."""
    one = graph("0_inference", A, B, A)
    line = Timeline()
    line.invoke([], key="f1")
    for name in (A, B, A):
        line.launch(name, api="hipGraphLaunch")
    result = match(program(one), line.trace())

    assert confidences(result) == ["ambiguous", "inferred", "ambiguous"]


def test_a_trace_alone_names_wrappers() -> None:
    """Without code a call is (graph key, wrapper, k), and its code is unknown."""
    line = Timeline().invoke([A, "aten.mm", A], key="fabcdefghij")
    result = match(program(), line.trace())

    assert calls(result) == ["fabcdefg/0", "fabcdefg/1", "fabcdefg/2"]
    assert [call.wrapper for _, call in result.program.calls] == [A, "aten::mm", A]
    assert result.program.graphs[0].code is None


def test_threads_do_not_mix() -> None:
    """Two threads that run at the same time keep their own invocations."""
    one, two = graph("one", A, B), graph("two", B, C)
    left, right = Timeline(thread=1), Timeline(thread=2)
    right.correlation = 100
    left.invoke(one, key="f1").invoke(one, key="f1")
    right.invoke(two, key="f2").invoke(two, key="f2")

    assert set(paired(program(one, two), left.trace(right))) == {
        (f"{g}/{i}", "exact") for g in ("one", "two") for i in (0, 1)
    }


def test_a_trace_alone_cannot_tell_benchmarks_in_a_single_run() -> None:
    """A kernel that ran twice in a row may be a benchmark and a call: nothing there is exact."""
    autotuned = Timeline().invoke(["aten.zero_", A, "aten.zero_", A, A, B], key="f1")
    settled = Timeline().invoke([A, B, "aten.mm"], key="f2")

    assert "exact" not in {c for _, c in paired(program(), autotuned.trace())}
    assert {c for _, c in paired(program(), settled.trace())} == {"exact"}


def test_a_shared_hash_does_not_prove_the_smaller_graph() -> None:
    """Where a larger graph has the kernel too, its lost statement makes nothing exact."""
    hashes = {A: "chash1", B: "chash2"}
    small, large = graph("small", A, hashes=hashes), graph("large", A, B, hashes=hashes)
    trace = Timeline().invoke(large, key=None, skip=[1]).trace()

    assert ("small/0", "exact") not in paired(program(small, large), trace)


def test_surplus_and_foreign_work_leave_the_graph_in_doubt() -> None:
    """A single run with more kernels, or with operators the code lacks, may be another graph's."""
    known = graph("known", A, B)
    for seen in ([A, A, B], [A, "aten.mm", "aten.bmm", B], [B, A]):
        trace = Timeline().invoke(seen, key=None).trace()

        assert "exact" not in {c for _, c in paired(program(known), trace)}, seen


def test_operators_beside_benchmarks_are_not_exact() -> None:
    """The autotuner copies its arguments: its copy looks like the code's."""
    one = graph("0_inference", A, "aten.copy_", hashes={A: "chash"})
    trace = Timeline().invoke(["aten.copy_", A, A, "aten.copy_"], skip=[3], key=None).trace()

    assert "exact" not in {c for _, c in paired(program(one), trace)}


def test_a_loop_in_a_first_run_may_hold_benchmarks() -> None:
    """Nothing tells a loop's runs from benchmarks of its kernel."""
    one = graph("0_inference", A, B, occurrence={A: Occurrence.LOOP})
    result = match(program(one), Timeline().invoke([A, A, A, B]).trace())

    assert "exact" not in confidences(result)[:3]


def test_the_bare_thread_proves_no_beginning() -> None:
    """Runs cut off at both ends may shift what follows: on the bare thread nothing is exact."""
    one = graph("0_inference", A, B, A, B)
    line = Timeline()
    for seen in ([A, B], [A, B, A, B], [A, B]):
        line.invoke(seen, marked=False)

    assert "exact" not in {c for _, c in paired(program(one), line.trace())}


def test_a_compiled_region_without_code_says_so() -> None:
    """Where no code was given, nothing can differ from it: the reason is that it is missing."""
    line = Timeline()
    begin = line.now
    line.eager("aten::copy_").enclose("CompiledFunction", begin)
    known, alone = graph("0_inference", A), program()

    assert reasons(match(alone, line.trace())) == [Reason.NO_CODE]
    assert reasons(match(program(known), line.trace())) == [Reason.COUNT_DIFFERS]


def test_compiled_code_without_its_code_is_noted() -> None:
    """Where compiled regions ran and no code was given, a notice says what is missing."""
    line = Timeline()
    begin = line.now
    line.eager("aten::copy_").enclose("CompiledFunction", begin)

    assert {n.slug for n in match(program(), line.trace()).notices} == {"trace-alone"}
    assert match(program(), Timeline().eager("aten::mm").trace()).notices == ()


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


def test_a_kernel_without_a_range_tells_its_graph() -> None:
    """Where the range of a larger graph's kernel was lost, its device name still speaks for it."""
    small, large = graph("small", A), graph("large", A, B)
    result = paired(program(small, large), Timeline().invoke(large, key=None, skip=[1]).trace())

    assert result == [("large/0", "inferred"), ("large/1", "inferred")]


@pytest.mark.parametrize("foreign", [C, "my_scale"])
def test_a_foreign_kernel_without_a_range_leaves_the_graph_in_doubt(foreign: str) -> None:
    """Nothing that was given runs all that was seen: not even the graph that fits is certain."""
    known, other = graph("known", A, B), graph("other", foreign)
    trace = Timeline().invoke([A, B, foreign], key=None, skip=[2]).trace()

    assert paired(program(known, other), trace) == [
        ("known/0", "inferred"),
        ("known/1", "inferred"),
        (None, "unknown"),
    ]


def test_the_shape_of_a_graph_without_code_has_no_benchmarks() -> None:
    """Of shapes that were seen equally often, the one with benchmarks is not the graph's."""
    line = Timeline().invoke(["aten.zero_", A, "aten.zero_", A, A, B], key="f1")
    line.invoke([A, B], key="f1").invoke([A, B, C], key="f1")
    result = match(program(), line.trace())

    assert [call.wrapper for _, call in result.program.calls] == [A, B]
    assert calls(result)[4:] == ["f1/0", "f1/1", "f1/0", "f1/1", "f1/0", "f1/1", None]
    assert reasons(result)[-1] is Reason.COUNT_DIFFERS


def test_a_short_shape_with_benchmarks_is_not_the_graphs() -> None:
    """A first run that was cut off may be the shortest."""
    line = Timeline().invoke([A, A], key="f1").invoke([A, B, C], key="f1")

    assert [call.wrapper for _, call in match(program(), line.trace()).program.calls] == [A, B, C]


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
    """Without graph ranges nothing tells its benchmarks from its runs."""
    one = graph("0_inference", A)
    result = match(program(one), Timeline().invoke([A, A, A], marked=False).trace())

    assert result.matching.invocation.tolist() == [0, 1, 2]


def test_kernels_benchmarked_many_times_are_outside() -> None:
    """Without graph ranges the last of a long run of one kernel is the call."""
    one = graph("0_inference", A, B)
    line = Timeline().invoke([*[A] * 500, B], marked=False)
    result = match(program(one), line.trace())

    assert confidences(result) == ["outside"] * 499 + ["inferred"] * 2


def test_members_of_a_multi_kernel_are_benchmarked_one_after_the_other() -> None:
    """Without graph ranges all of them come before the call."""
    multi = multi_kernel(B)
    red, per = MEMBERS
    line = Timeline().invoke([red, red, per, per, red, B], marked=False)

    assert confidences(match(program(multi), line.trace())) == ["outside"] * 4 + ["inferred"] * 2


@pytest.mark.parametrize(
    ("device_name", "range_name", "expected"),
    [
        ("my_scale", "my_scale_0", ("inferred", "unknown")),
        ("my_scale_0", "my_scale_0", ("inferred", "unknown")),
        ("my_scale_0d1c", "my_scale_0", ("inferred", "unknown")),
        ("my_scale", "my_scale_now", ("exact", "outside")),
    ],
)
def test_a_users_kernel_that_no_code_names_speaks_as_well(
    device_name: str, range_name: str, expected: tuple[str, str]
) -> None:
    """Its launcher's range is called like it: the graph that runs it was not given."""
    known = graph("0_inference", A)
    line = Timeline()
    begin = line.now
    line.invoke(known, marked=False)
    inner = line.now
    line.launch(device_name).enclose(range_name, inner)
    line.enclose("## Call CompiledFxGraph None ##", begin - 2)

    assert tuple(c for _, c in paired(program(known), line.trace())) == expected
