"""Launches that lie in no call's mark although their process has marks.

A capture marks every execution of a graph that it marks at all. So a kernel of such a graph that
ran in none of its marks was a benchmark, and what lies in a graph's mark but in no call's, after
all its calls were seen, is no statement of it. Both need that marks had begun on that thread: what
the recording cut off at its start has none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.columns import by_name, nearest_ancestor
from kernelmap.model import (
    Activity,
    CompiledGraph,
    Confidence,
    Method,
    Occurrence,
    Reason,
)
from kernelmap.model.marks import MarkedCall, MarkedGraph
from kernelmap.model.trace import Bool


def outside_marks(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Kernels of marked graphs that ran in none of their marks are the autotuner's.

    Before the first mark they may as well be calls, whose mark the recording cut off.
    """
    trace, program = context.trace, context.program
    marks, is_graph = context.marks, context.marks.is_graph
    if not is_graph.any():
        return
    marked = {mark.digest for mark in marks.read if isinstance(mark, MarkedGraph)}
    known = {
        name
        for name, calls in context.calls_by_name.items()
        if all(program.calls[call][0].digest in marked for call in calls)
    }
    rows = matched.open & (context.marked < 0) & np.equal(trace.launches.activity, Activity.KERNEL)
    rows &= by_name(trace.launches.name_id, [name in known for name in trace.launches.names])
    rows &= np.isin(trace.launches.process, np.unique(trace.ranges.process[is_graph]))
    after = _after_first_mark(context, is_graph)
    yield Decided(rows & after, Confidence.OUTSIDE, method=Method.MARK, reason=Reason.AUTOTUNE)
    cut = rows & ~after & (context.host.side >= 0)
    yield Decided(cut, Confidence.UNKNOWN, reason=Reason.RECORDING_END)
    yield Decided(rows & ~after & ~cut, Confidence.UNKNOWN, reason=Reason.NO_HOST_SIDE)


def beside_calls(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """What lies in a graph's mark and in no call's: glue, if all calls were seen there."""
    trace = context.trace
    marks, around = context.marks, context.marked
    rows = np.flatnonzero(matched.open & (around >= 0))
    if not len(rows):
        return
    graphs: defaultdict[str | None, list[CompiledGraph]] = defaultdict(list)
    for graph in context.program.graphs:
        graphs[graph.digest].append(graph)
    calls = np.flatnonzero(marks.is_call)
    seen: defaultdict[int, set[int]] = defaultdict(set)
    of_call = nearest_ancestor(trace.ranges.parent, marks.is_graph, calls)
    for owner, name in zip(of_call.tolist(), trace.ranges.name_id[calls].tolist(), strict=True):
        mark = marks.read[name]
        if isinstance(mark, MarkedCall):
            seen[owner].add(mark.index)
    closed = {
        owner: _closed(graphs, marks.read[int(trace.ranges.name_id[owner])], seen[owner])
        for owner in np.unique(around[rows]).tolist()
    }
    whole = np.array([closed[owner] for owner in around[rows].tolist()], dtype=bool)
    yield Decided(rows[whole], Confidence.OUTSIDE, method=Method.MARK, reason=Reason.GLUE)
    yield Decided(rows, Confidence.UNKNOWN, reason=Reason.COUNT_DIFFERS)


def _closed(
    graphs: dict[str | None, list[CompiledGraph]],
    mark: MarkedGraph | MarkedCall | None,
    seen: set[int],
) -> bool:
    """Whether every call that had to run was seen."""
    known = graphs.get(mark.digest, []) if mark is not None else []
    return any(
        {call.index for call in graph.calls if call.occurrence is Occurrence.ONCE} <= seen
        for graph in known
        if graph.code is not None
    )


def _after_first_mark(context: MatchContext, is_graph: Bool) -> Bool:
    """Mask of the launches whose api call comes after a first mark on its thread."""
    trace = context.trace
    launches, apis, ranges = trace.launches, trace.apis, trace.ranges
    first: dict[tuple[int, int], int] = {}
    for row in np.flatnonzero(is_graph).tolist():
        key = int(ranges.process[row]), int(ranges.thread[row])
        start = int(ranges.start_ns[row])
        first[key] = min(start, first.get(key, start))
    never = np.iinfo(np.int64).max
    keys = zip(apis.process.tolist(), apis.thread.tolist(), strict=True)
    begun = np.array([first.get(key, never) for key in keys], dtype=np.int64)
    mask = np.zeros(len(launches), dtype=bool)
    linked = launches.api >= 0
    api = launches.api[linked]
    mask[linked] = apis.start_ns[api] > begun[api]
    return mask
