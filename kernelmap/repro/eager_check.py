"""The nodes of a call → a function of a script that computes the same in eager PyTorch.

The function begins with what the call is handed and ends with what it writes. Where a node on the
way is none that a script can run, or begins with something that the call is not handed, there is
no check, and a sentence that says why.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from kernelmap.compiler.python.source import dotted_name
from kernelmap.repro.graph_nodes import GraphNode, NodeGraph, names_between
from kernelmap.repro.literals import safe_name, write_argument
from kernelmap.repro.node_buffers import NodeBuffers
from kernelmap.repro.refusal import NotInInputsError

_RANDOM = ("inductor_random", "inductor_randint", "inductor_seed", "inductor_lookup_seed", "rand")
_ORDERING = ("aten.sort", "aten.argsort", "aten.topk", "aten.argmax", "aten.argmin", "aten.max")
_COARSEST = ("float8_e5m2", "float8_e4m3fn", "bfloat16", "float16", "float32")
_MOST_NODES = 400  # of a check that a person still reads
_OURS = ("torch.ops.aten.", "torch.ops.prims.")


class EagerCheck(Struct, frozen=True, kw_only=True):
    """The lines of the function, and per result the buffer that has to be equal to it.

    `inputs` has the buffer behind each node that the function begins with. `split` has buffers
    with partial sums, and the dimension over which they have to be summed up. `layouts`
    has shape and strides of nodes whose buffer has another shape. `dtype` is the type of the nodes
    that rounds most: what a kernel keeps in float32, eager PyTorch rounds on the way.
    """

    lines: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str], ...]
    split: Mapping[str, int] = {}
    dtype: str = "float32"
    layouts: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}


def make_check(
    graph: NodeGraph,
    buffers: NodeBuffers,
    handed: Collection[str],
    loaded: Collection[str],
    written: Sequence[str],
    before: Mapping[str, str],
) -> EagerCheck:
    """The check of a call that is `handed` buffers, loads from some, and writes `written`.

    `before` leads from a name that the call writes to the name that the memory had before. Raises
    NotInInputsError.
    """
    copied = graph.copied
    ends = {
        node: name
        for name in written
        for node in ([copied[name]] if name in copied else buffers.nodes_of.get(name, ())[:1])
    }
    if not ends:
        raise NotInInputsError(
            f"writes {_listed(written)}, of which nothing says which node of the graph it holds"
        )
    # The nodes that are there before the call runs: what it reads, under the name that it had then.
    begins = {
        node: name
        for name in handed
        for earlier in _names_before(name, written, before)
        for node in buffers.nodes_of.get(earlier, ())
        if node not in ends or (name in buffers.split and name not in written)
    }
    between = list(names_between(graph, set(ends), set(begins)))
    if len(between) > _MOST_NODES:
        raise NotInInputsError(f"computes {len(between)} nodes, too many for a check")
    for name in between:
        node = graph.nodes[name]
        if node.value is None:
            raise NotInInputsError(f"computes from `{name}`, which it is not handed")
        if any(word in node.operator for word in _RANDOM):
            raise NotInInputsError(f"draws random numbers (`{name}`)")
        if node.operator in _ORDERING and _sorts_whole_numbers(graph, node):
            raise NotInInputsError(f"orders whole numbers (`{name}`), of which many are equal here")
    used = {operand for name in between for operand in graph.nodes[name].operands} | {*ends}
    known = {*between, *begins}
    lines = [
        f"{safe_name(name)} = {_write_node(graph, graph.nodes[name], known)}" for name in between
    ]
    results = tuple((node, name) for node, name in ends.items())
    inputs = tuple((node, name) for node, name in begins.items() if node in used)
    unused = [name for name in sorted(loaded) if name not in {buffer for _, buffer in inputs}]
    if unused:
        raise NotInInputsError(
            f"reads {_listed(unused)}, of which nothing says which node of the graph it holds"
        )
    dtypes = {graph.nodes[name].dtype for name in (*between, *(node for node, _ in inputs))}
    return EagerCheck(
        lines=tuple(lines),
        inputs=inputs,
        results=results,
        split=buffers.split,
        dtype=next((one for one in _COARSEST if one in dtypes), "float64"),
    )


def _sorts_whole_numbers(graph: NodeGraph, node: GraphNode) -> bool:
    """Whether the values that are ordered are none that random data make different."""
    operand = graph.nodes.get(node.operands[0]) if node.operands else None
    dtype = operand.dtype if operand is not None else None
    return dtype is None or dtype.startswith(("int", "uint", "bool"))


def _names_before(name: str, written: Sequence[str], before: Mapping[str, str]) -> list[str]:
    """The names that memory had when the call began: its own where the call does not write it."""
    if name not in written:
        return [name]
    earlier = before.get(name)
    return [earlier] if earlier is not None else [name]


def _write_node(graph: NodeGraph, node: GraphNode, known: set[str]) -> str:
    value = node.value

    def write_name(name: str) -> str | None:
        number = graph.nodes[name].number if name in graph.nodes else None
        if number is not None:
            return str(number)
        return safe_name(name) if name in known else None

    match value:
        case ast.Subscript(value=ast.Name(id=base), slice=ast.Constant(value=int() as at)):
            return f"{safe_name(base)}[{at}]"
        case ast.Call(func=function):
            called = dotted_name(function) or ""
            if not called.startswith(_OURS) or not all(p.isidentifier() for p in called.split(".")):
                raise NotInInputsError(f"runs `{called[:60]}`, which is none of ATen's operators")
            given = [write_argument(one, write_name) for one in value.args]
            given += [
                f"{one.arg}={write_argument(one.value, write_name)}"
                for one in value.keywords
                if one.arg is not None and one.arg.isidentifier() and one.arg != "pin_memory"
            ]
            return f"{called.removeprefix('torch.ops.')}({', '.join(given)})"
    raise NotInInputsError(f"computes `{node.name}` by what is no operator")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[:3]) + (" …" if len(names) > len("abc") else "")
