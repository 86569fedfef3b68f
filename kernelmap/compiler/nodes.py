"""Calls, definitions and a node mapping → the nodes of each call and of the graph.

The mapping says it best. Without it, a generated kernel that the graph calls once runs the nodes of
its own graph fragment; a kernel that is called several times names the nodes of one call only, and
a library call names none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelmap.compiler.calls import FoundCall
from kernelmap.compiler.mappings import NodeMapping
from kernelmap.model import FxNode, KernelDef, Stage, WrapperCall


@dataclass(frozen=True, slots=True)
class Nodes:
    """Calls with their nodes, and the graph's nodes: post-grad first, each in call order."""

    calls: tuple[WrapperCall, ...]
    nodes: tuple[FxNode, ...]


def with_nodes(
    found: Sequence[FoundCall], kernels: Mapping[str, KernelDef], mapping: NodeMapping
) -> Nodes:
    """The calls with `nodes` filled where they are known for sure."""
    stated = mapping.of_calls(found)
    often = Counter(each.call.kernel for each in found)
    calls = []
    for each, names in zip(found, stated, strict=True):
        call = each.call
        order = _fragment(call, kernels)
        if names is not None:
            calls.append(replace(call, nodes=_in_order(names, order)))
        elif order and often[call.kernel] == 1:
            calls.append(replace(call, nodes=order))
        else:
            calls.append(call)
    return Nodes(tuple(calls), tuple(_nodes(calls, kernels, mapping)))


def _fragment(call: WrapperCall, kernels: Mapping[str, KernelDef]) -> tuple[str, ...]:
    """The nodes in the comment of the kernel that `call` runs; a multi-kernel's members agree."""
    kernel = kernels.get(call.kernel or "")
    members = [kernels[name] for name in kernel.members if name in kernels] if kernel else []
    for each in (kernel, *members):
        if each is not None and each.fragment:
            return tuple(node.name for node in each.fragment)
    return ()


def _in_order(names: tuple[str, ...], order: tuple[str, ...]) -> tuple[str, ...]:
    """`names`, which the mapping gives in no order, as the code lists them, then by name."""
    place = {name: at for at, name in enumerate(order)}
    return tuple(sorted(dict.fromkeys(names), key=lambda name: (place.get(name, len(place)), name)))


def _nodes(
    calls: Sequence[WrapperCall], kernels: Mapping[str, KernelDef], mapping: NodeMapping
) -> Iterator[FxNode]:
    targets = {node.name: node.target for each in kernels.values() for node in each.fragment}
    named = [name for call in calls for name in call.nodes or ()]
    post = dict.fromkeys((*named, *targets))
    for name in post:
        yield FxNode(
            name=name,
            stage=Stage.POST_GRAD,
            target=targets.get(name),
            pre_grad=mapping.post_to_pre.get(name, ()),
        )
    for name in dict.fromkeys(pre for node in post for pre in mapping.post_to_pre.get(node, ())):
        yield FxNode(name=name, stage=Stage.PRE_GRAD)
