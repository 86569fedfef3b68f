"""The window's time finer than any table: per graph, and in parts of one module, line, op and call.

`times_in_graphs` gives sums per graph by the same rule as the tables: in its calls, its nodes, what
these were made of, its lines; the time of nodes and lines is that of rollup.py, graph
by graph. A node's time goes in equal parts to the pre-grad nodes that it was made of; where none
are stated of it, to those stated of the call as a whole. A generated kernel without nodes works for
all nodes that the comment above its call names, a library call for the only one. What has no place
is left out: the sums and `time_ns` show how much that is.

`smallest_parts` gives module, source line, op and call of each smallest part, as divide.py makes
them; they add up to the window and, by module, line or op, to the rows of the tables, to the
nanosecond. Time between several calls is in no module and no call, and in a line or an op where all
of them agree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.attribution.divide import (
    CallPart,
    DividedBucket,
    divide_bucket,
    divide_calls,
    share_out,
)
from kernelmap.attribution.records import Attribution
from kernelmap.attribution.rollup import NO_LINE, NO_MODULE
from kernelmap.attribution.time_buckets import window_buckets
from kernelmap.model import (
    Backend,
    CompiledGraph,
    CompiledProgram,
    Matching,
    Trace,
    WrapperCall,
)
from kernelmap.model.program import OTHER_COMPILERS

Line = tuple[str, int]
_GENERATED = OTHER_COMPILERS | {Backend.TRITON, Backend.CPP, Backend.COMBO, Backend.MULTI}
NO_OP = "(no op)"


class GraphPlaces(Struct, frozen=True, kw_only=True):
    """One graph's time in nanoseconds.

    `calls` by index, `nodes` by the name of a post-grad node, `pre_grad` by that of a pre-grad
    node, `lines` by file and line. No sum exceeds `time_ns`, the time of the table of graphs.
    """

    time_ns: int
    calls: Mapping[int, int]
    nodes: Mapping[str, int]
    pre_grad: Mapping[str, int]
    lines: Mapping[Line, int]


def times_in_graphs(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> tuple[GraphPlaces, ...]:
    """The window's time in each graph, parallel to `program.graphs`.

    Time between several calls of one graph is the graph's; a line takes it where all of them agree.
    Time between several graphs is in none.
    """
    # The graph of each call, by its position in the program.
    owner = [at for at, graph in enumerate(program.graphs) for _ in graph.calls]
    buckets_of: dict[int, list[DividedBucket]] = defaultdict(list)
    for divided in _divided_window(program, trace, matching, attribution):
        graphs = {owner[call] for call in divided.bucket.calls}
        if len(graphs) == 1:
            buckets_of[graphs.pop()].append(divided)
    return tuple(_places_in_graph(program, buckets_of[at]) for at in range(len(program.graphs)))


def made_of(graph: CompiledGraph, name: str) -> tuple[str, ...]:
    """The pre-grad nodes that a post-grad node of `graph` was made of, each once."""
    node = graph.post_grad.get(name)
    return tuple(dict.fromkeys(node.pre_grad)) if node else ()


def nodes_in_comment(graph: CompiledGraph, call: WrapperCall) -> tuple[str, ...]:
    """The pre-grad nodes in the comment above `call`.

    Comments of backwards mix in names of the graph itself: where the pre-grad graph is known, only
    names that it has count.
    """
    names = call.origins.nodes if call.origins else ()
    return tuple(name for name in names if name in graph.pre_grad or not graph.pre_grad)


def _in_comment(graph: CompiledGraph, call: WrapperCall) -> tuple[str, ...]:
    """The pre-grad nodes in the comment of a call, where all names in it are known."""
    names = nodes_in_comment(graph, call)
    all_known = call.origins is not None and len(names) == len(call.origins.nodes)
    # A name that is not known may stand for another node, and a library call's comment lists its
    # inputs' nodes as well.
    return names if all_known and (call.backend in _GENERATED or len(names) == 1) else ()


def _places_in_graph(program: CompiledProgram, buckets: Sequence[DividedBucket]) -> GraphPlaces:
    calls: Counter[int] = Counter()
    nodes: Counter[str] = Counter()
    pre_grad: Counter[str] = Counter()
    lines: Counter[Line] = Counter()
    for divided in buckets:
        bucket = divided.bucket
        for part, time_ns in _time_parts(divided):
            if part.line is not None:
                lines[part.line.file, part.line.line] += time_ns
        # Lines may take time that several calls agree on; calls and nodes take that of one call
        # alone.
        if len(bucket.calls) > 1:
            continue
        graph, call = program.calls[bucket.calls[0]]
        if bucket.unattributed is None:  # an only candidate is not sure to be the call
            calls[call.index] += bucket.time_ns
        for name, time_ns in _pre_grad_times(graph, call, divided):
            pre_grad[name] += time_ns
        for part, time_ns in _time_parts(divided):
            if part.node is not None:
                nodes[part.node] += time_ns
    return GraphPlaces(
        time_ns=sum(divided.bucket.time_ns for divided in buckets),
        calls=calls,
        nodes=nodes,
        pre_grad=pre_grad,
        lines=lines,
    )


def _pre_grad_times(
    graph: CompiledGraph, call: WrapperCall, divided: DividedBucket
) -> Iterator[tuple[str, int]]:
    """The pre-grad nodes that a call's nodes were made of, or that its comment names, with time."""
    of_nodes: Counter[str] = Counter()
    of_listed: Counter[str] = Counter()
    for part, time_ns in _time_parts(divided):
        if part.node is not None:
            of_nodes[part.node] += time_ns
        elif part.listed is not None:
            of_listed[part.listed] += time_ns
    for name, time_ns in of_nodes.items():
        # A node of which nothing states what it was made of is made of what the call as a whole
        # was.
        yield from _split_equally(made_of(graph, name) or call.pre_grad, time_ns)
    yield from ((name, ns) for name, ns in of_listed.items() if name in graph.pre_grad)
    if not of_nodes and not of_listed:
        yield from _split_equally(_in_comment(graph, call), divided.bucket.time_ns)


def _split_equally(names: Sequence[str], time_ns: int) -> Iterator[tuple[str, int]]:
    """Each name with its part of the time; nothing where there is no name."""
    yield from zip(names, share_out(time_ns, [1] * len(names)), strict=True) if names else ()


def _time_parts(divided: DividedBucket) -> Iterator[tuple[CallPart, int]]:
    return zip(divided.parts, divided.times_ns, strict=True)


def _divided_window(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> Iterator[DividedBucket]:
    divisions = divide_calls(program)
    for bucket in window_buckets(trace, matching, attribution):
        yield divide_bucket(bucket, divisions)


class Leaf(Struct, frozen=True, kw_only=True):
    """A part of the window's time; a name in parentheses stands for what is not known.

    `line` is `file:line`, or `in forward (file:line)` where only the function is known. `call` is a
    position in `CompiledProgram.calls`, None where none or several stand; `rest` then names the row
    that takes the time of calls, whatever is known of module, line and op.
    """

    module: str
    line: str
    op: str
    call: int | None
    time_ns: int
    rest: str | None = None


def smallest_parts(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> tuple[Leaf, ...]:
    """All parts, call by call, then what has no call; parts without time are left out."""
    everything = (
        _leaf_of_part(divided, part, time_ns)
        for divided in _divided_window(program, trace, matching, attribution)
        for part, time_ns in _time_parts(divided)
    )
    return tuple(leaf for leaf in everything if leaf.time_ns)


def _leaf_of_part(divided: DividedBucket, part: CallPart, time_ns: int) -> Leaf:
    rest, place = divided.bucket.unattributed, divided.bucket.place
    return Leaf(
        module=part.module or rest or NO_MODULE,
        line=part.line.name if part.line else place.name if place else rest or NO_LINE,
        op=part.op or rest or NO_OP,
        call=None if rest else divided.bucket.calls[0],
        time_ns=time_ns,
        rest=rest,
    )
