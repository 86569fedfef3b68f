"""The trace's steps and the options → which launches count, and how long their steps took.

Beside them, what should be among them: launching api calls without an activity on the GPU, captured
into a CUDA or HIP graph, or lost. What was captured is missing only where no replay was recorded
(host_side/recording.py). Everything else that the host launched runs once, so no activity means
that the profiler lost it or stopped too early: time that no table can hold.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import numpy as np
from msgspec import Struct

from kernelmap.attribution.records import StepTime
from kernelmap.commands import name_option, say_captures_teach
from kernelmap.errors import UsageError
from kernelmap.facts.api_calls import is_graph_launch
from kernelmap.facts.engine_options import options_of_engine
from kernelmap.matching.host_side.recording import (
    activity_launched_by,
    capture_spans,
    named_apis,
    outermost_launches,
    silent_launches,
)
from kernelmap.model import NONE, Activity, Confidence, Matching, Notice
from kernelmap.model.busy_time import BusyTime, steps_ns
from kernelmap.model.columns import distinct_values
from kernelmap.model.notices import format_count, format_duration
from kernelmap.model.steps import step_positions
from kernelmap.model.trace import Bool, Incomplete, Int, Trace
from kernelmap.options import Options, Side

_MOST_STRETCHES = 8
"""Stretches of missing steps that a notice names; more are counted."""
_COMPILED = (Confidence.EXACT, Confidence.INFERRED, Confidence.AMBIGUOUS)


class Window(Struct, frozen=True, kw_only=True):
    """`inside`: launches of the chosen steps; `counted`: those on the side whose time is counted.

    `step` is the ProfilerStep number of each launch, -1 without one; all (launches,).
    """

    side: Side
    step: Int
    inside: Bool
    counted: Bool


class ChosenSteps(Struct, frozen=True, kw_only=True):
    """Which steps of a trace a window takes, each a column over the steps and, last, over no step.

    `number` is the ProfilerStep number, -1 where the time counts and the step does not; `inside` is
    whether the time counts.
    """

    number: Int
    inside: Bool


def chosen_steps(trace: Trace, options: Options) -> ChosenSteps:
    """The steps that `options` name; else all time counts but that of incomplete steps.

    Where a process has no complete step, the time of the others counts: there is nothing better to
    count. As they are no steps, it is time without a step.
    """
    # All columns here have one entry per step, then one for no step, which is of no process and
    # never incomplete; (steps + 1,).
    number = np.array([*(step.number for step in trace.steps), NONE], dtype=np.int64)
    if options.steps is not None:
        first, last = options.steps
        return ChosenSteps(number=number, inside=(number >= first) & (number <= last))
    incomplete = np.array([*(step.incomplete is not None for step in trace.steps), False])
    process = np.array([*(step.process for step in trace.steps), NONE], dtype=np.int64)
    # Mask of the steps in which something was launched; only these make a process one with
    # complete steps.
    launched = np.zeros(len(number), dtype=bool)
    launched[_step_positions(trace)] = True
    has_complete = np.isin(process, process[:-1][launched[:-1] & ~incomplete[:-1]])
    return ChosenSteps(
        number=np.where(incomplete & ~has_complete, NONE, number),
        inside=~(incomplete & has_complete),
    )


def choose_window(trace: Trace, options: Options) -> Window:
    """The window of `options`; UsageError where no launch lies in its steps."""
    chosen, position = chosen_steps(trace, options), _step_positions(trace)
    inside = chosen.inside[position]
    if options.steps is not None and not inside.any():
        raise UsageError(
            "no-such-steps",
            f"no launch lies in {_say_span(*options.steps)}",
            _steps_hint(trace),
        )
    on_cpu = trace.launches.on_cpu
    side = options.side
    # Time of the CPU counts only where nothing in the window ran on a GPU.
    if side is Side.AUTO:
        side = Side.CPU if (on_cpu | ~inside).all() else Side.GPU
    return Window(
        side=side,
        step=chosen.number[position],
        inside=inside,
        counted=inside & _on_side(trace, side),
    )


def _on_side(trace: Trace, side: Side) -> Bool:
    on_cpu = trace.launches.on_cpu
    return on_cpu if side is Side.CPU else ~on_cpu


def apis_inside(trace: Trace, options: Options) -> Bool:
    """Mask of the api calls in the steps of `options`; (apis,)."""
    position = step_positions(trace.steps, trace.apis.process, trace.apis.start_ns)
    return chosen_steps(trace, options).inside[position]


def _step_positions(trace: Trace) -> Int:
    """The position of each launch's step in `trace.steps`, by its api call; -1 without one."""
    return step_positions(trace.steps, trace.launches.process, trace.launch_time_ns)


def step_time(trace: Trace, matching: Matching, window: Window, busy: BusyTime) -> StepTime | None:
    """How much of the window's steps ran on the CPU, and in compiled code; None on the GPU's side.

    A step counts where a launch of the window lies in it.
    """
    in_steps = distinct_values(_step_positions(trace)[window.counted & (window.step >= 0)])
    steps = [trace.steps[at] for at in in_steps.tolist()]
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


def incomplete_steps(trace: Trace, options: Options) -> Iterator[Notice]:
    """What to say of the steps that are only pieces of a step, where anything was launched in them.

    A step of several processes is said once.
    """
    if all(step.incomplete is None for step in trace.steps):
        return
    chosen, position = chosen_steps(trace, options), _step_positions(trace)
    on_side = _on_side(trace, choose_window(trace, options).side)
    # By number, whether it counts, and reason: the same step of several processes, as positions
    # in the trace.
    pieces: dict[tuple[int, bool, Incomplete], list[int]] = defaultdict(list)
    for at, step in enumerate(trace.steps):
        if step.incomplete is not None and (on_side & np.equal(position, at)).any():
            pieces[step.number, bool(chosen.inside[at]), step.incomplete].append(at)
    for (number, is_inside, why), steps in sorted(pieces.items()):
        rows = on_side & np.isin(position, steps)
        what = f"step {number} {why}"
        time_ns = int(trace.launches.dur_ns[rows].sum())
        took = f"{format_count(int(rows.sum()), 'launch')}, {format_duration(time_ns)}"
        if options.steps is not None:
            message = f"{what}, and counts because {name_option('steps')} names it: {took}"
            hint = "Times per step are those of complete steps where it is left out."
        elif is_inside:
            message = (
                f"{what}, and no other was recorded: its time counts, as that of no step ({took})"
            )
            hint = "Record some whole steps for times per step."
        else:
            message = f"{what}, and is not counted as a step: {took}"
            hint = f"{name_option('steps', str(number))} counts it."
        if is_inside or options.steps is None:
            yield Notice(slug="step-incomplete", message=message, hint=hint)


def _steps_hint(trace: Trace) -> str:
    if not trace.steps:
        marks = "call prof.step()"
        if (options := options_of_engine(trace)) is not None:
            marks = "the engine marks none"
            marks += f" without {options.marks}" if options.marks else ""
        return (
            f"The trace has no ProfilerStep ranges: {marks}, or leave out {name_option('steps')}."
        )
    return f"The trace has steps {_in_words({step.number for step in trace.steps})}."


def _say_span(first: int, last: int) -> str:
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


_WORDS = {
    Activity.KERNEL: "kernels",
    Activity.MEMCPY: "memcpy",
    Activity.MEMSET: "memset",
    Activity.GRAPH: "graph replays",
}
_Process = tuple[str | None, int | None]


class Unrecorded(Struct, frozen=True, kw_only=True):
    """Launching api calls of the window: all, and those without an activity.

    `captured` went into graphs of which no replay was recorded; `lost` are the others, by what they
    launch. Some of those may have been captured where `may_be_captured` says so: most launches of
    their process left nothing, and the calls that begin and end a capture may be missing.
    """

    launching: int = 0
    captured: int = 0
    lost: Mapping[Activity, int] = {}
    may_be_captured: bool = False

    @property
    def missing(self) -> int:
        """How many launches the profiler lost."""
        return sum(self.lost.values())

    @property
    def captured_words(self) -> str:
        """What was captured only, as a sentence."""
        return (
            f"{format_count(self.captured, 'launch')} went into a CUDA or HIP graph of which no "
            "replay was recorded: their time is not in the result"
        )

    @property
    def missing_words(self) -> str:
        """What the profiler lost, as a sentence."""
        kinds = ", ".join(f"{_WORDS[kind]} {number:,}" for kind, number in self.lost.items())
        return (
            f"{self.missing:,} of {format_count(self.launching, 'launch')} on the host left no GPU"
            f" activity ({kinds}): their time is not in the result"
        )

    def iter_notices(self, trace: Trace) -> Iterator[Notice]:
        """What a person should know beside the result of the trace."""
        options = options_of_engine(trace)
        if self.captured:
            yield Notice(
                slug="captured-only",
                message=self.captured_words,
                hint="Record steps that replay the graph as well, or some without graphs"
                f"{f' ({options.without_graphs})' if options else ''}. "
                f"{say_captures_teach(trace.sources)}",
                gap=True,
            )
        if self.missing:
            yield Notice(
                slug="activity-missing",
                message=self.missing_words,
                hint=say_how_to_lose_nothing(trace)
                + (
                    f" {say_captures_teach(trace.sources, may_be=True)}"
                    if self.may_be_captured
                    else ""
                ),
                gap=True,
            )


def say_how_to_lose_nothing(trace: Trace) -> str:
    """What to do so that the profiler loses nothing at its end; of an engine in its own words."""
    if options_of_engine(trace) is not None:
        return "Stop the profile when no request runs any more."
    return "Call torch.cuda.synchronize() before the profiler stops."


def find_unrecorded(trace: Trace, apis: Bool, launches: Bool) -> Unrecorded:
    """The launches without an activity among `apis` (apis,); `launches` (launches,) count."""
    kind = activity_launched_by(trace.apis)
    rows = np.flatnonzero(apis & (kind >= 0))
    # Launching api calls that should have left an activity, and left none.
    silent = rows[~_has_activity(trace)[rows] & _is_linked(trace)[rows]]
    captured, lost = 0, np.ones(len(silent), dtype=bool)
    replays = _sizes_of_replays(trace, launches)
    # What went into a capture runs with its replays: if a graph of about its size was replayed,
    # nothing is missing.
    for process, inside in _iter_captured(trace, silent):
        size = int((inside & lost).sum())
        captured += 0 if not size or _take_replay(replays, process, size) else size
        # In any case it was not lost.
        lost &= ~inside
    # So does what looks like a capture whose beginning and end were not recorded. Without a replay
    # of it nobody knows whether it was one.
    may_be_captured = False
    for process, inside in _iter_capture_like(trace, silent):
        size = int((inside & lost).sum())
        if size and _take_replay(replays, process, size):
            lost &= ~inside
        else:
            may_be_captured |= bool(size)
    kinds = Counter(kind[silent[lost]].tolist())
    return Unrecorded(
        launching=len(rows),
        captured=captured,
        lost={activity: kinds[activity] for activity in _WORDS if kinds[activity]},
        may_be_captured=may_be_captured,
    )


def _is_linked(trace: Trace) -> Bool:
    """Mask of the api calls of processes whose profile says which call launched what; (apis,).

    Where no activity of a process has its call, a call without activity says nothing.
    """
    launches = trace.launches
    # Processes with GPU activities, and those of them in which at least one has its api call.
    active = distinct_values(launches.process[~launches.on_cpu])
    linked = distinct_values(launches.process[launches.api >= 0])
    return ~np.isin(trace.apis.process, active[~np.isin(active, linked)])


def _has_activity(trace: Trace) -> Bool:
    """Mask of the api calls that are the host side of an activity, or share its correlation id.

    A call has the activity of one that lies within it and launches, too.
    """
    apis, launches = trace.apis, trace.launches
    mask = np.zeros(len(apis), dtype=bool)
    # Direct launches, and those that made the node of a replayed graph.
    for linked in (launches.api, launches.origin):
        mask[linked[linked >= 0]] = True
    has_id = apis.correlation >= 0
    # One number per process and correlation id: an id belongs to one launch, whichever of its api
    # calls is linked.
    ids, number = np.unique(apis.correlation, return_inverse=True)
    key = apis.process * max(len(ids), 1) + number
    mask |= has_id & np.isin(key, key[mask & has_id])
    # Where an inner call is linked, as on Intel's devices, the outer one has the activity, too.
    outermost = outermost_launches(apis)[mask]
    mask[outermost[outermost >= 0]] = True
    return mask


def _iter_captured(trace: Trace, silent: Int) -> Iterator[tuple[_Process, Bool]]:
    """The process of each capture, and which of the `silent` api calls went into it."""
    process, start = trace.apis.process[silent], trace.apis.start_ns[silent]
    for of, begin, end in capture_spans(trace.apis):
        yield _name_of_process(trace, of), np.equal(process, of) & (start > begin) & (start < end)


def _iter_capture_like(trace: Trace, silent: Int) -> Iterator[tuple[_Process, Bool]]:
    """As `_iter_captured`, for what may have been captured without a recorded begin and end.

    Not in a process that replays graphs: it lost the work. Nor in what nsys recorded, which leaves
    out no call of CUDA.
    """
    replaying = trace.apis.process[named_apis(trace.apis, is_graph_launch)]
    for rows in silent_launches(trace):
        of = int(trace.apis.process[rows[0]])
        if of not in replaying and not trace.by_nsys[trace.processes[of].trace]:
            yield _name_of_process(trace, of), np.isin(silent, rows)


def _sizes_of_replays(trace: Trace, counted: Bool) -> dict[_Process, list[int | None]]:
    """Per process how many activities each recorded graph has, None where it is one activity.

    Replays of the same names are one graph.
    """
    launches = trace.launches
    by_graph = np.append(named_apis(trace.apis, is_graph_launch), False)[launches.api]
    rows = np.flatnonzero(counted & by_graph)
    # Replayed launches by graph launch, then name: replays that launch the same names have equal
    # bytes below.
    rows = rows[np.lexsort((launches.name_id[rows], launches.api[rows]))]
    graphs_of: dict[_Process, dict[bytes, int | None]] = {}
    for part in np.split(rows, np.flatnonzero(np.diff(launches.api[rows])) + 1):
        if len(part):
            # A replay that was recorded as one activity says nothing of its size.
            whole = bool((launches.activity[part] == Activity.GRAPH).any())
            names = launches.graph[part] if whole else launches.name_id[part]
            sizes = graphs_of.setdefault(
                _name_of_process(trace, int(launches.process[part[0]])), {}
            )
            sizes[names.tobytes()] = None if whole else len(part)
    return {process: list(graphs.values()) for process, graphs in graphs_of.items()}


def _take_replay(replays: dict[_Process, list[int | None]], process: _Process, size: int) -> bool:
    """Whether a graph of about `size` activities was replayed; it stands for one capture only.

    A capture may hold a few launches more than a replay: what it empties or copies aside.
    """
    graphs = replays.get(process, [])
    # A tenth, and one of few: with more, a graph of another size would hide that one is missing.
    near = [n for n in graphs if n is None or abs(n - size) <= max(1, max(n, size) // 10)]
    if near:
        # The nearest in size is used up; one of unknown size fits any capture.
        graphs.remove(min(near, key=lambda n: 0 if n is None else abs(n - size)))
    return bool(near)


def _name_of_process(trace: Trace, row: int) -> _Process:
    """A process by what names it, also over several files."""
    return trace.processes[row].pid, trace.processes[row].rank
