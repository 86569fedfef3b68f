"""Calls and kernels of the code, and files beside it → the FX nodes and source lines of each call.

The node mapping says best which nodes a call runs. Without it, a generated kernel that the graph
calls once runs the nodes of its own graph fragment; a kernel that is called several times names the
nodes of one call only, that with the same comment. Other calls have what their own comments list
(commented.py), which is one node for a library call. Nodes that only a call of their own can run
(opaque.py) are no work of the kernels that are named with them; a foreach kernel that nothing is
said of has what is left (foreach.py). What is known of each node is
gathered in node_lines.py; where no node says a module, the lines may (line_modules.py).

Graphs inside of a graph (nested.py) are read one by one, as each has names of its own.

What belongs to a backward also holds its forward's kernels, whose nodes may bear the same names, so
only keys that the code itself carries count. A key without a handle counts where the graph calls
that wrapper once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.commented import Comments
from kernelmap.compiler.facts import CodeFacts
from kernelmap.compiler.foreach import with_what_is_left
from kernelmap.compiler.line_modules import LineModules
from kernelmap.compiler.nested import Inside, graphs_inside
from kernelmap.compiler.node_index import NodeIndex
from kernelmap.compiler.node_lines import post_grad_nodes, pre_grad_nodes
from kernelmap.compiler.opaque import OpaqueNodes
from kernelmap.compiler.python.calls import KeyedCall
from kernelmap.model import FxNode, KernelDef, Stage, WrapperCall

_Value = TypeVar("_Value")


class Nodes(Struct, frozen=True):
    """Calls with their nodes, and the graph's nodes: post-grad first, each in call order."""

    calls: tuple[WrapperCall, ...]
    nodes: tuple[FxNode, ...]


def with_nodes(
    keyed: Sequence[KeyedCall],
    kernels: Mapping[str, KernelDef],
    facts: CodeFacts,
    *,
    backward: bool = False,
) -> Nodes:
    """The calls with `nodes` and `lines` where the code states them, else with `listed`."""
    # One entry per call: what the node mapping, the pre-grad lists and the stack traces say of it,
    # None where they say nothing for sure.
    stated = _of_calls(facts.mapping.kernel_to_post, keyed)
    whole = _of_calls(facts.mapping.kernel_to_pre, keyed)
    stacks = _of_calls(facts.stacks, keyed)
    library = _of_calls(facts.library, keyed)
    # The statements that run each kernel. A kernel's own comment describes one statement, so it is
    # known to be that of a call only where the kernel has no other statement.
    statements: dict[str | None, dict[int | None, WrapperCall]] = defaultdict(dict)
    for item in keyed:  # a function that is entered twice gives its calls twice
        statements[item.call.kernel].setdefault(item.call.line, item.call)
    alike = {kernel: tuple(calls.values()) for kernel, calls in statements.items()}
    modules = LineModules.learn_lines(facts.pre_grad)
    calls = [
        replace(
            item.call,
            pre_grad=pre[1] if pre else (),
            lines=lines[1] if lines else (),
            library=stated_of_it[1] if stated_of_it else None,
        )
        for item, pre, lines, stated_of_it in zip(keyed, whole, stacks, library, strict=True)
    ]
    opaque = OpaqueNodes.of_graph(calls)
    nodes: list[FxNode] = []
    # Each inner graph is read with its own names; its calls keep their places in the whole order.
    for inside in graphs_inside(keyed, facts):
        within = _Within(inside, inside.kernels_run_here(kernels, calls), alike, opaque, backward)
        found = within.read_nodes([calls[at] for at in inside.positions], stated, modules)
        for at, call in zip(inside.positions, found.calls, strict=True):
            calls[at] = call
        nodes.extend(found.nodes)
    return Nodes(tuple(calls), (*nodes, *pre_grad_nodes(nodes, calls, facts)))


class _Within(Struct, frozen=True):
    """One graph, the kernels that run in it, and the statements that share a kernel."""

    inside: Inside
    kernels: Mapping[str, KernelDef]
    alike: Mapping[str | None, Sequence[WrapperCall]]
    opaque: OpaqueNodes
    backward: bool

    def read_nodes(
        self,
        calls: Sequence[WrapperCall],
        stated: Sequence[tuple[str, tuple[str, ...]] | None],
        modules: LineModules,
    ) -> Nodes:
        """The calls of this graph with their nodes, and the post-grad nodes of it."""
        facts = self.inside.facts
        index = NodeIndex.of_facts(facts)
        comments = Comments.of_graph(index, self.kernels, calls, backward=self.backward)
        made_of = dict(comments.made_of)
        found, traced = [], []
        for at, call in zip(self.inside.positions, calls, strict=True):
            # `names` has the key and the nodes that the mapping states, `order` the nodes in the
            # comment above the kernel's definition.
            names, order = stated[at], self._nodes_run_by(call, self._working_fragment(call))
            # The mapping is the strongest source.
            if names is not None and not _is_stale(names, facts):
                named = _in_order(
                    self._nodes_run_by(call, self.inside.names_working_here(names[1])), order
                )
                found.append(replace(call, nodes=named))
                # The stack traces of the call are those of all nodes in `names`.
                # They may give lines to the call's nodes only if nothing was
                # taken out but names of graphs, which have no line.
                if self.inside.attributes.issuperset({*names[1]}.difference(named)):
                    traced.append(found[-1])
            # No mapping: the comment above the definition, where it can only mean this call.
            elif order and (
                len(self.alike[call.kernel]) == 1
                or comments.is_defined_by(call, self.alike[call.kernel])
            ):
                found.append(replace(call, nodes=order))
            # A library call: the one node of its operator that its comment and line leave.
            elif (sole := comments.library_node(call)) is not None:
                found.append(replace(call, nodes=(sole.name,)))
                # Which pre-grad node it was made of is learned on the way, if no mapping states it.
                if sole.source is not None and not facts.mapping.post_to_pre:
                    made_of.setdefault(sole.name, (sole.source,))
            # Else only the names in the comment are known;
            # lines of stack traces are better than those.
            else:
                found.append(
                    call if call.lines else replace(call, listed=self._listed_work(call, comments))
                )
        # Most nodes are placed by now: an operator may have one open call
        # and one open node left, which belong together.
        for place, name in comments.remaining_nodes(
            found, self.inside.usual_occurrence(found)
        ).items():
            found[place] = replace(found[place], nodes=(name,), listed=())
        # Foreach kernels without names get what is left,
        # calls without nodes the modules of their lines.
        found = with_what_is_left(found, facts.post_grad)
        found = [replace(call, modules=modules.of_call(call, index)) for call in found]
        # From here on nodes have the names of the whole graph: `mm` becomes `true_graph_0.mm`.
        nodes = list(post_grad_nodes(found, traced, self.kernels, index, made_of, modules))
        if self.inside.path or self.inside.dynamo_names:
            nodes = [
                replace(
                    node,
                    name=self.inside.name_outside(node.name),
                    pre_grad=tuple(self.inside.dynamo_names.get(pre, pre) for pre in node.pre_grad),
                )
                for node in nodes
            ]
        found = [self._named_outside(call) for call in found]
        if self.inside.run_at is not None:  # what nothing is known of works at least for that line
            lined = {node.name for node in nodes if node.lines}
            found = [
                call
                if call.lines
                or any(node.lines for node in call.listed)
                or lined & {*(call.nodes or ())}
                else replace(call, lines=(self.inside.run_at,))
                for call in found
            ]
        return Nodes(tuple(found), tuple(nodes))

    def _working_fragment(self, call: WrapperCall) -> tuple[str, ...]:
        return self.inside.names_working_here(_fragment_of_call(call, self.kernels))

    def _nodes_run_by(self, call: WrapperCall, names: tuple[str, ...]) -> tuple[str, ...]:
        # An operator is known by the graph's text only; without one, no node counts as custom work.
        texts = self.inside.facts.post_grad
        targets = {name: texts[name].target if name in texts else None for name in names}
        return self.opaque.run_by(call, targets)

    def _listed_work(self, call: WrapperCall, comments: Comments) -> tuple[FxNode, ...]:
        """The nodes of the comment that are work of the call; all where that leaves none."""
        listed = comments.listed_nodes(call)
        working = tuple(node for node in listed if node.name not in self.inside.around)
        kept = self.opaque.run_by(call, {node.name: node.target for node in working})
        return tuple(node for node in working if node.name in kept) or listed

    def _named_outside(self, call: WrapperCall) -> WrapperCall:
        """The call, its nodes called as in the whole graph."""
        if not self.inside.path:
            return call
        nodes = None if call.nodes is None else tuple(map(self.inside.name_outside, call.nodes))
        # Post-grad nodes and Dynamo's nodes lie in different graphs, which have different paths.
        listed = (
            replace(node, name=self.inside.name_outside(node.name))
            if node.stage is Stage.POST_GRAD
            else replace(node, name=self.inside.dynamo_names.get(node.name, node.name))
            for node in call.listed
        )
        return replace(call, nodes=nodes, listed=tuple(listed))


def _of_calls(
    table: Mapping[str, _Value], calls: Sequence[KeyedCall]
) -> list[tuple[str, _Value] | None]:
    """The key and value of each call; None where `table` does not say, or not for sure."""
    often = Counter(entry.call.wrapper for entry in calls)
    return [_of_call(table, entry, often) for entry in calls]


def _of_call(
    table: Mapping[str, _Value], entry: KeyedCall, often: Mapping[str, int]
) -> tuple[str, _Value] | None:
    # The key with a handle (`triton_poi_fused_add_0:3`) means one call only.
    if entry.key is not None and entry.key in table:
        return entry.key, table[entry.key]
    # A bare name, as older torch writes it, can only be used where one call has that name.
    name = entry.call.wrapper
    return (name, table[name]) if often[name] == 1 and name in table else None


def _is_stale(stated: tuple[str, tuple[str, ...]], facts: CodeFacts) -> bool:
    """Whether a key without a handle names only nodes of another graph, such as the forward."""
    # Bare keys of a backward may be those of its forward, which runs kernels of the same names.
    key, names = stated
    bare = ":" not in key
    return bare and bool(facts.post_grad) and facts.post_grad.keys().isdisjoint(names)


def _fragment_of_call(call: WrapperCall, kernels: Mapping[str, KernelDef]) -> tuple[str, ...]:
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
