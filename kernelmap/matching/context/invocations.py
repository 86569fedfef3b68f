"""The invocations of a trace: numbered, and their ranges given to calls.

Those that the host ran come from spans with their assignments, in host order, together with the
`RangeDecisions`: where several graphs fit a span alike, each of its ranges stands for a call of
every one of them. Those that it did not run itself, such as replays, are numbered behind them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from kernelmap.matching.context.decided import Matched
from kernelmap.matching.context.match_context import (
    Invocation,
    MatchContext,
    PlacedCalls,
    Placements,
    RangeDecisions,
)
from kernelmap.matching.graphs.alignment_copies import place_copies
from kernelmap.matching.graphs.assignment import GraphAssignment
from kernelmap.matching.graphs.candidates import GraphCandidate
from kernelmap.matching.graphs.sequence import AUTOTUNE, GLUE, INPUTS, Placement, align_ranges
from kernelmap.matching.host_side.host import GraphSpan, SpanPart
from kernelmap.matching.host_side.roles import input_copies
from kernelmap.model import NONE, CompiledProgram, Confidence, Method, Reason
from kernelmap.model.columns import nearest_ancestor, pair_columns
from kernelmap.model.trace import Int

# What looks like glue may be a statement that is missing, or one of code that is.
_OPEN = Placement((), Confidence.UNKNOWN, Reason.COUNT_DIFFERS)
_BESIDE = Placement((), Confidence.UNKNOWN, Reason.BESIDE)


def _columns_of_placements(placements: Sequence[Placement]) -> PlacedCalls:
    """The columns of `placements`, whose calls are positions in `CompiledProgram.calls`."""
    calls = [
        one.calls[0] if one.calls and one.confidence <= Confidence.INFERRED else NONE
        for one in placements
    ]
    return PlacedCalls(
        call=np.array(calls, dtype=np.int64),
        confidence=np.array([one.confidence for one in placements], dtype=np.int8),
        reason=np.array([one.reason for one in placements], dtype=np.int8),
        several={
            at: one.calls
            for at, one in enumerate(placements)
            if one.confidence is Confidence.AMBIGUOUS
        },
    )


def invocations_of(
    candidates: Sequence[GraphCandidate],
    program: CompiledProgram,
    spans: Sequence[tuple[GraphSpan, GraphAssignment]],
    ranges: int,
    outside: Mapping[Reason, Sequence[int]],
) -> tuple[tuple[Invocation, ...], RangeDecisions]:
    """Number the invocations and decide the `ranges` of a trace; spans come in host order.

    `outside` are the ranges beside all spans that stand for no call, by reason.
    """
    decisions = Placements()
    for reason, rows in outside.items():
        decisions.add_decisions(rows, _place_outside(reason))
    counters: dict[tuple[int, int], int] = defaultdict(int)
    invocations: list[Invocation] = []
    # Spans of one assignment that show the same are placed once.
    placed: dict[object, tuple[PlacedCalls, bool]] = {}
    for span, assignment in spans:
        number, complete = NONE, False
        # Numbers count per process and graph, and only where it is known which graph ran.
        if len(assignment.graphs) == 1 and assignment.confidence <= Confidence.INFERRED:
            slot = (span.process, assignment.graphs[0])
            number = counters[slot]
            counters[slot] += 1
        # Whole and in order, as nearly all are; then what was cut off, replays, and the rest,
        # which has to be aligned.
        if number >= 0 and candidates[assignment.graphs[0]].whole == span.symbols:
            if (assignment, None) not in placed:
                placed[assignment, None] = _in_order(program, assignment, len(span.rows)), True
            decided, complete = placed[assignment, None]
            decisions.add_decisions(span.rows, decided, assignment.method, number)
        elif span.part is not None:
            decided = _columns_of_placements(list(_of_part(program, span.part)))
            decisions.add_decisions(span.rows, decided, assignment.method, number)
        elif span.replays:
            _place_beside_replay(candidates, decisions, span, assignment)
        elif assignment.graphs:
            # Kernels are benchmarked in a graph's first run, and any run may be that where the
            # graph is not sure.
            first = number <= 0 and not span.captures
            looks = (assignment, span.symbols, first)
            if looks not in placed:
                placed[looks] = _place_invocation(
                    candidates, program, assignment, span.symbols, first=first
                )
            decided, complete = placed[looks]
            decisions.add_decisions(span.rows, decided, assignment.method, number)
        closed = complete and _is_certain(candidates, assignment)
        invocations.append(Invocation(span, assignment, number, complete=complete, closed=closed))
    return tuple(invocations), decisions.of_ranges(ranges)


def _in_order(program: CompiledProgram, assignment: GraphAssignment, calls: int) -> PlacedCalls:
    """The decisions about an invocation that shows all calls of its graph, in order."""
    first = program.first_call[assignment.graphs[0]]
    in_order = np.arange(first, first + calls)
    return PlacedCalls(in_order, assignment.confidence, assignment.reason, {})


def _place_outside(reason: Reason) -> PlacedCalls:
    return PlacedCalls(NONE, Confidence.OUTSIDE, reason, {})


def _of_part(program: CompiledProgram, part: SpanPart) -> Iterator[Placement]:
    """The ranges of a cut-off invocation; one without calls is a benchmark."""
    first = program.first_call[part.graph]
    for calls in part.calls:
        if not calls:
            yield AUTOTUNE
            continue
        one = len(calls) == 1
        yield Placement(
            tuple(first + call for call in calls),
            Confidence.INFERRED if one else Confidence.AMBIGUOUS,
            Reason.NONE if one else Reason.COUNT_DIFFERS,
        )


def _is_certain(candidates: Sequence[GraphCandidate], assignment: GraphAssignment) -> bool:
    """Whether it is certain whose code ran; what only the trace knows may run more."""
    given = all(candidates[graph].graph.code is not None for graph in assignment.graphs)
    return given and assignment.confidence is Confidence.EXACT


def _place_beside_replay(
    candidates: Sequence[GraphCandidate],
    decisions: Placements,
    span: GraphSpan,
    assignment: GraphAssignment,
) -> None:
    """Ranges beside a replay that are none of its graph's statements, such as copies of inputs."""
    symbols = frozenset().union(*(candidates[graph].alphabet for graph in assignment.graphs))
    certain = _is_certain(candidates, assignment)
    copies = input_copies(span.symbols, symbols if certain else None)
    decisions.add_decisions([span.rows[at] for at in copies], _place_outside(Reason.INPUTS))
    if certain:
        pairs = enumerate(zip(span.rows, span.symbols, strict=True))
        rest = [row for at, (row, name) in pairs if name not in symbols and at not in copies]
        decisions.add_decisions(rest, _place_outside(Reason.GLUE))


def _place_invocation(
    candidates: Sequence[GraphCandidate],
    program: CompiledProgram,
    assignment: GraphAssignment,
    symbols: Sequence[str],
    *,
    first: bool,
) -> tuple[PlacedCalls, bool]:
    """The calls of one invocation, one placement per symbol, and whether all had their range."""
    # One alignment for each graph that may have run, each with its own spelling of the symbols.
    alignments = [
        align_ranges(candidates[graph].spell_symbols(symbols), candidates[graph].steps, first=first)
        for graph in assignment.graphs
    ]
    offsets = [program.first_call[graph] for graph in assignment.graphs]
    silent = any(candidates[graph].silent for graph in assignment.graphs)
    complete = all(alignment.complete for alignment in alignments) and not silent
    closed = complete and _is_certain(candidates, assignment)
    # Statements that copied an input are calls of the graph where it is one graph's run.
    copies: Mapping[int, Placement] = {}
    if len(assignment.graphs) == 1:
        graph = assignment.graphs[0]
        copies = place_copies(
            candidates[graph], program.graphs[graph], symbols, alignments[0].placements
        )
    placements = []
    for number in range(len(symbols)):
        ways = [copies.get(number, alignments[0].placements[number])]
        ways += [alignment.placements[number] for alignment in alignments[1:]]
        calls = tuple(
            offset + call for offset, one in zip(offsets, ways, strict=True) for call in one.calls
        )
        # A range of some graph's statement; where the graph is doubtful nothing is glue for
        # certain; and glue and copies of inputs stay open while statements are missing.
        if calls:
            placements.append(_stands_for(calls, ways, assignment))
        elif assignment.confidence > Confidence.INFERRED:
            placements.append(replace(_OPEN, reason=assignment.reason))
        elif ways[0] is GLUE and not closed:
            placements.append(_BESIDE if complete else _OPEN)
        elif ways[0] is INPUTS and not complete:
            placements.append(_OPEN)
        else:
            placements.append(ways[0])
    return _columns_of_placements(placements), complete


def _stands_for(
    calls: tuple[int, ...], ways: Sequence[Placement], assignment: GraphAssignment
) -> Placement:
    """The decision that a range stands for `calls`, as the graphs that fit place it (`ways`)."""
    reason = ways[-1].reason or assignment.reason
    if len(calls) > 1 or len(ways) > 1:
        return Placement(calls, Confidence.AMBIGUOUS, reason)
    return Placement(calls, max(ways[0].confidence, assignment.confidence), reason)


_Execution = tuple[int, int, int, int]
"""A process, the correlation id of a graph launch, the graph that it ran, and which capture."""


def next_numbers(context: MatchContext, matched: Matched) -> dict[tuple[int, int], int]:
    """The next number per process and graph, after all that are given so far."""
    counted: dict[tuple[int, int], int] = defaultdict(int)
    for invocation in context.invocations:
        if invocation.number >= 0:
            slot = (invocation.span.process, invocation.assignment.graphs[0])
            counted[slot] = max(counted[slot], invocation.number + 1)
    # Then the launches that have a number already. `key` is one number per process and graph,
    # `most` the next free invocation of each.
    rows = np.flatnonzero((matched.call >= 0) & (matched.invocation >= 0))
    graph = context.program.graph_of_call[matched.call[rows]]
    process = context.trace.launches.process[rows]
    key = process * (len(context.program.graphs) + 1) + graph
    _, of = np.unique(key, return_inverse=True)
    most = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(most, of, matched.invocation[rows] + 1)
    for one in np.unique(of, return_index=True)[1].tolist():
        slot = int(process[one]), int(graph[one])
        counted[slot] = max(counted[slot], int(most[of[one]]))
    return counted


def number_of_range(context: MatchContext, row: int, graph: int) -> int:
    """The invocation that the graph range around a replayed launch is, -1 where it is none.

    `graph` is what the launch's call belongs to. One graph range is one execution of its graph,
    whether its statements ran, were captured or replayed; so the caller has to know that the replay
    ran `graph` once.
    """
    if not context.host.replayed[row]:
        return NONE
    around = context.by_graph_range.get(
        int(_graph_ranges(context, np.array([row], dtype=np.int64))[0])
    )
    if around is None or around.assignment.graphs != (graph,):
        return NONE
    return around.number


def captured_numbers(
    context: MatchContext, matched: Matched, rows: Int, call: Int, captured: Int
) -> Int:
    """The invocations of replayed `rows` whose captures were the invocations `captured`.

    Shape (n,); -1 where the `call` or the capture is not known.
    """
    numbers = np.full(len(rows), NONE, dtype=np.int64)
    both = (call >= 0) & (captured >= 0)
    numbers[both] = replay_numbers(context, matched, rows[both], call[both], captured[both])
    return numbers


def replay_numbers(
    context: MatchContext, matched: Matched, rows: Int, call: Int, captured: Int
) -> Int:
    """The invocations of replayed launches; `captured` tells executions of a graph apart.

    All columns are parallel to `rows`, which are open. Where the graph launch lies in a graph range
    of the same graph it is that range's invocation, and where stronger evidence numbered what was
    captured and replayed with them, or the same replay, it is that one; others are numbered after
    all that have a number, in the order of their launch.
    """
    if not len(rows):
        return np.empty(0, dtype=np.int64)
    trace = context.trace
    launches = trace.launches
    graph = context.program.graph_of_call[call]
    # One number per execution: a process, a graph launch, the graph that it ran, and the capture.
    # All columns from here to the loop are (executions,).
    key = pair_columns(launches.process[rows], launches.correlation[rows], graph, captured)
    _, first, of_key = np.unique(key, return_index=True, return_inverse=True)
    around = _graph_ranges(context, rows[first])
    executions = _executions_of_rows(context, rows[first], graph[first], captured[first])
    times = Counter(execution[:3] for execution in executions)
    given, given_of_capture = _numbers_given(context, matched)
    counted = next_numbers(context, matched)
    number = np.full(len(first), NONE, dtype=np.int64)
    # In order of time, from the strongest source of a number to a new one: the same capture, the
    # graph range around the launch, the same replay.
    for at in np.argsort(trace.launch_time_ns[rows[first]], kind="stable").tolist():
        process, replay, ran, _ = executions[at]
        beside = context.by_graph_range.get(int(around[at]))
        if executions[at] in given_of_capture:
            number[at] = given_of_capture[executions[at]]
        elif beside is not None and beside.assignment.graphs == (ran,) and beside.number >= 0:
            number[at] = beside.number
        elif times[process, replay, ran] == 1 and (process, replay, ran) in given:
            number[at] = given[process, replay, ran]
        else:
            number[at] = counted[process, ran]
            counted[process, ran] += 1
    return number[of_key]


def _executions_of_rows(
    context: MatchContext, rows: Int, graph: Int, captured: Int
) -> list[_Execution]:
    launches = context.trace.launches
    columns = (launches.process[rows], launches.correlation[rows], graph, captured)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _numbers_given(
    context: MatchContext, matched: Matched
) -> tuple[dict[tuple[int, int, int], int], dict[_Execution, int]]:
    """The numbers that replays have: by process, launch and graph, and by capture, where known.

    Of a graph that ran several times in one replay the first is that of the former.
    """
    launches = context.trace.launches
    decided = ~matched.open & (matched.call >= 0) & (matched.invocation >= 0)
    rows = np.flatnonzero(context.host.replayed & decided)
    graph = context.program.graph_of_call[matched.call[rows]]
    by_capture = np.equal(matched.method[rows], Method.CAPTURE)
    captured = np.full(len(rows), NONE, dtype=np.int64)
    # The invocation in which a node was captured, -1 where it was not captured in a range.
    captured[by_capture] = context.decisions.invocation[context.top[rows[by_capture]]]
    key = pair_columns(launches.process[rows], launches.correlation[rows], graph, captured)
    # The first launch of each execution, in the order of the trace.
    at = np.sort(np.unique(key, return_index=True)[1])
    numbers = matched.invocation[rows[at]].tolist()
    given: dict[tuple[int, int, int], int] = {}
    given_of_capture: dict[_Execution, int] = {}
    executions = _executions_of_rows(context, rows[at], graph[at], captured[at])
    for execution, number in zip(executions, numbers, strict=True):
        given.setdefault(execution[:3], number)
        if execution[3] >= 0:
            given_of_capture[execution] = number
    return given, given_of_capture


def _graph_ranges(context: MatchContext, rows: Int) -> Int:
    """The graph range around the host side of each row's graph launch, -1 without one."""
    trace = context.trace
    api = trace.launches.api[rows]
    around = np.full(len(rows), NONE, dtype=np.int64)
    around[api >= 0] = trace.apis.range[api[api >= 0]]
    return nearest_ancestor(trace.ranges.parent, context.host.is_graph_range, around)
