"""Calls, definitions and what stands beside the code → nodes and lines of calls and graph.

The node mapping says best which nodes a call runs. Without it, a generated kernel that the graph
calls once runs the nodes of its own graph fragment; a kernel that is called several times names the
nodes of one call only, that with the same comment. Other calls have what their own comments list
(commented.py), which is one node for a library call. Lines come from the graph's text, for nodes
without one from the pre-grad nodes that they were made of; for calls from their stack traces.
Where no node says a module, the lines may (`LineModules`): kernels of a backward that is compiled
lazily have stack traces only, and some nodes have a line and no module. A line is a module's where
every node that Dynamo's graph has there lies in it, and one of them in nothing deeper: so one
module ran the line, once or often. A library call without nodes is one of the nodes of its operator
on its lines: what these agree on holds for it.

What belongs to a backward also holds its forward's kernels, whose nodes may bear the same names, so
only keys that the code itself carries count. A key without a handle counts where the graph calls
that wrapper once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.commented import Comments, operator_of
from kernelmap.compiler.facts import Facts
from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.compiler.fx.module_lines import SELF
from kernelmap.compiler.python.calls import KeyedCall
from kernelmap.model import Backend, FxNode, KernelDef, SourceLine, Stage, WrapperCall

_Value = TypeVar("_Value")
_TextNodes = Mapping[str, TextNode]
_LineOfFile = tuple[str, int | None]


class Nodes(Struct, frozen=True):
    """Calls with their nodes, and the graph's nodes: post-grad first, each in call order."""

    calls: tuple[WrapperCall, ...]
    nodes: tuple[FxNode, ...]


def with_nodes(
    keyed: Sequence[KeyedCall],
    kernels: Mapping[str, KernelDef],
    facts: Facts,
    *,
    backward: bool = False,
) -> Nodes:
    """The calls with `nodes` and `lines` where the code states them, else with `listed`."""
    stated = _of_calls(facts.mapping.kernel_to_post, keyed)
    whole = _of_calls(facts.mapping.kernel_to_pre, keyed)
    stacks = _of_calls(facts.stacks, keyed)
    alike: dict[str | None, list[WrapperCall]] = defaultdict(list)
    for item in keyed:
        alike[item.call.kernel].append(item.call)
    comments = Comments.of(facts, kernels, [item.call for item in keyed], backward=backward)
    made_of = dict(comments.made_of)
    modules = LineModules.of(facts.pre_grad)
    calls = []
    for item, names, pre, lines in zip(keyed, stated, whole, stacks, strict=True):
        call = replace(item.call, pre_grad=pre[1] if pre else (), lines=lines[1] if lines else ())
        order = _fragment(call, kernels)
        if names is not None and not _is_stale(names, facts):
            calls.append(replace(call, nodes=_in_order(names[1], order)))
        elif order and (
            len(alike[call.kernel]) == 1 or comments.is_defined_by(call, alike[call.kernel])
        ):
            calls.append(replace(call, nodes=order))
        elif (sole := comments.library_node(call)) is not None:
            calls.append(replace(call, nodes=(sole.name,)))
            if sole.source is not None and not facts.mapping.post_to_pre:
                made_of.setdefault(sole.name, (sole.source,))
        else:
            calls.append(call if call.lines else replace(call, listed=comments.listed(call)))
    for index, name in comments.remaining(calls).items():
        calls[index] = replace(calls[index], nodes=(name,), listed=())
    calls = [replace(call, modules=modules.of_call(call, facts.post_grad)) for call in calls]
    return Nodes(tuple(calls), tuple(_nodes(calls, kernels, facts, made_of, modules)))


def _of_calls(
    table: Mapping[str, _Value], calls: Sequence[KeyedCall]
) -> list[tuple[str, _Value] | None]:
    """The key and value of each call; None where `table` does not say, or not for sure."""
    often = Counter(entry.call.wrapper for entry in calls)
    return [_of_call(table, entry, often) for entry in calls]


def _of_call(
    table: Mapping[str, _Value], entry: KeyedCall, often: Mapping[str, int]
) -> tuple[str, _Value] | None:
    if entry.key is not None and entry.key in table:
        return entry.key, table[entry.key]
    name = entry.call.wrapper
    return (name, table[name]) if often[name] == 1 and name in table else None


def _is_stale(stated: tuple[str, tuple[str, ...]], facts: Facts) -> bool:
    """Whether a key without a handle names only nodes of another graph, such as the forward."""
    key, names = stated
    bare = ":" not in key
    return bare and bool(facts.post_grad) and facts.post_grad.keys().isdisjoint(names)


def _fragment(call: WrapperCall, kernels: Mapping[str, KernelDef]) -> tuple[str, ...]:
    """The nodes in the comment of the kernel that `call` runs; a multi-kernel's members agree."""
    kernel = kernels.get(call.kernel or "")
    members = [kernels[name] for name in kernel.members if name in kernels] if kernel else []
    for definition in (kernel, *members):
        if definition is not None and definition.fragment:
            return tuple(node.name for node in definition.fragment)
    return ()


def _in_order(names: tuple[str, ...], order: tuple[str, ...]) -> tuple[str, ...]:
    """`names`, which the mapping gives in no order, as the code lists them, then by name."""
    place = {name: at for at, name in enumerate(order)}
    return tuple(sorted(dict.fromkeys(names), key=lambda name: (place.get(name, len(place)), name)))


def _nodes(
    calls: Sequence[WrapperCall],
    kernels: Mapping[str, KernelDef],
    facts: Facts,
    made_of: Mapping[str, tuple[str, ...]],
    modules: LineModules,
) -> Iterator[FxNode]:
    """Post-grad nodes that a call, a fragment or the graph's text names; then pre-grad nodes."""
    fragments = {node.name: node.target for kernel in kernels.values() for node in kernel.fragment}
    named = [name for call in calls for name in call.nodes or ()]
    post = dict.fromkeys((*named, *fragments, *facts.post_grad))
    # Stack traces name the user's line below which torch's stands, so that torch's is not needed.
    traced = {name for call in calls if call.lines for name in call.nodes or ()}
    for name in post:
        text = facts.post_grad.get(name)
        pre = made_of.get(name, ())
        lines = _lines(text.line if text else None) or _lines_of(pre, facts)
        if not lines and name not in traced:
            lines = _lines(text.torch_line if text else None) or _torch_lines_of(pre, facts)
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
    sources = [pre for node in post for pre in made_of.get(node, ())]
    of_calls = [pre for call in calls for pre in call.pre_grad]
    of_text = facts.pre_grad_text.lines if facts.pre_grad_text else ()
    for name in dict.fromkeys((*sources, *of_calls, *of_text)):
        text = facts.pre_grad.get(name)
        yield FxNode(
            name=name,
            stage=Stage.PRE_GRAD,
            target=text.target if text else None,
            shape=text.shape if text else None,
            lines=_lines(text.stated_line if text else None),
            module=text.module if text else None,
        )


def _lines_of(pre: Sequence[str], facts: Facts) -> tuple[SourceLine, ...]:
    """The line of the pre-grad node that comes last in its graph: the one that uses the others."""
    wanted = set(pre)
    lines = [node.line for name, node in facts.pre_grad.items() if name in wanted and node.line]
    return _lines(lines[-1] if lines else None)


def _torch_lines_of(pre: Sequence[str], facts: Facts) -> tuple[SourceLine, ...]:
    """The line of torch's own of the pre-grad node that comes last."""
    wanted = set(pre)
    nodes = [node for name, node in facts.pre_grad.items() if name in wanted and node.torch_line]
    return _lines(nodes[-1].torch_line if nodes else None)


def _module_of(pre: Sequence[str], facts: Facts) -> str | None:
    """The module that all pre-grad nodes share; None where one has none or they differ."""
    modules = {text.module for name in pre if (text := facts.pre_grad.get(name)) is not None}
    return modules.pop() if len(modules) == 1 else None


def _lines(line: SourceLine | None) -> tuple[SourceLine, ...]:
    return (line,) if line else ()


class LineModules(Struct, frozen=True):
    """What the nodes of a graph show of lines; `of_lines` is empty where a node has no line."""

    of_lines: Mapping[_LineOfFile, str] = {}

    @classmethod
    def of(cls, dynamo: _TextNodes) -> LineModules:
        """Learn the lines of Dynamo's graph; one node without a line may stand on any."""
        modules_by_line: dict[_LineOfFile, set[str | None]] = defaultdict(set)
        for node in dynamo.values():
            if node.line is None:
                return cls()
            modules_by_line[_place(node.line)].add(node.module)
        owners = {place: _owner(modules) for place, modules in modules_by_line.items()}
        return cls({place: owner for place, owner in owners.items() if owner is not None})

    def of_line(self, line: SourceLine | None) -> str | None:
        """The module that ran `line`, None where that is not known."""
        return None if line is None else self.of_lines.get(_place(line))

    def of_call(self, call: WrapperCall, post_grad: _TextNodes) -> tuple[str | None, ...]:
        """The modules of a call without nodes, in equal parts: one for each of its lines."""
        if call.nodes:
            return ()
        sole = _of_operator(call, post_grad)
        if sole is not None:
            return (sole,)
        return tuple(self.of_line(line) for line in call.lines)


def _of_operator(call: WrapperCall, post_grad: _TextNodes) -> str | None:
    """The module of all nodes on the call's lines that run its operator."""
    if call.backend is not Backend.EXTERN or call.target is None:
        return None
    alike = [node for node in post_grad.values() if operator_of(node.target) == call.target]
    places = {_place(line) for line in call.lines}
    if any(node.line is None for node in alike):
        return None
    modules = {n.module for n in alike if n.line is not None and _place(n.line) in places}
    return modules.pop() if len(modules) == 1 else None


def _owner(modules: Collection[str | None]) -> str | None:
    """The one of `modules` that all of them lie in."""
    named = [module for module in modules if module is not None]
    if not named or len(named) < len(modules):
        return None
    top = SELF if SELF in named else min(named, key=len)
    return top if all(top in (SELF, m) or m.startswith(f"{top}.") for m in named) else None


def _place(line: SourceLine) -> _LineOfFile:
    return line.file, line.line
