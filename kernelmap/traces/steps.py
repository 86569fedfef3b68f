"""Ranges → the steps of a trace, and which of them are only pieces of a step.

Steps are `ProfilerStep` ranges; in a process without any the steps of a serving engine, numbered in
the order of time (engine_steps.py).

Times are divided by the number of steps, so a piece must not count as one: a program that ended
1.4 ms into its last step, beside steps of 80 ms, would seem 11 % faster than itself. Only the first
and the last step of a process can be a piece: a recording cuts steps at its ends. One is a piece if

1. the program's capture says that it was not recorded whole. What a capture says decides; the other
   signs count where there is none (`with_recorded_steps`);
2. its range was still open when the recording stopped, as Nsight Systems shows;
3. it runs no compiled code, and every other step does. After the last `prof.step()` a loop still
   reads its loss or saves the model, and that is a range of its own until the profiler stops;
4. of the graphs and optimizers that every other step runs, in one order, it runs only the first (at
   the end) or only the last ones (at the beginning), and nothing else of the kind. At least two
   others have to show what is usual: of two steps, one may run an optimizer and the other only
   accumulate gradients.

So a step is complete if it runs a graph of its own (a last batch of another size), runs the usual
ones less often or in less time, or is the only one; so is a step of a serving engine, which the
engine's range marks from beginning to end. Where all steps are alike, they are complete,
whether they run compiled code or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model import names
from kernelmap.model.columns import by_name, distinct_values
from kernelmap.model.marks import MarkedGraph, decode_mark, is_mark
from kernelmap.model.steps import step_positions
from kernelmap.model.trace import Incomplete, Ranges, Step, Trace
from kernelmap.traces.engine_steps import with_engine_steps

_USUAL = 2
"""Steps that have to run something before another one can be said to lack it (sign 4)."""


class _StepWork(Struct, frozen=True):
    """What a step runs: `parts` are names of graphs and optimizers in the order of first runs.

    `runs` is whether anything ran that counts, `compiled` whether compiled code did.
    """

    parts: tuple[int, ...]
    runs: bool
    compiled: bool


def find_steps(trace: Trace, stopped_ns: Mapping[int, int]) -> tuple[Step, ...]:
    """The steps of a linked trace, in the order of time.

    `stopped_ns` is by process when its recording stopped, where ranges were still open then.
    """
    steps = [
        # A range that was still open when recording stopped has that moment as its end.
        replace(step, incomplete=Incomplete.AT_END)
        if step.end_ns == stopped_ns.get(step.process)
        else step
        for step in with_engine_steps(_named_steps(trace.ranges), trace)
    ]
    if not steps:
        return ()
    # Steps of one process are compared with each other only: ranks may run different code.
    works = _works(trace, steps)
    for process in {step.process for step in steps}:
        # A step in which nothing ran is counted by nobody, and says nothing of the others.
        own = [
            at
            for at, step in enumerate(steps)
            if step.process == process and step.incomplete is None and works[at].runs
        ]
        for at, reason in _pieces([works[at] for at in own]).items():
            # An engine's range says that it is whole, and steps of other kinds run other code.
            if steps[own[at]].engine is None:
                steps[own[at]] = replace(steps[own[at]], incomplete=reason)
    return tuple(steps)


def with_recorded_steps(trace: Trace, recorded: Mapping[int, tuple[int, int]]) -> Trace:
    """`trace` with what a capture says of its steps: by process the first and last complete one."""
    there = {
        # A capture speaks for a process only if at least one step of the trace lies
        # between its first and last one. Otherwise its numbers are of another
        # recording, and the other signs stand.
        step.process
        for step in trace.steps
        if step.process in recorded and _place(step, recorded[step.process]) is None
    }
    return replace(
        trace,
        steps=tuple(
            replace(step, incomplete=_place(step, recorded[step.process]))
            if step.process in there
            else step
            for step in trace.steps
        ),
    )


def _place(step: Step, recorded: tuple[int, int]) -> Incomplete | None:
    first, last = recorded
    if step.number < first:
        return Incomplete.AT_BEGIN
    return Incomplete.AT_END if step.number > last else None


def _named_steps(ranges: Ranges) -> list[Step]:
    """`ProfilerStep#N` ranges in the order of time, each once."""
    numbers = {
        # Step numbers by name id, for the names that are steps.
        at: number
        for at, name in enumerate(ranges.names)
        if (number := names.step_number(name)) is not None
    }
    rows = np.flatnonzero(np.isin(ranges.name_id, list(numbers)))
    steps = {
        # A set, so that a step whose range is written twice counts once.
        Step(
            number=numbers[int(ranges.name_id[row])],
            start_ns=int(ranges.start_ns[row]),
            end_ns=int(ranges.start_ns[row] + ranges.dur_ns[row]),
            process=int(ranges.process[row]),
        )
        for row in rows
    }
    return sorted(steps, key=lambda step: (step.start_ns, step.process, step.number))


def _works(trace: Trace, steps: Sequence[Step]) -> list[_StepWork]:
    """What each step runs, by the host: a range or launch is of the step in which it begins."""
    ranges, launches = trace.ranges, trace.launches

    # Runs of graphs and optimizers in the order of time, each name once per step.
    rows = np.flatnonzero(by_name(ranges.name_id, [_is_part(name) for name in ranges.names]))
    rows = rows[np.argsort(ranges.start_ns[rows], kind="stable")]
    positions = step_positions(steps, ranges.process[rows], ranges.start_ns[rows])
    parts: list[dict[int, None]] = [{} for _ in steps]
    # Position -1 is a range outside of all steps. The dict keeps the
    # first run of each name, in order.
    for at, name in zip(positions.tolist(), ranges.name_id[rows].tolist(), strict=True):
        if at >= 0:
            parts[at].setdefault(name)

    # Steps with compiled code. Names of kernels show it too: ranges may be missing.
    rows = np.flatnonzero(by_name(ranges.name_id, [_is_compiled(name) for name in ranges.names]))
    of_ranges = step_positions(steps, ranges.process[rows], ranges.start_ns[rows])
    # A launch belongs to the step in which the host issued it, wherever
    # it ran on the GPU; (launches,).
    of_launches = step_positions(steps, launches.process, trace.launch_time_ns)
    by_inductor = by_name(launches.name_id, [_is_kernel(name) for name in launches.names])
    compiled = {
        *distinct_values(of_ranges).tolist(),
        *distinct_values(of_launches[by_inductor]).tolist(),
    }

    # Steps in which anything was launched, compiled or not: these run
    # something, so they are compared.
    launched = set(distinct_values(of_launches).tolist())
    return [
        _StepWork(
            parts=tuple(parts[at]),
            runs=bool(parts[at]) or at in compiled or at in launched,
            compiled=at in compiled,
        )
        for at in range(len(steps))
    ]


def _is_part(name: str) -> bool:
    """Whether `name` is a run of a graph or of an optimizer, which steps differ in."""
    return (
        names.graph_mark(name) is not None
        or names.is_region(name)
        or names.is_wrapper_call(name)
        or names.is_optimizer_step(name)
        or (is_mark(name) and isinstance(decode_mark(name), MarkedGraph))
    )


def _is_compiled(name: str) -> bool:
    """Whether a range of this name shows that compiled code ran."""
    return (
        (_is_part(name) and not names.is_optimizer_step(name)) or is_mark(name) or _is_kernel(name)
    )


def _is_kernel(name: str) -> bool:
    """Whether `name` is that of a kernel which Inductor made, on the host or on the device."""
    bare = names.bare_kernel(name)
    return names.category_of(bare) is not None or names.cpp_kernel(bare) is not None


def _pieces(works: Sequence[_StepWork]) -> dict[int, Incomplete]:
    """Which of a process's steps are pieces, by position: the first, the last, both or none.

    What is usual is what the steps between the ends run. Where these are too few to tell, the other
    end counts, too, unless it is a piece itself; so the ends are looked at twice.
    """
    pieces: dict[int, Incomplete] = {}
    ends = {len(works) - 1: Incomplete.AT_END, 0: Incomplete.AT_BEGIN}
    between = works[1:-1]
    for _ in ends:
        for at, cut in ends.items():
            # Example of three steps of which both ends are pieces: one step between is
            # too few to tell, so each end is judged by all others; once one end is known
            # to be a piece, it no longer counts.
            others = between
            if len(between) < _USUAL:
                others = [work for it, work in enumerate(works) if it != at and it not in pieces]
            if at not in pieces and others and (why := _why_piece(works[at], others, cut)):
                pieces[at] = why
    return pieces


def _why_piece(work: _StepWork, others: Sequence[_StepWork], cut: Incomplete) -> Incomplete | None:
    """Why this step is a piece of a step such as all `others` are; None where it is not."""
    if not work.compiled and all(other.compiled for other in others):
        return Incomplete.NOT_COMPILED
    # Graphs and optimizers that every other step runs, and the orders in
    # which the others first run them.
    usual = set.intersection(*(set(other.parts) for other in others))
    orders = {tuple(part for part in other.parts if part in usual) for other in others}
    # No sign where too few steps show what is usual, where these disagree in the order,
    # or where the step lacks nothing.
    if len(others) < _USUAL or len(orders) > 1 or len(work.parts) >= len(usual):
        return None
    # Usual is forward, backward, optimizer: a step with only the forward at the end of the
    # recording was cut off, and so was one with only the optimizer at its beginning.
    (order,) = orders
    is_end = cut is Incomplete.AT_END
    ran = order[: len(work.parts)] if is_end else order[len(order) - len(work.parts) :]
    return cut if work.parts == ran else None
