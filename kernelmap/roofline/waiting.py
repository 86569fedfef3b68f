"""(what ran, whose it was) → time beside the calls that a program could do without.

The device waits where nothing runs on it: between the first launch of the window and the last one.
A wait belongs to the launch that ends it, and to one reason only:

- something was compiled meanwhile, although it was compiled before;
- the launch follows another one of its invocation, and came too late: launching takes longer than
  what is launched;
- it lies around eager work between two graphs of one pass over the program.

Left out: waits between passes, behind a synchronisation, and of launches without a host side.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct, field

from kernelmap.attribution.records import Attribution
from kernelmap.facts.compiling import CompilerWork, compiler_work
from kernelmap.model import NONE, CompiledProgram, Matching, Reason, Trace
from kernelmap.model.columns import by_name
from kernelmap.model.compilations import recompilations
from kernelmap.model.notices import count, duration, some
from kernelmap.model.trace import Bool, Int
from kernelmap.roofline.records import Slug

_STRETCH = 5  # launches in a row that come late: fewer are chance
_NOTABLE = 100  # one part in so many of the window's time
_BACKWARD = "backward"


class Waiting(Struct, frozen=True, kw_only=True):
    """Time that a program could do without: of a device that waits, and of launches of no call.

    `calls` are positions in `CompiledProgram.calls` that it stands before, or between.
    """

    slug: Slug
    calls: tuple[int, ...]
    idle_ns: int
    outside_ns: int = 0
    evidence: str


def waiting(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> tuple[Waiting, ...]:
    """All reasons of the window, as its launches show them."""
    counted = np.flatnonzero(attribution.counted)
    places = np.stack([trace.launches.process[counted], trace.launches.device[counted]])
    _, place = np.unique(places, axis=1, return_inverse=True)
    lanes = [
        _lane(program, trace, matching, counted[np.ravel(place) == number])
        for number in range(int(place.max(initial=-1)) + 1)
    ]
    return (
        *_recompiles(program, lanes),
        *_launch_bound(program, [lane for lane in lanes if lane.is_gpu]),
        *_eager_islands(program, attribution, [lane for lane in lanes if lane.is_gpu]),
    )


class _Lane(Struct, frozen=True, kw_only=True):
    """The launches of one device by their start, all columns (n,).

    Before each launch the device had nothing to run: for `compiling_ns` something was compiled
    meanwhile, for `idle_ns` nothing was. `graph` and `invocation` are -1 outside of compiled code,
    `is_late` says that the host launched it after all before it had ended.
    """

    rows: Int
    dur_ns: Int
    compiling_ns: Int
    idle_ns: Int
    graph: Int
    invocation: Int
    call: Int
    is_late: Bool
    is_eager: Bool
    is_gpu: bool


def _lane(program: CompiledProgram, trace: Trace, matching: Matching, rows: Int) -> _Lane:
    launches = trace.launches
    rows = rows[np.argsort(launches.start_ns[rows], kind="stable")]
    start, dur = launches.start_ns[rows], launches.dur_ns[rows]
    end = start + dur
    is_gpu = bool((launches.device[rows] >= 0).all())
    ranged = np.flatnonzero(launches.range[rows] >= 0)
    if not is_gpu:  # an operator lasts its self time, but what it calls runs meanwhile
        of_range = launches.range[rows[ranged]]
        whole = trace.ranges.start_ns[of_range] + trace.ranges.dur_ns[of_range]
        end[ranged] = np.maximum(end[ranged], whole)
    before = np.maximum.accumulate(end)[:-1]
    waited = np.zeros(len(rows), dtype=np.int64)
    waited[1:] = np.maximum(start[1:] - before, 0)
    api, late = launches.api[rows], np.zeros(len(rows), dtype=np.bool_)
    hosted = np.flatnonzero((api >= 0) & (launches.graph[rows] < 0) & (waited > 0))
    launched = trace.apis.start_ns[api[hosted]] + trace.apis.dur_ns[api[hosted]]
    late[hosted] = launched >= before[hosted - 1]  # the first launch has not waited
    call = matching.call[rows]
    graph = np.where(matching.invocation[rows] >= 0, program.graph_of_call[call], NONE)
    compiling = _within(start - waited, start, _compiling(trace))
    return _Lane(
        rows=rows,
        dur_ns=dur,
        compiling_ns=compiling,
        idle_ns=waited - compiling,
        graph=graph,
        invocation=matching.invocation[rows],
        call=call,
        is_late=late,
        is_eager=(call < 0) & np.equal(matching.reason[rows], Reason.EAGER),
        is_gpu=is_gpu,
    )


def _compiling(trace: Trace) -> tuple[Int, Int]:
    """When something was compiled: starts and ends of stretches that do not overlap."""
    ranges = trace.ranges
    compiles = [compiler_work(name) is CompilerWork.COMPILING for name in ranges.names]
    rows = np.flatnonzero(by_name(ranges.name_id, compiles))
    start = trace.ranges.start_ns[rows]
    order = np.argsort(start, kind="stable")
    start, end = start[order], (start + trace.ranges.dur_ns[rows])[order]
    reach = np.maximum.accumulate(end)
    first = np.ones(len(start), dtype=np.bool_)
    first[1:] = start[1:] > reach[:-1]
    last = np.roll(first, -1)
    return start[first], reach[last]


def _within(start: Int, end: Int, stretches: tuple[Int, Int]) -> Int:
    """How much of each span lies in stretches that rise and do not overlap; (n,)."""
    begins, ends = stretches
    lengths = np.concatenate([[0], np.cumsum(ends - begins)])

    def before(moment: Int) -> Int:
        """How much of all stretches lies before each moment."""
        at = np.searchsorted(begins, moment, side="right")
        inside = np.zeros(len(moment), dtype=np.int64)
        some_before = at > 0
        last = at[some_before] - 1
        inside[some_before] = np.minimum(moment[some_before], ends[last]) - begins[last]
        whole: Int = lengths[np.maximum(at - 1, 0)] + inside
        return whole

    return before(end) - before(start)


def _recompiles(program: CompiledProgram, lanes: Sequence[_Lane]) -> Iterator[Waiting]:
    """The device waits while a function is compiled that was compiled before."""
    idle_ns = sum(int(lane.compiling_ns.sum()) for lane in lanes)
    again = [one.words for one in recompilations(program.compilations)]
    again += [
        f"{one.title or 'a function'} was compiled once more, because this did not hold: "
        f"{one.failed_guards[0].guard}"
        for one in program.compilations
        if one.failed_guards
    ] * (not again)
    if idle_ns and again:
        yield Waiting(
            slug=Slug.RECOMPILES,
            calls=(),
            idle_ns=idle_ns,
            evidence=f"code was compiled within the window while nothing ran for "
            f"{duration(idle_ns)}; {some(again)}",
        )


def _launch_bound(program: CompiledProgram, lanes: Sequence[_Lane]) -> Iterator[Waiting]:
    """Stretches of an invocation in which the device waits longer than it works."""
    sums: dict[int, _Stretches] = defaultdict(_Stretches)
    for lane in lanes:
        follows = np.zeros(len(lane.rows), dtype=np.bool_)
        follows[1:] = (
            lane.is_late[1:]
            & (lane.graph[1:] >= 0)
            & (lane.graph[1:] == lane.graph[:-1])
            & (lane.invocation[1:] == lane.invocation[:-1])
        )
        edges = np.flatnonzero(np.diff(np.concatenate([[False], follows, [False]]).astype(np.int8)))
        for begin, end in edges.reshape(-1, 2).tolist():
            idle_ns = int(lane.idle_ns[begin:end].sum())
            busy_ns = int(lane.dur_ns[begin:end].sum())
            if end - begin >= _STRETCH and idle_ns > busy_ns:
                sums[int(lane.graph[begin])].add(lane.call[begin:end], idle_ns, busy_ns)
    for graph, stretches in sums.items():
        yield Waiting(
            slug=Slug.LAUNCH_BOUND,
            calls=tuple(sorted(stretches.calls)),
            idle_ns=stretches.idle_ns,
            evidence=f"{count(stretches.launches, 'launch')} of {program.graphs[graph].id}, in "
            f"{count(stretches.number, 'stretch')}, took {duration(stretches.busy_ns)}, and the "
            f"device waited {duration(stretches.idle_ns)} for the host to launch them: CUDA graphs "
            "(mode='reduce-overhead') launch them together",
        )


class _Stretches(Struct):
    """What the stretches of one graph add up to."""

    number: int = 0
    launches: int = 0
    idle_ns: int = 0
    busy_ns: int = 0
    calls: set[int] = set()

    def add(self, calls: Int, idle_ns: int, busy_ns: int) -> None:
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
) -> Iterator[Waiting]:
    """Eager work between two graphs of one pass, with the waits around it."""
    islands: dict[tuple[int, int], _Island] = defaultdict(_Island)
    for lane in lanes:
        for before, begin, end in _between(program, attribution, lane):
            island = islands[int(lane.graph[before]), int(lane.graph[end])]
            rows = lane.rows[begin:end]
            island.number += 1
            island.launches += len(rows)
            island.idle_ns += int(lane.idle_ns[begin : end + 1].sum())
            island.outside_ns += int(lane.dur_ns[begin:end].sum())
            ops = attribution.outside_op
            island.ops.update(ops.names[code] for code in ops.code[rows].tolist() if code >= 0)
    for (before, after), island in islands.items():
        if (island.idle_ns + island.outside_ns) * _NOTABLE < attribution.total_ns:
            continue
        first, second = program.graphs[before], program.graphs[after]
        names = [name for name, _ in island.ops.most_common()]
        yield Waiting(
            slug=Slug.EAGER_ISLAND,
            calls=(),
            idle_ns=island.idle_ns,
            outside_ns=island.outside_ns,
            evidence=f"{some(names) or 'eager work'} between {first.id} and {second.id}, "
            f"{count(island.number, 'time')}: {count(island.launches, 'launch')} of "
            f"{duration(island.outside_ns)}, around them the device waited "
            f"{duration(island.idle_ns)}{_break_of(program, before)}",
        )


def _between(
    program: CompiledProgram, attribution: Attribution, lane: _Lane
) -> Iterator[tuple[int, int, int]]:
    """Runs of eager launches between two graphs of one pass: the launch before, begin and end.

    A pass ends where a graph runs that ran in it already, where the step does, and behind the last
    backward.
    """
    kinds = [graph.kind for graph in program.graphs]
    compiled = np.flatnonzero(lane.graph >= 0)
    eager = np.concatenate([[0], np.cumsum(lane.is_eager)])
    ran: set[int] = set()
    for before, after in zip(compiled[:-1].tolist(), compiled[1:].tolist(), strict=True):
        one, other = int(lane.graph[before]), int(lane.graph[after])
        if one == other and lane.invocation[before] == lane.invocation[after]:
            continue
        ran.add(one)
        steps = attribution.step[lane.rows[[before, after]]].tolist()
        begins_anew = kinds[one] == _BACKWARD and kinds[other] != _BACKWARD
        if other in ran or begins_anew or steps[0] != steps[1]:
            ran = set()
        elif after - before > 1 and eager[after] - eager[before + 1] == after - before - 1:
            yield before, before + 1, after


def _break_of(program: CompiledProgram, graph: int) -> str:
    """Why the first graph ended, where the log of the compilation says it."""
    breaks = [
        f"{one.reason}{f' ({one.line.file}:{one.line.line})' if one.line else ''}"
        for emitted in program.graphs[graph].emitted
        for one in emitted.compilation.graph_breaks
    ]
    return f"; the graph breaks there: {some(list(dict.fromkeys(breaks)))}" if breaks else ""
