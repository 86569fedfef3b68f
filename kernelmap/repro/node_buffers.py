"""Which node of the graph each buffer of the wrapper holds, as far as both texts say it for sure.

What is handed in has one name in both. What is returned stands at the same place in both. A library
call makes the one node that runs its operator on the nodes of its operands. What a generated
kernel writes are those of its nodes that others use: told apart by shape and dtype, and where two
have the same by their order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from math import prod

from msgspec import Struct

from kernelmap.compiler.python.source import nodes_in
from kernelmap.compiler.python.statements import split_assignment
from kernelmap.memory.allocations import is_view
from kernelmap.model import CompiledGraph, WrapperCall
from kernelmap.repro.graph_nodes import VIEWS, GraphNode, NodeGraph
from kernelmap.speed.work.generated_code import GeneratedCode

_SUM = "aten.sum"
_ROUNDS = 4  # through the calls of a graph: a second one finds nearly all that there is

Kind = tuple[str | None, tuple[int, ...]]
"""What a buffer and a node have to share: the dtype and the shape without dimensions of one."""


class NodeBuffers(Struct):
    """`buffer_of` has the buffer of each node that is known, `nodes_of` the nodes of each.

    `split` has buffers with the partial sums of a node: which dimension has to be summed up yet.
    """

    buffer_of: dict[str, str] = {}
    nodes_of: dict[str, list[str]] = {}
    split: dict[str, int] = {}

    def note(self, node: str, buffer: str) -> None:
        """Know that a buffer holds a node; what was known before counts."""
        if node not in self.buffer_of:
            self.buffer_of[node] = buffer
            self.nodes_of.setdefault(buffer, []).append(node)

    def note_partial_sums(self, node: str, buffer: str, place: int) -> None:
        """Know that a buffer holds what a later kernel adds up to the node."""
        self.buffer_of.setdefault(node, buffer)
        self.nodes_of.setdefault(buffer, []).append(node)
        self.split[buffer] = place


def find_node_buffers(
    graph: CompiledGraph,
    code: GeneratedCode,
    nodes: NodeGraph,
    written: Mapping[int, Sequence[str]],
    kinds: Mapping[str, Kind],
) -> NodeBuffers:
    """What is known of a graph.

    `written` has the buffers that generated kernels write, by call; `kinds` what each buffer is.
    """
    found = NodeBuffers()
    for name in nodes.parameters:
        found.note(name, name)
    for node, buffer in _returned_pairs(code, nodes):
        if _is_all_of(nodes.nodes.get(node), kinds.get(buffer)):
            found.note(node, buffer)
    names_of = {call.index: names for call in graph.calls if (names := nodes_of_call(graph, call))}
    stored = _stored_nodes(nodes, names_of)
    # What one call tells of its buffers may tell which node another one makes, above or below it.
    for _ in range(_ROUNDS):
        before = len(found.buffer_of)
        for call in graph.calls:
            if call.kernel is None:
                _note_library_call(found, call, code, nodes, kinds)
            elif call.index in names_of and call.index in written:
                names = names_of[call.index]
                ends = _ends_of(names, nodes, stored)
                _note_kernel(found, ends, written[call.index], kinds, nodes)
                _note_partial_sums(found, names, written[call.index], kinds, nodes)
        if len(found.buffer_of) == before:
            break
    return found


def nodes_of_call(graph: CompiledGraph, call: WrapperCall) -> tuple[str, ...]:
    """The nodes of a call: of the node mapping, else of the comment above its kernel.

    That names the nodes of the kernel's first call only.
    """
    if call.nodes is not None:
        return call.nodes
    kernel = graph.kernel_of(call)
    first = next((one for one in graph.calls if one.kernel == call.kernel), None)
    if kernel is None or first is not call:
        return ()
    return tuple(node.name for node in kernel.fragment)


def _stored_nodes(nodes: NodeGraph, names_of: Mapping[int, Sequence[str]]) -> set[str]:
    """The nodes that some call has to find in memory: it uses them and does not compute them."""
    stored = set(nodes.returned)
    computed: set[str] = set()
    for names in names_of.values():
        inside = set(names)
        computed |= inside
        for name in names:
            node = nodes.nodes.get(name)
            stored.update(one for one in (node.operands if node else ()) if one not in inside)
    # What no known call computes, a library call or a kernel without nodes works with.
    for name, node in nodes.nodes.items():
        if name not in computed and node.operator not in VIEWS:
            stored.update(node.operands)
    # A view that is found in memory is there under the name of what it shows.
    return stored | {nodes.below_views(name) for name in stored}


def _ends_of(names: Sequence[str], nodes: NodeGraph, stored: set[str]) -> list[GraphNode]:
    """The nodes of a call that it leaves in memory, in the order of the graph."""
    inside = set(names)
    varying = _varying_nodes(nodes)
    return [
        node
        for name, node in nodes.nodes.items()
        if name in inside and name in stored and name in varying and node.shape is not None
    ]


def _varying_nodes(nodes: NodeGraph) -> set[str]:
    """The nodes that depend on what a graph is handed: constants are made where they are used."""
    varying = set(nodes.parameters)
    for name, node in nodes.nodes.items():
        if any(operand in varying for operand in node.operands):
            varying.add(name)
    return varying


def _returned_pairs(code: GeneratedCode, nodes: NodeGraph) -> Iterable[tuple[str, str]]:
    """What the text and the wrapper return at the same place."""
    returns = [
        node.value
        for statement in code.body
        for node in nodes_in(statement)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple)
    ]
    for value in returns:
        if isinstance(value, ast.Tuple) and len(value.elts) == len(nodes.returned):
            for node, item in zip(nodes.returned, value.elts, strict=True):
                buffer = _name_below(item)
                if buffer is not None and node != "None":
                    yield node, buffer


def _name_below(node: ast.expr) -> str | None:
    while isinstance(node, ast.Call) and is_view(node):
        node = node.args[0]
    return node.id if isinstance(node, ast.Name) else None


def _note_library_call(
    found: NodeBuffers,
    call: WrapperCall,
    code: GeneratedCode,
    nodes: NodeGraph,
    kinds: Mapping[str, Kind],
) -> None:
    """What a library call makes, and what it is handed: its node says both."""
    statement = code.statement_of(call)
    if statement is None or not call.target:
        return
    named = [nodes.nodes[name] for name in call.nodes or () if name in nodes.nodes]
    candidates = [node for node in named or nodes.nodes.values() if node.operator == call.target]
    given = [name for one in statement.call.args for name in _names_in_argument(one)]
    out = next((one.value for one in statement.call.keywords if one.arg == "out"), None)
    result = _name_below(out) if out is not None else statement.result
    made = _node_of_library_call(candidates, given, kinds.get(result or ""), found, nodes)
    if made is None:
        return
    if len(made.operands) == len(given):
        for operand, name in zip(made.operands, given, strict=True):
            below = nodes.below_views(operand)
            if name not in found.nodes_of and _is_all_of(nodes.nodes.get(below), kinds.get(name)):
                found.note(below, name)
    items = dict(code.tensors.items.get(result or "", ()))
    for place, user in _items_of(made.name, nodes):
        if place in items:
            found.note(user, items[place])
    if result is not None and not items:
        found.note(made.name, result)


def _node_of_library_call(
    candidates: Sequence[GraphNode],
    given: Sequence[str],
    kind: Kind | None,
    found: NodeBuffers,
    nodes: NodeGraph,
) -> GraphNode | None:
    """The one node that makes a result of this size, from what the call is handed."""
    if kind is not None:
        size = _same_size(kind)
        candidates = [node for node in candidates if _same_size(_kind_of(node)) == size]
    if len(candidates) > 1:
        candidates = [node for node in candidates if _has_operands(node, given, found, nodes)]
    return candidates[0] if len(candidates) == 1 else None


def _items_of(made: str, nodes: NodeGraph) -> Iterable[tuple[int, str]]:
    """The nodes that take one of several results: `getitem_1 = var_mean[1]`."""
    for node in nodes.nodes.values():
        match node.value:
            case ast.Subscript(value=ast.Name(id=base), slice=ast.Constant(value=int() as place)):
                if base == made:
                    yield place, node.name


def _names_in_argument(node: ast.expr) -> list[str]:
    """The tensors in an argument, those of a list one by one."""
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    return [name for part in parts if (name := _name_below(part)) is not None]


def _has_operands(
    node: GraphNode, given: Sequence[str], found: NodeBuffers, nodes: NodeGraph
) -> bool:
    """Whether a node runs on what a call is handed, as far as either is known; one has to be."""
    if len(node.operands) != len(given):
        return False
    buffers = [found.buffer_of.get(nodes.below_views(name)) for name in node.operands]
    pairs = [
        (buffer, name)
        for buffer, name in zip(buffers, given, strict=True)
        if buffer is not None or name in found.nodes_of
    ]
    return bool(pairs) and all(buffer == name for buffer, name in pairs)


def _note_kernel(
    found: NodeBuffers,
    ends: Sequence[GraphNode],
    buffers: Sequence[str],
    kinds: Mapping[str, Kind],
    nodes: NodeGraph,
) -> None:
    # Views behind the last operation are other words for the same memory: one of them is enough.
    by_memory = {nodes.below_views(end.name): end for end in reversed(ends)}
    for of_kind in (_same_shape, _same_size):
        open_ends = _open_ends(found, by_memory)
        left = [name for name in buffers if name not in found.nodes_of and name in kinds]
        for kind in {of_kind(_kind_of(end)) for end in open_ends}:
            alike = [end for end in open_ends if of_kind(_kind_of(end)) == kind]
            places = [name for name in left if of_kind(kinds[name]) == kind]
            if len(alike) == len(places):
                for end, name in zip(alike, places, strict=True):
                    found.note(end.name, name)


def _open_ends(found: NodeBuffers, by_memory: Mapping[str, GraphNode]) -> list[GraphNode]:
    return [
        end
        for below, end in reversed(list(by_memory.items()))
        if end.name not in found.buffer_of and below not in found.buffer_of
    ]


def _note_partial_sums(
    found: NodeBuffers,
    names: Sequence[str],
    buffers: Sequence[str],
    kinds: Mapping[str, Kind],
    nodes: NodeGraph,
) -> None:
    """A long sum in two kernels: the first leaves a buffer with one dimension more than the node.

    Both kernels are of all its nodes. Each sum that is left has its own buffer, in the same order.
    """
    inside = set(names)
    sums = [
        node
        for name, node in nodes.nodes.items()
        if name in inside and node.operator == _SUM and found.buffer_of.get(name) not in buffers
    ]
    # A buffer as large as a value that goes into a sum may hold that.
    sizes = {_same_size(_kind_of(nodes.nodes[name])) for name in names if name in nodes.nodes}
    left = [
        name
        for name in buffers
        if name not in found.nodes_of and name in kinds and _same_size(kinds[name]) not in sizes
    ]
    pairs = [
        [(name, place) for name in left if (place := _split_place(_kind_of(end), kinds[name])) >= 0]
        for end in sums
    ]
    if all(len(places) == len(sums) for places in pairs):
        for at, end in enumerate(sums):
            name, place = pairs[at][at]
            found.note_partial_sums(end.name, name, place)


def _split_place(node: Kind, buffer: Kind) -> int:
    """The dimension, counted without those of one, that a buffer has more than a node; else -1."""
    if node[0] != buffer[0]:
        return -1
    shape = buffer[1]
    places = [at for at in range(len(shape)) if (*shape[:at], *shape[at + 1 :]) == node[1]]
    return places[-1] if places else -1


def _is_all_of(node: GraphNode | None, kind: Kind | None) -> bool:
    """Whether a node is as large as a buffer: a view of a part of it is not what it holds."""
    return node is not None and kind is not None and _same_size(_kind_of(node)) == _same_size(kind)


def _kind_of(node: GraphNode) -> Kind:
    return kind_of_tensor(node.dtype, node.shape or ())


def kind_of_tensor(dtype: str | None, shape: Sequence[int]) -> Kind:
    """What a tensor has to share with a node that it holds."""
    return dtype, tuple(size for size in shape if size != 1)


def _same_shape(kind: Kind) -> Kind:
    return kind


def _same_size(kind: Kind) -> Kind:
    """Buffers may lie in memory as one row where nodes have a shape."""
    return kind[0], (prod(kind[1]),)


def names_written_again(code: GeneratedCode) -> Mapping[str, str]:
    """The name that memory had before a statement handed it on: `buf1` of `buf3 = buf1; del …`."""
    found: dict[str, str] = {}
    for statement in code.body:
        for node in nodes_in(statement):
            pair = split_assignment(node)
            base = _name_below(pair[1]) if pair is not None else None
            if pair is not None and base is not None:
                found.setdefault(pair[0], base)
    return found
