"""Launches of an invocation that had begun before the recording did.

A range that was open when recording began is missing, and what lies in it looks as if it lay on the
bare thread. So on a thread that runs compiled code, nothing before its first compiled range is
certain to be outside, once there are signs that the recording cut something off: GPU activities
whose api call is missing, or a generated kernel among those very launches.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.by_name import calls_by_device_name
from kernelmap.matching.situation import Situation
from kernelmap.model import Activity
from kernelmap.model.trace import Bool


def cut_at_start(situation: Situation) -> Bool:
    """Mask of the launches that such an invocation may have made; shape (launches,)."""
    trace, host = situation.trace, situation.host
    launches, apis, ranges = trace.launches, trace.apis, trace.ranges
    first: dict[tuple[int, int], int] = {}
    for row in np.flatnonzero(host.is_mark | host.compiled).tolist():
        key = int(ranges.process[row]), int(ranges.thread[row])
        start = int(ranges.start_ns[row])
        first[key] = min(start, first.get(key, start))
    places = zip(apis.process.tolist(), apis.thread.tolist(), strict=True)
    never = np.iinfo(np.int64).min
    begun = np.array([first.get(place, never) for place in places], dtype=np.int64)

    side = np.where(launches.origin >= 0, launches.origin, launches.api)
    early = np.zeros(len(launches), dtype=bool)
    known = side >= 0
    early[known] = apis.start_ns[side[known]] < begun[side[known]]

    names = calls_by_device_name(situation.program)
    generated = np.array(
        [n in names or n.startswith("triton_") for n in launches.names], dtype=bool
    )
    gpu = launches.activity != Activity.CPU
    signs = (gpu & ~known) | (early & generated[launches.name_id])
    return early & np.isin(launches.process, np.unique(launches.process[signs]))
