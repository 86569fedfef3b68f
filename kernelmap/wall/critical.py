"""Wall time → how much of each launch keeps its step waiting: what a faster kernel could shorten.

The time of a launch counts where nothing else runs on its device, and where the work behind it does
not wait for the host anyway. A device that idles for its host behind a stretch of work would only
begin to idle sooner, so that stretch does not count. Behind a stretch that ends in a
synchronisation the host goes on sooner, too, so it counts. Where a launch had been queued already,
it begins sooner, and the gap behind it decides.

Where nothing says what the host did, time counts: the result is an upper bound.
"""

from __future__ import annotations

import numpy as np

from kernelmap.model import NONE, Trace
from kernelmap.model.trace import Int
from kernelmap.wall.devices import DeviceTime, device_times
from kernelmap.wall.measure import Wall
from kernelmap.wall.records import PARTS, Cause, Part

_HOST = (
    *(Cause.LAUNCHING, Cause.GRAPH_BREAK, Cause.GUARDS, Cause.LOADING_DATA, Cause.COMPILING),
    Cause.HOST_WORK,
)
"""Behind these the device waits for a host that does not wait for the device."""


def exposed_ns(wall: Wall, trace: Trace) -> Int:
    """The time of each launch that its step waits for; of the steps of `wall`, (launches,)."""
    exposed = np.zeros(len(trace.launches), dtype=np.int64)
    for device in device_times(trace, wall.steps):
        start_ns, end_ns, row = _alone(device, trace)
        ends, counts = _stretches(device, wall)
        if len(ends):
            of = np.minimum(np.searchsorted(ends, end_ns), len(ends) - 1)
            np.add.at(exposed, row, np.where(counts[of], end_ns - start_ns, 0))
    return exposed


def _alone(device: DeviceTime, trace: Trace) -> tuple[Int, Int, Int]:
    """When only one launch ran between the first and the last step: start, end and row; (n,)."""
    start_ns = np.clip(trace.launches.start_ns[device.rows], device.first_ns, device.last_ns)
    end_ns = start_ns + trace.launches.dur_ns[device.rows]
    end_ns = np.minimum(np.maximum(end_ns, start_ns), device.last_ns)
    times = np.concatenate([start_ns, end_ns])
    order = np.argsort(times, kind="stable")
    sign = np.repeat(np.array([1, -1]), len(start_ns))[order]
    row = np.concatenate([device.rows, device.rows])[order]
    running, which = np.cumsum(sign), np.cumsum(sign * row)  # of one, the sum of rows is its row
    times = times[order]
    at = np.flatnonzero((running[:-1] == 1) & (times[1:] > times[:-1]))
    return times[at], times[at + 1], which[at]


def _stretches(device: DeviceTime, wall: Wall) -> tuple[Int, Int]:
    """Where each stretch of uninterrupted work ends, and whether it counts; both (stretches,)."""
    busy = device.busy
    ends = busy.end_ns
    pieces = wall.pieces
    idle = np.equal(pieces.part, PARTS.index(Part.IDLE)) & np.isin(pieces.step, device.steps)
    starts, cause = pieces.start_ns[idle], pieces.cause[idle]
    order = np.argsort(starts)
    starts, cause = starts[order], np.append(cause[order], NONE)
    at = np.searchsorted(starts, ends)
    behind = np.where(np.append(starts, NONE)[at] == ends, cause[at], NONE)
    goes_on = np.append(busy.start_ns[1:], NONE)[: len(ends)] == ends
    decides = ~(goes_on | np.equal(behind, Cause.WAITING))
    counts = ~np.isin(behind, _HOST)
    later = np.where(decides, np.arange(len(ends)), len(ends))
    later = np.minimum.accumulate(later[::-1])[::-1]  # the next gap that decides
    return ends, np.append(counts, True)[later]
