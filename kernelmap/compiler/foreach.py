"""Foreach kernels whose comment names nothing → the nodes that no other call runs.

Inductor fuses the operators over lists of an optimizer's step (`_foreach_mul`, `_foreach_sqrt`, …)
into one kernel, and loses their names on the way: the comment reads `Source Nodes: []`, the node
mapping and the stack traces are as empty (torch 2.11 to 2.13; sample cuda_foreach_optimizer).
Where every other call of the graph has its nodes, what is left of the graph's text is what the
kernel runs. Where a step has so many tensors that several such kernels share them, each runs some
of what is left: then the lines are known and the nodes are not.

Left out: items of lists, constants, and writes into an input, which are part of the operators
beside them; and what the name of a C++ kernel says that it computes of what is on the CPU. Other
nodes there, such as powers of the step's number, are computed by the kernel that takes their input
as a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.model import Backend, SourceLine, WrapperCall

# What is part of the operator beside it: an item of a list, a write into an input, a constant.
_NO_OPERATOR = frozenset({"operator.getitem", "aten.copy_.default", "aten.full.default"})
_OF_THE_HOST = frozenset({Backend.CPP, Backend.GLUE})


def with_what_is_left(
    calls: Sequence[WrapperCall], nodes: Mapping[str, TextNode]
) -> list[WrapperCall]:
    """The calls of one graph, those of foreach kernels without a name with nodes or lines."""
    silent = [place for place, call in enumerate(calls) if _is_silent_foreach(call)]
    # If another call on the device lacks its nodes too, what is left may be its work.
    others = (call for call in calls if call.backend not in _OF_THE_HOST)
    if not silent or sum(not call.nodes for call in others) > len(silent):
        return list(calls)
    taken = {name for call in calls for name in call.nodes or ()}
    # A C++ kernel has its operators in its name only: `cpp_fused__foreach_add_0`. The nodes on the
    # CPU that a name mentions are its work.
    names = [call.wrapper for call in calls if call.backend is Backend.CPP and not call.nodes]
    on_host = {
        name
        for name in _on_cpu(nodes)
        if any(_name_of_operator(nodes[name]) in spelled for spelled in names)
    }
    # What no call runs, of the nodes that stand for an operator.
    run = taken | on_host
    left = [
        name
        for name, node in nodes.items()
        if name not in run and node.target and node.target not in _NO_OPERATOR
    ]
    if not left:
        return list(calls)
    named = list(calls)
    # One kernel runs all that is left. Several share it in an unknown way: they get its lines only.
    for place in silent:
        if len(silent) == 1:
            named[place] = replace(calls[place], nodes=tuple(left))
        else:
            named[place] = replace(calls[place], lines=_lines_of_nodes(left, nodes))
    return named


def _is_silent_foreach(call: WrapperCall) -> bool:
    """Whether a comment stands above a foreach kernel's call and says nothing."""
    says = call.nodes or call.lines or call.listed or call.origins is None or call.origins.nodes
    return call.backend is Backend.COMBO and not says


def _on_cpu(nodes: Mapping[str, TextNode]) -> set[str]:
    """The nodes that the text annotates with the CPU: themselves, or the items of their list."""
    # A node over lists has no device of its own in the text; the items that are taken of it have.
    on_cpu = {name for name, node in nodes.items() if (node.shape or "").endswith("]cpu")}
    lists = {used for name in on_cpu for used in nodes[name].uses if _is_item(nodes[name])}
    return {name for name in on_cpu | lists & nodes.keys() if not _is_item(nodes[name])}


def _is_item(node: TextNode) -> bool:
    return node.target == "operator.getitem"


def _name_of_operator(node: TextNode) -> str:
    """`_foreach_add` of `aten._foreach_add.Scalar`, with the underscore that joins it in a name."""
    return "_" + (node.target or "").partition(".")[2].partition(".")[0]


def _lines_of_nodes(names: Sequence[str], nodes: Mapping[str, TextNode]) -> tuple[SourceLine, ...]:
    lines = {line for name in names if (line := nodes[name].stated_line) is not None}
    return tuple(sorted(lines, key=lambda line: (line.file, line.line, line.code or "")))
