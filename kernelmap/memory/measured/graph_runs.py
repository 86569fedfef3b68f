"""Launches with their calls → the runs of compiled graphs on the host, and the calls in each run.

A run lasts as long as the range that torch opens around it (`## Call CompiledFxGraph ...`, or that
of a C++ wrapper): the wrapper also allocates before its first call, and frees after its last.
Without such a range it lasts from the begin of its first call to the end of its last one.

Left out: runs of which no launch has a host side, or whose graph is not sure.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.memory.measured.open_spans import ThreadSpans
from kernelmap.model import NONE, CompiledProgram, Confidence, Matching, Trace
from kernelmap.model.columns import by_name, nearest_ancestor, pair_columns
from kernelmap.model.names import graph_mark, is_wrapper_call
from kernelmap.model.trace import Bool, Int


class GraphRuns(Struct, frozen=True, kw_only=True):
    """Runs, and their calls; `spans` are when either was on its thread.

    Of runs `graph` is the position in `CompiledProgram.graphs`, `invocation` as in Matching; both
    (runs,). Of calls `call` is the position in `CompiledProgram.calls`, `run` in the runs, and
    `is_exact` says whether all launches of the call in that run are sure; all (calls,).
    """

    spans: ThreadSpans
    graph: Int
    invocation: Int
    call_spans: ThreadSpans
    call: Int
    run: Int
    is_exact: Bool


class _HostSide(Struct, frozen=True, kw_only=True):
    """Where and when the host was at launches; all (n,). `range` is the row around or of each."""

    row: Int
    range: Int
    thread: Int
    start_ns: Int
    end_ns: Int


def find_graph_runs(program: CompiledProgram, trace: Trace, matching: Matching) -> GraphRuns:
    """The runs of a trace, in the order of process, graph and invocation."""
    host = _host_side(trace, matching)
    rows = host.row
    graph, invocation = program.graph_of_call[matching.call[rows]], matching.invocation[rows]
    process = trace.launches.process[rows]
    run, runs = _number_keys(process, graph, invocation)
    # The range around the run, where torch opens one.
    around = _range_of_run(trace, host.range)
    ranges = trace.ranges
    has_range = around >= 0
    begin = np.where(has_range, np.append(ranges.start_ns, 0)[around], host.start_ns)
    length = np.append(ranges.dur_ns, 0)[around]
    end = np.where(has_range, begin + length, host.end_ns)

    # Of all launches of a call in one run, from the first begin to the last end.
    number, calls = _number_keys(run, matching.call[rows])
    exact = np.equal(matching.confidence[rows], Confidence.EXACT)
    is_exact = np.ones(len(calls), dtype=np.bool_)
    np.logical_and.at(is_exact, number, exact)
    return GraphRuns(
        spans=_unite(process, host.thread, begin, end, run, runs),
        graph=graph[runs],
        invocation=invocation[runs],
        call_spans=_unite(process, host.thread, host.start_ns, host.end_ns, number, calls),
        call=matching.call[rows][calls],
        run=run[calls],
        is_exact=is_exact,
    )


def _host_side(trace: Trace, matching: Matching) -> _HostSide:
    """The host side of launches that have a call and a run, as far as it was recorded."""
    launches, apis, ranges = trace.launches, trace.apis, trace.ranges
    sure = np.less_equal(matching.confidence, Confidence.INFERRED)
    rows = np.flatnonzero(sure & (matching.call >= 0) & (matching.invocation >= 0))
    of_call, api = matching.call_range[rows], launches.api[rows]
    # The range that stands for the call; else the api call, whose times are its own; else, of code
    # for the CPU, the launch's range.
    own = np.where(of_call >= 0, of_call, np.where(api < 0, launches.range[rows], NONE))
    by_api = (own < 0) & (api >= 0)
    around = np.where(by_api, np.append(apis.range, NONE)[api], own)
    thread = np.where(by_api, np.append(apis.thread, 0)[api], np.append(ranges.thread, 0)[own])
    begin = np.where(by_api, np.append(apis.start_ns, 0)[api], np.append(ranges.start_ns, 0)[own])
    length = np.where(by_api, np.append(apis.dur_ns, 0)[api], np.append(ranges.dur_ns, 0)[own])
    known = by_api | (own >= 0)
    return _HostSide(
        row=rows[known],
        range=around[known],
        thread=thread[known],
        start_ns=begin[known],
        end_ns=(begin + length)[known],
    )


def _range_of_run(trace: Trace, rows: Int) -> Int:
    """The range that torch opened around the run of a graph that each of `rows` lies in."""
    ranges = trace.ranges
    marks = by_name(ranges.name_id, [graph_mark(name) is not None for name in ranges.names])
    bodies = by_name(ranges.name_id, [is_wrapper_call(name) for name in ranges.names])
    marked = nearest_ancestor(ranges.parent, marks, rows)
    return np.where(marked >= 0, marked, nearest_ancestor(ranges.parent, bodies, rows))


def _number_keys(*columns: Int) -> tuple[Int, Int]:
    """A number per row, equal where all columns are, and the first row of each number."""
    if not len(columns[0]):
        return columns[0], columns[0]
    number = pair_columns(*columns)
    _, first = np.unique(number, return_index=True)
    return number, first.astype(np.int64)


def _unite(
    process: Int, thread: Int, start_ns: Int, end_ns: Int, number: Int, first: Int
) -> ThreadSpans:
    """The span of each number, on the thread of its first row."""
    begin, end = start_ns[first].copy(), end_ns[first].copy()
    # A rare row of another thread does not stretch a span.
    same = thread == thread[first][number]
    np.minimum.at(begin, number[same], start_ns[same])
    np.maximum.at(end, number[same], end_ns[same])
    return ThreadSpans(process=process[first], thread=thread[first], start_ns=begin, end_ns=end)
