"""What is counted: the launches of the chosen steps, on the chosen side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelmap.errors import UsageError
from kernelmap.model import NONE, Activity, Notice, Trace
from kernelmap.model.trace import Bool, Int
from kernelmap.options import Options, Side

_MOST_STRETCHES = 8


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
    on_cpu = np.equal(trace.launches.activity, Activity.CPU)
    side = options.side
    if side is Side.AUTO:
        side = Side.CPU if (on_cpu | ~inside).all() else Side.GPU
    return Window(
        side=side,
        step=step,
        inside=inside,
        counted=inside & (on_cpu if side is Side.CPU else ~on_cpu),
    )


def steps_of(trace: Trace) -> Int:
    """The ProfilerStep number of each launch, by its api call; -1 without one; (launches,)."""
    found = np.full(len(trace.launches), NONE, dtype=np.int64)
    times = trace.launch_time_ns
    for process in {step.process for step in trace.steps}:
        steps = sorted((s for s in trace.steps if s.process == process), key=lambda s: s.start_ns)
        starts = np.array([step.start_ns for step in steps])
        ends = np.array([step.end_ns for step in steps])
        numbers = np.array([step.number for step in steps])
        rows = np.flatnonzero(np.equal(trace.launches.process, process))
        at = np.searchsorted(starts, times[rows], side="right") - 1
        within = (at >= 0) & (times[rows] < ends[at])
        found[rows[within]] = numbers[at[within]]
    return found


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
