"""Launches that another run explains: whole sequences, lost events, rivals, no lessons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.matching import Match, match_launches, match_like
from kernelmap.matching.explaining.explain import explain_launch
from kernelmap.matching.references.learning import learned_sequences
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence, Method
from kernelmap.model.learnt import Learnt
from kernelmap.traces.assemble import assemble_trace
from matching.bare import graph, named, run
from tiny import Timeline
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

GEMM, OTHER_GEMM, SPLIT = "sgemm", "nvjet_hsh_128x256", "splitKreduce_kernel"


class Host(Timeline):
    """A run with a host side, in which a library call launches what `made` says."""

    def __init__(self, made: Mapping[str, Sequence[str]]) -> None:
        super().__init__()
        self.made = made

    def launch(
        self, name: str, *, dur_ns: int = 100, api: str | None = "cuLaunchKernel", count: int = 1
    ) -> Timeline:
        """The kernels of a library call, else one launch."""
        for kernel in self.made.get(name, (name,)):
            super().launch(kernel, dur_ns=dur_ns, api=api, count=count)
        return self


def lesson(
    *graphs: CompiledGraph, made: Mapping[str, Sequence[str]] | None = None, times: int = 3
) -> Learnt:
    """What a run of `graphs`, one after the other, teaches."""
    timeline = Host(made or {})
    for _ in range(times):
        for number, compiled in enumerate(graphs):
            timeline.invoke(compiled, key=f"f{number}")
    keyed = tuple(replace(compiled, cache_key=f"f{n}") for n, compiled in enumerate(graphs))
    program = CompiledProgram(graphs=keyed)
    result = match_launches(program, timeline.trace())
    sequences = learned_sequences(result.context, result.matching)
    return Learnt(program=program, sequences=sequences, source="bundle")


def taught(words: str, learnt: Learnt, *graphs: CompiledGraph) -> Match:
    """What is made of launches in a row, by graphs whose code is given or lent."""
    return match_like(CompiledProgram(graphs=graphs), run(words), [learnt])


TWO = graph("0_forward", "a mm mm b")
"""Between a and b two products, of which order does not tell how many kernels each launches."""
MADE = {GEMM: (GEMM, SPLIT)}


def test_library_launches_get_the_call_of_their_place() -> None:
    """The other run shows which of two products made each launch."""
    words = f"k_a {GEMM} {SPLIT} {GEMM} {SPLIT} k_b"
    result = taught(words.replace("k_", ""), lesson(TWO, made=MADE), TWO)

    assert named(result) == ["0/0", "0/1", "0/1", "0/2", "0/2", "0/3"]
    assert set(result.matching.method.tolist()) == {Method.TRANSFER}
    assert set(result.matching.confidence.tolist()) == {Confidence.INFERRED}


def test_invocations_among_other_work_are_found() -> None:
    """Eager launches around and between belong to no call."""
    once = f"a {GEMM} {SPLIT} {GEMM} {SPLIT} b"
    result = taught(f"eager {once} {GEMM} fill {once} {once}", lesson(TWO, made=MADE), TWO)
    ids = ["0/0", "0/1", "0/1", "0/2", "0/2", "0/3"]

    assert named(result) == ["-", *ids, "-", "-", *ids, *ids]
    assert sorted(set(result.matching.invocation.tolist())) == [-1, 0, 1, 2]


def test_what_was_lost_leaves_the_rest_clear() -> None:
    """If one launch is missing the others keep their calls, except those that may be either's."""
    long = graph("0_forward", "a mm mm b c d e f g h")
    whole = f"a {GEMM} {SPLIT} {GEMM} {SPLIT} b c d e f g h"
    learnt = lesson(long, made=MADE)
    without_d = taught(whole.replace(" d", ""), learnt, long)
    without_gemm = taught(whole.replace(f"a {GEMM}", "a"), learnt, long)
    without_one = taught(whole.replace(f"{SPLIT} {GEMM} {SPLIT}", f"{SPLIT} {SPLIT}"), learnt, long)

    assert "?" not in "".join(named(without_d))
    assert named(without_d)[5:8] == ["0/3", "0/4", "0/6"]
    assert named(without_gemm)[1:4] == ["0/1", "0/2", "0/2"]
    assert named(without_one)[1:4] == ["0/1", "0/1", "0/2"]


def test_equal_names_around_a_loss_are_ambiguous() -> None:
    """Of four equal kernels three are left: the middle ones may be either neighbor's."""
    long = graph("0_forward", "a mm mm mm mm b c d e f g h")
    result = taught(f"a {' '.join([GEMM] * 3)} b c d e f g h", lesson(long), long)

    assert named(result)[:5] == ["0/0", "?0/1,0/2", "?0/2,0/3", "?0/3,0/4", "0/5"]


def test_a_foreign_launch_inside_takes_everything_back() -> None:
    """A run that differs from the lesson gets no call; a notice says where it begins to differ."""
    result = taught(f"a {GEMM} {SPLIT} {OTHER_GEMM} {SPLIT} b", lesson(TWO, made=MADE), TWO)

    assert Method.TRANSFER not in result.matching.method
    (said,) = [notice for notice in result.notices if notice.slug == "like-differs"]
    assert (
        f"5 of 6 launches agree with 6 that were learnt; at launch 3 {OTHER_GEMM}" in said.message
    )


def test_graphs_that_launch_the_same_are_both_named() -> None:
    """Two lessons that launch the same for other calls leave each launch ambiguous between them."""
    twin = graph("1_forward", "a mm mm b")
    result = taught(f"a {GEMM} {GEMM} b", lesson(TWO, twin), TWO, twin)

    assert named(result) == ["?0/0,1/0", "?0/1,1/1", "?0/2,1/2", "?0/3,1/3"]


def test_the_longer_lesson_counts() -> None:
    """A graph is not found at the beginning of another graph that launches the same and more."""
    longer = graph("1_forward", "a mm mm b c")
    result = taught(f"a {GEMM} {GEMM} b c a {GEMM} {GEMM} b", lesson(TWO, longer), TWO, longer)

    assert named(result) == [*(f"1/{n}" for n in range(5)), *(f"0/{n}" for n in range(4))]


def test_a_kernel_that_goes_on_running_is_benchmarked() -> None:
    """A last kernel that runs again and again is measured; the call's launch stays open."""
    short = graph("0_forward", "a mm b")
    result = taught(f"a {GEMM} b fill b fill b", lesson(short), short)

    assert Method.TRANSFER not in result.matching.method[:3]


@pytest.mark.parametrize("words", ["mm mm", "mm"])
def test_a_few_library_launches_teach_nothing(words: str) -> None:
    """Eager code may launch the same: a short row without a generated kernel is no lesson."""
    only = graph("0_forward", words)
    result = taught(" ".join([GEMM] * len(words.split())), lesson(only), only)

    assert Method.TRANSFER not in result.matching.method


def test_code_that_is_lent_and_not_seen_is_left_out() -> None:
    """A graph of a like-run counts only if a lesson or a host range shows that it ran."""
    other = graph("1_forward", "c d e")
    result = taught(f"a {GEMM} {GEMM} b c x d", lesson(TWO, other))

    assert [compiled.id for compiled in result.program.graphs] == ["0_forward"]
    assert named(result)[4:] == ["-", "-", "-"]


def test_other_code_teaches_nothing() -> None:
    """A graph of this name whose statements differ is not the given one."""
    edited = graph("0_forward", "a mm b b")
    result = taught(f"a {GEMM} {GEMM} b", lesson(edited), TWO)

    assert [n.slug for n in result.notices if n.slug.startswith("like")] == ["like-code-differs"]
    assert Method.TRANSFER not in result.matching.method


def capture(named_kernels: bool) -> Match:
    """A run that captures TWO, whose products make two nodes and one, and never replays it."""
    nodes = [("k_a", ["k_a"]), ("aten::mm", [GEMM, SPLIT]), ("aten::mm", [GEMM]), ("k_b", ["k_b"])]
    rows: list[TraceRow] = [RangeRow("## Call CompiledFxGraph fkey ##", 5, 900)]
    rows.append(ApiRow("cudaStreamBeginCapture", 6, 7))
    now = 10
    for name, made in nodes:
        rows.append(RangeRow(name, now, now + 10 * len(made) + 5))
        for launched in made:
            now += 10
            spelled = launched if named_kernels else None
            rows.append(
                ApiRow("cudaLaunchKernel", now, now + 2, correlation=now, device_name=spelled)
            )
        now += 10
    rows += [ApiRow("cudaStreamEndCapture", 901, 902), LaunchRow("eager", 2000, 2100)]
    keyed = replace(TWO, cache_key="fkey")
    return match_launches(CompiledProgram(graphs=(keyed,)), assemble_trace(raw_trace(rows)))


@pytest.mark.parametrize("named_kernels", [True, False], ids=["hip", "cuda"])
def test_a_capture_teaches_what_its_replays_run(named_kernels: bool) -> None:
    """The api calls of a capture, in order, are the nodes; names are compared where it has them."""
    result = capture(named_kernels)
    sequences = learned_sequences(result.context, result.matching)
    learnt = Learnt(program=result.program, sequences=sequences, source="capture")
    rows: list[TraceRow] = [ApiRow("cudaGraphLaunch", 10, 50, correlation=1)]
    for node, name in enumerate(["k_a", GEMM, SPLIT, GEMM, "k_b"], 1):
        # On the GPU the nodes run in another order than they were captured in.
        start = 1_000 - 100 * node
        rows.append(LaunchRow(name, start, start + 90, correlation=1, graph_node=(3 << 32) | node))
    replay = match_like(CompiledProgram(graphs=()), assemble_trace(raw_trace(rows)), [learnt])
    order = np.argsort(replay.context.trace.launches.graph_node)

    assert [named(replay)[row] for row in order] == ["0/0", "0/1", "0/1", "0/2", "0/3"]
    assert set(replay.matching.method.tolist()) == {Method.TRANSFER}


def test_the_evidence_names_the_run_and_the_runner_up() -> None:
    """Where it was learnt, its place, how many agree, and what comes second."""
    other = graph("1_forward", "a mm c")
    result = taught(f"a {GEMM} {GEMM} b", lesson(TWO, other), TWO, other)
    text = "\n".join(explain_launch(result, 1).evidence)

    assert "learnt from bundle: invocation 0 of 0_forward, 4 launches, seen 3 times" in text
    assert "number 1 of them" in text
    assert "4 of its 4 launches are here, in its order, all under its names" in text
    assert "second best: invocation 0 of 1_forward in bundle has 2 of these 4 launches" in text


@given(words=st.lists(st.sampled_from(["a", "b", "c", GEMM, SPLIT, "eager"]), max_size=24))
def test_what_a_lesson_claims_could_be_launched(words: list[str]) -> None:
    """Whatever ran: a launch gets a call only under that call's name, and calls come in order."""
    graphs = (graph("0_forward", "a mm b"), graph("1_forward", "b mm mm c"))
    result = taught(" ".join(["eager", *words]), lesson(*graphs, made=MADE), *graphs)
    calls = result.matching.call
    launches = result.context.trace.launches

    for row in np.flatnonzero(np.equal(result.matching.method, Method.TRANSFER)).tolist():
        _, call = result.program.calls[int(calls[row])]
        name = launches.names[int(launches.name_id[row])]
        assert name == call.kernel or (call.kernel is None and name in (GEMM, SPLIT))
    for number in set(result.matching.invocation.tolist()) - {-1}:
        for first, graph_calls in zip(result.program.first_call, graphs, strict=True):
            of_graph = (calls >= first) & (calls < first + len(graph_calls.calls))
            claimed = of_graph & np.equal(result.matching.invocation, number)
            assert (np.diff(calls[claimed]) >= 0).all()


@given(data=st.data(), lost=st.integers(0, 1))
def test_a_lost_launch_never_moves_the_others(data: st.DataObject, lost: int) -> None:
    """With one launch lost, every inferred call is the one that the launch had without the loss."""
    letters = data.draw(st.lists(st.sampled_from("abmn"), min_size=10, max_size=14))
    words = " ".join("mm" if letter in "mn" else letter for letter in letters)
    compiled = graph("0_forward", f"c {words} d")
    learnt = lesson(compiled)
    shown = ["c", *(GEMM if letter in "mn" else letter for letter in letters), "d"]
    gone = data.draw(st.integers(1, len(shown) - 2)) if lost else None
    kept = [n for n in range(len(shown)) if n != gone]
    result = taught(" ".join(shown[n] for n in kept), learnt, compiled)

    transferred = np.equal(result.matching.method, Method.TRANSFER)
    assert all(
        result.matching.call[row] == kept[row] for row in np.flatnonzero(transferred).tolist()
    )
    for row, true in enumerate(kept):
        assert true in (result.matching.candidates_of(row) or (true,))


def test_a_graph_of_one_call_counts_its_executions() -> None:
    """A replay of ten executions of one small graph has ten invocations, also where one is lost."""
    single = replace(graph("0_inference", "a"), cache_key="fkey")
    rows: list[TraceRow] = [ApiRow("hipStreamBeginCapture", 1, 2)]
    for number in range(10):
        begin = 100 * (number + 1)
        rows.append(RangeRow("## Call CompiledFxGraph fkey ##", begin, begin + 50))
        rows.append(RangeRow("k_a", begin + 5, begin + 40))
        rows.append(ApiRow("hipLaunchKernel", begin + 9, begin + 12, device_name="k_a"))
    rows.append(ApiRow("hipStreamEndCapture", 1_900, 1_901))
    rows.append(ApiRow("hipGraphLaunch", 2_000, 2_010, correlation=7))
    rows += [LaunchRow("k_a", 3_000 + n, 3_001 + n, correlation=7) for n in range(9)]
    result = match_launches(CompiledProgram(graphs=(single,)), assemble_trace(raw_trace(rows)))

    assert named(result) == ["0/0"] * 9
    assert len(set(result.matching.invocation.tolist())) == 9
