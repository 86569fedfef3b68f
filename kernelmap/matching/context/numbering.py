"""The numbers of invocations that the host did not run itself: they follow those that it ran."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from kernelmap.matching.context.decided import Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.columns import nearest_ancestor, paired
from kernelmap.model import NONE, Method
from kernelmap.model.trace import Int

_Execution = tuple[int, int, int, int]
"""A process, the correlation id of a graph launch, the graph that it ran, and which capture."""


def following(context: MatchContext, matched: Matched) -> dict[tuple[int, int], int]:
    """The next number per process and graph, after all that are given so far."""
    counted: dict[tuple[int, int], int] = defaultdict(int)
    for each in context.invocations:
        if each.number >= 0:
            slot = (each.span.process, each.assignment.graphs[0])
            counted[slot] = max(counted[slot], each.number + 1)
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
    known = (call >= 0) & (captured >= 0)
    numbers[known] = replay_numbers(context, matched, rows[known], call[known], captured[known])
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
    key = paired(launches.process[rows], launches.correlation[rows], graph, captured)
    _, first, of_key = np.unique(key, return_index=True, return_inverse=True)
    around = _graph_ranges(context, rows[first])
    executions = _executions(context, rows[first], graph[first], captured[first])
    times = Counter(execution[:3] for execution in executions)
    given, given_of_capture = _given(context, matched)
    counted = following(context, matched)
    number = np.full(len(first), NONE, dtype=np.int64)
    for at in np.argsort(trace.launch_time_ns[rows[first]], kind="stable").tolist():
        process, replay, own, _ = executions[at]
        ran = context.by_graph_range.get(int(around[at]))
        if executions[at] in given_of_capture:
            number[at] = given_of_capture[executions[at]]
        elif ran is not None and ran.assignment.graphs == (own,) and ran.number >= 0:
            number[at] = ran.number
        elif times[process, replay, own] == 1 and (process, replay, own) in given:
            number[at] = given[process, replay, own]
        else:
            number[at] = counted[process, own]
            counted[process, own] += 1
    return number[of_key]


def _executions(context: MatchContext, rows: Int, graph: Int, captured: Int) -> list[_Execution]:
    launches = context.trace.launches
    columns = (launches.process[rows], launches.correlation[rows], graph, captured)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _given(
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
    captured[by_capture] = context.decisions.invocation[context.top[rows[by_capture]]]
    key = paired(launches.process[rows], launches.correlation[rows], graph, captured)
    at = np.sort(np.unique(key, return_index=True)[1])
    numbers = matched.invocation[rows[at]].tolist()
    given: dict[tuple[int, int, int], int] = {}
    given_of_capture: dict[_Execution, int] = {}
    executions = _executions(context, rows[at], graph[at], captured[at])
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
