"""Graphs inside of a graph (cond, scan): which calls stand in which, and what names mean there.

`cond`, `while_loop`, `scan` and `invoke_subgraph` run graphs of their own. In the text those are
classes inside of the class (graph_text.py), in generated Python functions of the same name. Every
graph counts its names from the start, so `mm` is one node in the branch and another one around it:
comments, mappings and kernels of a call in `true_graph_0` mean the nodes of that graph. What they
name besides is not the call's work: the node that runs the graph (`cond`), the name that the text
gives the graph (`true_graph_0`), and what is around it.

Some nodes run graphs without a function of their own: those of `flex_attention` are part of one
kernel. C++ wrappers write them inline, so a name that stands in several graphs says nothing there.
Dynamo has such graphs, too, and calls them otherwise (`cond_true_0`, `wrap_body_0`): their nodes
are found by the names that all of them agree on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.facts import CodeFacts, NodeMapping
from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.compiler.python.calls import KeyedCall
from kernelmap.model import KernelDef, Occurrence, SourceLine, WrapperCall

_Nodes = Mapping[str, TextNode]
_IN_ONE_KERNEL = frozenset({"associative_scan", "flex_attention", "flex_attention_backward"})
"""What runs its graphs inside of a kernel, so that no call stands in them."""


class Inside(Struct, frozen=True, kw_only=True):
    """One graph with the calls in it, by their positions; `path` is empty for the outermost.

    `facts` are those of the graph, its nodes by the names that they have there. `around` are names
    of what is no work of a call in it, `attributes` those of them that stand for a graph; `run_at`
    is the line that runs it. `dynamo_names` has the whole names of Dynamo's nodes that stand in
    graphs inside of Dynamo's.
    """

    path: str
    positions: Sequence[int]
    facts: CodeFacts
    around: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    run_at: SourceLine | None = None
    dynamo_names: Mapping[str, str] = {}

    def names_working_here(self, names: Sequence[str]) -> tuple[str, ...]:
        """`names` without those of what is around; all where nothing else is named."""
        return tuple(name for name in names if name not in self.around) or tuple(names)

    def name_outside(self, name: str) -> str:
        """What a node with this name here is called in the whole graph."""
        return f"{self.path}.{name}" if self.path and name in self.facts.post_grad else name

    def usual_occurrence(self, calls: Sequence[WrapperCall]) -> Occurrence:
        """How often `calls` of this graph run that it runs each time that it is run itself."""
        if not self.path or not calls:
            return Occurrence.ONCE
        return min((call.occurrence for call in calls), key=tuple(Occurrence).index)

    def kernels_run_here(
        self, kernels: Mapping[str, KernelDef], calls: Sequence[WrapperCall]
    ) -> Mapping[str, KernelDef]:
        """The kernels that calls in this graph run, and for the outermost those without a call."""
        # Kernels that calls of this graph run, and those that only calls of other graphs run.
        here = {kernel for at in self.positions if (kernel := calls[at].kernel)}
        elsewhere = set() if self.path else {call.kernel for call in calls} - here
        members = {name for kernel in here & kernels.keys() for name in kernels[kernel].members}
        return {
            name: kernel
            for name, kernel in kernels.items()
            if name in here | members or (not self.path and name not in elsewhere)
        }


def graphs_inside(keyed: Sequence[KeyedCall], facts: CodeFacts) -> tuple[Inside, ...]:
    """The outermost graph, then those that calls stand in; only the first where there are none."""
    graphs, dynamo = _by_graph(facts.post_grad), _by_graph(facts.pre_grad)
    if len(graphs) <= 1 and len(dynamo) <= 1:
        return (Inside(path="", positions=range(len(keyed)), facts=facts),)
    positions: dict[str, list[int]] = defaultdict(list)
    # The function of an inner graph is called by its path, dots written as underscores.
    path_of = {path.replace(".", "_"): path for path in graphs if path}
    for at, item in enumerate(keyed):
        # A call belongs to the innermost function that is a graph;
        # partitions are none. "" is the outermost graph.
        functions = (path_of.get(name) for name in reversed(item.functions))
        positions[next((path for path in functions if path is not None), "")].append(at)
    entered = positions.keys() - {""}
    first = _outermost_graph(positions[""], facts, entered)
    return (
        first,
        *(_inner_graph(path, positions, keyed, facts) for path in graphs if path in entered),
    )


def _outermost_graph(
    positions: Sequence[int], facts: CodeFacts, entered: Collection[str]
) -> Inside:
    graphs, dynamo = _by_graph(facts.post_grad), _by_graph(facts.pre_grad)
    own, attributes = graphs.pop("", {}), _names_of_attributes(facts.post_grad.values())
    # No work of an outermost call: the names of inner graphs, and the
    # nodes that run inner graphs in which calls stand.
    around = (attributes - own.keys()) | _that_run(entered, own)
    mapping = facts.mapping
    # Dynamo's graphs of what the compiler has taken apart (a checkpoint) are part of this one.
    inlined = _nodes_agreed_on(dynamo.values()) if not graphs else dynamo.get("", {})
    if not entered:  # a C++ wrapper, or graphs that are part of a kernel
        # No call stands in an inner graph. Either a kernel holds the graph (flex_attention), or a
        # C++ wrapper has the branches inline: then a call may be of any graph, and a name of two
        # graphs with two lines means neither. Mappings of such names are dropped.
        runners = _runner_by_graph(facts.post_grad)
        apart = {path: name for path, name in runners.items() if not _is_kernel(name, own)}
        every = [own, *(graphs[path] for path in graphs if path in apart)]
        clear = _nodes_agreed_on(every)
        unclear = {name for nodes in every for name in nodes} - clear.keys()
        own, around = clear, attributes | set(apart.values())
        sources = mapping.post_to_pre.items()
        mapping = NodeMapping(
            mapping.kernel_to_post,
            {name: made_of for name, made_of in sources if name not in unclear},
            mapping.kernel_to_pre,
        )
    return Inside(
        path="",
        positions=positions,
        facts=replace(facts, post_grad=own, pre_grad=inlined, mapping=mapping),
        around=frozenset(around),
        attributes=attributes - own.keys(),
        dynamo_names=_whole_names(dynamo),
    )


def _inner_graph(
    path: str, positions: Mapping[str, Sequence[int]], keyed: Sequence[KeyedCall], facts: CodeFacts
) -> Inside:
    graphs, dynamo = _by_graph(facts.post_grad), _by_graph(facts.pre_grad)
    own, outermost = graphs[path], dynamo.pop("", {})
    # Graphs around this one, by their paths; names of their nodes are no work of a call in here.
    above = [nodes for outer, nodes in graphs.items() if not outer or path.startswith(f"{outer}.")]
    # Dynamo's nodes that run graphs, such as `cond`: comments in the branch name them, too.
    runners = {name for name, node in outermost.items() if node.runs}
    around = {name for nodes in above for name in nodes} | runners
    around |= _names_of_attributes(
        node for nodes in (*above, own, outermost) for node in nodes.values()
    )
    agreed = _nodes_agreed_on(dynamo.values())
    # A name that this graph has itself means its own node, also if a graph around has that name.
    around -= own.keys()
    # The names in comments of calls in this graph, without those of what is around.
    origins = [keyed[at].call.origins for at in positions[path]]
    listed = {name for origin in origins if origin is not None for name in origin.nodes} - around
    if listed & agreed.keys() <= own.keys():
        # All names are the graph's own: it was traced anew, so none means a node of Dynamo's.
        agreed = {name: node for name, node in agreed.items() if name not in own}
    # The node that runs this graph has the line for calls of which nothing else is known.
    run_by = facts.post_grad.get(_runner_by_graph(facts.post_grad).get(path, ""))
    return Inside(
        path=path,
        positions=positions[path],
        facts=replace(
            facts,
            post_grad=own,
            # Dynamo's runners stay known for comments that name nothing else.
            pre_grad={**{name: outermost[name] for name in runners - own.keys()}, **agreed},
            # Pre-grad nodes are stated by bare names, which may be those of another graph.
            mapping=NodeMapping(
                kernel_to_post=facts.mapping.kernel_to_post,
                kernel_to_pre=facts.mapping.kernel_to_pre,
            ),
            forward=frozenset(),
        ),
        around=frozenset(around | _that_run(positions.keys(), own)),
        run_at=run_by.stated_line if run_by else None,
        dynamo_names=_whole_names(dynamo),
    )


def _by_graph(nodes: _Nodes) -> dict[str, dict[str, TextNode]]:
    """The nodes of each graph, by its path and their names in it."""
    graphs: dict[str, dict[str, TextNode]] = {}
    for name, node in nodes.items():
        path, _, own = name.rpartition(".")
        graphs.setdefault(path, {})[own] = node
    return graphs


def _runner_by_graph(nodes: _Nodes) -> dict[str, str]:
    """Graph → the first node that runs it."""
    runners: dict[str, str] = {}
    for name, node in nodes.items():
        for _, path in node.runs:
            runners.setdefault(path, name)
    return runners


def _that_run(entered: Collection[str], nodes: _Nodes) -> set[str]:
    """The nodes that run graphs in which calls stand: these are their work."""
    runs = ((name, path) for name, node in nodes.items() for _, path in node.runs)
    return {name for name, path in runs if path in entered}


def _is_kernel(name: str, nodes: _Nodes) -> bool:
    node = nodes.get(name)
    return node is not None and (node.target or "").rpartition(".")[2] in _IN_ONE_KERNEL


def _names_of_attributes(nodes: Iterable[TextNode]) -> frozenset[str]:
    """The names that graphs have where nodes take them."""
    return frozenset(name for node in nodes for name, _ in node.runs)


def _nodes_agreed_on(graphs: Iterable[_Nodes]) -> dict[str, TextNode]:
    """The names that mean one line in all of `graphs`; what differs besides is not known."""
    nodes: dict[str, TextNode] = {}
    unclear: set[str] = set()
    for graph in graphs:
        for name, node in graph.items():
            other = nodes.setdefault(name, node)
            # On different lines the name may mean either node, so it means none. On one line it has
            # that line, and operator, shape and module as far as the graphs agree on them.
            if other.stated_line != node.stated_line:
                unclear.add(name)
            elif other is not node:
                nodes[name] = replace(
                    other,
                    target=other.target if other.target == node.target else None,
                    shape=other.shape if other.shape == node.shape else None,
                    module=other.module if other.module == node.module else None,
                )
    return {name: node for name, node in nodes.items() if name not in unclear}


def _whole_names(dynamo: Mapping[str, _Nodes]) -> dict[str, str]:
    """What nodes of one of Dynamo's inner graphs are called, where no other has the name."""
    paths: dict[str, list[str]] = defaultdict(list)
    for path, nodes in dynamo.items():
        for name in nodes:
            paths[name].append(path)
    # Only a name of a single inner graph can be written with its path; "" is Dynamo's outermost.
    return {
        name: f"{found[0]}.{name}" for name, found in paths.items() if len(found) == 1 and found[0]
    }
