"""(trace, matching) → the tensors that operators around launches without a call were handed.

Of a launch that a graph replays, the capture tells them, where the run of --like shows it; what
stands around the replay itself says nothing of it.
"""

from __future__ import annotations

import numpy as np

from kernelmap.model import NONE, Matching, Trace
from kernelmap.model.matching import LaunchInputs
from kernelmap.traces.recorded_arguments import read_recorded_arguments


def inputs_of_launches(trace: Trace, matching: Matching) -> LaunchInputs:
    """What the outermost operator around each launch was handed, in a second look at the files."""
    around = np.where(matching.call < 0, matching.call_range, NONE)
    learnt = matching.learnt
    if learnt is not None:
        around[learnt.code >= 0] = NONE
    ranges = np.unique(around[around >= 0])
    numbers: dict[str, int] = {}
    # The text of each range by its number, -1 where none is stated; the last is that of no range.
    text_of_range = np.full(len(trace.ranges) + 1, NONE, dtype=np.int64)
    for row, arguments in read_recorded_arguments(trace, ranges).items():
        text = arguments.tensors
        if text is not None:
            text_of_range[row] = numbers.setdefault(text, len(numbers))
    code = text_of_range[around]
    if learnt is not None:
        of_origin = [
            NONE if it.inputs is None else numbers.setdefault(it.inputs, len(numbers))
            for it in learnt.origins
        ]
        shown = learnt.code >= 0
        code[shown] = np.array([*of_origin, NONE], dtype=np.int64)[learnt.code[shown]]
    return LaunchInputs(code, tuple(numbers))
