"""(trace, window) → the bus bandwidth of its collectives, and which computing covers them.

Kernels that communicate, with what the profile says of their sizes. Left out: collectives of
backends for the CPU, whose threads no link between devices bounds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from kernelmap.attribution.records import Attribution
from kernelmap.facts.bus_bandwidth import array_of_collective
from kernelmap.facts.communication import is_communication_kernel, name_of_collective
from kernelmap.model import CompiledProgram, Matching, Trace
from kernelmap.model.busy_time import device_numbers
from kernelmap.model.collectives import (
    CollectiveArgs,
    CollectiveSpeed,
    Covering,
    StatedCollectives,
    is_stated_collective,
)
from kernelmap.model.columns import distinct_values
from kernelmap.model.intervals import Spans, unite_intervals
from kernelmap.model.roofline import DeviceLimits
from kernelmap.model.trace import Int
from kernelmap.model.wall_time import PARTS, StepPart
from kernelmap.speed.limits.links import link_between, stated_ranks
from kernelmap.speed.wall.devices import parts_of_launches

_NOT_STATED = CollectiveArgs(name=None)


def measure_collectives(
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    attribution: Attribution,
    limits: DeviceLimits | None,
    find_stated: Callable[[], Sequence[StatedCollectives]],
) -> tuple[CollectiveSpeed, ...]:
    """The collectives of the window by kind, group, dtype and size, the most time first.

    `find_stated` gives what each file of the trace states of them.
    """
    # Files are read a second time for that, so only where there is a collective at all.
    if not any(map(is_communication_kernel, trace.launches.names)):
        return ()
    said = find_stated()
    launches = trace.launches
    # Several files may give one id to different launches, so each is asked in its own file.
    file = np.array([process.trace for process in trace.processes])[launches.process]
    is_stated = np.zeros(len(launches), dtype=np.bool_)
    for at, of_file in enumerate(said):
        is_stated |= is_stated_collective(trace, of_file) & np.equal(file, at)
    part = parts_of_launches(trace, is_stated)
    on_gpu = attribution.counted & ~launches.on_cpu
    moves = np.flatnonzero(on_gpu & np.equal(part, PARTS.index(StepPart.COMMUNICATION)))
    # Rows of launches by what makes their collectives alike.
    rows_by_kind: dict[tuple[str, CollectiveArgs], list[int]] = defaultdict(list)
    for row in moves.tolist():
        of_file = said[file[row]] if file[row] < len(said) else {}
        args = of_file.get((True, int(launches.correlation[row])))
        kernel = launches.names[launches.name_id[row]]
        name = name_of_collective(kernel, args.name if args else None)
        rows_by_kind[name, args or _NOT_STATED].append(row)
    computes = np.flatnonzero(~launches.on_cpu & np.equal(part, PARTS.index(StepPart.COMPUTING)))
    covers = _Covers(program, trace, matching, computes)
    kinds = [
        _speed_of_kind(name, args, np.array(rows), trace, covers, limits)
        for (name, args), rows in rows_by_kind.items()
    ]
    return tuple(sorted(kinds, key=lambda kind: (-kind.time_ns, kind.name, kind.group)))


def _speed_of_kind(
    name: str,
    args: CollectiveArgs,
    rows: Int,
    trace: Trace,
    covers: _Covers,
    limits: DeviceLimits | None,
) -> CollectiveSpeed:
    duration = trace.launches.dur_ns[rows]
    size, factor, reason = array_of_collective(
        name, args.members, args.dtype, args.elements_in, args.elements_out
    )
    link, bandwidth = None, None
    # Only a link that joins all ranks of the group can be set against what they move.
    if size is not None and limits is None:
        reason = "the limits of the device are not known"
    elif size is not None and limits is not None:
        link, bandwidth, reason = _link_of_group(args, rows, trace, limits)
    exposed_ns, covered_by = covers.of_collectives(rows)
    return CollectiveSpeed(
        name=name,
        group=" ".join(filter(None, (args.group, args.ranks))),
        ranks=args.members,
        dtype=args.dtype,
        bytes=size,
        factor=factor,
        collectives=len(rows),
        time_ns=int(duration.sum()),
        shortest_ns=int(duration.min()),
        exposed_ns=exposed_ns,
        covered_by=covered_by,
        link=link,
        link_bandwidth=bandwidth,
        reason=reason,
    )


def _link_of_group(
    args: CollectiveArgs, rows: Int, trace: Trace, limits: DeviceLimits
) -> tuple[str | None, int | None, str | None]:
    """What joins the ranks of a group, with its bytes per second, or why that is not known."""
    # The GPUs that the profile lists are those of its machine, as far as the process sees them.
    file = trace.processes[int(trace.launches.process[rows[0]])].trace
    gpus = max((device.listed for device in trace.devices if device.trace == file), default=0)
    return link_between(stated_ranks(args.ranks), gpus, limits)


class _Covers:
    """The computing launches of a trace, to be laid beside collectives of the same device."""

    def __init__(
        self, program: CompiledProgram, trace: Trace, matching: Matching, rows: Int
    ) -> None:
        self._program, self._launches, self._call = program, trace.launches, matching.call
        self._device = device_numbers(trace)
        # Computing launches by device: their rows, and the union of the time in which they run.
        self._rows = {
            device: rows[np.equal(self._device[rows], device)]
            for device in distinct_values(self._device[rows]).tolist()
        }
        self._spans = {device: self._union(of) for device, of in self._rows.items()}

    def of_collectives(self, rows: Int) -> tuple[int, tuple[Covering, ...]]:
        """The time of collectives in which nothing computed, and what covers them, most first."""
        exposed_ns, covered = 0, Counter[tuple[int | None, str]]()
        for device in distinct_values(self._device[rows]).tolist():
            mine = rows[np.equal(self._device[rows], device)]
            start_ns = self._launches.start_ns[mine]
            end_ns = start_ns + self._launches.dur_ns[mine]
            exposed_ns += int((end_ns - start_ns).sum())
            if device not in self._rows:
                continue
            exposed_ns -= int(self._spans[device].covered_ns(start_ns, end_ns).sum())
            # The time of each computing launch that lies within the collectives; (launches,).
            computing = self._rows[device]
            begin = self._launches.start_ns[computing]
            beside = self._union(mine).covered_ns(begin, begin + self._launches.dur_ns[computing])
            for row, time_ns in zip(
                computing[beside > 0].tolist(), beside[beside > 0].tolist(), strict=True
            ):
                covered[self._owner(row)] += time_ns
        return exposed_ns, tuple(
            Covering(call=call, name=name, time_ns=time_ns)
            for (call, name), time_ns in sorted(
                covered.items(), key=lambda item: (-item[1], item[0][1])
            )
        )

    def _owner(self, row: int) -> tuple[int | None, str]:
        """The call of a launch with its id, or no call and the kernel's name."""
        position = int(self._call[row])
        if position < 0:
            return None, self._launches.names[self._launches.name_id[row]]
        graph, call = self._program.calls[position]
        return position, graph.call_id(call)

    def _union(self, rows: Int) -> Spans:
        start_ns = self._launches.start_ns[rows]
        return unite_intervals(start_ns, start_ns + self._launches.dur_ns[rows], rows)
