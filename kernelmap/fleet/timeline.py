"""One rank's steps: when it computed, communicated and idled, and what the host did meanwhile.

Takes a trace with its attribution, gives rows of views.fleet.STEPS, GAPS and COLLECTIVES. The step
of a GPU ends with its last work, however far the host is ahead; that of a CPU is the host's range.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from kernelmap.attribution import Attribution
from kernelmap.facts.communication import (
    ONE_TO_ONE,
    collective_of,
    is_communication,
    is_host_collective,
)
from kernelmap.model import NONE, Activity
from kernelmap.model.busy_time import stretches
from kernelmap.model.columns import by_name
from kernelmap.model.names import is_step
from kernelmap.model.trace import Int, Trace
from kernelmap.traces.collectives import CollectiveArgs, collective_args
from kernelmap.views.rows import Row

_LEAST_GAP_NS, _LEAST_PART = 50_000, 0.002  # what is shorter has no range of its own
_MOST_GAPS = 400
_COVERS, _NEARLY = 0.5, 0.95  # of a gap; of the longest overlap


class Timeline(Struct, frozen=True):
    """Rows of one rank, without their rank."""

    steps: list[Row]
    gaps: list[Row]
    collectives: list[Row]


class _Spans(Struct, frozen=True):
    """Disjoint intervals in order, both (n,)."""

    start: Int
    end: Int

    @classmethod
    def of(cls, start: Int, end: Int) -> _Spans:
        """The union of intervals."""
        order = np.argsort(start, kind="stable")
        start, end = start[order], end[order]
        if not len(start):
            return cls(start, end)
        reach = np.maximum.accumulate(end)
        new = np.flatnonzero(np.concatenate(([True], start[1:] > reach[:-1])))
        last = np.concatenate((new[1:], [len(start)])) - 1
        return cls(start[new], reach[last])

    def length(self, begin: Int, end: Int) -> Int:
        """How much of each interval [begin, end) they cover."""
        length: Int = np.maximum(self._until(end) - self._until(begin), 0)
        return length

    def _until(self, time: Int) -> Int:
        if not len(self.start):
            return np.zeros(len(time), dtype=np.int64)
        whole = np.concatenate(([0], np.cumsum(self.end - self.start)))
        at = np.searchsorted(self.start, time, side="right")
        inside = np.minimum(time, self.end[np.maximum(at - 1, 0)])
        return np.where(
            at > 0, whole[np.maximum(at - 1, 0)] + inside - self.start[np.maximum(at - 1, 0)], 0
        )

    def between(self, begin: int, end: int) -> tuple[Int, Int]:
        """The intervals of [begin, end) that they leave free."""
        inside = (self.end > begin) & (self.start < end)
        starts = np.concatenate(([begin], self.end[inside]))
        ends = np.concatenate((self.start[inside], [end]))
        real = starts < ends
        return starts[real], ends[real]


def timeline(trace: Trace, attribution: Attribution) -> Timeline:
    """The steps of a trace of one rank; launches that are not counted are left out."""
    counted = np.flatnonzero(attribution.counted)
    launches = trace.launches.take(counted)
    on_cpu = attribution.side == "cpu"
    said = _said(trace)
    shared = by_name(launches.name_id, [is_communication(name) for name in launches.names])
    if not on_cpu:  # what a profile states of a kernel holds, however that is called
        stated = [number for of_kernel, number in said if of_kernel]
        shared |= np.isin(launches.correlation, stated) & np.equal(
            launches.activity, Activity.KERNEL
        )
    ran = stretches(launches, trace.ranges)
    worked = ~shared[ran.of]
    work = _Spans.of(ran.start_ns[worked], ran.end_ns[worked])
    collectives = (
        _of_host(trace, said)
        if on_cpu
        else _of_kernels(trace, said, counted[shared], attribution.step)
    )
    busy = _Spans.of(
        np.concatenate((work.start, collectives.start_ns)),
        np.concatenate((work.end, collectives.end_ns)),
    )
    bounds = _bounds(trace, attribution, counted, on_cpu=on_cpu)
    numbers, begin, end = (np.array(column, dtype=np.int64) for column in zip(*bounds, strict=True))
    compute, all_busy = work.length(begin, end), busy.length(begin, end)
    steps: list[Row] = [
        {
            "step": int(number),
            "begin_ns": int(start - trace.origin_ns),
            "wall_ns": int(stop - start),
            "compute_ns": int(worked_ns),
            "exposed_ns": int(busy_ns - worked_ns),
            "idle_ns": int(stop - start - busy_ns),
        }
        for number, start, stop, worked_ns, busy_ns in zip(
            numbers, begin, end, compute, all_busy, strict=True
        )
    ]
    return Timeline(
        steps=steps,
        gaps=list(_gaps(trace, busy, bounds)),
        collectives=_rows(collectives, work, set(numbers.tolist()), trace.origin_ns),
    )


_Bounds = Sequence[tuple[int, int, int]]
"""Number, begin and end of each step."""


def _bounds(trace: Trace, attribution: Attribution, counted: Int, *, on_cpu: bool) -> _Bounds:
    """When steps begin and end; one of number -1 for a profile without steps."""
    launches, step = trace.launches.take(counted), attribution.step[counted]
    ends = launches.start_ns + launches.dur_ns
    numbers = np.unique(step[step >= 0])
    if not len(numbers):
        begin = int(launches.start_ns.min()) if len(launches) else 0
        return [(NONE, begin, int(ends.max(initial=begin)))]
    hosts = {host.number: host for host in sorted(trace.steps, key=lambda host: -host.start_ns)}
    if on_cpu:
        return [(int(n), hosts[int(n)].start_ns, hosts[int(n)].end_ns) for n in numbers]
    bounds = []
    begin = hosts[int(numbers[0])].start_ns
    for number in numbers.tolist():
        end = max(begin, int(ends[step == number].max()))
        bounds.append((number, begin, end))
        begin = end
    return bounds


def _gaps(trace: Trace, busy: _Spans, bounds: _Bounds) -> Iterator[Row]:
    """What the host did in the gaps of each step; short gaps are one row without a range."""
    ranges = trace.ranges
    of_no_step = [not is_step(name) for name in ranges.names]
    rows = np.flatnonzero(by_name(ranges.name_id, of_no_step))
    start, dur = ranges.start_ns[rows], ranges.dur_ns[rows]
    left = _MOST_GAPS
    for number, begin, end in bounds:
        starts, ends = busy.between(begin, end)
        long = ends - starts >= max(_LEAST_GAP_NS, _LEAST_PART * (end - begin))
        sums: dict[str | None, int] = {}
        if not long.all():
            sums[None] = int((ends - starts)[~long].sum())
        for free, taken in zip(starts[long].tolist(), ends[long].tolist(), strict=True):
            name = None
            if left:
                left -= 1
                overlap = np.minimum(start + dur, taken) - np.maximum(start, free)
                most = int(overlap.max(initial=0))
                if most >= _COVERS * (taken - free):
                    near = np.flatnonzero(overlap >= _NEARLY * most)
                    name = ranges.name(int(rows[near[np.argmin(dur[near])]]))
            sums[name] = sums.get(name, 0) + taken - free
        for name, time_ns in sums.items():
            yield {"step": number, "range": name, "time_ns": time_ns}


_Said = Mapping[tuple[bool, int], CollectiveArgs]
"""What is stated of kernels by their correlation id (True), of ranges by their external id."""


class _Collectives(Struct, frozen=True):
    """The collectives of a rank in order of start; the columns are (n,)."""

    start_ns: Int
    end_ns: Int
    step: Int
    names: Sequence[str]
    args: Sequence[CollectiveArgs | None]


def _of_kernels(trace: Trace, said: _Said, rows: Int, step: Int) -> _Collectives:
    """Kernels that communicate; `rows` are launches, `step` is that of every launch."""
    launches = trace.launches
    rows = rows[np.argsort(launches.start_ns[rows], kind="stable")]
    return _Collectives(
        start_ns=launches.start_ns[rows],
        end_ns=launches.start_ns[rows] + launches.dur_ns[rows],
        step=step[rows],
        names=[launches.names[name] for name in launches.name_id[rows].tolist()],
        args=[said.get((True, number)) for number in launches.correlation[rows].tolist()],
    )


def _of_host(trace: Trace, said: _Said) -> _Collectives:
    """Ranges of Gloo and the other backends for the CPU, which lie on threads of their own."""
    ranges = trace.ranges
    rows = np.flatnonzero(
        by_name(ranges.name_id, [is_host_collective(name) for name in ranges.names])
    )
    rows = rows[np.argsort(ranges.start_ns[rows], kind="stable")]
    start, step = ranges.start_ns[rows], np.full(len(rows), NONE, dtype=np.int64)
    steps = sorted(trace.steps, key=lambda host: host.start_ns)
    # The thread of a backend may begin a collective just after the step that asked for it.
    ends = [host.start_ns for host in steps[1:]] + [host.end_ns for host in steps[-1:]]
    for host, end in zip(steps, ends, strict=True):
        step[(start >= host.start_ns) & (start < end)] = host.number
    return _Collectives(
        start_ns=ranges.start_ns[rows],
        end_ns=ranges.start_ns[rows] + ranges.dur_ns[rows],
        step=step,
        names=[ranges.names[name] for name in ranges.name_id[rows].tolist()],
        args=[said.get((False, number)) for number in ranges.external[rows].tolist()],
    )


def _said(trace: Trace) -> _Said:
    """What the files say of collectives; nothing where Nsight Systems recorded them."""
    said: dict[tuple[bool, int], CollectiveArgs] = {}
    for source, by_nsys in zip(trace.sources, trace.by_nsys, strict=False):
        if not by_nsys:
            said |= collective_args(Path(source))
    return said


def _rows(collectives: _Collectives, work: _Spans, steps: set[int], origin_ns: int) -> list[Row]:
    """The collectives of the counted steps; positions count by step and group, from 0."""
    exposed = (
        collectives.end_ns
        - collectives.start_ns
        - work.length(collectives.start_ns, collectives.end_ns)
    )
    counts: dict[tuple[int, str, bool], int] = {}
    rows: list[Row] = []
    for at, (name, said) in enumerate(zip(collectives.names, collectives.args, strict=True)):
        step = int(collectives.step[at])
        if step not in steps:
            continue
        group = "" if said is None else " ".join(filter(None, (said.group, said.ranks)))
        word = _named(name, said)
        of_step = (step, group, word in ONE_TO_ONE)
        position = counts.get(of_step, 0)
        counts[of_step] = position + 1
        rows.append(
            {
                "step": step,
                "group": group,
                "position": position,
                "name": word,
                "dtype": said.dtype if said else None,
                "elements_in": said.elements_in if said else None,
                "elements_out": said.elements_out if said else None,
                "start_ns": int(collectives.start_ns[at]) - origin_ns,
                "dur_ns": int(collectives.end_ns[at] - collectives.start_ns[at]),
                "exposed_ns": int(exposed[at]),
            }
        )
    return rows


def _named(name: str, said: CollectiveArgs | None) -> str:
    """The collective by its arguments, else by the name of its kernel or range."""
    if said is not None and said.name is not None:
        return said.name.lower().lstrip("_")
    return collective_of(name)
