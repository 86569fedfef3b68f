"""(program, time, work, limits) → Roofline: what calls did, and what they could have done.

The work of a call is that of one execution; a profile says how often it ran. A Triton kernel runs
once per launch. A library call may launch several kernels, so it counts once per invocation of its
graph, in a loop once per host range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from kernelmap.attribution.kernel_counters import CountedLaunches, sum_up_counters
from kernelmap.attribution.records import Attribution, CallTime
from kernelmap.model import (
    Backend,
    CompiledProgram,
    Matching,
    Notice,
    Occurrence,
    Trace,
    WrapperCall,
)
from kernelmap.model.collectives import StatedCollectives
from kernelmap.model.columns import code_values, distinct_values, pair_columns
from kernelmap.model.kernel_counters import CountedCall
from kernelmap.model.notices import format_count, join_some
from kernelmap.model.roofline import ODD_SHARE, CallSpeed, DeviceLimits, Roofline
from kernelmap.model.steps import kind_of_step
from kernelmap.model.trace import ON_CPU, Int
from kernelmap.model.wall_time import DeviceStep, IdleTable
from kernelmap.model.work import CodeEvidence, Work
from kernelmap.speed.limits.candidates import FindOccupancies, no_occupancies
from kernelmap.speed.limits.collectives import measure_collectives
from kernelmap.speed.limits.device_limits import limits_of
from kernelmap.speed.limits.reasons import reasons_of_calls
from kernelmap.speed.limits.rolled import roll_up, rows_in_steps
from kernelmap.speed.limits.step_uses import find_model_uses
from kernelmap.speed.limits.waiting import WaitedTime, find_waiting

_LIBRARY = (Backend.EXTERN, Backend.GLUE)
_TENSOR_CORES = ("tf32", "s1688")  # in the names of kernels that round float32 to TensorFloat32
_CPU = "CPU"
_SECOND = 10**9  # ns
_ANY = 1 << 62  # bytes: more than any call moves
_MANY = 2**20  # blocks of a dimension: more are as good


def measure_roofline(  # noqa: PLR0913 -- the stages before it, each by its result
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    attribution: Attribution,
    works: Sequence[Work],
    user_file: Path | None = None,
    *,
    idle: Callable[[], IdleTable] | None = None,
    evidence: Callable[[], CodeEvidence] = CodeEvidence,
    stated: Callable[[], Sequence[StatedCollectives]] = tuple,
    find_occupancies: FindOccupancies = no_occupancies,
    counted: CountedLaunches | None = None,
) -> Roofline:
    """The calls of the window that `attribution` split, against the limits of their device.

    `works` is parallel to `program.calls`; `user_file` has limits of devices. Once reasons are
    asked for, `evidence` gives what the code says of avoidable work, `find_occupancies` what the
    profile says of kernels, and `idle` when devices were idle: without it no reason speaks of that.
    `stated` gives what each file of the trace states of collectives, `counted` is what Nsight
    Compute counted. Raises KernelmapError where `user_file` cannot be used.
    """
    names = _names_of_devices(trace, attribution)
    by_name = limits_of(names, user_file, bandwidths_by_device(trace))
    # The sums are set against one device. Where the window ran on several kinds, there is no limit.
    limits = next(iter(by_name.values())) if len(by_name) == len(names) == 1 else None

    def counts(rows: Int) -> CountedCall | None:
        return None if counted is None else sum_up_counters(counted, trace.launches, rows)

    def speed_of_launches(row: CallTime, rows: Int) -> CallSpeed:
        position = row.call or 0
        launched = _Launched(trace, matching, rows)
        call = program.calls[position][1]
        return _speed_of_call(call, row, works[position], launched, limits, counts(rows))

    @cache
    def find_waiting_once() -> tuple[WaitedTime, ...]:
        """The time beside the calls, found once for all that reasons are asked of."""
        return find_waiting(program, trace, matching, attribution, idle()) if idle else ()

    owned = tuple(_iter_launched(attribution, matching))
    calls = tuple(speed_of_launches(row, rows) for row, rows in owned)
    return Roofline(
        devices={name: by_name.get(name) for name in names},
        calls=calls,
        total_ns=attribution.total_ns,
        notices=tuple(_iter_notices(program, names, by_name, calls)),
        rows=roll_up(program, attribution, calls),
        find_reasons=lambda speeds: reasons_of_calls(
            program, speeds, limits, evidence(), find_waiting_once(), find_occupancies
        ),
        find_uses=partial(find_model_uses, trace, attribution, owned, speed_of_launches),
        find_collectives=partial(
            measure_collectives, program, trace, matching, attribution, limits, stated
        ),
    )


def with_exposed_times(
    roofline: Roofline,
    program: CompiledProgram,
    attribution: Attribution,
    matching: Matching,
    exposed_ns: Int,
) -> Roofline:
    """The same calls with the part of their time that steps wait for.

    `exposed_ns` is that time of each launch; (launches,).
    """
    owned = np.flatnonzero(attribution.counted & (matching.call >= 0))
    # Per call, the sum over its launches in the window; (calls,).
    of_calls = np.zeros(int(matching.call.max(initial=-1)) + 1, np.int64)
    np.add.at(of_calls, matching.call[owned], exposed_ns[owned])
    calls = tuple(replace(speed, exposed_ns=int(of_calls[speed.call])) for speed in roofline.calls)
    return replace(roofline, calls=calls, rows=rows_in_steps(roofline.rows, program, calls))


def with_wall_times(roofline: Roofline, steps: Sequence[DeviceStep]) -> Roofline:
    """The same with how long the window's steps lasted, those of each device on their own."""
    wall_ns = sum(step.end_ns - step.start_ns for step in steps)
    uses = roofline.find_uses(steps, kind_of_step) if roofline.find_uses else {}
    return replace(roofline, steps=len(steps), wall_ns=wall_ns, use_by_kind=uses)


def bandwidths_by_device(trace: Trace) -> Mapping[str | None, int]:
    """Bytes per second of devices by name, where profiles state them; of several the least."""
    stated: dict[str | None, int] = {}
    for device in trace.devices:
        if device.name and device.bandwidth:
            stated[device.name] = min(device.bandwidth, stated.get(device.name, device.bandwidth))
    return stated


def _names_of_devices(trace: Trace, attribution: Attribution) -> tuple[str | None, ...]:
    """The names of the devices that ran something in the window, None for one without a name."""
    # A device belongs to a trace file, or to one process of it that counts its devices on its own.
    names = {(device.trace, device.process, device.id): device.name for device in trace.devices}
    counted = np.flatnonzero(attribution.counted)
    process, device = trace.launches.process[counted], trace.launches.device[counted]
    # Process and device as one number, so that each pair is looked at once. Device ids are counted
    # from the smallest, as that of the CPU is -1.
    least = int(device.min(initial=0))
    span = int(device.max(initial=0)) - least + 1
    pairs = distinct_values(process * span + device - least).tolist()
    ran = [(pair // span, pair % span + least) for pair in pairs]
    spelled: dict[str | None, None] = {}
    for owner, number in ran:
        file = trace.processes[owner].trace
        name = names.get((file, owner, number), names.get((file, None, number)))
        spelled[_CPU if number < 0 else name or None] = None
    return tuple(spelled)


def _iter_launched(attribution: Attribution, matching: Matching) -> Iterator[tuple[CallTime, Int]]:
    """Each call that took time, with the rows of its launches."""
    counted = np.flatnonzero(attribution.counted & (matching.call >= 0))
    # The rows of all launches that have a call, grouped by call; `starts` says where each group
    # begins.
    order = counted[np.argsort(matching.call[counted], kind="stable")]
    starts = np.searchsorted(matching.call[order], np.arange(len(attribution.calls) + 1))
    for row in attribution.calls:
        if row.call is not None and row.launches:
            yield row, order[starts[row.call] : starts[row.call + 1]]


class _Launched:
    """The launches of one call."""

    def __init__(self, trace: Trace, matching: Matching, rows: Int) -> None:
        self._launches, self._rows = trace.launches, rows
        self.invocation = matching.invocation[rows]
        self.call_range = matching.call_range[rows]

    @property
    def ran(self) -> tuple[tuple[str, int], ...]:
        """The names that they ran under, with the time of each."""
        # One launch, as in a profile of a single step: nothing is to be summed.
        if len(self._rows) == 1:
            row = self._rows[0]
            name = self._launches.names[self._launches.name_id[row]]
            return ((name, int(self._launches.dur_ns[row])),)
        # The name of each launch as a position among the distinct names; the times are summed by
        # it.
        name_ids, which = code_values(self._launches.name_id[self._rows])
        time_ns = np.zeros(len(name_ids), np.int64)
        np.add.at(time_ns, which, self._launches.dur_ns[self._rows])
        names = [self._launches.names[name_id] for name_id in name_ids.tolist()]
        return tuple(zip(names, time_ns.tolist(), strict=True))

    @property
    def often(self) -> tuple[int, ...]:
        """How many launches each of the names had; nothing on a CPU, where nothing is launched."""
        if np.isin(self._launches.activity[self._rows], ON_CPU).any():
            return ()
        name_ids, which = code_values(self._launches.name_id[self._rows])
        return tuple(np.bincount(which, minlength=len(name_ids)).tolist())

    @property
    def blocks(self) -> int | None:
        """The largest grid of the launches, None where one of them states none."""
        # Blocks along x, y and z; (launches, 3).
        grid = self._launches.grid[self._rows]
        if not len(grid) or (grid <= 0).any():
            return None
        return int(np.minimum(grid, _MANY).prod(axis=1).max())

    def executions(self, call: WrapperCall) -> int | None:
        """How often the call ran, None where the profile does not say."""
        # One launch in a host range of its own, as in a profile of a single step.
        if len(self._rows) == 1 and self.call_range[0] >= 0:
            return 1
        activity = self._launches.activity[self._rows]
        # A generated kernel is one launch, and so is a call in a profile of the CPU.
        if call.backend not in _LIBRARY or np.isin(activity, ON_CPU).all():
            return len(self._rows)
        # A library call may launch several kernels, but runs once per invocation. Pairs of process
        # and invocation are numbered from 0, so the largest number says how many there are.
        if call.occurrence is not Occurrence.LOOP and (self.invocation >= 0).all():
            return (
                int(
                    pair_columns(self._launches.process[self._rows], self.invocation).max(
                        initial=-1
                    )
                )
                + 1
            )
        # In a loop an invocation runs the call several times, each in a host range of its own.
        return len(distinct_values(self.call_range)) if (self.call_range >= 0).all() else None


def _speed_of_call(
    call: WrapperCall,
    time: CallTime,
    work: Work,
    launched: _Launched,
    limits: DeviceLimits | None,
    counted: CountedCall | None,
) -> CallSpeed:
    """One call's work and limits."""
    executions = launched.executions(call)
    speed = CallSpeed(
        call=time.call or 0,
        executions=executions,
        time_ns=time.time_ns,
        ran=launched.ran,
        launches=launched.often,
        counted=counted,
    )
    # No products are none, however often the call ran.
    model_flops = work.model_flops
    if model_flops:
        model_flops = None if executions is None else model_flops * executions
    speed = replace(speed, model_flops=model_flops)
    if work.bytes is None:
        return replace(speed, reason=work.reason)
    if executions is None:
        return replace(speed, reason="how often it ran is not known")
    # Work is stated for one execution, time for all of them.
    moved = work.bytes * executions
    flops = None if work.flops is None else work.flops * executions
    names = [name for name, _ in speed.ran]
    memory_ns = compute_ns = None
    dtype, reason = work.dtype, work.reason
    # Bytes are stated in any case, a limit only where the device's own memory bounds the call.
    if work.over_links:
        reason = "a collective is bound by the links between devices"
    elif speed.crosses_link:
        reason = "a copy over a link has no limit here"
    elif limits is not None:
        # float32 operands may have run on tensor cores, which only the kernel's name tells.
        if dtype == "float32" and any(w in name.lower() for name in names for w in _TENSOR_CORES):
            dtype = "tfloat32"
        peak = limits.peak_of(dtype) if dtype else None
        # Without the peak the time for arithmetic is missing, which may be the longer one.
        if flops and peak is None:
            reason = f"the device's limit for {dtype or 'this dtype'} is not known"
        else:
            least = min(moved.most, _bytes_to_move(speed, work, executions))
            memory_ns = least * _SECOND // limits.bandwidth
            compute_ns = flops * _SECOND // peak if flops and peak else None
    return replace(
        speed,
        bytes=moved,
        operands=work.operands,
        flops=flops,
        blocks=launched.blocks,
        dtype=dtype,
        memory_ns=memory_ns,
        compute_ns=compute_ns,
        reason=reason,
    )


def _bytes_to_move(speed: CallSpeed, work: Work, executions: int) -> int:
    """The bytes that executions move by the counters; all that can be where none were counted.

    Bytes that a kernel leaves in the L2 cache are written to memory later, and counted nowhere. So
    at least those count that the code writes.
    """
    counted = speed.counted
    if counted is None or counted.dram_bytes is None:
        return _ANY
    if counted.dram_written_bytes is None:
        return counted.dram_bytes
    written = sum(it.bytes.least for it in work.operands or () if it.written) * executions
    return counted.dram_bytes + max(0, written - counted.dram_written_bytes)


def _iter_notices(
    program: CompiledProgram,
    names: Sequence[str | None],
    by_name: Mapping[str | None, DeviceLimits],
    calls: Sequence[CallSpeed],
) -> Iterator[Notice]:
    # A CPU has no limits without a file of the user's, and that is no gap.
    missing = [name for name in names if name not in by_name]
    if missing and names != (_CPU,):
        spelled = join_some([repr(name) if name else "a device without a name" for name in missing])
        yield Notice(
            slug="device-limits-unknown",
            message=f"no limits are known for {spelled}: bytes and rates are given, shares of a "
            "limit are not",
            hint="State them in a file and give it with --device-limits.",
        )
    elif len(names) > 1:
        yield Notice(
            slug="device-limits-unknown",
            message="the window ran on devices of several kinds: "
            f"{join_some(list(map(str, names)))}",
            hint="Give the profile of one of them.",
        )
    above = [
        program.calls[speed.call]
        for speed in calls
        if speed.limit_ns is not None and speed.limit_ns > ODD_SHARE * speed.time_ns
    ]
    if above:
        spelled = join_some([graph.call_id(call) for graph, call in above])
        yield Notice(
            slug="above-the-limit",
            message=f"{format_count(len(above), 'call')} ran faster than the limits allow: "
            f"{spelled}",
            hint="Their operands may have been in a cache, or launches belong to another call.",
        )
