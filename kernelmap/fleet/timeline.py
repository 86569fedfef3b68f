"""One rank's steps: when it computed, communicated and idled, and what the host did meanwhile.

Takes a trace with its matching and attribution, gives rows of tables.fleet.STEPS, GAPS and
COLLECTIVES. Steps, their parts and the causes of idleness are those of the wall time, of a rank on
the CPU too; here they are added up, and long gaps get the name of the host range around them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from kernelmap.attribution import Attribution
from kernelmap.facts.communication import ONE_TO_ONE, is_host_collective, name_of_collective
from kernelmap.model import NONE, Matching
from kernelmap.model.collectives import (
    CollectiveArgs,
    StatedCollectives,
    is_stated_collective,
)
from kernelmap.model.columns import by_name, pair_columns
from kernelmap.model.intervals import Spans, unite_intervals
from kernelmap.model.names import is_step
from kernelmap.model.trace import Int, Trace
from kernelmap.model.wall_time import PARTS, DeviceStep, IdleCause, IdleTable, StepPart
from kernelmap.speed.wall.devices import parts_of_launches
from kernelmap.speed.wall.measure import Wall, wall_time
from kernelmap.tables.rows import Row
from kernelmap.traces.collectives import read_collectives

_LEAST_GAP_NS, _LEAST_PART = 50_000, 0.002
"""What is shorter, or less of its step, is not looked for among the host ranges around it: each
look-up goes over all ranges, and such gaps explain no slow rank. Chosen for time."""
_MOST_GAPS = 400
"""So many gaps of a rank get a range at most: each look-up goes over all ranges. Chosen for
time."""
_COVERS, _NEARLY = 0.5, 0.95
"""A range explains a gap if it covers half of it; of those that cover nearly as much as the best
one the shortest says most. With less, any range is the cause; with more, one that ends a little
early is none. Chosen."""
_OF_CPU = -1


class Timeline(Struct, frozen=True):
    """Rows of one rank, without their rank."""

    steps: list[Row]
    gaps: list[Row]
    collectives: list[Row]


def build_timeline(trace: Trace, matching: Matching, attribution: Attribution) -> Timeline:
    """The steps of a trace of one rank; of several devices those of the busiest one.

    The gaps are those of all of its devices.
    """
    # What files state of collectives, and by it which launches communicate, whatever they are
    # called.
    said = read_collectives(trace)
    stated = is_stated_collective(trace, said)
    wall = wall_time(
        trace,
        attribution.counted,
        attribution.step,
        matching.reason,
        with_cpu=True,
        communicates=stated,
    )
    parts_ns = _parts_of_steps(wall)
    device = _busiest_device(wall, parts_ns)
    steps = list(_rows_of_steps(wall, parts_ns, device, trace.origin_ns))
    # Collectives are listed for the steps that the rank has rows of.
    numbers = {int(str(row["step"])) for row in steps}
    if attribution.side == "cpu":
        collectives = _of_host(trace, said)
    else:
        part = parts_of_launches(trace, stated)
        # Counted launches that communicate; (launches,).
        moves = attribution.counted & np.equal(part, PARTS.index(StepPart.COMMUNICATION))
        collectives = _of_kernels(trace, said, np.flatnonzero(moves), attribution.step)
    return Timeline(
        steps=steps,
        gaps=_rows_of_gaps(trace, wall),
        collectives=_rows_of_collectives(
            collectives, _computing_spans(wall, device), numbers, trace.origin_ns
        ),
    )


def _parts_of_steps(wall: Wall) -> Int:
    """How long each step had each part, (steps, PARTS)."""
    pieces = wall.pieces
    parts_ns = np.zeros((len(wall.steps), len(PARTS)), dtype=np.int64)
    np.add.at(parts_ns, (pieces.step, pieces.part), pieces.end_ns - pieces.start_ns)
    return parts_ns


def _busiest_device(wall: Wall, parts_ns: Int) -> int:
    """The number of the device that was not idle for the longest time, of equals the first."""
    busy_ns: dict[int, int] = {}
    for step, of_step in zip(wall.steps, parts_ns, strict=True):
        # All parts of a step but its idleness.
        worked = int(of_step.sum() - of_step[PARTS.index(StepPart.IDLE)])
        busy_ns[step.device] = busy_ns.get(step.device, 0) + worked
    return max(busy_ns, key=lambda device: busy_ns[device], default=NONE)


def _bounds_of_steps(wall: Wall) -> tuple[Int, Int]:
    """When each step begins and ends for a fleet, both (steps,).

    Where no step is marked, the window begins with the first work and ends with the last one. How
    long a process was recorded before says nothing of its speed: under Nsight Systems that is its
    start, with all imports.
    """
    begin = np.array([step.start_ns for step in wall.steps], dtype=np.int64)
    end = np.array([step.end_ns for step in wall.steps], dtype=np.int64)
    pieces = wall.pieces
    # Only a window without steps is cut: from its first piece that is not idle to its last one.
    busy = pieces.part != PARTS.index(StepPart.IDLE)
    for at, step in enumerate(wall.steps):
        if step.step is None:
            rows = np.flatnonzero(busy & np.equal(pieces.step, at))
            begin[at] = pieces.start_ns[rows].min(initial=end[at])
            end[at] = pieces.end_ns[rows].max(initial=begin[at])
    return begin, end


def _computing_spans(wall: Wall, device: int) -> Spans:
    """When a device computed in its steps."""
    pieces = wall.pieces
    of_device = np.array([step.device == device for step in wall.steps], dtype=np.bool_)
    rows = np.flatnonzero(np.equal(pieces.part, PARTS.index(StepPart.COMPUTING)))
    # Computing pieces of one device, as one set of stretches; `of_device` is (steps,).
    rows = rows[of_device[pieces.step[rows]]]
    return unite_intervals(pieces.start_ns[rows], pieces.end_ns[rows], rows)


def _rows_of_steps(wall: Wall, parts_ns: Int, device: int, origin_ns: int) -> list[Row]:
    """Rows of tables.fleet.STEPS of one device; a rank that ran nothing has one without time."""
    begin_ns, end_ns = (column.tolist() for column in _bounds_of_steps(wall))
    rows: list[Row] = []
    for at, step in enumerate(wall.steps):
        if step.device == device:
            time_ns = dict(zip(PARTS, parts_ns[at].tolist(), strict=True))
            wall_ns = end_ns[at] - begin_ns[at]
            # What was cut off a window without steps was idle, so it is taken off its idleness.
            around_ns = step.end_ns - step.start_ns - wall_ns
            rows.append(
                {
                    "step": _number_of_step(step),
                    "device": _device_of(step),
                    "begin_ns": begin_ns[at] - origin_ns,
                    "wall_ns": wall_ns,
                    "compute_ns": time_ns[StepPart.COMPUTING] + time_ns[StepPart.COPY],
                    "exposed_ns": time_ns[StepPart.COMMUNICATION],
                    "idle_ns": time_ns[StepPart.IDLE] - around_ns,
                    "around_ns": around_ns,
                }
            )
    times = ("begin_ns", "wall_ns", "compute_ns", "exposed_ns", "idle_ns", "around_ns")
    return rows or [{"step": NONE, "device": _OF_CPU, **dict.fromkeys(times, 0)}]


def _number_of_step(step: DeviceStep) -> int:
    return NONE if step.step is None else step.step


def _device_of(step: DeviceStep) -> int:
    return _OF_CPU if step.on_cpu else step.id


def _rows_of_gaps(trace: Trace, wall: Wall) -> list[Row]:
    """Rows of tables.fleet.GAPS: the idleness of each step and device by its cause and range."""
    idle = wall.idle
    words, name = _ranges_of(idle, trace, wall)
    # What lies before the first work or behind the last one of a window without steps.
    begin_ns, end_ns = _bounds_of_steps(wall)
    is_outer = (idle.start_ns < begin_ns[idle.step]) | (idle.end_ns > end_ns[idle.step])
    around = is_outer.astype(np.int64)
    # Rows that agree in all four are one row of the result.
    key = pair_columns(idle.step, around, idle.cause, name)
    time_ns = np.zeros(int(key.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(time_ns, key, idle.time_ns)
    # A row for each key shows its values, and the sums stand in the order of the keys.
    _, first = np.unique(key, return_index=True)
    columns = (idle.step[first], around[first], idle.cause[first], name[first], time_ns)
    return [
        {
            "step": _number_of_step(wall.steps[step]),
            "device": _device_of(wall.steps[step]),
            "cause": IdleCause(cause).word,
            "range": None if word < 0 else words[word],
            "time_ns": sum_ns,
            "around": is_around,
        }
        for step, is_around, cause, word, sum_ns in zip(
            *(it.tolist() for it in columns), strict=True
        )
    ]


def _ranges_of(idle: IdleTable, trace: Trace, wall: Wall) -> tuple[list[str], Int]:
    """Names, and for each row that of its host event or of the range around it, -1 for none."""
    numbers: dict[str, int] = {}
    # Many rows share an event, so each event is named once; -1 where a row has none.
    events, at = np.unique(idle.event, return_inverse=True)
    # Behind the ranges and api calls stand remarks, which are no events.
    shown = [
        numbers.setdefault(wall.host.events.name_of(event), len(numbers))
        if 0 <= event < len(trace.ranges) + len(trace.apis)
        else NONE
        for event in events.tolist()
    ]
    name = np.array(shown, dtype=np.int64)[at.reshape(-1)]
    # Of a long gap without an event the range around it says at least where the host was.
    whole_ns = np.array([step.end_ns - step.start_ns for step in wall.steps], dtype=np.int64)
    # How long a gap must be for that, by step; (steps,). Each look-up goes over all ranges, so only
    # so many gaps get one.
    least_ns = np.maximum(_LEAST_GAP_NS, _LEAST_PART * whole_ns)
    long = np.flatnonzero((name < 0) & (idle.time_ns >= least_ns[idle.step]))[:_MOST_GAPS]
    around = _ranges_around(trace, idle.start_ns[long], idle.end_ns[long])
    for row, word in zip(long.tolist(), around, strict=True):
        if word is not None:
            name[row] = numbers.setdefault(word, len(numbers))
    return list(numbers), name


def _ranges_around(trace: Trace, start_ns: Int, end_ns: Int) -> list[str | None]:
    """The shortest of the host ranges that last nearly as long as each gap, None without one."""
    ranges = trace.ranges
    # Ranges of steps say nothing: they lie around every gap.
    rows = np.flatnonzero(by_name(ranges.name_id, [not is_step(name) for name in ranges.names]))
    start, dur = ranges.start_ns[rows], ranges.dur_ns[rows]
    end = start + dur
    names: list[str | None] = []
    for free, taken in zip(start_ns.tolist(), end_ns.tolist(), strict=True):
        # Ns that each range shares with the gap, negative where it lies apart. Of the ranges that
        # share nearly as much as the best one, the shortest says most exactly where the host was.
        overlap = np.minimum(end, taken) - np.maximum(start, free)
        most = int(overlap.max(initial=0))
        near = np.flatnonzero(overlap >= _NEARLY * most)
        # A range over less than half of the gap does not explain it.
        covers = most >= _COVERS * (taken - free)
        names.append(ranges.name_of(int(rows[near[np.argmin(dur[near])]])) if covers else None)
    return names


class _Collectives(Struct, frozen=True):
    """The collectives of a rank in order of start; the columns are (n,)."""

    start_ns: Int
    end_ns: Int
    step: Int
    names: Sequence[str]
    args: Sequence[CollectiveArgs | None]


def _of_kernels(trace: Trace, said: StatedCollectives, rows: Int, step: Int) -> _Collectives:
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


def _of_host(trace: Trace, said: StatedCollectives) -> _Collectives:
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


def _rows_of_collectives(
    collectives: _Collectives, computing: Spans, steps: set[int], origin_ns: int
) -> list[Row]:
    """The collectives of the counted steps; positions count by step and group, from 0."""
    # Ns of each collective in which its device computed nothing; (collectives,).
    exposed = (
        collectives.end_ns
        - collectives.start_ns
        - computing.covered_ns(collectives.start_ns, collectives.end_ns)
    )
    counts: dict[tuple[int, str, bool], int] = {}
    rows: list[Row] = []
    for at, (name, said) in enumerate(zip(collectives.names, collectives.args, strict=True)):
        step = int(collectives.step[at])
        if step not in steps:
            continue
        # The same name may stand for several groups, so their ranks belong to the key.
        group = "" if said is None else " ".join(filter(None, (said.group, said.ranks)))
        word = name_of_collective(name, said.name if said else None)
        # Sends and receives have positions of their own: one more of them on a rank moves no
        # collective.
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
                "members": said.members if said else None,
                "start_ns": int(collectives.start_ns[at]) - origin_ns,
                "dur_ns": int(collectives.end_ns[at] - collectives.start_ns[at]),
                "exposed_ns": int(exposed[at]),
            }
        )
    return rows
