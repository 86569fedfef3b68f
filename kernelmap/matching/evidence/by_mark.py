"""Launches inside marks: a capture wrote down which call of which code was running.

A mark names its graph by a digest of the code and its call by index, so nothing is left to choose:
exact. Two doubts remain. A generated kernel may be benchmarked inside its call the first time: of
several kernels the last is the call's, inferred, and the others are the autotuner's. And given
graphs of one text have one digest: where the graph's own mark does not tell them apart, all stand.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.columns import nearest_ancestor, paired
from kernelmap.model import NONE, Activity, Backend, CompiledProgram, Confidence, Method, Reason
from kernelmap.model.marks import MarkedCall, MarkedGraph, shortened_wrapper
from kernelmap.model.trace import Bool, Int

_ONE_KERNEL = frozenset(
    {Backend.TRITON, Backend.USER, Backend.TEMPLATE, Backend.COMBO, Backend.MULTI}
)


def by_mark(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide launches whose host side, at capture for replays, lies in the mark of a call."""
    trace = context.trace
    marks = context.marks
    around = nearest_ancestor(trace.ranges.parent, marks.is_call, context.host.host_range)
    rows = np.flatnonzero(matched.open & (around >= 0))
    if not len(rows):
        return
    mark = around[rows]
    graph_mark = nearest_ancestor(trace.ranges.parent, marks.is_graph, mark)

    names = trace.ranges.name_id
    pair = paired(names[mark], np.where(graph_mark >= 0, names[graph_mark], NONE))
    _, first, of_pair = np.unique(pair, return_index=True, return_inverse=True)
    calls = [
        _calls(
            context.program,
            marks.read[int(names[mark[at]])],
            marks.read[int(names[graph_mark[at]])] if graph_mark[at] >= 0 else None,
        )
        for at in first.tolist()
    ]
    number = np.array([len(each) for each in calls])[of_pair]
    foreign, several, one = number == 0, np.flatnonzero(number > 1), np.flatnonzero(number == 1)
    yield Decided(
        rows[foreign], Confidence.UNKNOWN, reason=Reason.NO_CODE, call_range=mark[foreign]
    )
    yield Decided(
        rows[several],
        Confidence.AMBIGUOUS,
        method=Method.MARK,
        reason=Reason.SEVERAL_GRAPHS,
        call_range=mark[several],
        candidates={
            row: calls[at]
            for row, at in zip(rows[several].tolist(), of_pair[several].tolist(), strict=True)
        },
    )
    call = np.array([each[0] if each else NONE for each in calls])[of_pair[one]]
    doubtful, measured = _benchmarked(context, rows[one], call, mark[one])
    yield Decided(
        rows[one][measured],
        Confidence.OUTSIDE,
        method=Method.MARK,
        reason=Reason.AUTOTUNE,
        call_range=mark[one][measured],
    )
    yield Decided(
        rows[one],
        np.where(doubtful, np.int8(Confidence.INFERRED), np.int8(Confidence.EXACT)),
        call=call,
        invocation=_invocations(context, rows[one], call, graph_mark[one]),
        method=Method.MARK,
        call_range=mark[one],
    )


def _calls(
    program: CompiledProgram,
    mark: MarkedGraph | MarkedCall | None,
    graph_mark: MarkedGraph | MarkedCall | None,
) -> tuple[int, ...]:
    """Positions of the calls that a mark may mean: one, where the code was given once."""
    if not isinstance(mark, MarkedCall):
        return ()
    alike = [at for at, graph in enumerate(program.graphs) if graph.digest == mark.digest]
    if len(alike) > 1 and isinstance(graph_mark, MarkedGraph):
        wanted = (graph_mark.name, graph_mark.compile_id)
        told = [
            at
            for at in alike
            if (program.graphs[at].aot_id, program.graphs[at].compile_id) == wanted
        ]
        alike = told or alike
    found = [
        program.first_call[at] + place
        for at in alike
        for place, call in enumerate(program.graphs[at].calls)
        if call.index == mark.index and shortened_wrapper(call.wrapper) == mark.wrapper
    ]
    return tuple(found)


def _benchmarked(context: MatchContext, rows: Int, call: Int, mark: Int) -> tuple[Bool, Bool]:
    """Masks over `rows`: launches of generated kernels that are not alone, and benchmarks of these.

    A replay is an execution of its own, and nothing is benchmarked during a capture.
    """
    launches, calls = context.trace.launches, context.program.calls
    single = np.array([each.backend in _ONE_KERNEL for _, each in calls], dtype=bool)
    own = np.flatnonzero(single[call] & (launches.origin[rows] < 0))
    doubtful, measured = np.zeros((2, len(rows)), dtype=bool)
    is_kernel = np.equal(launches.activity[rows[own]], Activity.KERNEL)
    kernels = np.bincount(mark[own], weights=is_kernel, minlength=1).astype(np.int64)[mark[own]]
    doubtful[own[np.bincount(mark[own], minlength=1)[mark[own]] > 1]] = True

    own, is_kernel = own[kernels > 1], is_kernel[kernels > 1]
    order = np.lexsort((context.trace.launch_time_ns[rows[own]], is_kernel, mark[own]))
    last = np.ones(len(own), dtype=bool)
    last[:-1] = np.diff(mark[own][order]) != 0
    measured[own[order[~last]]] = True
    return doubtful, measured


def _invocations(context: MatchContext, rows: Int, call: Int, graph_mark: Int) -> Int:
    """Executions of each graph, direct and replayed, numbered per process in order of time."""
    launches = context.trace.launches
    graph = context.program.graph_of_call[call]
    process = launches.process[rows]
    replay = np.where(launches.origin[rows] >= 0, launches.correlation[rows], NONE)
    key = paired(process, graph, graph_mark, replay)
    _, first, of_key = np.unique(key, return_index=True, return_inverse=True)
    owner = paired(process, graph)[first]
    order = np.lexsort((context.trace.launch_time_ns[rows[first]], owner))
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = np.diff(owner[order]) != 0
    start = np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order)) - start
    return number[of_key]
