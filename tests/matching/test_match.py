"""Launches, ranges and graphs in tiny worlds: who gets a launch, and how sure that is."""

from __future__ import annotations

from answers import calls, confidences, paired
from kernelmap.matching import match_launches
from tiny import Timeline, graph, program

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"


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
    """What else their ranges hold distinguishes graphs with equal names."""
    forward, backward = graph("0_forward", A, "aten.mm", B), graph("0_backward", B, A, "aten.mm")
    line = Timeline()
    for _ in range(3):
        line.invoke(forward, key="f1").invoke(backward, key="f2")
    result = match_launches(program(forward, backward), line.trace())

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
    """kernel_hash distinguishes two graphs with the same statements."""
    one = graph("one", A, hashes={A: "chash1"})
    two = graph("two", A, hashes={A: "chash2"})
    trace = Timeline().invoke(two, key=None).invoke(one, key=None).trace()

    assert paired(program(one, two), trace) == [("two/0", "exact"), ("one/0", "exact")]


def test_graphs_that_cannot_be_told_apart_are_all_named() -> None:
    """Equal graphs without keys or hashes stay ambiguous, both calls named."""
    one, two = graph("one", A), graph("two", A)
    result = match_launches(program(one, two), Timeline().invoke(one, key=None).trace())

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


def test_two_keys_that_fit_one_graph_are_not_exact() -> None:
    """When two cache keys fit the same code, at most one can be right."""
    given = graph("known", A)
    line = Timeline().invoke(given, key="f1").invoke(given, key="f2")

    assert set(paired(program(given), line.trace())) == {("known/0", "inferred")}


def test_without_graph_ranges_the_order_decides() -> None:
    """Old torch marks no graphs: kernels in a row are cut into invocations."""
    forward, backward = graph("0_forward", A, B), graph("0_backward", A, C)
    line = Timeline()
    for _ in range(2):
        line.invoke(forward, marked=False).eager("aten::mul").invoke(backward, marked=False)
    result = match_launches(program(forward, backward), line.trace())

    assert [c for c in calls(result) if c] == [
        *("0_forward/0", "0_forward/1", "0_backward/0", "0_backward/1"),
    ] * 2


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


def test_a_shared_hash_does_not_prove_the_smaller_graph() -> None:
    """Where a larger graph has the kernel too, its lost statement makes nothing exact."""
    hashes = {A: "chash1", B: "chash2"}
    small, large = graph("small", A, hashes=hashes), graph("large", A, B, hashes=hashes)
    trace = Timeline().invoke(large, key=None, skip=[1]).trace()

    assert ("small/0", "exact") not in paired(program(small, large), trace)


def test_surplus_and_foreign_work_leave_the_graph_in_doubt() -> None:
    """A single run with more kernels, or with operators the code lacks, may be another graph's."""
    given = graph("known", A, B)
    for seen in ([A, A, B], [A, "aten.mm", "aten.bmm", B], [B, A]):
        trace = Timeline().invoke(seen, key=None).trace()

        assert "exact" not in {c for _, c in paired(program(given), trace)}, seen


def test_the_bare_thread_proves_no_beginning() -> None:
    """Runs cut off at both ends may shift what follows: on the bare thread nothing is exact."""
    one = graph("0_inference", A, B, A, B)
    line = Timeline()
    for seen in ([A, B], [A, B, A, B], [A, B]):
        line.invoke(seen, marked=False)

    assert "exact" not in {c for _, c in paired(program(one), line.trace())}
