"""Busy time: how long at least one launch of a group ran, streams of one device taken together."""

from __future__ import annotations

import numpy as np

from kernelmap.model.trace import Int, Launches, Trace


def busy_ns(trace: Trace, launches: Launches, group: Int, groups: int) -> Int:
    """Busy time of each group of `launches`, some rows of the trace; int64 (groups,).

    Ranks count devices on their own, so a GPU is a device of a trace, or of a process where the
    trace says that its processes count them.
    """
    scope = np.array([process.trace for process in trace.processes], dtype=np.int64)
    device = launches.device - launches.device.min(initial=0)
    gpu = scope[launches.process] * (device.max(initial=0) + 1) + device
    for own in sorted({it.process for it in trace.devices if it.process is not None}):
        mine = np.equal(launches.process, own)
        gpu[mine] = device[mine] + gpu.max(initial=0) + 1
    return union_ns(group, gpu, launches.start_ns, launches.dur_ns, groups)


def union_ns(group: Int, device: Int, start_ns: Int, dur_ns: Int, groups: int) -> Int:
    """Length of the union of each group's intervals, summed over devices.

    Shapes: the columns (n,), result int64 (groups,); `group` counts from 0. Intervals of different
    devices never merge.
    """
    total = np.zeros(groups, dtype=np.int64)
    if len(group) == 0:
        return total
    order = np.lexsort((start_ns, device, group))
    group, device, start = group[order], device[order], start_ns[order]
    end = start + dur_ns[order]
    fresh = np.ones(len(group), dtype=bool)
    fresh[1:] = (group[1:] != group[:-1]) | (device[1:] != device[:-1])
    bounds = np.flatnonzero(fresh)
    reach = np.empty_like(end)
    for first, last in zip(bounds, [*bounds[1:], len(group)], strict=True):
        np.maximum.accumulate(end[first:last], out=reach[first:last])
    covered = start.copy()
    covered[1:] = np.where(fresh[1:], start[1:], np.maximum(start[1:], reach[:-1]))
    np.add.at(total, group, np.maximum(end - covered, 0))
    return total
