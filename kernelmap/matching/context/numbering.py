"""The numbers of invocations that the host did not run itself: they follow those that it ran."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from kernelmap.matching.context.decided import Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.columns import nearest_ancestor, paired
from kernelmap.model import NONE
from kernelmap.model.trace import Int

Replay = tuple[int, int, int]
"""A process, the correlation id of a graph launch, and a graph of the program that it ran."""


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
    around = context.by_graph_range.get(int(_marks(context, np.array([row], dtype=np.int64))[0]))
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
    of the same graph it is that range's invocation, and where stronger evidence numbered the same
    replay it is that one; others are numbered after all that have a number, in the order of their
    launch.
    """
    if not len(rows):
        return np.empty(0, dtype=np.int64)
    trace = context.trace
    launches = trace.launches
    graph = context.program.graph_of_call[call]
    key = paired(launches.process[rows], launches.correlation[rows], graph, captured)
    _, first, of_key = np.unique(key, return_index=True, return_inverse=True)
    marks = _marks(context, rows[first])
    replays = _replays(context, rows[first], graph[first])
    times = Counter(replays)
    given = _given(context, matched)
    counted = following(context, matched)
    number = np.full(len(first), NONE, dtype=np.int64)
    for at in np.argsort(trace.launch_time_ns[rows[first]], kind="stable").tolist():
        replay = replays[at]
        process, _, own = replay
        around = context.by_graph_range.get(int(marks[at]))
        if around is not None and around.assignment.graphs == (own,) and around.number >= 0:
            number[at] = around.number
        elif times[replay] == 1 and replay in given:
            number[at] = given[replay]
        else:
            number[at] = counted[process, own]
            counted[process, own] += 1
    return number[of_key]


def _replays(context: MatchContext, rows: Int, graph: Int) -> list[Replay]:
    launches = context.trace.launches
    columns = (launches.process[rows], launches.correlation[rows], graph)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _given(context: MatchContext, matched: Matched) -> dict[Replay, int]:
    """The numbers of replays that have one; their first, where a graph ran several times in one."""
    launches = context.trace.launches
    decided = ~matched.open & (matched.call >= 0) & (matched.invocation >= 0)
    rows = np.flatnonzero(context.host.replayed & decided)
    graph = context.program.graph_of_call[matched.call[rows]]
    key = paired(launches.process[rows], launches.correlation[rows], graph)
    at = np.unique(key, return_index=True)[1]
    rows, graph = rows[at], graph[at]
    return dict(zip(_replays(context, rows, graph), matched.invocation[rows].tolist(), strict=True))


def _marks(context: MatchContext, rows: Int) -> Int:
    """The graph range around the host side of each row's graph launch, -1 without one."""
    trace = context.trace
    api = trace.launches.api[rows]
    around = np.full(len(rows), NONE, dtype=np.int64)
    around[api >= 0] = trace.apis.range[api[api >= 0]]
    return nearest_ancestor(trace.ranges.parent, context.host.is_graph_range, around)
