"""Steps of a trace: which of them lies at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelmap.model.trace import NONE, Int, Step


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
