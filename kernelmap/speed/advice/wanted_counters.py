"""Case → the counters that could tell why calls are slow, where neither code nor profile does."""

from __future__ import annotations

import re

from kernelmap.model.advice import WantedCounters
from kernelmap.speed.advice.case import Case
from kernelmap.speed.advice.headrooms import find_unexplained
from kernelmap.speed.advice.ncu_command import OUTPUT, find_step_kernels

_OTHER_VENDOR = re.compile(r"\b(?:AMD|Radeon|Instinct|MI\d+\w*|Intel|Apple)\b", re.IGNORECASE)
"""In names of devices of which Nsight Compute counts nothing."""


def find_wanted_counters(case: Case) -> WantedCounters | None:
    """What Nsight Compute could tell of the calls with the most headroom; None if nothing."""
    run, roofline = case.run, case.roofline
    if run is None or roofline is None or run.by_rocprof or run.side != "gpu":
        return None
    if any(name and _OTHER_VENDOR.search(name) for name in roofline.devices):
        return None
    open_ = find_unexplained(roofline)
    positions = [speed.call for speed in open_]
    kernels = find_step_kernels(
        run.trace, run.match.matching.call, run.counted, run.step, positions
    )
    if kernels is None:
        return None
    calls = [case.program.calls[position] for position in positions]
    return WantedCounters(
        calls=tuple(graph.call_id(call) for graph, call in calls),
        headroom_ns=sum(speed.headroom_ns or 0 for speed in open_),
        command=kernels.command,
        then=f"{case.again('correlate')} {OUTPUT} --roofline",
    )
