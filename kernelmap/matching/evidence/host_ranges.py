"""Launches by their host side: what the range around each stands for, else its name, else nothing.

The nearest decided range around the host side of a launch decides it. A launch that a CUDA graph
replayed has two host sides. The graph launch says when it ran; the creation of its graph node,
where the profiler recorded that, says which host ranges were open when the call was captured. So a
graph is solved once, and every replay of it is looked up. A span of host ranges that only replays
shows none of its graph's statements: it counts as an invocation, but says nothing of its graph.

Without a range that names its call, a launch has the name on the device. A name that one call alone
can run under, with such a grid, is inferred, never exact: the launch may be a benchmark, or come
from code that was not given. Several calls are named as candidates. Inside a graph range only that
graph's calls are asked, and only those whose own range is missing there.

What is left is outside of compiled code where the host side says so, else unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched, Noted
from kernelmap.matching.context.invocations import captured_numbers
from kernelmap.matching.context.match_context import Invocation, MatchContext
from kernelmap.matching.host_side.recording import may_be_cut_off
from kernelmap.matching.names.grids import may_launch, sizes_of
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
from kernelmap.model.columns import nearest_ancestor, pair_columns
from kernelmap.model.names import CUT_OFF
from kernelmap.model.trace import Bool, Int

_DOUBTFUL = (Confidence.AMBIGUOUS, Confidence.UNKNOWN)


def by_range(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Give each launch the decision of the nearest decided range around its host side."""
    yield decided_by_range(context, _find_launches_inside(context, matched.open, doubtful=False))


def by_doubtful_range(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """The same where that range may stand for several calls, or nobody knows for which."""
    rows = _find_launches_inside(context, matched.open, doubtful=True)
    # A replay with several calls has to be checked against its device name and numbered by its
    # capture.
    several = context.decisions.confidence[context.top[rows]] == Confidence.AMBIGUOUS
    captured = several & (context.trace.launches.origin[rows] >= 0)
    yield from _decide_captured(context, matched, rows[captured])
    yield decided_by_range(context, rows[~captured])


def _find_launches_inside(context: MatchContext, mask: Bool, *, doubtful: bool) -> Int:
    """The launches of `mask` inside a decided range: a doubtful one, or one that is certain."""
    decisions, top = context.decisions, context.top
    fits = decisions.made & (np.isin(decisions.confidence, _DOUBTFUL) == doubtful)
    # `top` is -1 where there is no range, so only the others are looked up; (launches,).
    inside = mask & (top >= 0)
    inside[inside] = fits[top[inside]]
    return np.flatnonzero(inside)


def decided_by_range(context: MatchContext, rows: Int) -> Decided:
    """Decide `rows` as the nearest decided range around each was decided.

    A generated kernel is some statement's, whatever range it lies in: never glue.
    """
    decisions = context.decisions
    # From here on columns are parallel to `rows`: what was decided about the range is said of its
    # launches.
    ranges = context.top[rows]
    confidence, reason = decisions.confidence[ranges], decisions.reason[ranges]
    glue = np.equal(reason, Reason.GLUE) & context.runs_kernel[rows]
    several = np.flatnonzero(confidence == Confidence.AMBIGUOUS)
    return Decided(
        rows,
        np.where(glue, np.int8(Confidence.UNKNOWN), confidence),
        call=decisions.call[ranges],
        invocation=decisions.invocation[ranges],
        method=np.where(glue, np.int8(Method.NONE), decisions.method[ranges]),
        reason=np.where(glue, np.int8(Reason.BESIDE), reason),
        call_range=ranges,
        candidates={
            row: decisions.several[at]
            for row, at in zip(rows[several].tolist(), ranges[several].tolist(), strict=True)
        },
    )


def by_capture(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Give replayed launches the decision of the range that their node was captured in."""
    captured = matched.open & (context.trace.launches.origin >= 0)
    yield from _decide_captured(
        context, matched, _find_launches_inside(context, captured, doubtful=False)
    )


def _decide_captured(context: MatchContext, matched: Matched, rows: Int) -> Iterator[Decided]:
    captured = decided_by_range(context, rows)
    call = np.asarray(captured.call)
    wrong = _is_denied_by_name(context, rows, call)
    call = np.where(wrong, NONE, call)
    # The range's number is that of the capture; each replay is an invocation of its own.
    numbers = captured_numbers(context, matched, rows, call, np.asarray(captured.invocation))
    yield Decided(
        rows,
        np.where(wrong, np.int8(Confidence.UNKNOWN), captured.confidence),
        call=call,
        invocation=numbers,
        method=np.where(wrong, np.int8(Method.NONE), np.int8(Method.CAPTURE)),
        reason=np.where(wrong, np.int8(Reason.GRAPH_REPLAY), captured.reason),
        call_range=captured.call_range,
        candidates=captured.candidates,
    )


def _is_denied_by_name(context: MatchContext, rows: Int, call: Int) -> Bool:
    """Mask of `rows` whose device name is that of other calls: the node was changed later."""
    launches = context.trace.launches
    calls_by_name = context.calls_by_name
    # One number per call and device name, so that each pair is asked once for all its launches.
    pairs = call * (len(launches.names) + 1) + launches.name_id[rows]
    _, first, of_pair = np.unique(pairs, return_index=True, return_inverse=True)
    denied = [
        # A name that no call has, such as a library kernel's, denies nothing.
        one >= 0 and one not in calls_by_name.get(launches.names[name], (one,))
        for one, name in zip(
            call[first].tolist(), launches.name_id[rows[first]].tolist(), strict=True
        )
    ]
    return np.array(denied, dtype=bool)[of_pair]


def by_name(context: MatchContext, matched: Matched) -> Iterator[Decided | Noted]:
    """Decide open kernels whose device name is known from code."""
    launches = context.trace.launches
    calls_by_name = context.calls_by_name
    # By name id of launches: the calls that may run under it.
    calls_of_name = [
        calls_by_name.get(name) or _calls_of_cut_name(calls_by_name, name)
        for name in launches.names
    ]
    is_known = np.array([bool(calls) for calls in calls_of_name], dtype=bool)
    if not is_known.any():
        return
    kernels = matched.open & np.equal(launches.activity, Activity.KERNEL)
    rows = np.flatnonzero(kernels & is_known[launches.name_id])
    replayed = context.host.replayed[rows]
    # The nearest decided range or graph range around each launch, and for each graph range the
    # calls whose own range is missing there.
    ranges = context.top[rows].tolist()
    missing = {
        row: _find_missing_calls(context, invocation)
        for row in set(ranges)
        if (invocation := context.by_graph_range.get(row)) is not None
    }
    # What is decided about each row: its only call and its invocation, -1 for none; (rows,).
    call, invocation_of = np.full((2, len(rows)), NONE, dtype=np.int64)
    several: dict[Reason, dict[int, tuple[int, ...]]] = defaultdict(dict)
    launchable = _iter_launchable_calls(context, rows, calls_of_name)
    for at, (named, around) in enumerate(zip(launchable, ranges, strict=True)):
        calls, invocation = named, context.by_graph_range.get(around)
        if invocation is not None:
            calls = tuple(candidate for candidate in named if candidate in missing[around])
            invocation_of[at] = invocation.number
        if len(calls) > 1:
            why = Reason.GRAPH_REPLAY if replayed[at] else Reason.SAME_NAME
            several[why][at] = calls
        # Nothing says when a branch or loop runs for the first time, so the launch may be a
        # benchmark.
        elif calls and _may_be_benchmark(context, calls[0]):
            several[Reason.CONDITIONAL][at] = calls
        elif calls:
            call[at] = calls[0]
    invocation_of[replayed] = captured_numbers(
        context, matched, rows[replayed], call[replayed], invocation_of[replayed]
    )
    for reason, candidates in several.items():
        places = np.array(list(candidates), dtype=np.int64)
        named_rows = rows[places]
        yield Decided(
            named_rows,
            Confidence.AMBIGUOUS,
            invocation=invocation_of[places],
            method=Method.CANDIDATES,
            reason=reason,
            candidates=dict(zip(named_rows.tolist(), candidates.values(), strict=True)),
        )
    one = call >= 0
    yield Decided(
        rows[one],
        Confidence.INFERRED,
        call=call[one],
        invocation=invocation_of[one],
        method=Method.DEVICE_NAME,
    )
    # For launches that stay open, the invocation around them is kept for later strategies.
    inside = invocation_of >= 0
    yield Noted(rows[inside], invocation_of[inside])


def _calls_of_cut_name(calls_by_name: Mapping[str, tuple[int, ...]], name: str) -> tuple[int, ...]:
    """The calls of all kernels that begin like a name that a printed table cut off."""
    begin = next((name.removesuffix(mark) for mark in CUT_OFF if name.endswith(mark)), "")
    if not begin:
        return ()
    begun = (calls for whole, calls in calls_by_name.items() if whole.startswith(begin))
    return tuple(sorted({call for calls in begun for call in calls}))


def _iter_launchable_calls(
    context: MatchContext, rows: Int, calls_of_name: Sequence[tuple[int, ...]]
) -> Iterator[tuple[int, ...]]:
    """Per row, the calls of its name that can launch its grid."""
    launches, calls = context.trace.launches, context.program.calls
    # One number per name and grid: each combination is asked once for all its launches.
    kind = pair_columns(launches.name_id[rows], *launches.grid[rows].T)
    _, first = np.unique(kind, return_index=True)
    of_kind = []
    for row in rows[first].tolist():
        grid = launches.grid[row].tolist()
        named = calls_of_name[int(launches.name_id[row])]
        of_kind.append(tuple(call for call in named if may_launch(sizes_of(*calls[call]), grid)))
    return (of_kind[number] for number in kind.tolist())


def _may_be_benchmark(context: MatchContext, call: int) -> bool:
    """Whether nothing tells benchmarks from a call: no code says when a branch first ran."""
    return context.program.calls[call][1].occurrence is not Occurrence.ONCE


def _find_missing_calls(context: MatchContext, invocation: Invocation) -> frozenset[int]:
    """The calls that this invocation's graph has and that no range of it stands for."""
    calls_of_graphs = {
        call for i in invocation.assignment.graphs for call in _calls_of_graph(context.program, i)
    }
    placed = {
        call
        for row in invocation.span.rows
        if context.decisions.confidence[row] <= Confidence.INFERRED
        for call in context.decisions.calls_of_range(row)
    }
    return frozenset(calls_of_graphs - placed)


def _calls_of_graph(program: CompiledProgram, graph: int) -> range:
    """Positions of the calls of one graph, itself a position in the program."""
    first = program.first_call[graph]
    return range(first, first + len(program.graphs[graph].calls))


def outside_or_unknown(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide that every open launch is outside of compiled code, or unknown, and why.

    Where several of these rules fit, the first one decides. Outside needs a host side that was seen
    (`MatchContext.host_seen`): an api call on a thread of which operators or marks were recorded.
    Below a graph range it needs, besides, that the graph is certain and no statement missing, and
    that no generated kernel ran: such a launch belongs to a statement whose range was lost.
    """
    left = matched.open
    replayed = left & context.host.replayed & (context.trace.launches.origin < 0)
    # The host side of a replay whose capture was not seen is only that of its launch.
    yield Decided(replayed, Confidence.UNKNOWN, reason=Reason.GRAPH_REPLAY)
    # From the inside outwards: below a graph range, in a compiled region, near the ends of the
    # recording, then on threads of which operators were recorded.
    yield from _below_graph_ranges(context, np.flatnonzero(left & (context.top >= 0)))
    unsolved = left & context.is_in_unsolved_region(context.host.host_range)
    yield Decided(unsolved, Confidence.UNKNOWN, reason=_why_unsolved(context))
    yield Decided(left & _cut_off(context), Confidence.UNKNOWN, reason=Reason.RECORDING_END)
    seen = left & context.host_seen
    # Calls of C++ wrappers may leave no range, so without an operator around it this may be one.
    silent = seen & _may_be_silent(context)
    yield Decided(silent, Confidence.UNKNOWN, reason=Reason.COUNT_DIFFERS)
    for rows, reason in ((seen & _around_code(context), Reason.GLUE), (seen, Reason.EAGER)):
        yield Decided(rows, Confidence.OUTSIDE, reason=reason, call_range=context.outer_op[rows])
    # An api call is there, and no range that says what the thread was doing.
    called = left & (context.host.issuing_call >= 0)
    yield Decided(called, Confidence.UNKNOWN, reason=Reason.NO_RANGE)
    yield Decided(left, Confidence.UNKNOWN, reason=Reason.NO_HOST_SIDE)


def _below_graph_ranges(context: MatchContext, rows: Int) -> Iterator[Decided]:
    """Decide launches that lie directly below a graph range."""
    # Each graph range is judged once: `closed` and `why` are (graph ranges,), `place` leads from
    # a launch to its own.
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


def _around_code(context: MatchContext) -> Bool:
    """Mask of the operators of a CPU profile that are compiled regions, or lie in one."""
    operators = np.equal(context.trace.launches.activity, Activity.OPERATOR)
    around = nearest_ancestor(context.trace.ranges.parent, context.host.compiled, context.outer_op)
    return operators & (around >= 0)


def _may_be_silent(context: MatchContext) -> Bool:
    """Mask of launches below no operator, where calls of C++ wrappers may run without a range."""
    silent = any(c.recorded is False for graph in context.program.graphs for c in graph.calls)
    return np.equal(context.outer_op, NONE) & silent


def _cut_off(context: MatchContext) -> Bool:
    """Mask of launches of compiled code whose ranges the recording may have cut off."""
    host = context.host
    compiled = host.is_graph_range | host.compiled
    return may_be_cut_off(context.trace, host.issuing_call, compiled, context.calls_by_name.keys())
