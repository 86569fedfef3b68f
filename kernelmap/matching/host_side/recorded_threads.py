"""Which launches have a host side in the recording: what lies beside calls is outside then.

Ranges that users push say nothing of what lies beside them: only torch's own do, or marks, where no
generated kernel ran outside of them.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.host_side.columns import by_name
from kernelmap.model import RangeKind, Trace
from kernelmap.model.trace import Bool, Int


def on_recorded_threads(trace: Trace, side: Int, marks: Bool, marked: Int) -> Bool:
    """Mask of launches whose api call lies on a thread whose operators were recorded; (launches,).

    `side` is the api call of each launch, `marks` a mask of the ranges that are marks of graphs,
    `marked` that mark around each launch.
    """
    apis, ranges = trace.apis, trace.ranges
    telling = np.equal(ranges.kind, RangeKind.OP)
    if marks.any() and not _runs_beside(trace, marked):
        telling |= marks
    places = ranges.process[telling].tolist(), ranges.thread[telling].tolist()
    recorded = set(zip(*places, strict=True))
    keys = zip(apis.process.tolist(), apis.thread.tolist(), strict=True)
    on_recorded = np.array([*(key in recorded for key in keys), False], dtype=bool)
    return on_recorded[side]  # the last is that of none


def _runs_beside(trace: Trace, marked: Int) -> bool:
    """Whether a kernel that looks generated ran outside of all marks: not all code was marked."""
    launches = trace.launches
    named = by_name(launches.name_id, [name.startswith("triton_") for name in launches.names])
    return bool((named & (marked < 0)).any())
