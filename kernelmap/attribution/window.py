"""Gives the launches that are counted (chosen steps, chosen side), and the time of their steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelmap.attribution.busy import BusyTime, steps_ns
from kernelmap.attribution.records import StepTime
from kernelmap.errors import UsageError
from kernelmap.model import NONE, Activity, Confidence, Matching, Notice
from kernelmap.model.trace import Bool, Int, Trace, distinct
from kernelmap.options import Options, Side

_MOST_STRETCHES = 8
_COMPILED = (Confidence.EXACT, Confidence.INFERRED, Confidence.AMBIGUOUS)


@dataclass(frozen=True, kw_only=True)
class Window:
    """`inside`: launches of the chosen steps; `counted`: those on the side whose time is counted.

    `step` is the ProfilerStep number of each launch, -1 without one; all (launches,).
    """

    side: Side
    step: Int
    inside: Bool
    counted: Bool


def window(trace: Trace, options: Options) -> Window:
    """The window of `options`; UsageError where no launch lies in its steps."""
    step = steps_of(trace)
    inside = np.ones(len(trace.launches), dtype=bool)
    if options.steps is not None:
        first, last = options.steps
        inside = (step >= first) & (step <= last)
        if not inside.any():
            raise UsageError(
                "no-such-steps",
                f"no launch lies in {_span(first, last)}",
                _steps_hint(trace),
            )
    on_cpu = trace.launches.on_cpu
    side = options.side
    if side is Side.AUTO:
        side = Side.CPU if (on_cpu | ~inside).all() else Side.GPU
    return Window(
        side=side,
        step=step,
        inside=inside,
        counted=inside & (on_cpu if side is Side.CPU else ~on_cpu),
    )


def apis_inside(trace: Trace, options: Options) -> Bool:
    """Mask of the api calls in the steps of `options`; (apis,)."""
    if options.steps is None:
        return np.ones(len(trace.apis), dtype=bool)
    step = _steps_at(trace, trace.apis.process, trace.apis.start_ns)
    return (step >= options.steps[0]) & (step <= options.steps[1])


def steps_of(trace: Trace) -> Int:
    """The ProfilerStep number of each launch, by its api call; -1 without one; (launches,)."""
    return _steps_at(trace, trace.launches.process, trace.launch_time_ns)


def _steps_at(trace: Trace, owner: Int, times: Int) -> Int:
    """The ProfilerStep number at each time in the process `owner`, -1 without one; (n,)."""
    number = np.full(len(times), NONE, dtype=np.int64)
    for process in {step.process for step in trace.steps}:
        steps = sorted((s for s in trace.steps if s.process == process), key=lambda s: s.start_ns)
        starts = np.array([step.start_ns for step in steps])
        ends = np.array([step.end_ns for step in steps])
        numbers = np.array([step.number for step in steps])
        rows = np.flatnonzero(np.equal(owner, process))
        at = np.searchsorted(starts, times[rows], side="right") - 1
        within = (at >= 0) & (times[rows] < ends[at])
        number[rows[within]] = numbers[at[within]]
    return number


def step_time(trace: Trace, matching: Matching, window: Window, busy: BusyTime) -> StepTime | None:
    """How much of the window's steps ran on the CPU, and in compiled code; None on the GPU's side.

    A step counts where a launch of the window lies in it.
    """
    numbers = set(distinct(window.step[window.counted]).tolist())
    steps = [step for step in trace.steps if step.number in numbers]
    if window.side is not Side.CPU or not steps:
        return None
    compiled = window.counted & np.isin(matching.confidence, _COMPILED)
    with_operators = np.equal(trace.launches.activity, Activity.OPERATOR).any()
    return StepTime(
        total_ns=steps_ns(steps),
        operators_ns=busy.in_steps_ns(window.counted, steps) if with_operators else None,
        compiled_ns=busy.in_steps_ns(compiled, steps),
    )


def missing_steps(trace: Trace, options: Options) -> tuple[Notice, ...]:
    """What to say where only some of the chosen steps are in the trace."""
    if options.steps is None:
        return ()
    first, last = options.steps
    there = {step.number for step in trace.steps if first <= step.number <= last}
    if len(there) == last - first + 1:
        return ()
    return (
        Notice(
            slug="steps-missing",
            message=f"of the steps {first} to {last} only {_in_words(there)} "
            f"{'is' if len(there) == 1 else 'are'} in the trace and counted",
            hint=_steps_hint(trace),
        ),
    )


def _steps_hint(trace: Trace) -> str:
    if not trace.steps:
        return "The trace has no ProfilerStep ranges: call prof.step(), or leave out --steps."
    return f"The trace has steps {_in_words({step.number for step in trace.steps})}."


def _span(first: int, last: int) -> str:
    return f"step {first}" if first == last else f"steps {first} to {last}"


def _in_words(numbers: set[int]) -> str:
    """`0 to 4, 8`: the stretches of whole numbers; of very many only the first and the last."""
    stretches: list[list[int]] = []
    for number in sorted(numbers):
        if stretches and stretches[-1][-1] == number - 1:
            stretches[-1][1:] = [number]
        else:
            stretches.append([number])
    if len(stretches) > _MOST_STRETCHES:
        return f"{min(numbers)} to {max(numbers)}, with gaps"
    return ", ".join(" to ".join(map(str, stretch)) for stretch in stretches)
