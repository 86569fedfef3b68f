"""(trace, window) → the steps of each device, cut into what it did and why it was idle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelmap.model import NONE, SourceLine, Trace
from kernelmap.model.source import HostMoments
from kernelmap.model.trace import Bool, Int
from kernelmap.wall.devices import DeviceTime, device_steps, device_times
from kernelmap.wall.host import Changes, HostTime
from kernelmap.wall.idle import IdleTime
from kernelmap.wall.records import PARTS, Cause, DeviceStep, Part, Pieces

_NOTABLE_NS = 10_000
"""Of shorter idleness without a host event the source line is not looked for."""


@dataclass(frozen=True, kw_only=True)
class Wall:
    """The steps of all devices, cut into pieces.

    `moments` are those whose source line is wanted, `lines` what Python frames show of them; empty
    without frames.
    """

    steps: tuple[DeviceStep, ...]
    pieces: Pieces
    moments: HostMoments
    host: HostTime
    lines: tuple[SourceLine | None, ...] = ()


def wall_time(trace: Trace, counted: Bool, step: Int) -> Wall:
    """The steps of the window on each GPU; `counted` and `step` are those of an Attribution.

    There are none on the CPU's side, where no device waits for its host.
    """
    steps = device_steps(trace, counted, step)
    devices = tuple(device_times(trace, steps))
    idle = IdleTime(trace, devices)
    parts = [_of_device(device, steps, idle) for device in devices]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    pieces = columns if parts else [np.zeros(0, dtype=np.int64)] * 7
    moments, moment = _moments(trace, idle.host, Pieces(*pieces, pieces[0]))
    return Wall(steps=steps, pieces=Pieces(*pieces, moment), moments=moments, host=idle.host)


def _of_device(
    device: DeviceTime, steps: tuple[DeviceStep, ...], idle: IdleTime
) -> tuple[Int, ...]:
    """The columns of Pieces but the last, of one device; what is in none of its steps left out."""
    start_ns, end_ns, part = device.stretches()
    busy = np.flatnonzero(part != PARTS.index(Part.IDLE))
    pieces = idle.of(device)
    rest = np.full(len(pieces.start_ns), PARTS.index(Part.IDLE), dtype=np.int64)
    none = np.full(len(busy), NONE, dtype=np.int64)
    of, begin, end, step, _ = _bounds(device, steps).cut(
        np.concatenate([start_ns[busy], pieces.start_ns]),
        np.concatenate([end_ns[busy], pieces.end_ns]),
    )
    kept = (end > begin) & (step > 0)
    of = of[kept]
    about = (pieces.cause, pieces.event, pieces.launch)
    return (
        step[kept] - 1,
        np.concatenate([part[busy], rest])[of],
        begin[kept],
        end[kept],
        *(np.concatenate([none, column])[of] for column in about),
    )


def _bounds(device: DeviceTime, steps: tuple[DeviceStep, ...]) -> Changes:
    """Which step begins when, counted from 1; 0 where none does."""
    times = [time for at in device.steps for time in (steps[at].start_ns, steps[at].end_ns)]
    number = [number for at in device.steps for number in (at + 1, 0)]
    none = np.full(len(times), NONE, dtype=np.int64)
    return Changes(np.array(times, dtype=np.int64), np.array(number, dtype=np.int64), none)


def _moments(trace: Trace, host: HostTime, pieces: Pieces) -> tuple[HostMoments, Int]:
    """The beginning of each host event, the middle of what has none; and that of each piece."""
    idle = np.equal(pieces.part, PARTS.index(Part.IDLE))
    by_event = np.flatnonzero(idle & (pieces.event >= 0) & (pieces.event < len(host.start_ns)))
    events, at = np.unique(pieces.event[by_event], return_inverse=True)
    api = np.append(trace.launches.api, NONE)[pieces.launch]
    notable = pieces.end_ns - pieces.start_ns >= _NOTABLE_NS
    bare = np.flatnonzero(idle & notable & np.equal(pieces.cause, Cause.NOTHING) & (api >= 0))
    moment = np.full(len(idle), NONE, dtype=np.int64)
    moment[by_event] = at.reshape(-1)
    moment[bare] = np.arange(len(bare)) + len(events)
    middle = (pieces.start_ns[bare] + pieces.end_ns[bare]) // 2

    def column(of_ranges: Int, of_apis: Int) -> Int:
        both = np.concatenate([of_ranges, of_apis])
        return np.concatenate([both[events], of_apis[api[bare]]])

    return (
        HostMoments(
            column(trace.ranges.process, trace.apis.process),
            column(trace.ranges.thread, trace.apis.thread),
            np.concatenate([host.start_ns[events], middle]),
        ),
        moment,
    )
