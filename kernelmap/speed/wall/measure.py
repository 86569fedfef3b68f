"""(trace, window) → the steps of each device, cut into what it did and why it was idle."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.model import NONE, Reason, Trace
from kernelmap.model.trace import Bool, Int, Small
from kernelmap.model.wall_time import (
    PARTS,
    SAID,
    DeviceStep,
    IdleCause,
    IdleTable,
    Pieces,
    StepPart,
)
from kernelmap.speed.wall.changes import Changes
from kernelmap.speed.wall.devices import DeviceTime, device_steps, device_times
from kernelmap.speed.wall.host import HostTime
from kernelmap.speed.wall.idle import IdleTime


class Wall(Struct, frozen=True, kw_only=True):
    """The steps of all devices, cut into pieces, and the host side that shows their causes."""

    steps: tuple[DeviceStep, ...]
    pieces: Pieces
    host: HostTime

    @property
    def idle(self) -> IdleTable:
        """The idle pieces, each with the cause that tables spell."""
        pieces = self.pieces
        rows = np.flatnonzero(np.equal(pieces.part, PARTS.index(StepPart.IDLE)))
        device = np.array([step.device for step in self.steps], dtype=np.int64)
        return IdleTable(
            device=device[pieces.step[rows]],
            step=pieces.step[rows],
            start_ns=pieces.start_ns[rows],
            end_ns=pieces.end_ns[rows],
            cause=np.array(SAID, dtype=np.int64)[pieces.cause[rows]],
            event=pieces.event[rows],
            launch=pieces.launch[rows],
        )


def wall_time(
    trace: Trace,
    counted: Bool,
    step: Int,
    reason: Small | None = None,
    *,
    with_cpu: bool = False,
    communicates: Bool | None = None,
) -> Wall:
    """The steps of the window on each GPU; `counted` and `step` are those of an Attribution.

    `reason` is that of a Matching, by which launches of the autotuner are known. There are none on
    the CPU's side, where no device waits for its host, unless `with_cpu` asks for those of its
    processes. `communicates` marks launches that do so under any name, (launches,).
    """
    steps = device_steps(trace, counted, step, with_cpu=with_cpu)
    devices = tuple(device_times(trace, steps, communicates))
    idle = IdleTime(trace, devices, on_cpu=any(step.on_cpu for step in steps))
    parts = [_of_device(device, steps, idle) for device in devices]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    # Without any device the seven columns are empty.
    pieces = Pieces(*(columns if parts else [np.zeros(0, dtype=np.int64)] * 7))
    if reason is not None:
        autotuned = np.equal(reason, Reason.AUTOTUNE)
        pieces = replace(pieces, cause=_with_autotuning(pieces, autotuned))
    return Wall(steps=steps, pieces=pieces, host=idle.host)


def _with_autotuning(pieces: Pieces, autotuned: Bool) -> Int:
    """The causes of pieces; what the autotuner launches belongs to a compilation.

    That holds also where no range of the profile says so. A launch of the autotuner that waited for
    the device has no host to wait for.
    """
    cause = pieces.cause.copy()
    # Busy pieces have launch -1, which reads the appended False.
    tuned = np.append(autotuned, False)[pieces.launch]
    by_host = (cause > IdleCause.HOST_WORK) & (cause != IdleCause.WAITING)
    cause[tuned & by_host] = IdleCause.COMPILING
    return cause


def _of_device(
    device: DeviceTime, steps: tuple[DeviceStep, ...], idle: IdleTime
) -> tuple[Int, ...]:
    """The columns of Pieces of one device; what lies in none of its steps is left out."""
    # Busy stretches first, then the idle pieces. Columns below are in this order before they are
    # cut.
    start_ns, end_ns, part = device.stretches
    busy = np.flatnonzero(part != PARTS.index(StepPart.IDLE))
    pieces = idle.pieces_of_device(device)
    rest = np.full(len(pieces.start_ns), PARTS.index(StepPart.IDLE), dtype=np.int64)
    none = np.full(len(busy), NONE, dtype=np.int64)
    # Cut where steps begin and end. What has no step (0) lies between two steps.
    cut = _bounds_of_steps(device, steps).cut_intervals(
        np.concatenate([start_ns[busy], pieces.start_ns]),
        np.concatenate([end_ns[busy], pieces.end_ns]),
    )
    cut = cut.take_pieces(np.flatnonzero((cut.end_ns > cut.start_ns) & (cut.cause > 0)))
    # Busy pieces have no cause, event or launch.
    about = (pieces.cause, pieces.event, pieces.launch)
    return (
        cut.cause - 1,
        np.concatenate([part[busy], rest])[cut.of],
        cut.start_ns,
        cut.end_ns,
        *(np.concatenate([none, column])[cut.of] for column in about),
    )


def _bounds_of_steps(device: DeviceTime, steps: tuple[DeviceStep, ...]) -> Changes:
    """Which step begins when: its number from 1 stands for a cause; 0 where none does."""
    # A step that begins where the one before ends gives one time twice: the later entry counts, and
    # what lies between both is empty.
    times = [time for at in device.steps for time in (steps[at].start_ns, steps[at].end_ns)]
    number = [number for at in device.steps for number in (at + 1, 0)]
    none = np.full(len(times), NONE, dtype=np.int64)
    return Changes(np.array(times, dtype=np.int64), np.array(number, dtype=np.int64), none)
