"""Launches of the autotuner: outside of compiled code, reason autotune.

An annotation names them, or they lie among launches that are known to be benchmarks: the profiler
lost the range of one, but the thread went on to launch the same kernel again.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.by_name import calls_by_device_name
from kernelmap.matching.climb import climb
from kernelmap.matching.draft import Draft
from kernelmap.matching.situation import Situation
from kernelmap.model import Confidence, Reason
from kernelmap.model.trace import Bool


def benchmarks(situation: Situation, draft: Draft) -> None:
    """Settle launches below an annotation that says that kernels are benchmarked there."""
    host, ranges = situation.host, situation.trace.ranges
    around = climb(ranges.parent, host.benchmarks, situation.host.host_range)
    draft.settle(draft.open & (around >= 0), Confidence.OUTSIDE, reason=Reason.AUTOTUNE)
    draft.settle(_among_benchmarks(situation, draft), Confidence.OUTSIDE, reason=Reason.AUTOTUNE)


def _among_benchmarks(situation: Situation, draft: Draft) -> Bool:
    """Mask of open kernels right after a benchmark, before another launch of the same kernel."""
    launches, apis = situation.trace.launches, situation.trace.apis
    found = np.zeros(len(launches), dtype=bool)
    outside = np.equal(draft.confidence, Confidence.OUTSIDE) & ~draft.open
    tuned = outside & np.equal(draft.reason, Reason.AUTOTUNE)
    if not (tuned.any() and draft.open.any()):
        return found
    known = calls_by_device_name(situation.program)
    sole = np.array([_is_sole(situation, known.get(name, ())) for name in launches.names])
    rows = np.flatnonzero(launches.api >= 0)
    api = launches.api[rows]
    rows = rows[np.lexsort((apis.start_ns[api], apis.thread[api], apis.process[api]))]
    api, name, own = launches.api[rows], launches.name_id[rows], tuned[rows]
    same_thread = np.equal(apis.thread[api][1:], apis.thread[api][:-1])
    same_thread &= np.equal(apis.process[api][1:], apis.process[api][:-1])
    lost = draft.open[rows] & sole[name]
    lost[1:] &= own[:-1] & same_thread
    lost[:-1] &= same_thread & (own[1:] | np.equal(name[1:], name[:-1]))
    lost[[0, -1]] = False
    kernels = np.flatnonzero(situation.runs_kernel[rows])
    again = np.zeros(len(rows), dtype=bool)
    again[kernels[:-1]] = np.equal(name[kernels[:-1]], name[kernels[1:]])
    found[rows[lost & again]] = True
    return found


def _is_sole(situation: Situation, calls: tuple[int, ...]) -> bool:
    """Whether a device name is one wrapper's that is called once."""
    return len(calls) == 1 and len(situation.program.calls[calls[0]][0].kernels) > 1
