"""Gives the launches that are counted (chosen steps, chosen side) and their busy time.

Busy time is how long at least one launch of a group ran, streams of one device taken together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelmap.attribution.records import StepTime
from kernelmap.errors import UsageError
from kernelmap.model import NONE, Activity, Confidence, Matching, Notice
from kernelmap.model.self_time import stretches
from kernelmap.model.trace import Bool, Int, Launches, Step, Trace
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


def step_time(trace: Trace, matching: Matching, window: Window) -> StepTime | None:
    """How much of the window's steps ran on the CPU, and in compiled code; None on the GPU's side.

    A step counts where a launch of the window lies in it.
    """
    numbers = set(np.unique(window.step[window.counted]).tolist())
    steps = [step for step in trace.steps if step.number in numbers]
    if window.side is not Side.CPU or not steps:
        return None
    launches = trace.launches
    compiled = window.counted & np.isin(matching.confidence, _COMPILED)
    with_operators = np.equal(launches.activity, Activity.OPERATOR).any()
    counted = launches.take(window.counted)
    return StepTime(
        total_ns=steps_ns(steps),
        operators_ns=busy_in_steps_ns(trace, counted, steps) if with_operators else None,
        compiled_ns=busy_in_steps_ns(trace, launches.take(compiled), steps),
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


def busy_ns(trace: Trace, launches: Launches, group: Int, groups: int) -> Int:
    """Busy time of each group of `launches`, some rows of the trace; int64 (groups,).

    Ranks count devices on their own, so a GPU is a device of a trace, or of a process where the
    trace says that its processes count them. On the CPU, all threads of a process are one.
    """
    scope = np.array([process.trace for process in trace.processes], dtype=np.int64)
    device = launches.device - launches.device.min(initial=0)
    gpu = scope[launches.process] * (device.max(initial=0) + 1) + device
    for owner in sorted({it.process for it in trace.devices if it.process is not None}):
        mine = np.equal(launches.process, owner)
        gpu[mine] = device[mine] + gpu.max(initial=0) + 1
    on_cpu = launches.on_cpu
    if not on_cpu.any():
        return union_ns(group, gpu, launches.start_ns, launches.dur_ns, groups)
    gpu[on_cpu] = gpu.max(initial=0) + 1 + launches.process[on_cpu]
    ran = stretches(launches, trace.ranges)
    return union_ns(group[ran.of], gpu[ran.of], ran.start_ns, ran.end_ns - ran.start_ns, groups)


def busy_in_steps_ns(trace: Trace, launches: Launches, steps: Sequence[Step]) -> int:
    """How long at least one of `launches` ran on the host within `steps`, process by process."""
    ran = stretches(launches, trace.ranges)
    launched = (launches.process[ran.of], ran.start_ns, ran.end_ns)
    spans = np.array([(s.process, s.start_ns, s.end_ns) for s in steps], dtype=np.int64)
    around = tuple(spans.reshape(-1, 3).T)
    both = [np.concatenate(pair) for pair in zip(launched, around, strict=True)]
    # What lies in both is what the two lengths have too much of beside their union.
    return _length_ns(*launched) + _length_ns(*around) - _length_ns(*both)


def steps_ns(steps: Sequence[Step]) -> int:
    """The time of `steps`; where those of a process overlap, it counts once."""
    spans = np.array([(s.process, s.start_ns, s.end_ns) for s in steps], dtype=np.int64)
    return _length_ns(*spans.reshape(-1, 3).T)


def _length_ns(process: Int, start_ns: Int, end_ns: Int) -> int:
    one = np.zeros(len(process), dtype=np.int64)
    return int(union_ns(one, process, start_ns, end_ns - start_ns, groups=1)[0])


def union_ns(group: Int, device: Int, start_ns: Int, dur_ns: Int, groups: int) -> Int:
    """Length of the union of each group's intervals, summed over devices.

    Shapes: the columns (n,), result int64 (groups,); `group` counts from 0. Intervals of different
    devices never merge.
    """
    total = np.zeros(groups, dtype=np.int64)
    if len(group) == 0:
        return total
    order = np.lexsort((start_ns, device, group))
    group, device, start = group[order], device[order], start_ns[order]
    end = start + dur_ns[order]
    fresh = np.ones(len(group), dtype=bool)
    fresh[1:] = (group[1:] != group[:-1]) | (device[1:] != device[:-1])
    bounds = np.flatnonzero(fresh)
    reach = np.empty_like(end)
    for first, last in zip(bounds, [*bounds[1:], len(group)], strict=True):
        np.maximum.accumulate(end[first:last], out=reach[first:last])
    covered = start.copy()
    covered[1:] = np.where(fresh[1:], start[1:], np.maximum(start[1:], reach[:-1]))
    np.add.at(total, group, np.maximum(end - covered, 0))
    return total
