"""When launches ran: the self time of operators, and how long a group of launches was busy.

The self time of a host range is that of torch.profiler's tables: the range less the ranges directly
below it on its thread. It is given as stretches of time, so that whoever draws or unites operators
counts no nanosecond twice. A group is busy while at least one of its launches runs, the streams of
one device taken together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelmap.model.columns import nearest_ancestor
from kernelmap.model.intervals import OwnedIntervals, measure_unions
from kernelmap.model.trace import (
    NONE,
    Activity,
    Bool,
    Int,
    Launches,
    Ranges,
    Step,
    Trace,
)

_UNSEEN = frozenset(
    {
        "aten::is_leaf",
        "aten::output_nr",
        "aten::_version",
        "profiler::_record_function_enter",
        "profiler::_record_function_enter_new",
        "profiler::_record_function_exit",
    }
)


def is_left_out_by_torch(ranges: Ranges) -> Bool:
    """Mask of operators that torch's tables leave out: their time is that of what calls them."""
    names = np.array([name in _UNSEEN for name in ranges.names], dtype=np.bool_)
    return names[ranges.name_id] if len(ranges) else np.zeros(0, dtype=np.bool_)


def own_stretches(ranges: Ranges, rows: Int) -> OwnedIntervals:
    """When each of the ranges `rows` (every one once) ran itself."""
    # The position in `rows` of each range of the trace, -1 for those not asked for; (ranges + 1,).
    place = np.full(len(ranges) + 1, NONE, dtype=np.int64)  # the last is that of no parent
    place[rows] = np.arange(len(rows))
    begin = ranges.start_ns[rows]
    end = begin + ranges.dur_ns[rows]

    # What an unseen operator calls is called by the one around it: else its time counts twice.
    is_unseen = is_left_out_by_torch(ranges)
    parent = ranges.parent
    if is_unseen.any():
        parent = nearest_ancestor(parent, ~is_unseen, parent)
    # The children of the ranges asked for, ordered by parent and then by start; all (children,).
    below = np.flatnonzero((place[parent] >= 0) & ~is_unseen)
    owner = place[parent[below]]
    below = below[np.lexsort((ranges.start_ns[below], owner))]
    owner = place[parent[below]]
    opens = ranges.start_ns[below]
    # A child may outlast its parent a little. Of two, the later one ends later: else it were below.
    closes = np.minimum(opens + ranges.dur_ns[below], end[owner])

    # The parent ran itself before each child: since the end of the child before, or since its own
    # beginning where this child is its first.
    again = np.zeros(len(owner), dtype=np.bool_)
    again[1:] = owner[1:] == owner[:-1]
    since = np.where(again, np.roll(closes, 1), begin[owner])
    # And behind its last child, up to its own end. Without children that is all of it.
    last = begin.copy()
    last[owner] = closes  # the last one of each owner stays
    of = np.concatenate([owner, np.arange(len(rows))])
    starts, ends = np.concatenate([since, last]), np.concatenate([opens, end])
    # Children that follow one another without a gap leave empty stretches.
    real = np.flatnonzero(starts < ends)
    real = real[np.lexsort((starts[real], of[real]))]
    return OwnedIntervals(of[real], starts[real], ends[real])


def self_time_ns(ranges: Ranges, rows: Int) -> Int:
    """How long each of the ranges `rows` (every one once) ran itself; shape (rows,)."""
    parts = own_stretches(ranges, rows)
    total = np.zeros(len(rows), dtype=np.int64)
    np.add.at(total, parts.of, parts.end_ns - parts.start_ns)
    return total


def stretches_of_work(launches: Launches, ranges: Ranges) -> OwnedIntervals:
    """When each of `launches` ran: an operator in parts, everything else from start to end."""
    end = launches.start_ns + launches.dur_ns
    operator = np.equal(launches.activity, Activity.OPERATOR)
    if not operator.any():
        return OwnedIntervals(np.arange(len(launches)), launches.start_ns, end)
    # Operators are cut at the operators that they call; launches and compiled code are whole.
    rows, whole = np.flatnonzero(operator), np.flatnonzero(~operator)
    parts = own_stretches(ranges, launches.range[rows])
    of = np.concatenate([whole, rows[parts.of]])
    starts = np.concatenate([launches.start_ns[whole], parts.start_ns])
    ends = np.concatenate([end[whole], parts.end_ns])
    order = np.lexsort((starts, of))
    return OwnedIntervals(of[order], starts[order], ends[order])


class BusyTime:
    """When each launch of a trace ran and on what device, sorted once for all questions."""

    def __init__(self, trace: Trace) -> None:
        ran = stretches_of_work(trace.launches, trace.ranges)
        # Sorted by device and start once, so that each question only has to choose rows.
        device = device_numbers(trace)[ran.of]
        order = np.lexsort((ran.start_ns, device))
        self._of, self._device = ran.of[order], device[order]
        self._process = trace.launches.process[self._of]
        self._start_ns, self._end_ns = ran.start_ns[order], ran.end_ns[order]

    def of_groups_ns(self, group: Int, groups: int) -> Int:
        """Busy time of each group; `group` is that of each launch, -1 without; int64 (groups,)."""
        group = group[self._of]
        rows = np.flatnonzero(group >= 0)
        start_ns, end_ns = self._start_ns[rows], self._end_ns[rows]
        return measure_unions(group[rows], self._device[rows], start_ns, end_ns - start_ns, groups)

    def of_ns(self, launches: Bool) -> int:
        """Busy time of the launches of a mask, taken together."""
        return int(self.of_groups_ns(np.where(launches, 0, NONE), groups=1)[0])

    def in_steps_ns(self, launches: Bool, steps: Sequence[Step]) -> int:
        """How long at least one launch of a mask ran within `steps`, process by process."""
        # The launches of the mask and the steps are two sets of intervals of each process. Asked is
        # the time that lies in both.
        rows = np.flatnonzero(launches[self._of])
        launched = (self._process[rows], self._start_ns[rows], self._end_ns[rows])
        around = _columns_of_steps(steps)
        both = [np.concatenate(pair) for pair in zip(launched, around, strict=True)]
        # What lies in both is what the two lengths have too much of beside their union.
        return _length_ns(*launched) + _length_ns(*around) - _length_ns(*both)


def steps_ns(steps: Sequence[Step]) -> int:
    """The time of `steps`; where those of a process overlap, it counts once."""
    return _length_ns(*_columns_of_steps(steps))


def device_numbers(trace: Trace) -> Int:
    """A number of the device that each launch ran on; (launches,).

    Ranks count devices on their own, so a GPU is a device of a trace, or of a process where the
    trace says that its processes count them. On the CPU, all threads of a process are one.
    """
    launches = trace.launches
    # Number of the trace file and the device's id in it as one number. The id is counted from the
    # smallest one, which is -1 where operators of the CPU are present.
    scope = np.array([process.trace for process in trace.processes], dtype=np.int64)
    device = launches.device - launches.device.min(initial=0)
    number = scope[launches.process] * (device.max(initial=0) + 1) + device
    # A process that counts its devices on its own gets numbers behind all that were given so far.
    for owner in sorted({it.process for it in trace.devices if it.process is not None}):
        mine = np.equal(launches.process, owner)
        number[mine] = device[mine] + number.max(initial=0) + 1
    # All threads of a process on the CPU are one device, again with a number of its own.
    on_cpu = launches.on_cpu
    number[on_cpu] = number.max(initial=0) + 1 + launches.process[on_cpu]
    return np.asarray(number, dtype=np.int64)


def _columns_of_steps(steps: Sequence[Step]) -> tuple[Int, Int, Int]:
    """Process, start and end of `steps`."""
    rows = [(step.process, step.start_ns, step.end_ns) for step in steps]
    process, start_ns, end_ns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return process, start_ns, end_ns


def _length_ns(process: Int, start_ns: Int, end_ns: Int) -> int:
    one = np.zeros(len(process), dtype=np.int64)
    return int(measure_unions(one, process, start_ns, end_ns - start_ns, groups=1)[0])
