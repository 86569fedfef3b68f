"""Launches without a range that names their call: what the device name leaves open.

A name that one call alone can run under is inferred, never exact: the launch may be a benchmark, or
come from code that was not given. Several calls are named as candidates. Inside a graph range only
that graph's calls are asked, and only those whose own range is missing there.
"""

from __future__ import annotations

import numpy as np

from kernelmap.matching.context.draft import Draft
from kernelmap.matching.context.match_context import Invocation, MatchContext
from kernelmap.matching.context.numbering import number_captured
from kernelmap.model import (
    Activity,
    CompiledProgram,
    Confidence,
    Method,
    Occurrence,
    Reason,
)


def by_name(context: MatchContext, draft: Draft) -> None:
    """Decide open kernels whose device name is known from code."""
    launches = context.trace.launches
    known = context.calls_by_name
    calls_of_name = [known.get(name, ()) for name in launches.names]
    is_known = np.array([bool(calls) for calls in calls_of_name], dtype=bool)
    if not is_known.any():
        return
    kernels = draft.open & np.equal(launches.activity, Activity.KERNEL)
    rows = np.flatnonzero(kernels & is_known[launches.name_id])
    replayed = context.host.replayed
    marks = context.top[rows].tolist()
    missing = {
        mark: _missing(context, invocation)
        for mark in set(marks)
        if (invocation := context.by_graph_range.get(mark)) is not None
    }
    for row, name_id, mark in zip(
        rows.tolist(), launches.name_id[rows].tolist(), marks, strict=True
    ):
        calls = calls_of_name[name_id]
        invocation = context.by_graph_range.get(mark)
        if invocation is not None:
            calls = tuple(call for call in calls if call in missing[mark])
            draft.invocation[row] = invocation.number
        if not calls:
            continue
        one = np.array([row])
        if len(calls) > 1:
            several = Reason.GRAPH_REPLAY if replayed[row] else Reason.SAME_NAME
            draft.leave(one, calls, several)
        elif _may_be_benchmark(context, calls[0]):
            draft.leave(one, calls, Reason.CONDITIONAL)
        else:
            draft.call[row] = calls[0]
            draft.settle(one, Confidence.INFERRED, method=Method.DEVICE_NAME)
    number_captured(context, draft, rows[replayed[rows]])


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
