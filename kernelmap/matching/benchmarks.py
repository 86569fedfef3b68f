"""Launches of the autotuner: outside of compiled code, reason autotune.

An annotation names them, or they lie among launches that are known to be benchmarks: the profiler
lost the range of one, but the thread went on to launch the same kernel again.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.by_name import calls_by_device_name
from kernelmap.matching.climb import climb
from kernelmap.matching.draft import Draft
from kernelmap.matching.families import RESTORED, kernel_family
from kernelmap.matching.situation import Situation
from kernelmap.model import Activity, Confidence, Reason
from kernelmap.model.trace import Bool, Launches


def benchmarks(situation: Situation, draft: Draft) -> None:
    """Settle launches below an annotation that says that kernels are benchmarked there."""
    host, ranges = situation.host, situation.trace.ranges
    around = climb(ranges.parent, host.benchmarks, situation.host.host_range)
    draft.settle(draft.open & (around >= 0), Confidence.OUTSIDE, reason=Reason.AUTOTUNE)
    draft.settle(_among_benchmarks(situation, draft), Confidence.OUTSIDE, reason=Reason.AUTOTUNE)


def _among_benchmarks(situation: Situation, draft: Draft) -> Bool:
    """Mask of open kernels between a benchmark and the next launch of the same kernel.

    Between them only what the autotuner launches, and all in the same compiled range. The name has
    to be that of one call: others may come twice in a row.
    """
    launches, apis, host = situation.trace.launches, situation.trace.apis, situation.host
    found = np.zeros(len(launches), dtype=bool)
    tuned = np.equal(draft.reason, Reason.AUTOTUNE) & ~draft.open
    if not (tuned.any() and draft.open.any()):
        return found
    rows = np.flatnonzero(launches.api >= 0)
    api = launches.api[rows]
    rows = rows[np.lexsort((apis.start_ns[api], apis.thread[api], apis.process[api]))]
    rows = rows[~np.isin(launches.activity[rows], (Activity.MEMCPY, Activity.MEMSET))]
    rows = rows[~_restores(launches)[launches.name_id[rows]]]
    api, name = launches.api[rows], launches.name_id[rows]
    around = climb(situation.trace.ranges.parent, host.is_mark | host.compiled, apis.range[api])
    again = np.ones(max(0, len(rows) - 1), dtype=bool)
    for column in (name, apis.thread[api], apis.process[api], around):
        again &= np.equal(column[1:], column[:-1])
    known = calls_by_device_name(situation.program)
    sole = np.array([len(known.get(each, ())) == 1 for each in launches.names], dtype=bool)
    lost = draft.open[rows[1:-1]] & sole[name[1:-1]] & tuned[rows[:-2]] & again[1:] & again[:-1]
    found[rows[1:-1][lost]] = True
    return found


def _restores(launches: Launches) -> Bool:
    """Mask of the names under which caches are cleared and arguments copied; (names,)."""
    families = [kernel_family(name, Activity.KERNEL) for name in launches.names]
    return np.array([family in RESTORED for family in families], dtype=bool)
