"""Chosen steps: what is there is counted, what is not is said."""

from __future__ import annotations

import pytest

from kernelmap.attribution.window import choose_window, missing_steps
from kernelmap.errors import UsageError
from kernelmap.model import Trace
from kernelmap.options import Options
from kernelmap.traces.assemble import assemble_trace
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace


def with_steps(*numbers: int) -> Trace:
    """A trace with one launch in each of the steps."""
    rows: list[TraceRow] = []
    for number in numbers:
        at = number * 100
        rows += [
            RangeRow(f"ProfilerStep#{number}", at, at + 90),
            ApiRow("cudaLaunchKernel", at + 10, at + 20, correlation=number + 1),
            LaunchRow("k", at + 30, at + 40, correlation=number + 1),
        ]
    return assemble_trace(raw_trace(rows))


@pytest.mark.parametrize(
    ("chosen", "message", "hint"),
    [
        ((2, 9), "of the steps 2 to 9 only 2 to 3, 7 are in the trace", "0 to 3, 7"),
        ((7, 8), "of the steps 7 to 8 only 7 is in the trace", "0 to 3, 7"),
        ((0, 10**30), "only 0 to 3, 7 are in the trace", "0 to 3, 7"),
    ],
)
def test_steps_that_are_missing_are_said(chosen: tuple[int, int], message: str, hint: str) -> None:
    """If the trace has part of a span, both are named, and the part is counted."""
    trace = with_steps(0, 1, 2, 3, 7)
    (notice,) = missing_steps(trace, Options(steps=chosen))

    assert message in notice.message
    assert notice.hint == f"The trace has steps {hint}."
    assert not notice.gap
    assert choose_window(trace, Options(steps=chosen)).inside.any()


@pytest.mark.parametrize("chosen", [None, (0, 3), (7, 7)])
def test_steps_that_are_there_need_no_word(chosen: tuple[int, int] | None) -> None:
    """A span that is there as a whole, or no span, leads to no notice."""
    assert missing_steps(with_steps(0, 1, 2, 3, 7), Options(steps=chosen)) == ()


@pytest.mark.parametrize(
    ("chosen", "message"), [((5, 5), "in step 5"), ((4, 6), "in steps 4 to 6")]
)
def test_no_step_at_all_is_an_error(chosen: tuple[int, int], message: str) -> None:
    """Where no chosen step exists there is nothing to count, and the hint says what there is."""
    with pytest.raises(UsageError, match=message) as caught:
        choose_window(with_steps(0, 1, 2, 3, 7), Options(steps=chosen))

    assert caught.value.hint == "The trace has steps 0 to 3, 7."


def test_many_gaps_are_not_listed() -> None:
    """A trace of every second step is described by its first and last step."""
    (notice,) = missing_steps(with_steps(*range(0, 60, 2)), Options(steps=(0, 60)))

    assert notice.hint == "The trace has steps 0 to 58, with gaps."
