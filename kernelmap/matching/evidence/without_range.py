"""Launches without a range that names their call: by the name on the device, else by elimination.

A name that one call alone can run under is inferred, never exact: the launch may be a benchmark, or
come from code that was not given. Several calls are named as candidates. Inside a graph range only
that graph's calls are asked, and only those whose own range is missing there.

What is left is outside of compiled code where the host side says so, else unknown.
A range that was open when the recording began or ended is missing, and what lies in it looks as if
it lay on the bare thread. So on a thread that runs compiled code, nothing before its first compiled
range is certain to be outside, once there are signs that the recording cut something off: GPU
activities that were launched before it, or a generated kernel among those very launches. Behind the
last compiled range such a kernel is a sign, and so is Dynamo's look for compiled code, behind which
a compiled range follows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched, Noted
from kernelmap.matching.context.invocations import captured_numbers
from kernelmap.matching.context.match_context import Invocation, MatchContext
from kernelmap.matching.host_side.recording import extents, extents_of_threads, launched_before
from kernelmap.matching.names.symbols import is_kernel_symbol
from kernelmap.model import (
    NONE,
    Activity,
    CompiledProgram,
    Confidence,
    Method,
    Occurrence,
    Reason,
)
from kernelmap.model.columns import by_name as flag_of_name
from kernelmap.model.columns import nearest_ancestor, paired
from kernelmap.model.trace import Bool, Int


def by_name(context: MatchContext, matched: Matched) -> Iterator[Decided | Noted]:
    """Decide open kernels whose device name is known from code."""
    launches = context.trace.launches
    known = context.calls_by_name
    calls_of_name = [known.get(name, ()) for name in launches.names]
    is_known = np.array([bool(calls) for calls in calls_of_name], dtype=bool)
    if not is_known.any():
        return
    kernels = matched.open & np.equal(launches.activity, Activity.KERNEL)
    rows = np.flatnonzero(kernels & is_known[launches.name_id])
    replayed = context.host.replayed[rows]
    ranges = context.top[rows].tolist()
    missing = {
        row: _missing(context, invocation)
        for row in set(ranges)
        if (invocation := context.by_graph_range.get(row)) is not None
    }
    call, invocation_of = np.full((2, len(rows)), NONE, dtype=np.int64)
    several: dict[Reason, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for at, (name_id, around) in enumerate(
        zip(launches.name_id[rows].tolist(), ranges, strict=True)
    ):
        calls = calls_of_name[name_id]
        invocation = context.by_graph_range.get(around)
        if invocation is not None:
            calls = tuple(each for each in calls if each in missing[around])
            invocation_of[at] = invocation.number
        if len(calls) > 1:
            why = Reason.GRAPH_REPLAY if replayed[at] else Reason.SAME_NAME
            several[why][at] = calls
        elif calls and _may_be_benchmark(context, calls[0]):
            several[Reason.CONDITIONAL][at] = calls
        elif calls:
            call[at] = calls[0]
    invocation_of[replayed] = captured_numbers(
        context, matched, rows[replayed], call[replayed], invocation_of[replayed]
    )
    for reason, named in several.items():
        places = np.array(list(named), dtype=np.int64)
        own = rows[places]
        yield Decided(
            own,
            Confidence.AMBIGUOUS,
            invocation=invocation_of[places],
            method=Method.CANDIDATES,
            reason=reason,
            candidates=dict(zip(own.tolist(), named.values(), strict=True)),
        )
    one = call >= 0
    yield Decided(
        rows[one],
        Confidence.INFERRED,
        call=call[one],
        invocation=invocation_of[one],
        method=Method.DEVICE_NAME,
    )
    inside = invocation_of >= 0
    yield Noted(rows[inside], invocation_of[inside])


def _may_be_benchmark(context: MatchContext, call: int) -> bool:
    """Whether nothing tells benchmarks from a call: no code says when a branch first ran."""
    return context.program.calls[call][1].occurrence is not Occurrence.ONCE


def _missing(context: MatchContext, invocation: Invocation) -> frozenset[int]:
    """The calls that this invocation's graph has and that no range of it stands for."""
    own = {call for i in invocation.assignment.graphs for call in _span(context.program, i)}
    placed = {
        call
        for row in invocation.span.rows
        if context.decisions.confidence[row] <= Confidence.INFERRED
        for call in context.decisions.calls(row)
    }
    return frozenset(own - placed)


def _span(program: CompiledProgram, graph: int) -> range:
    """Positions of the calls of one graph, itself a position in the program."""
    first = program.first_call[graph]
    return range(first, first + len(program.graphs[graph].calls))


def by_elimination(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide every open launch; where several of these rules fit, the first one does.

    Outside needs a host side that was seen: an api call on a thread whose ranges were recorded.
    Below a graph range it needs, besides, that the graph is certain and no statement missing, and
    that no generated kernel ran: such a launch belongs to a statement whose range was lost.
    """
    left = matched.open
    replayed = left & context.host.replayed & (context.trace.launches.origin < 0)
    yield Decided(replayed, Confidence.UNKNOWN, reason=Reason.GRAPH_REPLAY)
    yield from _below_graph_ranges(context, np.flatnonzero(left & (context.top >= 0)))
    unsolved = left & _in_unsolved_region(context)
    yield Decided(unsolved, Confidence.UNKNOWN, reason=_why_unsolved(context))
    yield Decided(left & cut_off(context), Confidence.UNKNOWN, reason=Reason.RECORDING_END)
    seen = left & context.host_seen
    silent = seen & _may_be_silent(context)
    yield Decided(silent, Confidence.UNKNOWN, reason=Reason.COUNT_DIFFERS)
    for rows, reason in ((seen & _around_code(context), Reason.GLUE), (seen, Reason.EAGER)):
        yield Decided(rows, Confidence.OUTSIDE, reason=reason, call_range=context.outer_op[rows])
    called = left & (context.host.issuing_call >= 0)
    yield Decided(called, Confidence.UNKNOWN, reason=Reason.NO_RANGE)
    yield Decided(left, Confidence.UNKNOWN, reason=Reason.NO_HOST_SIDE)


def _below_graph_ranges(context: MatchContext, rows: Int) -> Iterator[Decided]:
    """Decide launches that lie directly below a graph range."""
    ranges, place = np.unique(context.top[rows], return_inverse=True)
    invocations = [context.by_graph_range.get(row) for row in ranges.tolist()]
    closed = np.array([i is not None and i.closed for i in invocations], dtype=bool)
    why = np.array([_why_unsolved(context, i) for i in invocations], dtype=np.int8)
    glue = closed[place] & ~context.runs_kernel[rows]
    yield Decided(rows[glue], Confidence.OUTSIDE, reason=Reason.GLUE)
    reasons = np.where(closed, np.int8(Reason.BESIDE), why)[place]
    yield Decided(rows, Confidence.UNKNOWN, reason=reasons)


def _why_unsolved(context: MatchContext, invocation: Invocation | None = None) -> Reason:
    """NO_CODE where no code was given, or none that has the kernels of the invocation.

    BESIDE where no statement is missing: all were seen, or a graph launch ran them.
    """
    given = any(graph.code is not None for graph in context.program.graphs)
    foreign = (
        invocation is not None
        and not invocation.assignment.graphs
        and any(map(is_kernel_symbol, invocation.span.symbols))
    )
    if foreign or not given:
        return Reason.NO_CODE
    whole = invocation is not None and (invocation.complete or invocation.span.replays)
    return Reason.BESIDE if whole else Reason.COUNT_DIFFERS


def _in_unsolved_region(context: MatchContext) -> Bool:
    """Mask of launches inside a compiled region whose calls could not all be found.

    Where the process has graph ranges they tell compiled code from what surrounds it; a region that
    holds none has lost it.
    """
    host, ranges = context.host, context.trace.ranges
    with_graph_ranges = {i.span.process for i in context.invocations if i.span.graph_range >= 0}
    around = nearest_ancestor(ranges.parent, host.compiled, host.host_range)
    solved = np.zeros(len(ranges) + 1, dtype=bool)  # the last is that of launches in no region
    solved[[i.span.container for i in context.invocations if i.closed]] = True
    by_graph_ranges = np.isin(ranges.process, sorted(with_graph_ranges))
    solved[:-1] = np.where(by_graph_ranges, host.holds_graph_range, solved[:-1])
    solved[-1] = True
    return ~solved[around]


def _around_code(context: MatchContext) -> Bool:
    """Mask of the operators of a CPU profile that are compiled regions, or lie in one."""
    operators = np.equal(context.trace.launches.activity, Activity.OPERATOR)
    around = nearest_ancestor(context.trace.ranges.parent, context.host.compiled, context.outer_op)
    return operators & (around >= 0)


def _may_be_silent(context: MatchContext) -> Bool:
    """Mask of launches below no operator, where calls of C++ wrappers may run without a range."""
    silent = any(c.recorded is False for graph in context.program.graphs for c in graph.calls)
    return np.equal(context.outer_op, NONE) & silent


_LOOKS = "TorchDynamo Cache Lookup"


def cut_off(context: MatchContext) -> Bool:
    """Mask of the launches that such invocations may have made; shape (launches,)."""
    host, ranges = context.host, context.trace.ranges
    launches, apis, side = context.trace.launches, context.trace.apis, host.issuing_call
    compiled = extents(ranges, host.is_graph_range | host.compiled)
    begins, ends, compiles = extents_of_threads(apis, compiled)
    # The last of each of these columns is that of launches without an api call.
    early = np.append(compiles & (apis.start_ns < begins), False)[side]
    late = np.append(compiles & (apis.start_ns >= ends), False)[side]
    looked = _looked(context, np.where(compiles, ends, np.iinfo(np.int64).max))
    behind_look = np.append(apis.start_ns >= looked, False)[side]
    thread = np.append(apis.thread, NONE)[side]

    names = context.calls_by_name
    runs = flag_of_name(
        launches.name_id, [n in names or n.startswith("triton_") for n in launches.names]
    )
    signs = launched_before(context.trace) | (early & runs)
    early &= np.isin(launches.process, launches.process[signs])
    threads = paired(launches.process, thread)
    late &= np.isin(threads, threads[late & runs])
    return np.asarray(early | late | behind_look, dtype=bool)


def _looked(context: MatchContext, ends: Int) -> Int:
    """When the thread of each api call looked for compiled code behind its last; shape (apis,)."""
    apis, ranges = context.trace.apis, context.trace.ranges
    never = np.iinfo(np.int64).max
    since = np.full(len(apis), never, dtype=np.int64)
    numbers = [at for at, name in enumerate(ranges.names) if name.startswith(_LOOKS)]
    rows = np.flatnonzero(np.isin(ranges.name_id, numbers))
    places = np.stack([ranges.process[rows], ranges.thread[rows]], axis=1)
    for process, thread in sorted({(process, thread) for process, thread in places.tolist()}):
        on_thread = np.equal(apis.process, process) & np.equal(apis.thread, thread)
        looks = np.sort(ranges.start_ns[rows[(places == (process, thread)).all(axis=1)]])
        if on_thread.any():
            first = np.searchsorted(looks, ends[on_thread])
            since[on_thread] = np.append(looks, never)[first]
    return since
