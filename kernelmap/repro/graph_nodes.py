"""The text of a graph after autograd → its nodes with their arguments, as a script can run them.

The text is what the log of TORCH_TRACE has: a line per node, `add: "f32[8]cuda:0" =
torch.ops.aten.add.Tensor(mul, 1);  mul = None`. Nothing of it is run here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from kernelmap.compiler.python.source import dotted_name, names_in, parse_python
from kernelmap.memory.sizes import Sizes, in_numbers, whole_number_of
from kernelmap.memory.stated import sizes_of_annotation

_NODE = re.compile(r'^ +(\w+)(?:: "([^"]*)")? = (.+?)(?:;  (?:\w+ = )+None)?$', re.MULTILINE)
_FORWARD = re.compile(r"^ +def forward\((.*)\):", re.MULTILINE)
_PARAMETER = re.compile(r'(\w+)(?:: "([^"]*)")?')
_RETURN = re.compile(r"^ +return \[?\(?(.*?)[\])]*$", re.MULTILINE)
_COPY = "aten.copy_"
_SIZE = re.compile(r"Sym\((.{1,200})\)")
_OPERATORS = ("torch.ops.aten.", "torch.ops.prims.")

VIEWS = frozenset(
    {
        *("aten.view", "aten.reshape", "aten.permute", "aten.t", "aten.expand", "aten.unsqueeze"),
        *("aten.squeeze", "aten.transpose", "aten.detach", "aten.alias", "aten.slice"),
        *("aten.select", "aten.as_strided", "aten._unsafe_view"),
    }
)
"""Operators whose result is other words for the memory of their first operand."""


class GraphNode(Struct, frozen=True, kw_only=True):
    """A node with its expression; `operator` is `aten.add`, empty for what is no operator.

    `shape` and `stride` are numbers, None where they are not known; `number` is what a size is.
    """

    name: str
    value: ast.expr | None
    operator: str = ""
    shape: tuple[int, ...] | None = None
    stride: tuple[int, ...] | None = None
    dtype: str | None = None
    number: int | None = None

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the nodes that it is given, in order."""
        if isinstance(self.value, ast.Call):
            parts = [*self.value.args, *(one.value for one in self.value.keywords)]
        else:
            parts = [self.value] if self.value is not None else []
        return tuple(name for part in parts for name in names_in(part))


class NodeGraph(Struct, frozen=True):
    """All nodes of a graph by name, its parameters first; the names that it returns, in order."""

    nodes: Mapping[str, GraphNode]
    parameters: tuple[str, ...]
    returned: tuple[str, ...]

    @property
    def users(self) -> Mapping[str, set[str]]:
        """The nodes that use each node."""
        found: dict[str, set[str]] = {name: set() for name in self.nodes}
        for node in self.nodes.values():
            for operand in node.operands:
                found.setdefault(operand, set()).add(node.name)
        return found

    @property
    def copied(self) -> Mapping[str, str]:
        """The parameters that the graph writes to, with the nodes that it copies there."""
        return {
            node.operands[0]: node.operands[1]
            for node in self.nodes.values()
            if node.operator == _COPY and node.operands[0] in self.parameters and node.operands[1:]
        }

    def below_views(self, name: str) -> str:
        """The node whose memory a node shows in another shape."""
        for _ in self.nodes:
            node = self.nodes.get(name)
            if node is None or node.operator not in VIEWS or not node.operands:
                break
            name = node.operands[0]
        return name


def read_nodes(text: str, sizes: Sizes) -> NodeGraph:
    """The nodes of a graph's text; sizes of tensors as far as `sizes` has the symbols' numbers."""
    nodes: dict[str, GraphNode] = {}
    head = _FORWARD.search(text)
    for name, annotation in _PARAMETER.findall(head[1].replace("self, ", "")) if head else ():
        nodes[name] = _make_node(name, annotation, None, sizes)
    parameters = tuple(nodes)
    for name, annotation, written in _NODE.findall(text):
        tree = parse_python(written)
        if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
            continue
        nodes[name] = _make_node(name, annotation, tree.body[0].value, sizes)
    ends = _RETURN.findall(text)
    returned = re.findall(r"\w+", ends[-1]) if ends else []
    return NodeGraph(nodes, parameters, tuple(returned))


def _make_node(name: str, annotation: str, value: ast.expr | None, sizes: Sizes) -> GraphNode:
    read = sizes_of_annotation(annotation)
    shape = stride = None
    if read is not None:
        shape, stride = _all_known(read[0].shape, sizes), _all_known(read[0].stride, sizes)
    return GraphNode(
        name=name,
        value=value,
        operator=_operator_of(value),
        shape=shape if stride is not None else None,
        stride=stride if shape is not None else None,
        dtype=read[0].dtype if read is not None else None,
        number=_number_of_size(annotation, sizes),
    )


def _number_of_size(annotation: str, sizes: Sizes) -> int | None:
    """The number of a node that is a size: `Sym(s27)`."""
    match = _SIZE.fullmatch(annotation)
    tree = parse_python(match[1]) if match is not None else None
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return None
    return whole_number_of(tree.body[0].value, sizes)


def _all_known(listed: tuple[ast.expr, ...], sizes: Sizes) -> tuple[int, ...] | None:
    numbers = in_numbers(listed, sizes)
    known = tuple(number for number in numbers if isinstance(number, int))
    return known if len(known) == len(numbers) else None


def _operator_of(value: ast.expr | None) -> str:
    """`aten.add` of `torch.ops.aten.add.Tensor(…)`."""
    called = (dotted_name(value.func) or "") if isinstance(value, ast.Call) else ""
    if not called.startswith(_OPERATORS):
        return ""
    return ".".join(called.split(".")[2:4])


def names_between(graph: NodeGraph, ends: set[str], begins: set[str]) -> Iterator[str]:
    """The nodes that `ends` are computed by from `begins`, in the order of the graph."""
    needed: set[str] = set()
    pending = [name for name in ends if name not in begins]
    while pending:
        name = pending.pop()
        if name in needed or name in begins or name not in graph.nodes:
            continue
        if graph.nodes[name].number is not None:
            continue
        needed.add(name)
        pending += graph.nodes[name].operands
    return (name for name in graph.nodes if name in needed)
