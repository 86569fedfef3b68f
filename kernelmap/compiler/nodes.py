"""Calls, definitions and what stands beside the code → nodes and lines of calls and graph.

The node mapping says best which nodes a call runs. Without it, a generated kernel that the graph
calls once runs the nodes of its own graph fragment; a kernel that is called several times names the
nodes of one call only. A library call runs the one node of its operator that takes a node which the
call's comment lists, where there is just one. Lines come from the graph's text, for nodes
without one from the pre-grad nodes that they were made of; for calls from their stack traces.
Where no node says a module, the lines may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kernelmap.compiler.facts import Facts
from kernelmap.compiler.fx.line_modules import LineModules, operator_of
from kernelmap.compiler.mappings import of_calls
from kernelmap.compiler.python.calls import FoundCall
from kernelmap.model import Backend, FxNode, KernelDef, SourceLine, Stage, WrapperCall


@dataclass(frozen=True, slots=True)
class Nodes:
    """Calls with their nodes, and the graph's nodes: post-grad first, each in call order."""

    calls: tuple[WrapperCall, ...]
    nodes: tuple[FxNode, ...]


def with_nodes(found: Sequence[FoundCall], kernels: Mapping[str, KernelDef], facts: Facts) -> Nodes:
    """The calls with `nodes` and `lines` filled where they are known for sure."""
    stated = of_calls(facts.mapping.kernel_to_post, found)
    whole = of_calls(facts.mapping.kernel_to_pre, found)
    stacks = of_calls(facts.stacks, found)
    often = Counter(each.call.kernel for each in found)
    modules = LineModules.of(facts.pre_grad)
    calls = []
    for each, names, pre, lines in zip(found, stated, whole, stacks, strict=True):
        call = replace(each.call, pre_grad=pre[1] if pre else (), lines=lines[1] if lines else ())
        order = _fragment(call, kernels)
        if names is not None and not _is_stale(names, facts):
            calls.append(replace(call, nodes=_in_order(names[1], order)))
        elif order and often[call.kernel] == 1:
            calls.append(replace(call, nodes=order))
        else:
            calls.append(replace(call, nodes=_by_operator(call, facts)))
    calls = [replace(each, modules=modules.of_call(each, facts.post_grad)) for each in calls]
    return Nodes(tuple(calls), tuple(_nodes(calls, kernels, facts, modules)))


def _by_operator(call: WrapperCall, facts: Facts) -> tuple[str, ...] | None:
    """The node of a library call without a mapping, as in a backward that is compiled lazily.

    The comment lists what the call was fused from, often without the node itself, and mixes names
    of both graphs: only those count that Dynamo's graph does not have, too.
    """
    if call.backend is not Backend.EXTERN or call.origins is None or call.target is None:
        return None
    listed = set(call.origins.nodes) - facts.pre_grad.keys()
    found = [
        name
        for name, text in facts.post_grad.items()
        if operator_of(text.target) == call.target and not listed.isdisjoint(text.uses)
    ]
    named = [name for name in found if name in listed]
    chosen = named or found
    return tuple(chosen) if len(chosen) == 1 else None


def _is_stale(stated: tuple[str, tuple[str, ...]], facts: Facts) -> bool:
    """Whether a key without a handle names only nodes of another graph, such as the forward."""
    key, names = stated
    bare = ":" not in key
    return bare and bool(facts.post_grad) and facts.post_grad.keys().isdisjoint(names)


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
    calls: Sequence[WrapperCall],
    kernels: Mapping[str, KernelDef],
    facts: Facts,
    modules: LineModules,
) -> Iterator[FxNode]:
    """Post-grad nodes that a call, a fragment or the graph's text names; then pre-grad nodes."""
    fragments = {node.name: node.target for each in kernels.values() for node in each.fragment}
    named = [name for call in calls for name in call.nodes or ()]
    post = dict.fromkeys((*named, *fragments, *facts.post_grad))
    post_to_pre = facts.mapping.post_to_pre
    for name in post:
        text = facts.post_grad.get(name)
        pre = post_to_pre.get(name, ())
        lines = _lines(text.line if text else None) or _lines_of(pre, facts)
        module = _module_of(pre, facts) or (text.module if text else None)
        yield FxNode(
            name=name,
            stage=Stage.POST_GRAD,
            target=fragments.get(name) or (text.target if text else None),
            shape=text.shape if text else None,
            pre_grad=pre,
            lines=lines,
            module=module or modules.of_line(lines[-1] if lines else None),
        )
    made_of = [pre for node in post for pre in post_to_pre.get(node, ())]
    of_calls = [pre for call in calls for pre in call.pre_grad]
    of_text = facts.pre_grad_text.lines if facts.pre_grad_text else ()
    for name in dict.fromkeys((*made_of, *of_calls, *of_text)):
        text = facts.pre_grad.get(name)
        yield FxNode(
            name=name,
            stage=Stage.PRE_GRAD,
            target=text.target if text else None,
            shape=text.shape if text else None,
            lines=_lines(text.line if text else None),
            module=text.module if text else None,
        )


def _lines_of(pre: Sequence[str], facts: Facts) -> tuple[SourceLine, ...]:
    """The line of the pre-grad node that comes last in its graph: the one that uses the others."""
    wanted = set(pre)
    known = [node.line for name, node in facts.pre_grad.items() if name in wanted and node.line]
    return _lines(known[-1] if known else None)


def _module_of(pre: Sequence[str], facts: Facts) -> str | None:
    """The module that all pre-grad nodes share; None where one has none or they differ."""
    found = {text.module for name in pre if (text := facts.pre_grad.get(name)) is not None}
    return found.pop() if len(found) == 1 else None


def _lines(line: SourceLine | None) -> tuple[SourceLine, ...]:
    return (line,) if line else ()
