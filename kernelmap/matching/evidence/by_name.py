"""Launches without a range that names their call: what the device name leaves open.

A name that one call alone can run under is inferred, never exact: the launch may be a benchmark, or
come from code that was not given. Several calls are named as candidates. Inside a graph range only
that graph's calls are asked, and only those whose own range is missing there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched, Noted
from kernelmap.matching.context.invocations import captured_numbers
from kernelmap.matching.context.match_context import Invocation, MatchContext
from kernelmap.model import (
    NONE,
    Activity,
    CompiledProgram,
    Confidence,
    Method,
    Occurrence,
    Reason,
)


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
