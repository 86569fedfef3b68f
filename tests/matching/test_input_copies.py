"""Operators below a graph range that are no statements: copies of inputs, and how frames tell."""

from __future__ import annotations

import pytest

from answers import calls, paired, reasons
from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph, RangeKind, Reason
from tiny import Timeline, graph, program
from trace_rows import ApiRow, FrameRow

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"
ONE = graph("0_inference", A, "aten.mm", B)
CODE = f"/cache/ab/c{'a' * 51}.py(88): call"
CLONES = "torch/_inductor/utils.py(3041): copy_misaligned_inputs"
TREES = "torch/_inductor/cudagraph_trees.py(1230): _record"
TUNER = "torch/_inductor/runtime/triton_heuristics.py(1477): benchmark_all_configs"

Step = tuple[str | None, str]
"""The Python frame around an operator or a kernel, and its symbol."""


def invoked(line: Timeline, *steps: Step, key: str = "fkey") -> Timeline:
    """One graph range: runs of steps with one frame lie in that frame."""
    begin, at = line.now, len(line.rows)
    line.now += 10
    opened, started = None, 0
    for frame, symbol in (*steps, (None, "")):
        if frame != opened:
            if opened is not None:
                line.rows.insert(at, FrameRow(opened, started, line.now, thread=line.thread))
                line.now += 1
            opened, started = frame, line.now
            line.now += 2
        if symbol:
            line.run(symbol)
    line.range_since(f"## Call CompiledFxGraph {key} ##", begin, RangeKind.ANNOTATION, at=at)
    return line


def called(frame: str | None, *symbols: str) -> list[Step]:
    return [(frame, symbol) for symbol in symbols]


OWN = called(None, A, "aten.mm", B)


@pytest.mark.parametrize("copies", [["aten.clone"] * 2, ["aten._foreach_copy_"], ["aten.copy_"]])
def test_copies_of_inputs_are_no_calls_of_given_code(copies: list[str]) -> None:
    """A copy before the first statement that is not in the code is outside, and costs nothing.

    All statements stay exact, in every invocation, and every one is complete.
    """
    line = Timeline()
    for _ in range(3):
        invoked(line, *called(None, *copies), *OWN)
    result = match_launches(program(ONE), line.trace())

    assert calls(result) == [*[None] * len(copies), *(f"0_inference/{n}" for n in range(3))] * 3
    assert reasons(result)[0] is Reason.INPUTS
    assert all(invocation.complete for invocation in result.context.invocations)
    if copies != ["aten.copy_"]:
        assert {c for call, c in paired(program(ONE), line.trace()) if call} == {"exact"}


@pytest.mark.parametrize("copies", [["aten.clone"], ["aten._foreach_copy_"], ["aten.fill_"] * 2])
def test_copies_of_inputs_are_no_calls_where_no_code_is_given(copies: list[str]) -> None:
    """Inductor writes no such statement, so the first call is the first one that is no copy."""
    line = Timeline()
    for _ in range(2):
        invoked(line, *called(None, *copies), *OWN)
    result = match_launches(program(), line.trace())

    assert calls(result) == [*[None] * len(copies), "fkey/0", "fkey/1", "fkey/2"] * 2
    assert reasons(result)[0] is Reason.INPUTS


def test_a_copy_that_may_be_a_statement_leaves_nothing_exact() -> None:
    """Without code and frames, a plain copy at the beginning may be either: indices are a guess."""
    line = invoked(Timeline(), *called(None, "aten.copy_"), *OWN)

    assert {c for _, c in paired(program(), line.trace())} == {"inferred"}


@pytest.mark.parametrize("given", [(), (ONE,)], ids=["no code", "code"])
@pytest.mark.parametrize("symbol", ["aten.clone", "aten.copy_", "aten.mm", "aten.sort"])
def test_python_frames_tell_what_is_a_statement(
    symbol: str, given: tuple[CompiledGraph, ...]
) -> None:
    """Exactly what runs right below generated code is a call, whatever its name."""
    name = "0_inference" if given else "fkey"
    line = Timeline()
    for _ in range(2):
        invoked(line, (CLONES, symbol), (TREES, symbol), (None, symbol), *called(CODE, *_names()))
    result = match_launches(program(*given), line.trace())

    assert calls(result) == [None, None, None, f"{name}/0", f"{name}/1", f"{name}/2"] * 2
    assert reasons(result)[:3] == [Reason.INPUTS] * 3
    assert {c for call, c in paired(program(*given), line.trace()) if call} == {"exact"}


def test_a_statement_that_copies_is_a_call_where_frames_say_so() -> None:
    """A copy right below generated code is a statement, even at the beginning and without code."""
    line = invoked(Timeline(), *called(CODE, "aten.copy_", A))

    assert paired(program(), line.trace()) == [("fkey/0", "exact"), ("fkey/1", "exact")]


def test_frames_of_the_autotuner_tell_benchmarks() -> None:
    """Below the autotuner's frames a kernel is measured; below the code alone it is called."""
    line = invoked(Timeline(), *called(TUNER, "aten.zero_", A, A), *called(CODE, A, A))
    result = match_launches(program(), line.trace())

    assert calls(result) == [None, None, None, "fkey/0", "fkey/1"]
    assert reasons(result)[:3] == [Reason.AUTOTUNE] * 3
    assert [c for _, c in paired(program(), line.trace())][3:] == ["exact", "exact"]


def test_what_follows_the_code_in_its_range_is_no_call() -> None:
    """Behind the last statement nothing is a call; a mutated input may be copied back there."""
    line = invoked(
        Timeline(), *called(CODE, A, B), (None, "aten._foreach_copy_"), (None, "aten.relu")
    )
    result = match_launches(program(), line.trace())

    assert calls(result) == ["fkey/0", "fkey/1", None, None]
    assert reasons(result)[2:] == [Reason.INPUTS, Reason.GLUE]


def test_what_is_copied_before_a_capture_begins_is_no_statement() -> None:
    """A capture lies in the graph range; what was copied before it began is not captured."""
    line = Timeline()
    begin = line.now
    line.run("aten.copy_").run("aten.fill_")
    line.rows.append(ApiRow("cudaStreamBeginCapture", line.now, line.now + 2, correlation=900))
    line.now += 5
    line.run(A).run("aten.copy_").run(B)
    line.range_since("## Call CompiledFxGraph fkey ##", begin - 1, RangeKind.ANNOTATION, at=0)
    result = match_launches(program(), line.trace())

    assert calls(result) == [None, None, "fkey/0", "fkey/1", "fkey/2"]
    assert reasons(result)[:2] == [Reason.INPUTS] * 2


def test_a_majority_of_runs_without_code_settles_nothing() -> None:
    """Where invocations differ, the most common shape may lack a call that the others show."""
    line = Timeline()
    for symbols in ((A, B), (A, C, B), (A, B), (A, B)):
        invoked(line, *called(None, *symbols))

    assert "exact" not in {c for _, c in paired(program(), line.trace())}


def _names() -> list[str]:
    return [A, "aten.mm", B]
