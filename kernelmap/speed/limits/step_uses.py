"""How a serving engine's steps passed on the device: model FLOPs and busy time, by kind of step.

A call may run in steps of several kinds, so its executions are counted in each kind on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from msgspec.structs import replace

from kernelmap.attribution.records import Attribution, CallTime
from kernelmap.model import NONE, Trace
from kernelmap.model.roofline import CallSpeed, FindUses, ModelUse, StepUse, sum_model_use
from kernelmap.model.steps import KindAndBatch, has_engine_steps, kind_and_batch, step_positions
from kernelmap.model.trace import Int, Step
from kernelmap.model.wall_time import DeviceStep, IdleTable

_Key = TypeVar("_Key", bound=Hashable)


def find_model_uses(
    trace: Trace,
    attribution: Attribution,
    launched: Sequence[tuple[CallTime, Int]],
    speed_of_launches: Callable[[CallTime, Int], CallSpeed],
    steps: Sequence[DeviceStep],
    key: Callable[[Step], _Key],
) -> Mapping[_Key, ModelUse]:
    """What steps used of the peak, summed by `key`; nothing where no engine marked a step.

    `launched` are calls with the rows of their launches, `speed_of_launches` measures some of them.
    """
    if not has_engine_steps(trace.steps):
        return {}
    launches = trace.launches
    kinds = list(dict.fromkeys(map(key, trace.steps)))
    # Each launch's kind as a position in `kinds`, -1 in no step of the window; (launches,).
    position = step_positions(trace.steps, launches.process, trace.launch_time_ns)
    position[~attribution.counted | (attribution.step < 0)] = NONE
    number_of_kind = {kind: number for number, kind in enumerate(kinds)}
    of_steps = np.array([number_of_kind[key(step)] for step in trace.steps] + [NONE])
    kind_of_launch = of_steps[position]
    kind_of_step = {(step.process, step.number): key(step) for step in trace.steps}
    uses: dict[_Key, ModelUse] = {}
    for at, kind in enumerate(kinds):
        mine = np.equal(kind_of_launch, at)
        # A step on a device has the number of the host's step that launched it.
        took = [
            step.end_ns - step.start_ns
            for step in steps
            if step.step is not None and kind_of_step.get((step.process, step.step)) == kind
        ]
        calls = [
            speed_of_launches(
                replace(row, time_ns=int(launches.dur_ns[rows[mine[rows]]].sum())), rows[mine[rows]]
            )
            for row, rows in launched
            if mine[rows].any()
        ]
        if took and mine.any():
            uses[kind] = sum_model_use(
                calls, int(launches.dur_ns[mine].sum()), steps=len(took), wall_ns=sum(took)
            )
    return uses


def use_by_kind_and_batch(
    trace: Trace,
    steps: Sequence[DeviceStep],
    idle: IdleTable,
    find_uses: FindUses | None,
) -> Mapping[KindAndBatch, StepUse]:
    """How the steps of each kind and batch passed; `idle` has when their devices did nothing.

    Without `find_uses` nothing is said of model FLOPs.
    """
    kind_of_step = {(step.process, step.number): kind_and_batch(step) for step in trace.steps}
    # How long the device of each step did nothing in it; (steps,).
    idle_ns = np.zeros(len(steps), dtype=np.int64)
    np.add.at(idle_ns, idle.step, idle.time_ns)
    # By kind how long its steps lasted and were idle. What is no step of the host has no kind.
    lasted: dict[KindAndBatch, tuple[int, int]] = {}
    for step, without_work_ns in zip(steps, idle_ns.tolist(), strict=True):
        kind = None if step.step is None else kind_of_step.get((step.process, step.step))
        if kind is not None:
            step_ns, of_kind_ns = lasted.get(kind, (0, 0))
            step_ns += step.end_ns - step.start_ns
            lasted[kind] = step_ns, of_kind_ns + without_work_ns
    models = {} if find_uses is None else find_uses(steps, kind_and_batch)
    return {
        kind: StepUse(step_ns=step_ns, busy_ns=step_ns - no_work_ns, model=models.get(kind))
        for kind, (step_ns, no_work_ns) in lasted.items()
    }
