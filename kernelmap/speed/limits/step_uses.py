"""The model FLOPs of a serving engine's steps by kind: prefill, decode, mixed.

A call may run in steps of several kinds, so its executions are counted in each kind on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from kernelmap.attribution.records import Attribution, CallTime
from kernelmap.model import NONE, Trace
from kernelmap.model.roofline import CallSpeed, ModelUse, sum_model_use
from kernelmap.model.steps import step_positions
from kernelmap.model.trace import Int, Step
from kernelmap.model.wall_time import DeviceStep

_NOT_SAID = "(kind not said)"


def use_by_step_kind(
    trace: Trace,
    attribution: Attribution,
    launched: Sequence[tuple[CallTime, Int]],
    speed_of_launches: Callable[[CallTime, Int], CallSpeed],
    steps: Sequence[DeviceStep],
) -> Mapping[str, ModelUse]:
    """What each kind of step used of the peak; nothing where no engine marked a step.

    `launched` are calls with the rows of their launches, `speed_of_launches` measures some of them.
    """
    if all(step.engine is None for step in trace.steps):
        return {}
    launches = trace.launches
    kinds = list(dict.fromkeys(map(_kind_of_step, trace.steps)))
    # Each launch's kind as a position in `kinds`, -1 in no step of the window; (launches,).
    position = step_positions(trace.steps, launches.process, trace.launch_time_ns)
    position[~attribution.counted | (attribution.step < 0)] = NONE
    of_steps = np.array([kinds.index(_kind_of_step(step)) for step in trace.steps] + [NONE])
    kind_of_launch = of_steps[position]
    kind_of_step = {(step.process, step.number): _kind_of_step(step) for step in trace.steps}
    uses: dict[str, ModelUse] = {}
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


def _kind_of_step(step: Step) -> str:
    return _NOT_SAID if step.kind is None else step.kind.value
