"""Where the window's time stands, finer than the tables: per graph, and in its smallest parts.

`places` gives sums per graph by the same rules as the tables: in its calls, its nodes, what
these were made of, its lines; the time of nodes and lines is that of rollup.py, graph
by graph. A node's time goes in equal parts to the pre-grad nodes that it was made of; where none
are stated of it, to those stated of the call as a whole. A generated kernel without nodes works for
all nodes that the comment above its call names, a library call for the only one. What has no place
is left out: the sums and `time_ns` show how much that is.

`leaves` gives module, source line, op and call of each smallest part; they add up to the window, to
the nanosecond. A call is shared by its nodes as in the tables of lines and modules, so that leaves
of one line or module add up to its row there, but for a nanosecond where parts are shared on:
ambiguous time is in no module and no call, and in a line or an op where all candidates agree. A
node's op is what it calls, if the call is charged to that, else the ops in equal parts. A call
without nodes is shared by its modules, lines and ops, one after the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.attribution.records import Attribution
from kernelmap.attribution.rollup import NO_LINE, NO_MODULE, CallLines, call_lines, common
from kernelmap.attribution.split import Split, parts, splits, target_op
from kernelmap.attribution.time_buckets import TimeBucket, window_buckets
from kernelmap.model import (
    Backend,
    CompiledGraph,
    CompiledProgram,
    FxNode,
    Matching,
    SourceLine,
    Trace,
    WrapperCall,
)

Line = tuple[str, int]
_GENERATED = (Backend.TRITON, Backend.CPP, Backend.COMBO, Backend.MULTI)
_Owner = TypeVar("_Owner")


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


def places(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> tuple[GraphPlaces, ...]:
    """The window's time in each graph, parallel to `program.graphs`.

    Time between several calls of one graph is the graph's; a line takes it where all of them agree.
    Time between several graphs is in none.
    """
    shares = splits(program)
    of_calls = call_lines(program, shares)
    owner = [at for at, graph in enumerate(program.graphs) for _ in graph.calls]
    buckets_of: dict[int, list[TimeBucket]] = defaultdict(list)
    for bucket in window_buckets(trace, matching, attribution):
        graphs = {owner[call] for call in bucket.calls}
        if len(graphs) == 1:
            buckets_of[graphs.pop()].append(bucket)
    return tuple(
        _places(program, buckets_of[at], shares, of_calls) for at in range(len(program.graphs))
    )


def made_of(graph: CompiledGraph, name: str) -> tuple[str, ...]:
    """The pre-grad nodes that a post-grad node of `graph` was made of, each once."""
    node = graph.post_grad.get(name)
    return tuple(dict.fromkeys(node.pre_grad)) if node else ()


def commented(graph: CompiledGraph, call: WrapperCall) -> tuple[str, ...]:
    """The pre-grad nodes in the comment above `call`.

    Comments of backwards mix in names of the graph itself: where the pre-grad graph is known, only
    names that it has count.
    """
    names = call.origins.nodes if call.origins else ()
    return tuple(name for name in names if name in graph.pre_grad or not graph.pre_grad)


def _in_comment(call: WrapperCall, graph: CompiledGraph, split: Split) -> tuple[str, ...]:
    """The pre-grad nodes that the time of a call without nodes belongs to."""
    if split.listed:
        return tuple(node.name for node in split.listed if node.name in graph.pre_grad)
    names = commented(graph, call)
    all_known = call.origins is not None and len(names) == len(call.origins.nodes)
    if split.charged_nodes or not all_known:
        return ()
    return names if call.backend in _GENERATED or len(names) == 1 else ()


def _places(
    program: CompiledProgram,
    buckets: Sequence[TimeBucket],
    shares: Sequence[Split],
    of_calls: Sequence[CallLines],
) -> GraphPlaces:
    calls: Counter[int] = Counter()
    nodes: Counter[str] = Counter()
    pre_grad: Counter[str] = Counter()
    lines: Counter[Line] = Counter()
    for bucket in buckets:
        if len({of_calls[call] for call in bucket.calls}) == 1:
            for line, ns in _parts(of_calls[bucket.calls[0]].charged, bucket.time_ns):
                if line is not None:
                    lines[line.file, line.line] += ns
        if len(bucket.calls) > 1:
            continue
        graph, call = program.calls[bucket.calls[0]]
        if bucket.unattributed is None:  # an only candidate is not sure to be the call
            calls[call.index] += bucket.time_ns
        for name, ns in _parts(_in_comment(call, graph, shares[bucket.calls[0]]), bucket.time_ns):
            pre_grad[name] += ns
        for name, ns in _parts(shares[bucket.calls[0]].charged_nodes, bucket.time_ns):
            nodes[name] += ns
            for pre, part in _parts(made_of(graph, name) or call.pre_grad, ns):
                pre_grad[pre] += part
    return GraphPlaces(
        time_ns=sum(bucket.time_ns for bucket in buckets),
        calls=calls,
        nodes=nodes,
        pre_grad=pre_grad,
        lines=lines,
    )


def _parts(owners: Sequence[_Owner], time_ns: int) -> Iterator[tuple[_Owner, int]]:
    """Each owner with its part of the time; nothing where there is no owner."""
    if owners:
        yield from zip(owners, parts(time_ns, len(owners)), strict=True)


class Leaf(Struct, frozen=True, kw_only=True):
    """A part of the window's time; a name in parentheses stands for what is not known.

    `line` is `file:line`, or `in forward (file:line)` where only the function is known. `call` is a
    position in `CompiledProgram.calls`, None where none or several stand.
    """

    module: str
    line: str
    op: str
    call: int | None
    time_ns: int


def leaves(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> tuple[Leaf, ...]:
    """All parts, call by call, then what has no call; parts without time are left out."""
    buckets = window_buckets(trace, matching, attribution)
    shares = splits(program)
    of_calls = call_lines(program, shares)
    everything = (
        leaf for bucket in buckets for leaf in _of_bucket(program, bucket, shares, of_calls)
    )
    return tuple(leaf for leaf in everything if leaf.time_ns)


def _of_bucket(
    program: CompiledProgram,
    bucket: TimeBucket,
    shares: Sequence[Split],
    of_calls: Sequence[CallLines],
) -> Iterator[Leaf]:
    if bucket.unattributed is None:
        (call,) = bucket.calls
        yield from _of_call(program, call, bucket.time_ns, shares[call], of_calls[call])
        return
    split, of_bucket = common(bucket, shares), {of_calls[call] for call in bucket.calls}
    ops = split.charged if split else (bucket.op or bucket.unattributed,)
    lines = of_bucket.pop().charged if len(of_bucket) == 1 else (bucket.place,)
    whole = Leaf(
        module=bucket.unattributed,
        line=bucket.unattributed,
        op=bucket.unattributed,
        call=None,
        time_ns=bucket.time_ns,
    )
    for line, of_line in _parts(lines or (None,), bucket.time_ns):
        at = whole if line is None else replace(whole, line=line.name)
        for op, part in _parts(ops, of_line):
            yield replace(at, op=op, time_ns=part)


def _of_call(
    program: CompiledProgram, call: int, time_ns: int, split: Split, lines: CallLines
) -> Iterator[Leaf]:
    graph, statement = program.calls[call]
    nodes = split.owners(graph)
    modules: Sequence[str | None] = statement.modules or (None,)
    for node, line, of_line in _nodes_and_lines(nodes or (None,), lines.charged, time_ns):
        node_op = target_op(node)
        ops = (node_op,) if node_op in split.charged else split.charged
        of_node = (node.module if node else None,) if nodes else modules
        for module, of_module in _parts(of_node, of_line):
            for op, part in _parts(ops, of_module):
                yield _leaf(module, line, op, call, part)


def _nodes_and_lines(
    nodes: Sequence[FxNode | None], lines: Sequence[SourceLine | None], time_ns: int
) -> Iterator[tuple[FxNode | None, SourceLine | None, int]]:
    """A call's time by node and line: per node and per line it adds up to their equal parts.

    Where nodes have lines, `lines` are theirs, in order; what a line's part exceeds its node's part
    by is filled by the nodes without one. Where none has a line each node works for all lines.
    """
    of_nodes = list(_parts(nodes, time_ns))
    if not any(node and node.lines for node in nodes):
        for node, of_node in of_nodes:
            for line, part in _parts(lines or (None,), of_node):
                yield node, line, part
        return
    of_lines = _parts(lines, time_ns)
    room: list[tuple[SourceLine | None, int]] = []
    for node, of_node in of_nodes:
        if node and node.lines:
            line, of_line = next(of_lines)
            room.append((line, of_line - of_node))
            yield node, line, of_node
    for node, of_node in of_nodes:
        left = 0 if node and node.lines else of_node
        while left:
            line, free = room.pop()
            part = min(free, left)
            left -= part
            yield node, line, part
            if part < free:
                room.append((line, free - part))


def _leaf(
    module: str | None, line: SourceLine | None, op: str | None, call: int, time_ns: int
) -> Leaf:
    return Leaf(
        module=module or NO_MODULE,
        line=line.name if line else NO_LINE,
        op=op or "(no op)",
        call=call,
        time_ns=time_ns,
    )
