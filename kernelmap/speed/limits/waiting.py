"""(what ran, when devices were idle and why) → time beside calls that a program could do without.

How long devices were idle, and the cause of it, is that of the wall time (model/wall_time.py,
IdleTable). A stretch of idleness belongs to the launch that ends it, and to one reason only:

- its cause is compiling, and something was compiled although it was compiled before;
- its cause is launching, and the launch follows another one of its invocation and came too late:
  launching takes longer than what is launched;
- the host was on its way through eager work between two graphs of one pass over the program.

Left out: idleness between passes, and where the host waited for the device or loaded data.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct, field

from kernelmap.attribution.records import Attribution
from kernelmap.model import NONE, CompiledProgram, Matching, Method, Reason, Trace
from kernelmap.model.busy_time import device_numbers
from kernelmap.model.columns import distinct_values
from kernelmap.model.compilations import find_recompilations
from kernelmap.model.notices import format_count, format_duration, join_some
from kernelmap.model.roofline import Slug
from kernelmap.model.trace import Bool, Int
from kernelmap.model.wall_time import IdleCause, IdleTable

_STRETCH = 5
"""Launches in a row that come late: fewer are chance, and no CUDA graph is worth it. Chosen."""
_NOTABLE = 100
"""One part in so many of the window's time: a reason that concerns less is not said. Chosen."""
_BACKWARD = "backward"
_ON_THE_WAY = (
    *(IdleCause.LAUNCHING, IdleCause.GRAPH_BREAK, IdleCause.GUARDS),
    *(IdleCause.WAITING, IdleCause.UNKNOWN),
)
"""Why a device is idle around eager work that would be no more if one graph did all of it."""


class WaitedTime(Struct, frozen=True, kw_only=True):
    """Time that a program could do without: of a device that waits, and of launches of no call.

    `calls` are positions in `CompiledProgram.calls` that it stands before, or between.
    """

    slug: Slug
    calls: tuple[int, ...]
    idle_ns: int
    outside_ns: int = 0
    evidence: str


def find_waiting(
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    attribution: Attribution,
    idle: IdleTable,
) -> tuple[WaitedTime, ...]:
    """All reasons of the window, as its launches show them; `idle` is that of the same window."""
    # The launches of GPUs in the window, device by device.
    counted = np.flatnonzero(attribution.counted & ~trace.launches.on_cpu)
    number = device_numbers(trace)[counted]
    lanes = [
        _lane_of_device(program, trace, matching, counted[np.equal(number, device)], idle)
        for device in distinct_values(number).tolist()
    ]
    return (
        *_iter_recompiles(program, idle),
        *_launch_bound(program, lanes),
        *_eager_islands(program, attribution, lanes),
    )


class _Lane(Struct, frozen=True, kw_only=True):
    """The launches of one GPU by their start, all columns (n,).

    Before each launch the device was idle: `launching_ns` because the host was launching, `way_ns`
    because it was on its way from one graph to the next. `graph` and `invocation` are -1 outside of
    compiled code, `is_late` says that the host launched it when the device was idle already.
    """

    rows: Int
    dur_ns: Int
    launching_ns: Int
    way_ns: Int
    graph: Int
    invocation: Int
    call: Int
    is_late: Bool
    is_eager: Bool


def _lane_of_device(
    program: CompiledProgram, trace: Trace, matching: Matching, rows: Int, idle: IdleTable
) -> _Lane:
    launches = trace.launches
    rows = rows[np.argsort(launches.start_ns[rows], kind="stable")]
    # When the device began to be idle before each launch; where it was not, later than any call.
    idle_since = np.full(len(launches) + 1, np.iinfo(np.int64).max)
    # Launch -1, of idleness at the end, falls on the extra last row.
    np.minimum.at(idle_since, idle.launch, idle.start_ns)
    idle_since = idle_since[rows]
    # A launch is late that was called for when the device was idle. That of a graph launches many.
    api, late = launches.api[rows], np.zeros(len(rows), dtype=np.bool_)
    hosted = np.flatnonzero((api >= 0) & (launches.graph[rows] < 0))
    # The api call returned when the device was idle already. Where it returned earlier, the launch
    # was in the queue in time, and the device waited for something else.
    launched = trace.apis.start_ns[api[hosted]] + trace.apis.dur_ns[api[hosted]]
    late[hosted] = launched >= idle_since[hosted]
    call = matching.call[rows]
    return _Lane(
        rows=rows,
        dur_ns=launches.dur_ns[rows],
        launching_ns=_idle_before(idle.of_causes(IdleCause.LAUNCHING), len(launches))[rows],
        way_ns=_idle_before(idle.of_causes(*_ON_THE_WAY), len(launches))[rows],
        graph=np.where(matching.invocation[rows] >= 0, program.graph_of_call[call], NONE),
        invocation=matching.invocation[rows],
        call=call,
        is_late=late,
        # What a graph replays is not launched by anybody who could be late.
        is_eager=(call < 0)
        & np.equal(matching.reason[rows], Reason.EAGER)
        & np.not_equal(matching.method[rows], Method.TRANSFER),
    )


def _idle_before(idle: IdleTable, launches: int) -> Int:
    """How long the device was idle before each launch, at last before none; (launches + 1,)."""
    before_ns = np.zeros(launches + 1, dtype=np.int64)
    np.add.at(before_ns, idle.launch, idle.time_ns)
    return before_ns


def _iter_recompiles(program: CompiledProgram, idle: IdleTable) -> Iterator[WaitedTime]:
    """The device waits while a function is compiled that was compiled before."""
    idle_ns = idle.of_causes(IdleCause.COMPILING).total_ns
    # Where no function was compiled three times, each one that was compiled again is stated.
    again = [one.words for one in find_recompilations(program.compilations)]
    again += [
        f"{one.title or 'a function'} was compiled once more, because this did not hold: "
        f"{one.failed_guards[0].guard}"
        for one in program.compilations
        if one.failed_guards
    ] * (not again)
    if idle_ns and again:
        yield WaitedTime(
            slug=Slug.RECOMPILES,
            calls=(),
            idle_ns=idle_ns,
            evidence=f"code was compiled within the window while nothing ran for "
            f"{format_duration(idle_ns)}; {join_some(again)}",
        )


def _launch_bound(program: CompiledProgram, lanes: Sequence[_Lane]) -> Iterator[WaitedTime]:
    """Stretches of an invocation in which the device waits longer than it works."""
    sums: dict[int, _Stretches] = defaultdict(_Stretches)
    for lane in lanes:
        # Launches that came late, and are of the same graph and the same invocation as the one
        # before.
        follows = np.zeros(len(lane.rows), dtype=np.bool_)
        follows[1:] = (
            lane.is_late[1:]
            & (lane.graph[1:] >= 0)
            & (lane.graph[1:] == lane.graph[:-1])
            & (lane.invocation[1:] == lane.invocation[:-1])
        )
        # Where runs of such launches begin and end, in turn. A False at both ends closes the outer
        # ones.
        edges = np.flatnonzero(np.diff(np.concatenate([[False], follows, [False]]).astype(np.int8)))
        for begin, end in edges.reshape(-1, 2).tolist():
            idle_ns = int(lane.launching_ns[begin:end].sum())
            busy_ns = int(lane.dur_ns[begin:end].sum())
            # The device waited longer than it worked, so launching is what bounds the stretch.
            if end - begin >= _STRETCH and idle_ns > busy_ns:
                sums[int(lane.graph[begin])].add_stretch(lane.call[begin:end], idle_ns, busy_ns)
    for graph, stretches in sums.items():
        yield WaitedTime(
            slug=Slug.LAUNCH_BOUND,
            calls=tuple(sorted(stretches.calls)),
            idle_ns=stretches.idle_ns,
            evidence=f"{format_count(stretches.launches, 'launch')} of "
            f"{program.graphs[graph].id}, in "
            f"{format_count(stretches.number, 'stretch')}, took "
            f"{format_duration(stretches.busy_ns)}, and the "
            f"device waited {format_duration(stretches.idle_ns)} for the host to launch them",
        )


class _Stretches(Struct):
    """What the stretches of one graph add up to."""

    number: int = 0
    launches: int = 0
    idle_ns: int = 0
    busy_ns: int = 0
    calls: set[int] = set()

    def add_stretch(self, calls: Int, idle_ns: int, busy_ns: int) -> None:
        """One more stretch."""
        self.number += 1
        self.launches += len(calls)
        self.idle_ns += idle_ns
        self.busy_ns += busy_ns
        self.calls |= set(calls.tolist())


class _Island(Struct):
    """What the eager work between two graphs adds up to."""

    number: int = 0
    launches: int = 0
    idle_ns: int = 0
    outside_ns: int = 0
    ops: Counter[str] = field(default_factory=Counter)


def _eager_islands(
    program: CompiledProgram, attribution: Attribution, lanes: Sequence[_Lane]
) -> Iterator[WaitedTime]:
    """Eager work between two graphs of one pass, with the waits around it."""
    islands: dict[tuple[int, int], _Island] = defaultdict(_Island)
    ops = attribution.outside_op
    for lane in lanes:
        # The waits, and the work, before each position of the lane: a run of launches is short, and
        # there may be as many runs as there are graphs in all steps.
        way_ns, dur_ns = _sums_before(lane.way_ns), _sums_before(lane.dur_ns)
        codes = ops.code[lane.rows].tolist()
        for before, begin, end in _iter_between(program, attribution, lane):
            island = islands[int(lane.graph[before]), int(lane.graph[end])]
            island.number += 1
            island.launches += end - begin
            # The waits before each eager launch, and before the first launch of the graph behind
            # them.
            island.idle_ns += way_ns[end + 1] - way_ns[begin]
            island.outside_ns += dur_ns[end] - dur_ns[begin]
            island.ops.update(ops.names[code] for code in codes[begin:end] if code >= 0)
    for (before, after), island in islands.items():
        # An island that takes less than a hundredth of the window is not worth a row.
        if (island.idle_ns + island.outside_ns) * _NOTABLE < attribution.total_ns:
            continue
        first, second = program.graphs[before], program.graphs[after]
        names = [name for name, _ in island.ops.most_common()]
        yield WaitedTime(
            slug=Slug.EAGER_ISLAND,
            calls=(),
            idle_ns=island.idle_ns,
            outside_ns=island.outside_ns,
            evidence=f"{join_some(names) or 'eager work'} between {first.id} and {second.id}, "
            f"{format_count(island.number, 'time')}: {format_count(island.launches, 'launch')} of "
            f"{format_duration(island.outside_ns)}, around them the device waited "
            f"{format_duration(island.idle_ns)}{_break_of(program, before)}",
        )


def _sums_before(times_ns: Int) -> list[int]:
    """The sum of the times before each position, at last of all; (n + 1,)."""
    return [0, *np.cumsum(times_ns).tolist()]


def _iter_between(
    program: CompiledProgram, attribution: Attribution, lane: _Lane
) -> Iterator[tuple[int, int, int]]:
    """Runs of eager launches between two graphs of one pass: the launch before, begin and end.

    A pass ends where a graph runs that ran in it already, where the step does, and behind the last
    backward.
    """
    kinds = [graph.kind for graph in program.graphs]
    # The positions of compiled launches in the lane; everything else lies between two of them.
    compiled = np.flatnonzero(lane.graph >= 0)
    # Of these only the neighbors that belong to two executions: within one nothing ends.
    before, after = compiled[:-1], compiled[1:]
    differs = np.not_equal(lane.graph[before], lane.graph[after])
    differs |= np.not_equal(lane.invocation[before], lane.invocation[after])
    before, after = before[differs], after[differs]
    step = attribution.step[lane.rows]
    # How many eager launches lie before each position. Launches outside for another reason do not
    # count.
    eager = np.concatenate([[0], np.cumsum(lane.is_eager)])
    ran: set[int] = set()
    # Something lies between, and all of it is eager. A launch of unknown origin may be a graph's.
    is_island = (after - before > 1) & (eager[after] - eager[before + 1] == after - before - 1)
    columns = (
        *(lane.graph[before], lane.graph[after], step[before] != step[after]),
        *(is_island, before, after),
    )
    for one, other, another_step, island, first, last in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        ran.add(one)
        # Behind a backward another step begins, even where no step is recorded.
        begins_anew = kinds[one] == _BACKWARD and kinds[other] != _BACKWARD
        if other in ran or begins_anew or another_step:
            ran = set()
        elif island:
            yield first, first + 1, last


def _break_of(program: CompiledProgram, graph: int) -> str:
    """Why the first graph ended, where the log of the compilation says it."""
    breaks = [
        f"{one.reason}{f' ({one.line.file}:{one.line.line})' if one.line else ''}"
        for emitted in program.graphs[graph].emitted
        for one in emitted.compilation.graph_breaks
    ]
    return f"; the graph breaks there: {join_some(list(dict.fromkeys(breaks)))}" if breaks else ""
