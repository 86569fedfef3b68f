"""Which steps a trace of a serving engine has."""

from __future__ import annotations

from kernelmap.model import Trace
from kernelmap.model.trace import Incomplete, Step, StepKind
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

PREFILL = "execute_context_2(512)_generation_0(0)"
DECODE = "execute_context_0(0)_generation_8(8)"


def trace_of(*names: str, profiled: bool = False, captures: int | None = None) -> Trace:
    """Ranges one after the other, each with a launch, and between two a launch of the sampler."""
    made: list[TraceRow] = []
    for number, name in enumerate(names):
        begin = number * 1000
        if profiled:
            made.append(RangeRow(f"ProfilerStep#{number + 5}", begin, begin + 990))
        made.append(RangeRow(name, begin + 10, begin + 800))
        if number == captures:
            made.append(ApiRow("cudaStreamBeginCapture", begin + 20, begin + 25, -1))
        for at, start in enumerate((begin + 100, begin + 850)):
            correlation = 2 * number + at + 1
            made += [
                ApiRow("cudaLaunchKernel", start, start + 10, correlation),
                LaunchRow("k", start + 30, start + 40, correlation),
            ]
    return assemble_trace(raw_trace(made))


def said(step: Step) -> tuple[int, StepKind | None, int | None, int | None]:
    return step.number, step.kind, step.batch, step.tokens


def test_ranges_of_an_engine_are_steps() -> None:
    """Without ProfilerStep ranges the engine's are the steps, numbered in the order of time."""
    steps = trace_of(PREFILL, DECODE, "step[DECODE bs=4]").steps
    assert [said(step) for step in steps] == [
        (0, StepKind.PREFILL, 2, 512),
        (1, StepKind.DECODE, 8, 8),
        (2, StepKind.DECODE, 4, None),
    ]
    assert all(step.incomplete is None for step in steps)
    assert [(step.start_ns, step.end_ns) for step in steps][1] == (1010, 1800)


def test_profiler_steps_keep_their_numbers_and_are_told_the_kind() -> None:
    """Where the profiler marks steps, these stay the steps; the engine says of which kind."""
    steps = trace_of(PREFILL, DECODE, profiled=True).steps
    assert [said(step) for step in steps] == [
        (5, StepKind.PREFILL, 2, 512),
        (6, StepKind.DECODE, 8, 8),
    ]
    assert (steps[0].start_ns, steps[0].end_ns) == (0, 990)


def test_a_profiler_step_around_several_has_no_kind() -> None:
    """Two engine steps in one ProfilerStep: nobody says of which kind all of it is."""
    rows: list[TraceRow] = [
        RangeRow("ProfilerStep#0", 0, 5000),
        RangeRow(PREFILL, 10, 1000),
        RangeRow(DECODE, 1010, 2000),
        ApiRow("cudaLaunchKernel", 20, 30, 1),
        LaunchRow("k", 40, 50, 1),
    ]
    (step,) = assemble_trace(raw_trace(rows)).steps
    assert (step.kind, step.batch, step.engine) == (None, None, "vLLM")


def test_of_ranges_in_one_another_the_outermost_is_the_step() -> None:
    """A step in a step, or the same one written twice, counts once."""
    rows: list[TraceRow] = [
        RangeRow(DECODE, 0, 1000),
        RangeRow(DECODE, 0, 1000),
        RangeRow("step[DRAFT_EXTEND bs=8]", 100, 500),
        ApiRow("cudaLaunchKernel", 20, 30, 1),
        LaunchRow("k", 40, 50, 1),
    ]
    (step,) = assemble_trace(raw_trace(rows)).steps
    assert said(step) == (0, StepKind.DECODE, 8, 8)


def test_a_step_that_captures_is_none() -> None:
    """A step in which CUDA graphs are captured is no complete one."""
    for profiled in (False, True):
        steps = trace_of(DECODE, DECODE, DECODE, captures=0, profiled=profiled).steps
        assert [step.incomplete for step in steps] == [Incomplete.CAPTURES, None, None]
    plain = trace_of("train", "train", captures=0, profiled=True).steps
    assert [step.incomplete for step in plain] == [None, None]


def test_parts_of_the_runner_are_steps_without_a_kind() -> None:
    """`gpu_model_runner: …` ranges make a step of all parts up to the next preprocessing."""
    parts = ("preprocess", "forward", "postprocess", "sample")
    names = [f"gpu_model_runner: {part}" for part in (*parts[2:], *parts, *parts)]
    steps = trace_of(*names).steps
    assert [(step.start_ns, step.end_ns, step.kind) for step in steps] == [
        (2010, 5800, None),
        (6010, 9800, None),
    ]


def test_a_step_of_another_kind_is_no_piece() -> None:
    """A decode step that a CUDA graph runs, behind prefills that run compiled code, is complete."""
    rows: list[TraceRow] = []
    for number, name in enumerate((PREFILL, PREFILL, PREFILL, DECODE)):
        begin = number * 1000
        kernel = "triton_poi_fused_add_0" if name == PREFILL else "attention_2d"
        rows += [
            RangeRow(name, begin, begin + 900),
            ApiRow("cudaLaunchKernel", begin + 10, begin + 20, number + 1),
            LaunchRow(kernel, begin + 30, begin + 40, number + 1),
        ]
    steps = assemble_trace(raw_trace(rows)).steps
    assert [step.incomplete for step in steps] == [None] * 4
