"""Activities of a device → what it does at every moment of its steps.

The host runs ahead of a device, so work of a step may run when the host is in the next one. On a
device a step lasts from the end of the step before, or from where its range begins if that is
later, to the end of its range or of the last work launched in it, whichever is later.

Where the window counts operators of the CPU, the threads of a process can stand for a device.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from msgspec import Struct

from kernelmap.facts.communication import is_communication, is_host_collective
from kernelmap.model import Activity, Trace
from kernelmap.model.busy_time import device_numbers, stretches_of_work
from kernelmap.model.columns import by_name, distinct_values
from kernelmap.model.intervals import Spans, unite_intervals
from kernelmap.model.trace import Bool, Int
from kernelmap.model.wall_time import PARTS, DeviceStep, StepPart

_COPIES = (Activity.MEMCPY, Activity.MEMSET)


class DeviceTime(Struct, frozen=True, dict=True):
    """One device: `steps` are positions among all steps, `first` to `last` is all their time.

    `rows` are its launches in order of their start, `spans` what it does by Part.
    """

    number: int
    steps: tuple[int, ...]
    first_ns: int
    last_ns: int
    rows: Int
    spans: dict[StepPart, Spans]

    @property
    def busy(self) -> Spans:
        """When it does anything."""
        start_ns = np.concatenate([spans.start_ns for spans in self.spans.values()])
        end_ns = np.concatenate([spans.end_ns for spans in self.spans.values()])
        return unite_intervals(start_ns, end_ns, np.arange(len(start_ns)))

    @cached_property
    def stretches(self) -> tuple[Int, Int, Int]:
        """Start, end and part of what it does from first to last, without gaps; all (n,)."""
        # The part can change only where something begins or ends.
        bounds = [np.array([self.first_ns, self.last_ns])]
        for spans in self.spans.values():
            bounds += [spans.start_ns, spans.end_ns]
        times = distinct_values(np.clip(np.concatenate(bounds), self.first_ns, self.last_ns))
        # Between two such times the device is idle unless a part is found. They are written from
        # the weakest to the strongest, so that computing hides the communication and the copies
        # beside it.
        part = np.full(len(times) - 1, PARTS.index(StepPart.IDLE), dtype=np.int64)
        for at, name in reversed(list(enumerate(PARTS[:-1]))):
            part[self.spans[name].row_around(times[:-1]) >= 0] = at
        # Neighbouring pieces of one part are one stretch.
        changed = np.append(True, part[1:] != part[:-1])[: len(part)]
        start_ns = times[:-1][changed]
        return start_ns, np.append(start_ns[1:], times[-1:])[: len(start_ns)], part[changed]


def device_steps(
    trace: Trace, counted: Bool, step: Int, *, with_cpu: bool = False
) -> tuple[DeviceStep, ...]:
    """The steps of the window on each GPU; `counted` and `step` are those of an Attribution.

    Where none ran anything that counts there are none, or, `with_cpu`, those of each process.
    """
    on_cpu = trace.launches.on_cpu
    # The window is that of GPUs. Operators of the CPU stand in only where no GPU ran anything.
    chosen = ~on_cpu if (counted & ~on_cpu).any() or not with_cpu else on_cpu
    if not (counted & chosen).any():
        return ()
    number = device_numbers(trace)
    steps: list[DeviceStep] = []
    for device in distinct_values(number[chosen]).tolist():
        rows = np.flatnonzero(np.equal(number, device) & chosen)
        steps += _iter_device_steps(trace, device, rows, counted, step)
    return tuple(steps)


def device_times(
    trace: Trace, steps: tuple[DeviceStep, ...], communicates: Bool | None = None
) -> Iterator[DeviceTime]:
    """What each device of `steps` does in them; `communicates` as parts_of_launches takes it."""
    launches = trace.launches
    number = device_numbers(trace)
    part_of = parts_of_launches(trace, communicates)
    for device in dict.fromkeys(step.device for step in steps):
        # All launches of the device by their start, those outside of the window too: they keep it
        # busy.
        of_device = tuple(at for at, step in enumerate(steps) if step.device == device)
        rows = np.flatnonzero(np.equal(number, device))
        rows = rows[np.argsort(launches.start_ns[rows], kind="stable")]
        # An operator of the CPU runs in pieces, between the operators that it calls.
        ran = stretches_of_work(launches.take_rows(rows), trace.ranges)
        part, start_ns, end_ns = part_of[rows[ran.of]], ran.start_ns, ran.end_ns
        # On the CPU, threads of Gloo or MPI communicate in ranges of the host that are no launches.
        if steps[of_device[0]].on_cpu:
            begin, end = _collectives_of_host(trace, steps[of_device[0]].process)
            moves = np.full(len(begin), PARTS.index(StepPart.COMMUNICATION), dtype=np.int64)
            part = np.concatenate([part, moves])
            start_ns, end_ns = np.concatenate([start_ns, begin]), np.concatenate([end_ns, end])
        # Idle is what is left, so it has no intervals of its own.
        spans = {}
        for at, name in enumerate(PARTS[:-1]):
            mine = np.flatnonzero(np.equal(part, at))
            spans[name] = unite_intervals(start_ns[mine], end_ns[mine], mine)
        yield DeviceTime(
            number=device,
            steps=of_device,
            first_ns=min(steps[at].start_ns for at in of_device),
            last_ns=max(steps[at].end_ns for at in of_device),
            rows=rows,
            spans=spans,
        )


def _collectives_of_host(trace: Trace, process: int) -> tuple[Int, Int]:
    """When threads of a backend were in a collective, which no launch shows: starts and ends."""
    ranges = trace.ranges
    moves = by_name(ranges.name_id, [is_host_collective(name) for name in ranges.names])
    rows = np.flatnonzero(moves & np.equal(ranges.process, process))
    start_ns = ranges.start_ns[rows]
    return start_ns, start_ns + ranges.dur_ns[rows]


def parts_of_launches(trace: Trace, communicates: Bool | None = None) -> Int:
    """The part that each launch makes, a position in PARTS; (launches,).

    `communicates` marks launches that do so under any name.
    """
    launches = trace.launches
    moves = by_name(launches.name_id, [is_communication(name) for name in launches.names])
    if communicates is not None:
        moves = moves | communicates
    part = np.where(moves, PARTS.index(StepPart.COMMUNICATION), PARTS.index(StepPart.COMPUTING))
    part[np.isin(launches.activity, _COPIES)] = PARTS.index(StepPart.COPY)
    return part.astype(np.int64)


def _iter_device_steps(
    trace: Trace, device: int, rows: Int, counted: Bool, step: Int
) -> Iterator[DeviceStep]:
    """The steps of one device, whose launches are `rows`."""
    launches = trace.launches
    # The processes that launched on this device, the one with most launches first. A device has the
    # steps of one process.
    counts = np.bincount(launches.process[rows])
    processes = [it for it in np.argsort(-counts, kind="stable").tolist() if counts[it]]
    # The processes whose time is that of steps. Of others, such as one whose only step is cut, the
    # window is one piece.
    marked = set(distinct_values(launches.process[counted & (step >= 0)]).tolist())
    process = next((it for it in processes if it in marked), processes[0])
    number = int(launches.device[rows[0]])
    on_cpu = bool(launches.on_cpu[rows[0]])
    # No step is known: the window is one piece, from the first event of the processes to the last.
    if process not in marked:
        if counted[rows].any():
            first_ns, last_ns = _extent_of_processes(trace, processes)
            yield DeviceStep(
                device=device,
                id=number,
                process=process,
                step=None,
                start_ns=first_ns,
                end_ns=last_ns,
                on_cpu=on_cpu,
            )
        return
    # The steps that the window counts. The launches of all steps, counted or not, say below how
    # long each step lasts on the device.
    chosen = set(distinct_values(step[counted & np.equal(launches.process, process)]).tolist())
    of_process = rows[np.equal(launches.process[rows], process)]
    end_ns = launches.start_ns[of_process] + launches.dur_ns[of_process]
    # When the last launch of each step ended, by the number of the step.
    numbers, at = np.unique(step[of_process], return_inverse=True)
    ends = np.full(len(numbers), np.iinfo(np.int64).min)
    np.maximum.at(ends, at.reshape(-1), end_ns)
    latest = dict(zip(numbers.tolist(), ends.tolist(), strict=True))
    marks = [mark for mark in trace.steps if mark.process == process]
    # Steps that are not counted are walked through as well: work that one of them left behind
    # delays the beginning of the next.
    reached = min(mark.start_ns for mark in marks)
    for mark in sorted(marks, key=lambda mark: (mark.start_ns, mark.number)):
        start = max(mark.start_ns, reached)
        reached = max(mark.end_ns, latest.get(mark.number, start), start)
        if mark.number in chosen:
            yield DeviceStep(
                device=device,
                id=number,
                process=process,
                step=mark.number,
                start_ns=start,
                end_ns=reached,
                on_cpu=on_cpu,
            )


def _extent_of_processes(trace: Trace, processes: list[int]) -> tuple[int, int]:
    """The first and the last moment of which the processes have an event."""
    first, last = [], []
    for columns in (trace.launches, trace.apis, trace.ranges):
        rows = np.isin(columns.process, processes)
        if rows.any():
            first.append(int(columns.start_ns[rows].min()))
            last.append(int((columns.start_ns[rows] + columns.dur_ns[rows]).max()))
    return min(first), max(last)
