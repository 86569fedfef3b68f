"""Wall time → how much of each launch keeps its step waiting: what a faster kernel could shorten.

The time of a launch counts where nothing else runs on its device, and where the work behind it does
not wait for the host anyway. A device that idles for its host behind a stretch of work would only
begin to idle sooner, so that stretch does not count. Behind a stretch that ends in a
synchronisation the host goes on sooner, too, so it counts. Where a launch had been queued already,
it begins sooner, and the gap behind it decides.

Where nothing says what the host did, time counts: the result is an upper bound.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from kernelmap.model import NONE, Trace
from kernelmap.model.intervals import unite_intervals
from kernelmap.model.trace import Bool, Int
from kernelmap.model.wall_time import PARTS, IdleCause, StepPart
from kernelmap.speed.wall.devices import DeviceTime, device_times
from kernelmap.speed.wall.measure import Wall

_HOST = (
    *(
        IdleCause.LAUNCHING,
        IdleCause.GRAPH_BREAK,
        IdleCause.GUARDS,
        IdleCause.LOADING_DATA,
        IdleCause.COMPILING,
    ),
    IdleCause.HOST_WORK,
)
"""Behind these the device waits for a host that does not wait for the device."""


class WaitedFor(Struct, frozen=True):
    """One device, and which of its stretches of uninterrupted work a step waits for.

    `ends_ns` is where each ends, ascending, `counts` whether steps wait for it; both (stretches,).
    """

    time: DeviceTime
    ends_ns: Int
    counts: Bool

    def counts_at(self, ends_ns: Int) -> Bool:
        """Whether steps wait for work that ends at these times; (times,)."""
        if not len(self.ends_ns):
            return np.zeros(len(ends_ns), dtype=bool)
        # The stretch in which each launch ends: the first one that ends at that time or later.
        of = np.minimum(np.searchsorted(self.ends_ns, ends_ns), len(self.ends_ns) - 1)
        return np.asarray(self.counts[of])


def waited_for(wall: Wall, trace: Trace) -> tuple[WaitedFor, ...]:
    """The devices of the steps of `wall`."""
    times = device_times(trace, wall.steps)
    return tuple(WaitedFor(time, *_stretches_of_work(time, wall)) for time in times)


def exposed_ns(wall: Wall, trace: Trace) -> Int:
    """The time of each launch that its step waits for; of the steps of `wall`, (launches,)."""
    return exposed_on(waited_for(wall, trace), wall, trace)


def exposed_on(devices: Sequence[WaitedFor], wall: Wall, trace: Trace) -> Int:
    """The same, where the devices are known already."""
    exposed = np.zeros(len(trace.launches), dtype=np.int64)
    for device in devices:
        start_ns, end_ns, row = _times_alone(device.time, trace)
        counts = device.counts_at(end_ns)
        # Time between two steps is in none of them.
        steps = [wall.steps[at] for at in device.time.steps]
        # The steps of the device as one set of intervals, to cut the time between steps away.
        bounds = np.array([(step.start_ns, step.end_ns) for step in steps], dtype=np.int64)
        in_steps = unite_intervals(bounds[:, 0], bounds[:, 1], np.arange(len(bounds)))
        # A launch may have run alone in several pieces, for instance before and after a copy beside
        # it.
        np.add.at(exposed, row, np.where(counts, in_steps.covered_ns(start_ns, end_ns), 0))
    return exposed


def _times_alone(device: DeviceTime, trace: Trace) -> tuple[Int, Int, Int]:
    """When only one launch ran between the first and the last step: start, end and row; (n,)."""
    start_ns = trace.launches.start_ns[device.rows]
    end_ns = start_ns + trace.launches.dur_ns[device.rows]
    # What ran before the first step or behind the last one is cut off, each end by itself.
    start_ns = np.clip(start_ns, device.first_ns, device.last_ns)
    end_ns = np.clip(end_ns, start_ns, device.last_ns)
    # Every start counts +1 and every end -1, in the order of time. Between two such events the sum
    # is how many launches run on the device, whatever their stream.
    times = np.concatenate([start_ns, end_ns])
    order = np.argsort(times, kind="stable")
    sign = np.repeat(np.array([1, -1]), len(start_ns))[order]
    row = np.concatenate([device.rows, device.rows])[order]
    running, which = np.cumsum(sign), np.cumsum(sign * row)  # of one, the sum of rows is its row
    times = times[order]
    # Pieces between two events in which exactly one launch runs.
    at = np.flatnonzero((running[:-1] == 1) & (times[1:] > times[:-1]))
    return times[at], times[at + 1], which[at]


def _stretches_of_work(device: DeviceTime, wall: Wall) -> tuple[Int, Bool]:
    """Where each stretch of uninterrupted work ends, and whether it counts; both (stretches,)."""
    busy = device.busy
    # The ends of the intervals in which the device is busy. Intervals that only touch are apart
    # here; `goes_on` below joins them to one stretch.
    ends = busy.end_ns
    # The idle pieces of this device in the order of time, with their causes. The appended -1 is
    # what a stretch finds behind which no idle piece is left.
    pieces = wall.pieces
    idle = np.equal(pieces.part, PARTS.index(StepPart.IDLE)) & np.isin(pieces.step, device.steps)
    starts, cause = pieces.start_ns[idle], pieces.cause[idle]
    order = np.argsort(starts)
    starts, cause = starts[order], np.append(cause[order], NONE)
    # The cause of the idle piece that begins where the stretch ends, -1 where none begins there:
    # the device works on, or the time behind is in no step.
    at = np.searchsorted(starts, ends)
    behind = np.where(np.append(starts, NONE)[at] == ends, cause[at], NONE)
    goes_on = np.append(busy.start_ns[1:], NONE)[: len(ends)] == ends
    # A gap whose next launch was queued already decides nothing: with faster kernels that launch
    # begins sooner, and the next gap shows whether the step gains by it.
    decides = ~(goes_on | np.equal(behind, IdleCause.WAITING))
    # Faster kernels do not make the host faster: behind such a cause the gap would only grow. A
    # stretch without a known cause counts, since the result is an upper bound.
    counts = ~np.isin(behind, _HOST)
    # For each stretch the next gap that decides, itself included. Where none is left the stretch
    # counts, by the True that is appended.
    later = np.where(decides, np.arange(len(ends)), len(ends))
    later = np.minimum.accumulate(later[::-1])[::-1]  # the next gap that decides
    return ends, np.append(counts, True)[later]
