"""Launches inside the tags of a capture: it wrote down which call of which code was running.

A tag names its graph by a digest of the code and its call by index, so nothing is left to choose:
exact. Two doubts remain. A generated kernel may be benchmarked inside its call the first time: of
several kernels the last is the call's, inferred, and the others are the autotuner's. And given
graphs of one text have one digest: where the graph's own tag does not tell them apart, all stand.

A capture tags every execution of a graph that it tags at all. So a kernel of such a graph that ran
in none of its tags was a benchmark, and what lies in a graph's tag but in no call's, after all its
calls were seen, is no statement of it. Both need that tags had begun on that thread: what the
recording cut off at its start has none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.recording import extents_by_thread, extents_of_threads
from kernelmap.model import (
    NONE,
    Activity,
    CompiledGraph,
    CompiledProgram,
    Confidence,
    Method,
    Occurrence,
    Reason,
)
from kernelmap.model.columns import by_name, distinct_values, nearest_ancestor, pair_columns
from kernelmap.model.marks import MarkedCall, MarkedGraph, shortened_wrapper
from kernelmap.model.program import GPU_KERNELS
from kernelmap.model.trace import Bool, Int


def by_capture_tag(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide launches whose host side, at capture for replays, lies in the tag of a call."""
    trace = context.trace
    tags = context.capture_tags
    around = nearest_ancestor(trace.ranges.parent, tags.is_call, context.host.host_range)
    rows = np.flatnonzero(matched.open & (around >= 0))
    if not len(rows):
        return
    # The tag of the call around each row, and that of the graph around it, -1 without; (rows,).
    tag = around[rows]
    graph_tag = nearest_ancestor(trace.ranges.parent, tags.is_graph, tag)

    names = trace.ranges.name_id
    # One number per text of a call's tag and of its graph's: each pair is read once.
    pair = pair_columns(names[tag], np.where(graph_tag >= 0, names[graph_tag], NONE))
    _, first, of_pair = np.unique(pair, return_index=True, return_inverse=True)
    calls = [
        _calls_of_tag(
            context.program,
            tags.read[int(names[tag[at]])],
            tags.read[int(names[graph_tag[at]])] if graph_tag[at] >= 0 else None,
        )
        for at in first.tolist()
    ]
    # How many calls a launch's tag may mean: none of the given code, several, or one.
    number = np.array([len(options) for options in calls])[of_pair]
    foreign, several, one = number == 0, np.flatnonzero(number > 1), np.flatnonzero(number == 1)
    yield Decided(rows[foreign], Confidence.UNKNOWN, reason=Reason.NO_CODE, call_range=tag[foreign])
    yield Decided(
        rows[several],
        Confidence.AMBIGUOUS,
        method=Method.MARK,
        reason=Reason.SEVERAL_GRAPHS,
        call_range=tag[several],
        candidates={
            row: calls[at]
            for row, at in zip(rows[several].tolist(), of_pair[several].tolist(), strict=True)
        },
    )
    call = np.array([options[0] if options else NONE for options in calls])[of_pair[one]]
    # Benchmarks are decided first, since a launch is decided once.
    doubtful, measured = _mask_benchmarks(context, rows[one], call, tag[one])
    yield Decided(
        rows[one][measured],
        Confidence.OUTSIDE,
        method=Method.MARK,
        reason=Reason.AUTOTUNE,
        call_range=tag[one][measured],
    )
    yield Decided(
        rows[one],
        np.where(doubtful, np.int8(Confidence.INFERRED), np.int8(Confidence.EXACT)),
        call=call,
        invocation=_number_executions(context, rows[one], call, graph_tag[one]),
        method=Method.MARK,
        call_range=tag[one],
    )


def _calls_of_tag(
    program: CompiledProgram,
    tag: MarkedGraph | MarkedCall | None,
    graph_tag: MarkedGraph | MarkedCall | None,
) -> tuple[int, ...]:
    """Positions of the calls that a tag may mean: one, where the code was given once."""
    if not isinstance(tag, MarkedCall):
        return ()
    alike = [at for at, graph in enumerate(program.graphs) if graph.digest == tag.digest]
    # Code that was given twice, or equal text of two compilations: the graph's tag states name
    # and compile id.
    if len(alike) > 1 and isinstance(graph_tag, MarkedGraph):
        wanted = (graph_tag.name, graph_tag.compile_id)
        named = [
            at
            for at in alike
            if (program.graphs[at].aot_id, program.graphs[at].compile_id) == wanted
        ]
        alike = named or alike
    positions = [
        program.first_call[at] + place
        for at in alike
        for place, call in enumerate(program.graphs[at].calls)
        if call.index == tag.index and shortened_wrapper(call.wrapper) == tag.wrapper
    ]
    return tuple(positions)


def _mask_benchmarks(context: MatchContext, rows: Int, call: Int, tag: Int) -> tuple[Bool, Bool]:
    """Masks over `rows`: launches of generated kernels that are not alone, and benchmarks of these.

    A replay is an execution of its own, and nothing is benchmarked during a capture.
    """
    launches, calls = context.trace.launches, context.program.calls
    # Which calls run a generated kernel; (calls,).
    single = np.array(
        [wrapper_call.backend in GPU_KERNELS for _, wrapper_call in calls], dtype=bool
    )
    # Direct launches in the tag of such a call, as places in `rows`.
    generated = np.flatnonzero(single[call] & (launches.origin[rows] < 0))
    doubtful, measured = np.zeros((2, len(rows)), dtype=bool)
    is_kernel = np.equal(launches.activity[rows[generated]], Activity.KERNEL)
    # How many kernels lie in each one's tag; (generated,). Memory operations count for the doubt
    # below, not here.
    kernels = np.bincount(tag[generated], weights=is_kernel, minlength=1).astype(np.int64)[
        tag[generated]
    ]
    doubtful[generated[np.bincount(tag[generated], minlength=1)[tag[generated]] > 1]] = True

    generated, is_kernel = generated[kernels > 1], is_kernel[kernels > 1]
    # By tag, memory operations first, then kernels in order of time: the last of a tag is its
    # last kernel.
    order = np.lexsort((context.trace.launch_time_ns[rows[generated]], is_kernel, tag[generated]))
    last = np.ones(len(generated), dtype=bool)
    last[:-1] = np.diff(tag[generated][order]) != 0
    measured[generated[order[~last]]] = True
    return doubtful, measured


def _number_executions(context: MatchContext, rows: Int, call: Int, graph_tag: Int) -> Int:
    """Executions of each graph, direct and replayed, numbered per process in order of time."""
    launches = context.trace.launches
    graph = context.program.graph_of_call[call]
    process = launches.process[rows]
    # Every replay is an execution; so is every tag of a graph in which launches ran directly.
    replay = np.where(launches.origin[rows] >= 0, launches.correlation[rows], NONE)
    key = pair_columns(process, graph, graph_tag, replay)
    _, first, of_key = np.unique(key, return_index=True, return_inverse=True)
    # Executions count from 0 for each process and graph. `start` is where the run of one owner
    # begins in `order`; (executions,).
    owner = pair_columns(process, graph)[first]
    order = np.lexsort((context.trace.launch_time_ns[rows[first]], owner))
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = np.diff(owner[order]) != 0
    start = np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order)) - start
    return number[of_key]


def outside_capture_tags(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Kernels of tagged graphs that ran in none of their tags are the autotuner's.

    Before the first tag they may as well be calls, whose tag the recording cut off.
    """
    trace, program = context.trace, context.program
    tags, is_graph = context.capture_tags, context.capture_tags.is_graph
    if not is_graph.any():
        return
    tagged = {tag.digest for tag in tags.read if isinstance(tag, MarkedGraph)}
    # Names of kernels that tagged graphs alone have: other graphs may run where there are no
    # tags.
    tagged_names = {
        name
        for name, calls in context.calls_by_name.items()
        if all(program.calls[call][0].digest in tagged for call in calls)
    }
    rows = (
        matched.open & (context.graph_tag < 0) & np.equal(trace.launches.activity, Activity.KERNEL)
    )
    rows &= by_name(trace.launches.name_id, [name in tagged_names for name in trace.launches.names])
    rows &= np.isin(trace.launches.process, trace.ranges.process[is_graph])
    after = _after_first_tag(context, is_graph)
    yield Decided(rows & after, Confidence.OUTSIDE, method=Method.MARK, reason=Reason.AUTOTUNE)
    # Before the thread's first tag a call's own tag may have been cut off.
    cut = rows & ~after & (context.host.issuing_call >= 0)
    yield Decided(cut, Confidence.UNKNOWN, reason=Reason.RECORDING_END)
    yield Decided(rows & ~after & ~cut, Confidence.UNKNOWN, reason=Reason.NO_HOST_SIDE)


def beside_tagged_calls(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """What lies in a graph's tag and in no call's: glue, if all calls were seen there."""
    trace = context.trace
    tags, around = context.capture_tags, context.graph_tag
    rows = np.flatnonzero(matched.open & (around >= 0))
    if not len(rows):
        return
    graphs: defaultdict[str | None, list[CompiledGraph]] = defaultdict(list)
    for graph in context.program.graphs:
        graphs[graph.digest].append(graph)
    calls = np.flatnonzero(tags.is_call)
    # By the row of a graph's tag: the indices of the calls that were tagged in it.
    seen: defaultdict[int, set[int]] = defaultdict(set)
    of_call = nearest_ancestor(trace.ranges.parent, tags.is_graph, calls)
    for owner, name in zip(of_call.tolist(), trace.ranges.name_id[calls].tolist(), strict=True):
        tag = tags.read[name]
        if isinstance(tag, MarkedCall):
            seen[owner].add(tag.index)
    closed = {
        owner: _has_all_calls(graphs, tags.read[int(trace.ranges.name_id[owner])], seen[owner])
        for owner in distinct_values(around[rows]).tolist()
    }
    whole = np.array([closed[owner] for owner in around[rows].tolist()], dtype=bool)
    yield Decided(rows[whole], Confidence.OUTSIDE, method=Method.MARK, reason=Reason.GLUE)
    yield Decided(rows, Confidence.UNKNOWN, reason=Reason.COUNT_DIFFERS)


def _has_all_calls(
    graphs: dict[str | None, list[CompiledGraph]],
    tag: MarkedGraph | MarkedCall | None,
    seen: set[int],
) -> bool:
    """Whether every call that had to run was seen."""
    tagged_graphs = graphs.get(tag.digest, []) if tag is not None else []
    return any(
        {call.index for call in graph.calls if call.occurrence is Occurrence.ONCE} <= seen
        for graph in tagged_graphs
        if graph.code is not None
    )


def _after_first_tag(context: MatchContext, is_graph: Bool) -> Bool:
    """Mask of the launches whose api call comes after a first tag on its thread."""
    launches, apis = context.trace.launches, context.trace.apis
    begun, _, tagged = extents_of_threads(apis, extents_by_thread(context.trace.ranges, is_graph))
    after = np.append(tagged & (apis.start_ns > begun), False)
    return np.asarray(after[launches.api])  # the last is that of none
