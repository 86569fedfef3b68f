"""What a run launched for which calls, in order: other profiles of the same code learn from it.

Learnt from are the whole invocations that the host ran, CUDA graphs whose nodes are known, and what
was captured and never ran: the api calls of a capture lie in host ranges that name calls, and on
HIP they state the kernel's name, on CUDA they don't. An invocation in which anything is unsure, or
that another one interrupts, teaches nothing; nor does a way to run a graph that few of its
invocations took: an event may have been lost there. A saved result teaches like a trace.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from kernelmap.facts.api_calls import is_graph_launch
from kernelmap.matching.context.decided import BY_HOST_SIDE, Matched
from kernelmap.matching.context.launch_order import graph_of
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.host_side.recording import (
    activity_launched_by,
    captured_calls,
    named_apis,
    on_threads_with_operators,
    silent_launches,
)
from kernelmap.model import (
    NONE,
    Activity,
    CompiledProgram,
    Confidence,
    Matching,
    Method,
    RangeKind,
    Reason,
    Trace,
)
from kernelmap.model.columns import nearest_ancestor, row_groups
from kernelmap.model.learnt import (
    CapturedDetail,
    EagerOrigin,
    LearntLaunch,
    LearntSequence,
    Shape,
)
from kernelmap.model.trace import Bool, Int, Small

_NOTHING_MORE = CapturedDetail()

_RARE = 0.2
"""A way to run a graph that fewer than this share of the most frequent way took is left out: it
lost launches, or other work ran amid it. With more, a branch that is seldom taken teaches nothing.
Chosen."""


class LearntRan(Struct, frozen=True, kw_only=True):
    """Launches as columns (n,); `shape` is (n, 6), -1 where the trace has no grid or block.

    Rows with equal `lane` were launched one after the other, in the order of `when`; -1 where that
    is not known. `replay`, `graph` and `node` are those of a CUDA graph, -1 outside. `call` is a
    position in the program, `sure` says whether the host side shows it. `beside` marks what runs in
    an invocation and belongs to no call. `eager_op` points into `ops`, the operators of graph nodes
    that were seen to be captured from eager code, -1 elsewhere.
    """

    names: tuple[str, ...]
    name_id: Int
    activity: Small
    shape: Int
    process: Int
    device: Int
    lane: Int
    when: Int
    replay: Int
    graph: Int
    node: Int
    call: Int
    invocation: Int
    sure: Bool
    beside: Bool
    eager_op: Int
    ops: tuple[str, ...]

    def shape_of(self, row: int) -> Shape | None:
        """Grid and block of one row, where both are known."""
        sizes = tuple(self.shape[row].tolist())
        return sizes if min(sizes) >= 0 else None


def ran_in(context: MatchContext, matched: Matched | Matching) -> LearntRan:
    """The launches of a trace, as far as `matched` knows them."""
    launches, apis = context.trace.launches, context.trace.apis
    # A lane is a host thread of a process: what it launched has an order, replays left aside.
    linked, replayed = launches.api >= 0, context.host.replayed
    gpu = np.isin(launches.activity, (Activity.KERNEL, Activity.MEMCPY, Activity.MEMSET))
    lane = np.full(len(launches), NONE, dtype=np.int64)
    direct = gpu & linked & ~replayed
    threads = np.stack([apis.process, apis.thread])[:, launches.api[direct]]
    if direct.any():
        lane[direct] = np.unique(threads, axis=1, return_inverse=True)[1].reshape(-1)
    # Of replays only nodes have an order, by their numbers.
    noded = replayed & (launches.graph_node > 0)
    by_host = np.isin(matched.method, BY_HOST_SIDE)
    # What was only placed by its order teaches nothing.
    certain = np.equal(matched.confidence, Confidence.EXACT)
    certain |= np.equal(matched.confidence, Confidence.INFERRED) & by_host
    # What another run showed to be eager teaches nothing either.
    eager = np.equal(matched.confidence, Confidence.OUTSIDE)
    eager &= np.equal(matched.reason, Reason.EAGER) & np.equal(matched.method, Method.NONE) & noded
    name_id = np.append(context.trace.ranges.name_id, NONE)
    return LearntRan(
        names=launches.names,
        name_id=launches.name_id,
        activity=launches.activity,
        shape=np.concatenate([launches.grid, launches.block], axis=1),
        process=launches.process,
        device=launches.device,
        lane=lane,
        when=context.trace.launch_time_ns,
        replay=np.where(noded, launches.correlation, NONE),
        graph=np.where(noded, graph_of(launches), NONE),
        node=np.where(noded, launches.graph_node, NONE),
        call=matched.call,
        invocation=matched.invocation,
        sure=certain & (matched.call >= 0) & (matched.invocation >= 0),
        beside=np.equal(matched.confidence, Confidence.OUTSIDE)
        & np.isin(matched.reason, (Reason.GLUE, Reason.EAGER)),
        eager_op=np.where(eager, name_id[matched.call_range], NONE),
        ops=context.trace.ranges.names,
    )


def of_captures(context: MatchContext) -> Iterator[LearntSequence]:
    """One sequence for each different capture in the trace that shows where its launches came from.

    That is the call, or the eager work.
    """
    trace = context.trace
    captures: Counter[tuple[LearntLaunch, ...]] = Counter()
    labels: dict[tuple[LearntLaunch, ...], str] = {}
    for rows in captures_in(trace):
        if len(rows):
            launches = tuple(_iter_learnt_launches(context, rows))
            captures[launches] += 1
            labels.setdefault(launches, _name_capture(trace, int(rows[0])))
    for launches, times in captures.items():
        label = labels[launches]
        if any(launch.calls or launch.eager is not None for launch in launches):
            yield LearntSequence(launches=launches, whole=True, times=times, label=label)


def _name_capture(trace: Trace, api: int) -> str:
    """What messages call a capture whose first launching api call is given."""
    when = (int(trace.apis.start_ns[api]) - trace.origin_ns) / 1e6
    source = trace.sources[trace.processes[int(trace.apis.process[api])].trace]
    of_file = f" of {Path(source).name}" if len(trace.sources) > 1 else ""
    return f"the graph captured at {when:.3f} ms{of_file}"


def captures_in(trace: Trace) -> Iterator[Int]:
    """The rows of the launching api calls of each capture, with a recorded beginning or without."""
    yield from captured_calls(trace)
    yield from silent_launches(trace)


def files_of_captures(trace: Trace) -> tuple[int, ...]:
    """The files, by their place in the sources, that show captures of graphs and replay none."""
    file = np.array([process.trace for process in trace.processes], dtype=np.int64)
    of_calls = file[trace.apis.process]
    captured = {int(of_calls[rows[0]]) for rows in captures_in(trace) if len(rows)}
    return tuple(sorted(captured - files_of_replays(trace)))


def files_of_replays(trace: Trace) -> set[int]:
    """The files, by their place in the sources, in which a graph was launched."""
    rows = np.flatnonzero(named_apis(trace.apis, is_graph_launch))
    return {trace.processes[process].trace for process in trace.apis.process[rows].tolist()}


def _iter_learnt_launches(context: MatchContext, rows: Int) -> Iterator[LearntLaunch]:
    apis, decisions = context.trace.apis, context.decisions
    activity = activity_launched_by(apis)[rows]
    # An api call in a capture is of the call of the nearest range around it that is decided.
    top = nearest_ancestor(context.trace.ranges.parent, decisions.made, apis.range[rows])
    made, invocation = np.full((2, len(rows)), NONE)
    sure = np.flatnonzero(top >= 0)
    sure = sure[decisions.confidence[top[sure]] <= Confidence.INFERRED]
    made[sure], invocation[sure] = decisions.call[top[sure]], decisions.invocation[top[sure]]
    # Executions within a capture are numbered as their graph and invocation first come.
    graph = context.program.graph_of_call[made]
    columns = (rows, apis.device_name_id[rows], activity, made, graph, invocation)
    runs: dict[tuple[int, int], int] = {}
    kinds = {int(kind): kind for kind in Activity}
    eager = _eager_origins(context, rows)
    for origin, row, named, kind, call, *run in zip(
        eager, *(column.tolist() for column in columns), strict=True
    ):
        detail = context.details.get(row)
        yield LearntLaunch(
            name=apis.names[named] if named >= 0 else None,
            activity=kinds[kind],
            shape=detail.shape if detail is not None else None,
            calls=(call,) if call >= 0 else (),
            run=NONE if call < 0 else runs.setdefault((run[0], run[1]), len(runs)),
            eager=origin,
        )


def _eager_origins(context: MatchContext, rows: Int) -> Iterator[EagerOrigin | None]:
    """Where api calls came from that lie outside of compiled code; None for the others.

    As for a launch that ran, the host side has to be seen: an operator around it, or one somewhere
    on its thread.
    """
    apis, ranges = context.trace.apis, context.trace.ranges
    around = apis.range[rows]
    compiled = context.decisions.made | context.host.is_graph_range
    is_eager = nearest_ancestor(ranges.parent, compiled, around) < 0
    is_eager &= ~context.is_in_unsolved_region(around)
    is_eager &= on_threads_with_operators(context.trace, rows)
    outer = context.outermost_operators(around)
    inner = nearest_ancestor(ranges.parent, np.equal(ranges.kind, RangeKind.OP), around)
    for row, eager, first, last in zip(
        rows.tolist(), is_eager.tolist(), outer.tolist(), inner.tolist(), strict=True
    ):
        detail = context.details.get(row, _NOTHING_MORE)
        yield (
            EagerOrigin(
                op=ranges.name_of(first) if first >= 0 else None,
                inner_op=ranges.name_of(last) if last >= 0 else None,
                place=detail.place,
                module=detail.module,
                is_backward=detail.is_backward,
                inputs=detail.inputs,
            )
            if eager
            else None
        )


def learned_sequences(
    context: MatchContext, matched: Matched | Matching
) -> tuple[LearntSequence, ...]:
    """What a trace teaches, as far as `matched` is by evidence of its own."""
    whole = {
        (invocation.span.process, invocation.assignment.graphs[0], invocation.number)
        for invocation in context.invocations
        if invocation.number >= 0 and invocation.complete
    }
    ran = ran_in(context, matched)
    return (*sequences_of(ran, context.program, whole), *of_captures(context))


def sequences_of(
    ran: LearntRan, program: CompiledProgram, whole: set[tuple[int, int, int]] | None = None
) -> tuple[LearntSequence, ...]:
    """What launches teach; `whole` are the invocations (process, graph, number) to learn from."""
    return (*_of_invocations(ran, program, whole), *_of_replays(ran, program))


def _of_invocations(
    ran: LearntRan, program: CompiledProgram, whole: set[tuple[int, int, int]] | None
) -> Iterator[LearntSequence]:
    graph = program.graph_of_call[ran.call]
    # `order` has launches by lane and time, `called` the places in it at which the call is sure.
    order = np.flatnonzero(ran.lane >= 0)
    order = order[np.lexsort((order, ran.when[order], ran.lane[order]))]
    called = np.flatnonzero(ran.sure[order])
    rows = order[called]
    ways: dict[int, Counter[bytes]] = defaultdict(Counter)
    first: dict[bytes, Int] = {}
    looks = np.stack([ran.name_id, ran.activity, ran.call, *ran.shape.T], axis=1)
    keys = (ran.invocation[rows], graph[rows], ran.process[rows])
    for of in row_groups(*keys):
        one = int(rows[of[0]])
        number = int(graph[one])
        if (
            whole is not None
            and (int(ran.process[one]), number, int(ran.invocation[one])) not in whole
        ):
            continue
        # All that the thread launched from the invocation's first launch of a call to its last one.
        stretch = order[called[of[0]] : called[of[-1]] + 1]
        if _is_clean(ran, stretch, len(of)):
            # Invocations with the same names, calls and grids ran the graph in the same way.
            look = looks[stretch].tobytes()
            ways[number][look] += 1
            first.setdefault(look, stretch)
    # The first invocation of each way is the lesson, unless the way is rare.
    for number, counts in ways.items():
        most = max(counts.values())
        for look, times in counts.items():
            if times > _RARE * most:
                at = first[look]
                label = f"invocation {int(ran.invocation[at[0]])} of {program.graphs[number].id}"
                launches = launches_of(ran, at, [0] * len(at))
                yield LearntSequence(launches=launches, whole=False, times=times, label=label)


def _is_clean(ran: LearntRan, stretch: Int, launches: int) -> bool:
    """Whether a stretch of one lane is one invocation of which so many `launches` are sure."""
    # All of it is of this invocation, or surely of no call, on one thread and device.
    beside = int(ran.beside[stretch].sum())
    one = np.equal(ran.lane[stretch], ran.lane[stretch[0]])
    one &= np.equal(ran.device[stretch], ran.device[stretch[0]])
    return launches + beside == len(stretch) and bool(one.all())


def _of_replays(ran: LearntRan, program: CompiledProgram) -> Iterator[LearntSequence]:
    graph = program.graph_of_call[ran.call]
    rows = np.flatnonzero(ran.node >= 0)
    for of in row_groups(ran.graph[rows], ran.process[rows]):
        graph_rows = rows[of]
        # All replays of a graph are one lesson, as long as each node launched the same every time.
        nodes = _one_per_node(ran, graph_rows)
        if nodes is None or not (ran.sure[nodes] | (ran.eager_op[nodes] >= 0)).any():
            continue
        runs = _number_executions(
            graph[nodes].tolist(), ran.call[nodes].tolist(), ran.sure[nodes].tolist()
        )
        yield LearntSequence(
            launches=launches_of(ran, nodes, runs),
            whole=True,
            times=len(np.unique(ran.replay[graph_rows])),
            label=f"CUDA graph {int(ran.graph[graph_rows[0]])}",
        )


def _one_per_node(ran: LearntRan, rows: Int) -> Int | None:
    """A row for each node, ascending, a sure one if there is; None where nodes changed."""
    rows = rows[np.lexsort((~ran.sure[rows], ran.node[rows]))]
    _, first, place = np.unique(ran.node[rows], return_index=True, return_inverse=True)
    chosen = rows[first]
    name, call = ran.name_id[chosen][place], ran.call[chosen][place]
    sure = ran.sure[rows]
    same = np.array_equal(name, ran.name_id[rows])
    return chosen if same and np.array_equal(call[sure], ran.call[rows][sure]) else None


def _number_executions(
    graphs: Sequence[int], calls: Sequence[int], sure: Sequence[bool]
) -> list[int]:
    """The execution that each launch is part of: a call before the last one begins another."""
    last: dict[int, tuple[int, int]] = {}
    runs: list[int] = []
    for graph, call, is_sure in zip(graphs, calls, sure, strict=True):
        if not is_sure:
            runs.append(NONE)
            continue
        # Calls of a graph ascend within an execution: 0 1 2 0 1 are two of them.
        before, run = last.get(graph, (call, len(last)))
        if call < before:
            run = max(number for _, number in last.values()) + 1
        last[graph] = call, run
        runs.append(run)
    return runs


def launches_of(ran: LearntRan, rows: Int, runs: Sequence[int]) -> tuple[LearntLaunch, ...]:
    """The launches at `rows`, in that order."""
    return tuple(
        LearntLaunch(
            name=ran.names[int(ran.name_id[row])],
            activity=Activity(int(ran.activity[row])),
            shape=ran.shape_of(row),
            calls=(int(ran.call[row]),) if ran.sure[row] else (),
            run=run if ran.sure[row] else NONE,
            eager=EagerOrigin(op=ran.ops[ran.eager_op[row]]) if ran.eager_op[row] >= 0 else None,
        )
        for row, run in zip(rows.tolist(), runs, strict=True)
    )
