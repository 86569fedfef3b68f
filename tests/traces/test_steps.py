"""Which steps of a trace are complete, and why others are not."""

from __future__ import annotations

import pytest

from kernelmap.model import Trace
from kernelmap.model.trace import Incomplete
from kernelmap.traces.assemble import assemble_trace
from kernelmap.traces.steps import with_recorded_steps
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

FORWARD, BACKWARD = "## Call CompiledFxGraph fkey ##", "## Call CompiledFxGraph bkey ##"
OPTIMIZER = "Optimizer.step#AdamW.step"
WHOLE = (FORWARD, BACKWARD, OPTIMIZER)
STUB, CUT, LATE = Incomplete.NOT_COMPILED, Incomplete.AT_END, Incomplete.AT_BEGIN


def world(*steps: tuple[str, ...], kernel: str = "k", pid: str = "1", first: int = 0) -> Trace:
    """A trace whose steps have a launch, and one more in each of the ranges that are named."""
    return assemble_trace(raw_trace(rows(*steps, kernel=kernel, pid=pid, first=first)))


def rows(
    *steps: tuple[str, ...], kernel: str = "k", pid: str = "1", first: int = 0
) -> list[TraceRow]:
    made: list[TraceRow] = []
    for number, ranges in enumerate(steps, first):
        begin = number * 1000
        made.append(RangeRow(f"ProfilerStep#{number}", begin, begin + 990, pid=pid))
        for at, name in enumerate(("aten::randn", *ranges)):
            start, correlation = begin + 10 + at * 100, number * 100 + at + 1
            made += [
                RangeRow(name, start, start + 90, pid=pid),
                ApiRow("cudaLaunchKernel", start + 10, start + 20, correlation, pid=pid),
                LaunchRow(kernel if at else "fill", start + 30, start + 40, correlation, pid=pid),
            ]
    return made


def why(trace: Trace) -> list[Incomplete | None]:
    return [step.incomplete for step in trace.steps]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        # What comes after the last step, or before the first one.
        ([WHOLE, ()], [None, STUB]),
        ([WHOLE, WHOLE, ()], [None, None, STUB]),
        ([WHOLE, WHOLE, (OPTIMIZER,)], [None, None, STUB]),
        ([(OPTIMIZER,), WHOLE, WHOLE], [STUB, None, None]),
        # A step that the recording's ends cut.
        ([WHOLE, WHOLE, (FORWARD,)], [None, None, CUT]),
        ([WHOLE, WHOLE, (FORWARD, BACKWARD)], [None, None, CUT]),
        ([(BACKWARD, OPTIMIZER), WHOLE, WHOLE], [LATE, None, None]),
        # Both, of which one hides what is usual from the other.
        ([(OPTIMIZER,), WHOLE, WHOLE, ()], [STUB, None, None, STUB]),
        ([(BACKWARD, OPTIMIZER), WHOLE, WHOLE, (FORWARD,)], [LATE, None, None, CUT]),
        ([(OPTIMIZER,), WHOLE, ()], [STUB, None, CUT]),
        # Eager training shows its steps by its optimizer.
        ([(OPTIMIZER,), (OPTIMIZER,), ()], [None, None, CUT]),
    ],
)
def test_a_piece_of_a_step_is_known(
    steps: list[tuple[str, ...]], expected: list[Incomplete | None]
) -> None:
    """The first or last step is a piece if it lacks what every other step runs."""
    assert why(world(*steps)) == expected


@pytest.mark.parametrize(
    "steps",
    [
        [WHOLE],  # the only one
        [()],
        [(), (), ()],  # eager code, or inference that compiles nothing
        [WHOLE, WHOLE, WHOLE],
        [WHOLE, (FORWARD, BACKWARD)],  # one of two accumulates gradients
        [(FORWARD, BACKWARD), WHOLE, (FORWARD, BACKWARD)],
        [WHOLE, (FORWARD, BACKWARD), WHOLE],
        [(FORWARD,) * 4, (FORWARD,) * 4, (FORWARD,)],  # fewer batches are left
        [WHOLE, WHOLE, ("## Call CompiledFxGraph small ##",)],  # a last batch of another size
        [WHOLE, WHOLE, (*WHOLE, "## Call CompiledFxGraph evaluation ##")],
        [WHOLE, (), WHOLE],  # only ends are cut
        [(), WHOLE, ()],  # nothing is usual
        [(FORWARD,), (BACKWARD,), (FORWARD,)],
        [WHOLE, WHOLE, (BACKWARD, OPTIMIZER)],  # the end cuts no beginning,
        [(FORWARD, BACKWARD), WHOLE, WHOLE],  # nor the beginning an end
        [(FORWARD, BACKWARD), (BACKWARD, FORWARD), (FORWARD,)],  # in no order
    ],
)
def test_steps_that_differ_are_complete(steps: list[tuple[str, ...]]) -> None:
    """A step that runs what others do not, or the same less often, counts, as does a single one."""
    assert set(why(world(*steps))) == {None}


@pytest.mark.parametrize(
    "ranges",
    [
        ["Torch-Compiled Region: 0/0"],
        ["graph_0_inductor_wrapper_call"],
        ["kernelmap:1 graph 3f2ab4c5d6e7f801 0_forward 0/0"],
        ["triton_poi_fused_add_0"],
        ["graph_0_cpp_fused_add_1"],
        ["kernels_.triton_red_fused_sum_0"],
    ],
)
def test_compiled_code_is_known_by_any_of_its_ranges(ranges: list[str]) -> None:
    """Torch of any age, Nsight Systems, a capture's marks and C++ wrappers name it otherwise."""
    assert why(world(tuple(ranges), tuple(ranges), ())) == [None, None, STUB]


def test_kernels_alone_show_compiled_code() -> None:
    """Where no range of the host was recorded but the steps, names of kernels tell."""
    no_ranges = [
        row
        for row in rows(WHOLE, WHOLE, (), kernel="triton_poi_fused_add_0")
        if not isinstance(row, RangeRow) or row.name.startswith("ProfilerStep#")
    ]

    assert why(assemble_trace(raw_trace(no_ranges))) == [None, None, STUB]


def test_steps_of_each_process_are_judged_by_its_own() -> None:
    """A process that compiles nothing is no measure for one that does, nor the other way round."""
    trace = assemble_trace(
        raw_trace(rows(WHOLE, WHOLE, ()), source="a", rank=0),
        raw_trace(rows((), (), ()), source="b", rank=1),
    )
    of_process = [
        [step.incomplete for step in trace.steps if step.process == process] for process in range(2)
    ]

    assert of_process == [[None, None, STUB], [None, None, None]]


def test_an_empty_last_step_hides_no_piece() -> None:
    """The profiler opens one more step when the last has ended; where nothing ran it is no step."""
    made = [*rows(WHOLE, WHOLE, (FORWARD,)), RangeRow("ProfilerStep#3", 3000, 3001)]

    assert why(assemble_trace(raw_trace(made))) == [None, None, CUT, None]


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        ((0, 2), [None, None, None]),
        ((0, 1), [None, None, CUT]),
        ((1, 2), [LATE, None, None]),
        ((7, 9), [None, None, STUB]),  # of another trace
    ],
)
def test_what_a_capture_says_decides(
    recorded: tuple[int, int], expected: list[Incomplete | None]
) -> None:
    """Steps that it recorded whole are complete, whatever ran in them, and others are not."""
    trace = with_recorded_steps(world(WHOLE, WHOLE, ()), {0: recorded})

    assert why(trace) == expected
