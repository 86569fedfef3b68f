"""Steps of a trace: which of them lies at a time, and which are of one kind and batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernelmap.model.trace import NONE, Int, Step

NO_KIND = "(kind not said)"
"""What stands for the kind of a step whose range says none."""


class KindAndBatch(NamedTuple):
    """What steps have in common that a serving engine calls alike; the kind as tables spell it."""

    kind: str
    engine: str | None
    batch: int | None


def kind_of_step(step: Step) -> str:
    """The kind as tables spell it."""
    return NO_KIND if step.kind is None else step.kind.value


def kind_and_batch(step: Step) -> KindAndBatch:
    """Of which kind and batch a step is."""
    return KindAndBatch(kind_of_step(step), step.engine, step.batch)


def has_engine_steps(steps: Sequence[Step]) -> bool:
    """Whether a serving engine marked one of them."""
    return any(step.engine is not None for step in steps)


def step_positions(steps: Sequence[Step], process: Int, times: Int) -> Int:
    """For each time in its process the position in `steps` of the step around it, -1 without; (n,).

    Where steps of a process overlap, the one that began last is around a time.
    """
    positions = np.full(len(times), NONE, dtype=np.int64)
    for owner in {step.process for step in steps}:
        # The steps of one process by their start, so that the last one that began can be searched
        # for.
        own = [at for at, step in enumerate(steps) if step.process == owner]
        own.sort(key=lambda at: steps[at].start_ns)
        starts = np.array([steps[at].start_ns for at in own])
        ends = np.array([steps[at].end_ns for at in own])
        # The last step that began at or before each time, and is it still going on?
        rows = np.flatnonzero(np.equal(process, owner))
        last = np.searchsorted(starts, times[rows], side="right") - 1
        within = (last >= 0) & (times[rows] < ends[last])
        positions[rows[within]] = np.array(own, dtype=np.int64)[last[within]]
    return positions
