"""A call's comment → its FX nodes, where no node mapping states them.

A comment of a forward or an inference graph names nodes of Dynamo's graph; one of a backward names
the backward's own nodes, and Dynamo's for what it computes again. Names are unique in one graph
only, so a name that both graphs have is the backward's own, unless the forward has it, too: such
nodes are listed by Dynamo's name. Lines, modules and operators follow from the nodes. Left out:
calls whose comment lists nothing, and C++ kernels, which have none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from kernelmap.compiler.facts import CodeFacts
from kernelmap.compiler.fx.graph_text import TextNode
from kernelmap.compiler.node_index import NodeIndex, called_word, file_line, operator_of
from kernelmap.model import Backend, FxNode, KernelDef, Occurrence, Stage, WrapperCall

_Names = Sequence[str]


class PlacedNode(Struct, frozen=True):
    """The post-grad node of a library call, and the node of Dynamo's graph that it was made of."""

    name: str
    source: str | None = None


class Comments(Struct, frozen=True):
    """The comments of one graph.

    `made_of` has the pre-grad nodes of each post-grad node, `kinds` what generated kernels run for
    what a node of Dynamo's graph calls, `spelled` the operators of which a listed name is that of
    the graph's own node.
    """

    facts: CodeFacts  # those of `index`
    index: NodeIndex
    kernels: Mapping[str, KernelDef]
    made_of: Mapping[str, tuple[str, ...]]
    backward: bool
    kinds: Mapping[str, tuple[str, ...]]
    spelled: frozenset[str]

    @classmethod
    def of_graph(
        cls,
        index: NodeIndex,
        kernels: Mapping[str, KernelDef],
        calls: Sequence[WrapperCall],
        *,
        backward: bool,
    ) -> Comments:
        """The comments of a graph with these kernels; what a mapping states of nodes wins."""
        facts = index.facts
        made_of = facts.mapping.post_to_pre or _nodes_of_definitions(
            facts, kernels, backward=backward
        )
        spelled = _spelled_alike(facts, calls)
        kinds = _operators_by_kind(facts, kernels)
        return cls(facts, index, kernels, made_of, backward, kinds, spelled)

    def library_node(self, call: WrapperCall) -> PlacedNode | None:
        """The post-grad node of a library call; None where several may be, or none is listed."""
        if call.backend is not Backend.EXTERN or call.origins is None or call.target is None:
            return None
        # This graph's nodes that the comment names, and those of them that run the operator.
        direct = {name for name in call.origins.nodes if self._is_own(name)}
        named = self._running(call.target, direct)
        # The comment names the node itself: `mm` above a call of `aten.mm`.
        if named:
            unique = len(named) == 1 and call.target in self.spelled
            return PlacedNode(named.pop()) if unique else None
        # The comment names nodes of Dynamo's graph: the last of them became the call's node. Which
        # one that is the mapping says, else the line.
        last = self._last_listed(call.origins.nodes)
        made = last and (self._made_of(last, call.target) or self._by_place(last, call.target))
        if made:
            return PlacedNode(made, last)
        # Last way: of the nodes of the operator, the only one that takes what the other listed
        # nodes made. `listed` has these by their post-grad names.
        listed = direct.union(*(self.index.made_from.get(name, ()) for name in call.origins.nodes))
        users = {user for name in listed for user in self.index.users.get(name, ())}
        running = self._running(call.target, users)
        return PlacedNode(running.pop()) if len(running) == 1 else None

    def remaining_nodes(self, calls: Sequence[WrapperCall], usual: Occurrence) -> Mapping[int, str]:
        """Place → node of the library calls that are the only one of their operator still open.

        All nodes of the operator have to be calls, each one once per run of the graph, which is as
        often as `usual`: then one node is left for it. A function that is entered twice has its
        calls twice; they are one statement.
        """
        node_of: dict[int, str] = {}
        taken = {name for call in calls for name in call.nodes or ()}
        # Operator → line of the statement → places of its calls in `calls`.
        by_target: dict[str, dict[int | None, list[int]]] = defaultdict(lambda: defaultdict(list))
        for place, call in enumerate(calls):
            if call.backend is Backend.EXTERN and call.target and call.origins is not None:
                by_target[call.target][call.line].append(place)
        for target, statements in by_target.items():
            nodes = self.index.of_operator.get(target, ())
            every = [calls[place] for places in statements.values() for place in places]
            # A call in a branch or a loop may run more or less often: then numbers prove nothing.
            once = all(call.occurrence is usual for call in every)
            # Open statements, and nodes of the operator that no call has taken.
            # If there is one of each, they belong together.
            open_ = [places for places in statements.values() if not calls[places[0]].nodes]
            left = [name for name in nodes if name not in taken]
            if once and len(nodes) == len(statements) and len(open_) == len(left) == 1:
                node_of |= dict.fromkeys(open_[0], left[0])
        return node_of

    def listed_nodes(self, call: WrapperCall) -> tuple[FxNode, ...]:
        """The nodes that the comment names, with the operator that the call runs of each.

        A library call runs the last of them: the others are of its inputs. A kernel that is called
        several times runs the operators of its definition, whose comment has the like names.
        """
        if call.origins is None or not self.facts.pre_grad:
            return ()  # Without Dynamo's graph nobody knows whose names these are.
        names = call.origins.nodes
        # The other names in a library call's comment are nodes of its inputs.
        if call.backend in (Backend.EXTERN, Backend.GLUE):
            last = self._last_listed(names)
            if last is None or not self._is_plausible(last, call):
                return ()
            text = self._node_of_name(last)
            return (self.node_with_operator(last, text, call.target),) if text else ()
        # Fused kernels: by the definition where the
        # comments match, else the names as they are listed.
        return tuple(self._like_defined(call, names)) or tuple(self._iter_nodes(names))

    def is_defined_by(self, call: WrapperCall, alike: Sequence[WrapperCall]) -> bool:
        """Whether the kernel's definition describes `call` and no other of the calls `alike`."""
        kernel = self.kernels.get(call.kernel or "")
        if kernel is None or kernel.origins is None or call.origins != kernel.origins:
            return False
        return sum(other.origins == kernel.origins for other in alike) == 1

    def _is_own(self, name: str) -> bool:
        return _is_own(name, self.facts, backward=self.backward)

    def _last_listed(self, names: _Names) -> str | None:
        """The listed node that stands last in Dynamo's graph, as it takes what the others made.

        The list itself is in the order of the first post-grad node that each of them became.
        """
        # Names of this graph's own nodes and unknown names have no place in Dynamo's graph.
        wanted = {name for name in names if not self._is_own(name) and self._node_of_name(name)}
        return self.index.last_of_dynamo(wanted)

    def _running(self, target: str, names: Iterable[str]) -> set[str]:
        """The post-grad nodes of these names that run the operator `target`."""
        texts = self.facts.post_grad
        return {
            name for name in names if name in texts and operator_of(texts[name].target) == target
        }

    def _made_of(self, source: str, target: str) -> str | None:
        """The only node of the operator that a mapping says `source` became."""
        # Definitions map the nodes of fused kernels only: what they leave out may be meant as well.
        made = self._running(target, self.index.made_from.get(source, ()))
        return made.pop() if len(made) == 1 else None

    def _by_place(self, source: str, target: str) -> str | None:
        """The node of the operator `target` on the line of `source`.

        Of several it is the k-th where `source` is the k-th of as many nodes of its kind there.
        """
        node = self.facts.pre_grad[source]
        place = file_line(node.stated_line)
        if place is None:
            return None
        # `here` are this graph's nodes of the operator on the line, `twins`
        # Dynamo's nodes of one kind on it: `fc(x) + fc(y)` has two of each. If the
        # numbers differ, some node became something else.
        here = self.index.on_line.get((target, place), ())
        if self.backward:  # what was computed again, not the gradients of the line
            here = tuple(name for name in here if name in self.facts.forward)
        twins = self.index.twins[called_word(node), place]
        return here[twins.index(source)] if len(here) == len(twins) else None

    def _is_plausible(self, name: str, call: WrapperCall) -> bool:
        """Whether the graph's text runs the call's operator on the line of a listed node.

        Another operator may stand for it in the text, then nothing speaks against the line.
        """
        node, target = self._node_of_name(name), call.target or ""
        alike = self.index.of_operator.get(target)
        if node is None or not alike:
            return node is not None
        # One of the lines on which this graph runs the operator must be the node's.
        place = file_line(node.stated_line)
        if place is None:
            return any(self.facts.post_grad[post].stated_line is None for post in alike)
        return (target, place) in self.index.on_line

    def _like_defined(self, call: WrapperCall, names: _Names) -> Iterator[FxNode]:
        """A node for each of the definition's, at the place that the call's comment lists for it.

        Nothing where the two comments do not list nodes of the same kinds in the same order.
        """
        kernel = self.kernels.get(call.kernel or "")
        # A multi-kernel has no comment of its own; its members do the same
        # work, so the first one that has a comment counts.
        members = (
            [self.kernels[name] for name in kernel.members if name in self.kernels]
            if kernel
            else []
        )
        kernel = next((member for member in (kernel, *members) if member and member.fragment), None)
        if kernel is None or kernel.origins is None or len(kernel.origins.nodes) != len(names):
            return
        # The definition's name at each place of its
        # comment → the name at that place of this comment.
        pairs = dict(zip(kernel.origins.nodes, names, strict=True))
        if any(not self._is_alike(one, other) for one, other in pairs.items()):
            return
        # Node of the fragment → the name in the definition's comment that it was made of. By
        # `pairs` it is made of another name here, whose line and module it has.
        source_of = {node: source for source, nodes in kernel.node_map for node in nodes}
        for node in kernel.fragment:
            source = pairs.get(source_of.get(node.name, ""))
            text = None if source is None else self._node_of_name(source)
            if source is not None and text is not None:
                yield self.node_with_operator(source, text, node.target)

    def _is_alike(self, one: str, other: str) -> bool:
        first, second = self._node_of_name(one), self._node_of_name(other)
        same_graph = self._is_own(one) == self._is_own(other)
        return bool(first and second and same_graph and called_word(first) == called_word(second))

    def _iter_nodes(self, names: _Names) -> Iterator[FxNode]:
        """The nodes of these names, as far as their graphs have them, each once per operator."""
        for name in names:
            text = self._node_of_name(name)
            if text is not None:
                # Dynamo's node (`softmax`) counts once for each
                # operator that it became (`amax`, `exp`, …).
                became = () if self._is_own(name) else self._operators_of_alike(text)
                for target in became or (text.target,):
                    yield self.node_with_operator(name, text, target)

    def _operators_of_alike(self, node: TextNode) -> tuple[str, ...]:
        """The operators that generated kernels run for nodes of Dynamo's graph that are alike.

        A linear layer is a view there, as its product is a call of its own.
        """
        return self.kinds.get(called_word(node), ())

    def node_with_operator(self, name: str, text: TextNode, target: str | None = None) -> FxNode:
        """A listed node, with the operator that runs for it."""
        return FxNode(
            name=name,
            stage=Stage.POST_GRAD if self._is_own(name) else Stage.PRE_GRAD,
            target=target,
            shape=text.shape,
            lines=(text.stated_line,) if text.stated_line else (),
            module=text.module,
        )

    def _node_of_name(self, name: str) -> TextNode | None:
        """The node of that name; None where it is unknown which of two nodes is meant."""
        post_grad, pre_grad = self.facts.post_grad.get(name), self.facts.pre_grad.get(name)
        # In a backward the name may be that of its own node, or of Dynamo's for what it computes
        # again. Where both graphs have it, only the forward's names tell which.
        unclear = self.backward and not self.facts.forward and post_grad is not None
        if unclear and pre_grad is not None:
            return None
        return post_grad if self._is_own(name) else pre_grad


def _is_own(name: str, facts: CodeFacts, *, backward: bool) -> bool:
    """Whether a listed name is a post-grad node of this graph, not one of Dynamo's."""
    if name not in facts.post_grad:
        return False
    if name not in facts.pre_grad:
        return True
    # A name of both graphs: in a forward it is Dynamo's; in a backward the graph's own, unless the
    # forward has the node too and the backward only computes it again.
    return backward and bool(facts.forward) and name not in facts.forward


def _spelled_alike(facts: CodeFacts, calls: Sequence[WrapperCall]) -> frozenset[str]:
    """The operators of which a name in a comment is that of the graph's own node.

    Where Dynamo's graph is not there, its `mm` may be another node than the graph's own `mm`:
    names count if every call of the operator names one node, and no two name the same.
    """
    # Operator → one list per call: the names in its comment that are nodes of that operator here.
    by_target: dict[str, list[list[str]]] = defaultdict(list)
    for call in calls:
        if call.backend is Backend.EXTERN and call.target is not None:
            names = call.origins.nodes if call.origins else ()
            texts = ((name, facts.post_grad.get(name)) for name in names)
            spelled = [
                name for name, text in texts if text and operator_of(text.target) == call.target
            ]
            by_target[call.target].append(spelled)
    # With Dynamo's graph at hand it is known for each name which graph it is of.
    if facts.pre_grad:
        return frozenset(by_target)
    return frozenset(
        target
        for target, named in by_target.items()
        if all(len(names) == 1 for names in named)
        and len({names[0] for names in named}) == len(named)
    )


def _nodes_of_definitions(
    facts: CodeFacts, kernels: Mapping[str, KernelDef], *, backward: bool
) -> dict[str, tuple[str, ...]]:
    """Post-grad node → pre-grad nodes, as the comments above definitions map them."""
    sources_of: dict[str, tuple[str, ...]] = {}
    for kernel in kernels.values():
        # A name that is this graph's own node is no pre-grad node, whatever the comment maps it to.
        for source, made in kernel.node_map:
            if source in facts.pre_grad and not _is_own(source, facts, backward=backward):
                sources_of |= {name: (*sources_of.get(name, ()), source) for name in made}
    return {name: tuple(dict.fromkeys(sources)) for name, sources in sources_of.items()}


def _operators_by_kind(
    facts: CodeFacts, kernels: Mapping[str, KernelDef]
) -> dict[str, tuple[str, ...]]:
    """What Dynamo's node calls → the operators that fused kernels run for it."""
    targets_of: dict[str, list[str]] = defaultdict(list)
    for kernel in kernels.values():
        # Fragments say the operator of each post-grad node that was made of a source.
        targets = {node.name: node.target for node in kernel.fragment}
        for source, made in kernel.node_map:
            if (node := facts.pre_grad.get(source)) is not None:
                targets_of[called_word(node)] += filter(None, map(targets.get, made))
    return {word: tuple(dict.fromkeys(names)) for word, names in targets_of.items()}
