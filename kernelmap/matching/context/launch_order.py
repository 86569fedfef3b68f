"""Launches that stronger evidence left open → sequences in launch order, for the model.

Direct launches are ordered per process, device and host thread, or stream where threads are not
recorded; those of a CUDA or HIP graph by node. Replays of one graph are one sequence that ran
several times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

import numpy as np
from msgspec import Struct

from kernelmap.matching.context.decided import Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.host import GraphSpan
from kernelmap.matching.host_side.recording import by_thread
from kernelmap.model import NONE, Activity, RangeKind
from kernelmap.model.columns import (
    by_name,
    distinct_values,
    nearest_ancestor,
    pair_columns,
    row_groups,
)
from kernelmap.model.marks import is_mark
from kernelmap.model.trace import Bool, Int, Launches

_ON_STREAMS = (Activity.KERNEL, Activity.MEMCPY, Activity.MEMSET)


class LaunchOrder(Struct, frozen=True):
    """Launches in launch order: `copies` has the rows of each time they ran, -1 where lost.

    Shapes: rows (launches,), copies (times, launches); `whole` where graphs begin and end with it.
    """

    rows: Int
    copies: Int
    whole: bool


def launch_orders(context: MatchContext, matched: Matched) -> Iterator[LaunchOrder]:
    """The open launches that have no host side of their own, as sequences.

    Nodes of a graph are numbered in the order of their creation; the order on the streams of a
    replay may be another one.
    """
    launches = context.trace.launches
    bare = matched.open & np.isin(launches.activity, _ON_STREAMS)
    # The host side of what was replayed is where it was captured, if that was recorded.
    sided = _is_inside_telling_range(context) | context.host_seen
    # What has neither a stream nor a correlation is out of a table of sums: in no order.
    bare &= (launches.stream >= 0) | (launches.correlation >= 0)
    # Masks of the launches to be placed, replayed or not; (launches,).
    replayed = bare & context.host.replayed & ~(sided & (launches.origin >= 0))
    bare &= ~context.host.replayed & ~sided
    # Where most have a host side these lost theirs here and there: they follow nothing.
    on_gpu = np.isin(launches.activity, _ON_STREAMS)
    # GPU activities per process, and those of them with a host side; (processes,).
    total = np.bincount(launches.process[on_gpu], minlength=1)
    seen = np.bincount(launches.process[on_gpu & sided], minlength=len(total))
    bare &= ~np.isin(launches.process, np.flatnonzero(2 * seen > total)) | (launches.api >= 0)
    alike: dict[tuple[int, ...], list[Int]] = defaultdict(list)
    # Replays without node ids, and graphs whose nodes changed, are taken replay by replay: by
    # node where there is one, then by time.
    others = replayed & (launches.graph_node <= 0)
    for rows, order in nodes_of_graphs(launches, replayed & (launches.graph_node > 0)):
        if order is None:
            others[rows] = True
        else:
            yield order
    for rows in _split_by_keys(np.flatnonzero(others), launches.process, launches.correlation):
        if len(rows) > 1:
            # Replays that launch the same names over the same grids in the same order are one
            # sequence. Graphs of two batch sizes have equal names (cuda_captured_eager).
            ordered = rows[np.lexsort((launches.start_ns[rows], launches.graph_node[rows]))]
            what = np.column_stack((launches.name_id[ordered], launches.grid[ordered]))
            alike[tuple(what.ravel().tolist())].append(ordered)
        else:
            # A replay of a single launch tells nothing by its order: it joins the direct
            # launches.
            bare[rows] = True
    for copies in alike.values():
        yield LaunchOrder(copies[0], np.stack(copies), whole=True)
    for rows in in_launch_order(context, bare, by="thread"):
        yield LaunchOrder(rows, rows[None, :], whole=False)


def in_launch_order(
    context: MatchContext, mask: Bool, *, by: Literal["process", "thread"]
) -> Iterator[Int]:
    """The launches of `mask` in launch order; by thread: per device and host thread, or stream."""
    launches = context.trace.launches
    rows = np.flatnonzero(mask)
    device = np.where(by == "process", NONE, launches.device)
    line = np.full(len(launches), NONE)
    line[rows] = _thread_or_stream(context, rows) if by == "thread" else NONE
    for sequence in _split_by_keys(rows, launches.process, device, line):
        yield sequence[np.argsort(_launch_order(context, sequence), kind="stable")]


def _thread_or_stream(context: MatchContext, rows: Int) -> Int:
    """A number per launch for its line of order: its host thread if known, else its stream.

    Threads that take turns, as autograd's does with the one that waits for it, are one.
    """
    launches, apis = context.trace.launches, context.trace.apis
    # Streams count down from -1, so that none is taken for a thread.
    line: Int = NONE - launches.stream[rows].astype(np.int64)
    linked = np.flatnonzero(launches.api[rows] >= 0)
    thread = apis.thread[launches.api[rows[linked]]]
    for at in row_groups(launches.process[rows[linked]], launches.device[rows[linked]]):
        one = rows[linked[at]]
        # All launches on the streams of those with an api call; (rows,). Where most have no api
        # call, threads say too little.
        of_streams = np.isin(launches.stream[rows], launches.stream[one])
        of_streams &= launches.process[rows] == launches.process[one[0]]
        of_streams &= launches.device[rows] == launches.device[one[0]]
        if len(one) < _MOSTLY * np.count_nonzero(of_streams):
            continue
        # The place of each launch in launch order.
        rank = np.argsort(np.argsort(_launch_order(context, one), kind="stable"))
        if _take_turns(thread[at][np.argsort(rank)]):
            line[of_streams] = 0
            continue
        streams = launches.stream[one].astype(np.int64)
        # Threads that share no stream, directly or over others, are judged apart.
        for part in _iter_threads_sharing_streams(thread[at], streams):
            threads = thread[at][part]
            in_turns = _take_turns(threads[np.argsort(rank[part])])
            of_part = np.full(len(part), threads[0]) if in_turns else threads
            line[linked[at[part]]] = of_part
            # A launch without an api call goes with the one line of its stream, where there is
            # one.
            for stream in distinct_values(streams[part]).tolist():
                here = of_streams & np.equal(launches.stream[rows], stream)
                lines = distinct_values(of_part[streams[part] == stream])
                if len(lines) == 1:
                    line[here & (launches.api[rows] < 0)] = lines[0]
    return line


def _iter_threads_sharing_streams(thread: Int, stream: Int) -> Iterator[Int]:
    """Positions of launches in groups: those of threads that share streams, directly or not."""
    # Groups grow until they hold still: each launch takes the least number among its thread's,
    # then its stream's.
    of = np.unique(stream, return_inverse=True)[1]
    while True:
        one = of.copy()
        for column in (thread, stream):
            which = np.unique(column, return_inverse=True)[1]
            least = np.full(int(which.max()) + 1, len(of))
            np.minimum.at(least, which, of)
            of = least[which]
        if (of == one).all():
            break
    yield from row_groups(of)


_MOSTLY = 0.5
"""Share of launches with an api call from which on threads are known: with fewer, more launches
would stand on no thread than on one."""
_TURN = 4
"""Launches in a row that a thread makes in its turn, at least, on the average. Autograd's thread
takes long turns with the forward's, and their order is one; threads that launch at once change all
the time, and are read apart (docs/rules.md, threads in turns). Tried on recordings
(scripts/thresholds.py): at 2 one call is lost where a recording begins amid a step, 8 changes
nothing."""


def _take_turns(thread: Int) -> bool:
    """Whether threads launch one after the other, not at the same time; in launch order."""
    # A turn of the rarer thread is two changes, to it and back, so it launches 2 * rarest /
    # changes in each.
    rarest = np.unique(thread, return_counts=True)[1].min()
    changes = np.count_nonzero(np.diff(thread))
    return bool(changes * _TURN <= 2 * rarest)


def graph_of(launches: Launches) -> Int:
    """The executable graph of each node: stated, or the upper half of the node's id."""
    return np.where(launches.graph > 0, launches.graph, launches.graph_node >> 32)


def nodes_of_graphs(launches: Launches, mask: Bool) -> Iterator[tuple[Int, LaunchOrder | None]]:
    """The replayed launches of `mask` by executable graph: as rows, and by node (`_by_node`)."""
    for rows in _split_by_keys(np.flatnonzero(mask), launches.process, graph_of(launches)):
        yield rows, _by_node(launches, rows)


def lost_amid_decided(context: MatchContext, matched: Matched) -> Bool:
    """Mask of the open launches that lost their host side where others have theirs; (launches,).

    Of a process that lists the api calls of most of its GPU activities, those that lack one; of an
    invocation that lacks ranges of its statements, those of no single statement; of the CUDA graphs
    some of whose nodes are decided, the others.
    """
    launches = context.trace.launches
    open_ = matched.open & ~launches.on_cpu
    gpu = ~launches.on_cpu
    total = np.bincount(launches.process[gpu], minlength=1)
    linked = np.bincount(launches.process[gpu & (launches.api >= 0)], minlength=len(total))
    # Launches that lost their api call, in processes where most have theirs.
    direct = open_ & (launches.api < 0) & (launches.range < 0) & (launches.correlation > 0)
    direct &= np.isin(launches.process, np.flatnonzero(2 * linked > total))
    direct |= open_ & _in_lacking(context)
    noded = context.host.replayed & (launches.graph_node > 0)
    # One number per process and executable graph; `decided` are those of which a node has a call.
    key = pair_columns(launches.process, graph_of(launches))
    decided = distinct_values(key[noded & ~matched.open & (matched.call >= 0)])
    return np.where(context.host.replayed, open_ & noded & np.isin(key, decided), direct)


def _in_lacking(context: MatchContext) -> Bool:
    """Mask of the launches without a single statement in invocations of which ranges were lost."""
    apis, issuing = context.trace.apis, context.host.issuing_call
    # Mask of the ranges that stand for one call; (ranges + 1,), the last is that of launches
    # without a range.
    single = np.append(context.decisions.made & (context.decisions.call >= 0), False)
    rows = np.flatnonzero((issuing >= 0) & ~single[context.top])
    # In order of time, so that an invocation is one stretch of its thread's launches.
    rows = rows[np.argsort(apis.start_ns[issuing[rows]], kind="stable")]
    api = issuing[rows]
    of_thread = {thread: rows[at] for thread, at in by_thread(apis.process[api], apis.thread[api])}
    mask = np.zeros(len(issuing), dtype=bool)
    for invocation in context.invocations:
        if invocation.complete or invocation.span.replays or invocation.number < 0:
            continue
        rows_of_thread = of_thread.get((invocation.span.process, invocation.span.thread), rows[:0])
        first, last = np.searchsorted(
            apis.start_ns[issuing[rows_of_thread]], _extent_of_span(context, invocation.span)
        )
        mask[rows_of_thread[first:last]] = True
    return mask


def _extent_of_span(context: MatchContext, span: GraphSpan) -> tuple[int, int]:
    """When a span began and ended on its thread; one that the window cuts reaches to its end."""
    ranges = context.trace.ranges
    # The range around the span where there is one, else from its first range to its last.
    around = max(span.graph_range, span.container)
    first, last = (around, around) if around >= 0 else (span.rows[0], span.rows[-1])
    begin, end = int(ranges.start_ns[first]), int(ranges.start_ns[last] + ranges.dur_ns[last])
    if span.part is not None:
        limits = np.iinfo(np.int64)
        return (int(limits.min), end) if span.part.is_end else (begin, int(limits.max))
    return begin, end


def _by_node(launches: Launches, rows: Int) -> LaunchOrder | None:
    """The replays of one graph by its nodes; None where a node changed what it launches."""
    # `time` is the replay of each launch, `place` its node's rank in the graph, `example` one
    # launch of each node.
    replays, time = np.unique(launches.correlation[rows], return_inverse=True)
    nodes, first, place = np.unique(
        launches.graph_node[rows], return_index=True, return_inverse=True
    )
    example = rows[first]
    copies = np.full((len(replays), len(nodes)), NONE, dtype=np.int64)
    copies[time, place] = rows
    # Every replay launched the same names over the same grids, and no node ran twice in one.
    same = np.equal(launches.name_id[example][place], launches.name_id[rows]).all()
    same &= np.equal(launches.grid[example][place], launches.grid[rows]).all()
    unique = np.count_nonzero(copies >= 0) == len(rows)
    return LaunchOrder(example, copies, whole=True) if same and unique else None


def _launch_order(context: MatchContext, rows: Int) -> Int:
    """Correlation ids, which count launches within a process; times where some row has none."""
    correlation = context.trace.launches.correlation[rows]
    if (correlation > 0).all() and (np.diff(np.sort(correlation)) > 0).all():
        return np.asarray(correlation, dtype=np.int64)
    return np.asarray(context.trace.launch_time_ns[rows], dtype=np.int64)


def _split_by_keys(rows: Int, *keys: Int) -> Iterator[Int]:
    """`rows` in groups that agree in all keys."""
    for at in row_groups(*(key[rows] for key in keys)):
        yield rows[at]


def _is_inside_telling_range(context: MatchContext) -> Bool:
    """Mask of the launches whose host side lies in a range that says what ran.

    Ranges that users push (`step 3`) say nothing of it.
    """
    host, ranges = context.host, context.trace.ranges
    # Operators, and every range that compiled code, the autotuner or a capture leaves.
    shows = np.equal(ranges.kind, RangeKind.OP) | host.has_symbol | host.benchmarks
    shows |= host.is_graph_range | host.compiled | context.decisions.made
    shows |= by_name(ranges.name_id, [is_mark(name) for name in ranges.names])
    return np.asarray(nearest_ancestor(ranges.parent, shows, host.host_range) >= 0, dtype=bool)
