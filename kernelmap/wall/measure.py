"""(trace, window) → the steps of each device, cut into what it did and why it was idle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernelmap.model import NONE, Trace
from kernelmap.model.trace import Bool, Int
from kernelmap.wall.devices import DeviceTime, device_steps, device_times
from kernelmap.wall.host import Changes, HostTime
from kernelmap.wall.idle import IdleTime
from kernelmap.wall.records import PARTS, Cause, DeviceStep, HostPoints, Part, Pieces, Wall

_TELLING_NS = 10_000  # a shorter moment without a host event is not worth a look at the file


def wall_time(trace: Trace, counted: Bool, step: Int) -> Wall:
    """The steps of the window on each GPU; `counted` and `step` are those of an Attribution.

    Nothing on the CPU's side, whose profiles have no device that could be idle.
    """
    steps = device_steps(trace, counted, step)
    devices = tuple(device_times(trace, steps))
    idle = IdleTime(trace, devices)
    parts = [_of_device(device, steps, idle) for device in devices]
    columns = (np.concatenate(column) for column in zip(*parts, strict=True)) if parts else ()
    pieces = Pieces(*columns) if parts else _nothing()
    points, point = _points(trace, idle.host, pieces)
    return Wall(steps=steps, pieces=replace(pieces, point=point), points=points)


def _nothing() -> Pieces:
    none = np.zeros(0, dtype=np.int64)
    return Pieces(*[none] * 8)


def _of_device(
    device: DeviceTime, steps: tuple[DeviceStep, ...], idle: IdleTime
) -> tuple[Int, ...]:
    """The columns of Pieces of one device, those outside of its steps left out."""
    start_ns, end_ns, part = device.stretches()
    busy = np.flatnonzero(part != PARTS.index(Part.IDLE))
    pieces = idle.of(device)
    start_ns = np.concatenate([start_ns[busy], pieces.start_ns])
    end_ns = np.concatenate([end_ns[busy], pieces.end_ns])
    none = np.full(len(busy), NONE, dtype=np.int64)
    rests = np.full(len(pieces.start_ns), PARTS.index(Part.IDLE), dtype=np.int64)
    part = np.concatenate([part[busy], rests])
    cause, event, launch = (
        np.concatenate([none, column]) for column in (pieces.cause, pieces.event, pieces.launch)
    )
    of, start_ns, end_ns, step, _ = _bounds(device, steps).cut(start_ns, end_ns)
    kept = (end_ns > start_ns) & (step != Cause.NOTHING)
    of, step = of[kept], step[kept] - 1
    point = np.full(len(of), NONE, dtype=np.int64)
    columns = (step, part[of], start_ns[kept], end_ns[kept])
    return (*columns, cause[of], event[of], launch[of], point)


def _bounds(device: DeviceTime, steps: tuple[DeviceStep, ...]) -> Changes:
    """Which step begins when, counted from 1; 0 between steps."""
    times = [time for at in device.steps for time in (steps[at].start_ns, steps[at].end_ns)]
    number = [number for at in device.steps for number in (at + 1, 0)]
    zero = np.full(len(times), NONE, dtype=np.int64)
    return Changes(np.array(times, dtype=np.int64), np.array(number, dtype=np.int64), zero)


def _points(trace: Trace, host: HostTime, pieces: Pieces) -> tuple[HostPoints, Int]:
    """The moments whose source line would explain idle pieces, and the moment of each piece."""
    idle = np.equal(pieces.part, PARTS.index(Part.IDLE))
    by_event = np.flatnonzero(idle & (pieces.event >= 0) & (pieces.event < len(host.start_ns)))
    events, at = np.unique(pieces.event[by_event], return_inverse=True)
    long = pieces.end_ns - pieces.start_ns >= _TELLING_NS
    api = np.append(trace.launches.api, NONE)[pieces.launch]
    bare = np.flatnonzero(
        idle & (pieces.event < 0) & np.equal(pieces.cause, Cause.NOTHING) & long & (api >= 0)
    )
    point = np.full(len(idle), NONE, dtype=np.int64)
    point[by_event] = at.reshape(-1)
    point[bare] = np.arange(len(bare)) + len(events)
    middle = (pieces.start_ns[bare] + pieces.end_ns[bare]) // 2
    both = (trace.ranges, trace.apis)
    process, thread = (
        np.concatenate(
            [
                np.concatenate([getattr(columns, name) for columns in both])[events],
                getattr(trace.apis, name)[api[bare]],
            ]
        )
        for name in ("process", "thread")
    )
    return HostPoints(process, thread, np.concatenate([host.start_ns[events], middle])), point
