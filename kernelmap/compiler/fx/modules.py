"""Graph texts → the nn.Module of each node, from what the texts show.

No text prints `nn_module_stack`. What shows, strongest first:

* an annotation that the user wrote with `torch.fx.traceback.annotate({"module": path})`;
* a node that takes a parameter, or a view of it, works for the module that owns it. In graphs after
  AOTAutograd the k-th input (`primals_k`, `arg(k-1)_1`) is the k-th of Dynamo's graph where their
  shapes agree; what a backward returns at place k is the gradient of that input;
* of the other nodes, whose `forward` their line is in (module_frames.py).

A parameter that several lines take (tied weights) names a module only on lines that name it. What
is left has no module: never a guess.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from kernelmap.compiler.fx.graph_text import Flow, TextNode
from kernelmap.compiler.fx.module_frames import ModuleFrames
from kernelmap.compiler.fx.module_lines import (
    SELF,
    ModuleLines,
    Owned,
    Seen,
    attributes_in,
    owners_of_inputs,
)

# Inputs behind AOTAutograd: `primals_1` counts from 1, `arg0_1` from 0.
_PRIMAL = re.compile(r"primals_(?P<from_1>\d+)|arg(?P<from_0>\d+)_1")
# What only views or converts its input: its result is still the parameter.
_PASSES_ON = frozenset(
    {
        "_to_copy",
        "alias",
        "bfloat16",
        "clone",
        "contiguous",
        "convert_element_type",
        "detach",
        "expand",
        "flatten",
        "float",
        "half",
        "permute",
        "reshape",
        "squeeze",
        "t",
        "to",
        "transpose",
        "type_as",
        "unsqueeze",
        "view",
    }
)
_CUT = "..."
_Owners = Mapping[str, Owned]


class Text(Struct, frozen=True):
    """A graph's text: what its nodes are, and how they hang together."""

    nodes: Mapping[str, TextNode]
    flow: Flow


class Modules:
    """The modules of one compilation's graphs; made from Dynamo's graph and the log's sources."""

    def __init__(self, dynamo: Text, sources: Iterable[str] = ()) -> None:
        # Inputs of Dynamo's graph with their shapes, in
        # order: later graphs refer to them by number.
        self._inputs = list(dynamo.flow.inputs.items())
        self._owners = owners_of_inputs(dynamo.flow.inputs, sources)
        self._paths = {owned.module for owned in self._owners.values()}
        lines = ModuleLines(_root_variable(self._owners))
        self._frames = ModuleFrames(lines, self._paths)
        # First the nodes that take parameters, then what their lines show, then their neighbors.
        self._dynamo, self._seen = dynamo, self._see_dynamo(dynamo)
        lines.learn_lines(self._seen)
        # What neighbors show of a line here also holds in graphs whose names are no words.
        for node, module in zip(self._seen, self._frames.place_nodes(self._seen), strict=True):
            if node.module is None and module is not None:
                lines.add_owner(node, module)

    def of_dynamo(self, text: Text) -> Mapping[str, str]:
        """Node → module of Dynamo's own graph, or of the same after the pre-grad passes."""
        seen = self._seen if text is self._dynamo else self._see_dynamo(text)
        return _module_by_node(text, self._frames.place_nodes(seen))

    def _see_dynamo(self, text: Text) -> list[Seen]:
        return _see_nodes(text, self._find_anchors(text, self._owners), words=True)

    def of_aot(self, text: Text) -> Mapping[str, str]:
        """Node → module of a forward or inference graph behind AOTAutograd."""
        anchors = self._find_anchors(text, self._owners_of_primals(text.flow))
        return _module_by_node(
            text, self._frames.place_nodes(_see_nodes(text, anchors, words=False))
        )

    def of_backward(self, text: Text, forward: Text | None) -> Mapping[str, str]:
        """Node → module of a backward graph.

        What it computes again has the name that it has in the forward, and stands anywhere: its
        neighbors say nothing. Where the forward is not known, no neighbor does.
        """
        anchors = self._find_anchors(text, self._owners_of_primals(text.flow))
        # A backward returns one gradient per input of Dynamo's graph, in the same order.
        if len(text.flow.returned) == len(self._inputs):
            for (name, _), gradient in zip(self._inputs, text.flow.returned, strict=True):
                if name in self._owners and gradient is not None:
                    _trace_back(gradient, self._owners[name], text, anchors)
        modules = {name: owned.module for name, owned in anchors.items()}
        if forward is None:
            return modules
        placed = _module_by_node(
            text, self._frames.place_nodes(_see_nodes(text, anchors, words=False), backward=True)
        )
        again = self.of_aot(forward)
        # Nodes that only the backward has. Those of the forward's names are computed again and have
        # the module that they have there.
        fresh = {name: module for name, module in placed.items() if name not in forward.nodes}
        return {
            # Later entries win: parameters and annotations are the surest.
            **{name: again[name] for name in text.nodes if name in again},
            **fresh,
            **modules,
        }

    def _owners_of_primals(self, flow: Flow) -> _Owners:
        """The owners of the inputs that stand for parameters of Dynamo's graph."""
        owner_by_input = {}
        for name, shape in flow.inputs.items():
            number = _PRIMAL.fullmatch(name)
            if number is None:
                continue
            at = int(number["from_0"]) if number["from_0"] else int(number["from_1"]) - 1
            if 0 <= at < len(self._inputs):
                original, expected = self._inputs[at]
                # A shape that differs means that the inputs were
                # counted otherwise; a missing one says nothing.
                if original in self._owners and (shape == expected or None in (shape, expected)):
                    owner_by_input[name] = self._owners[original]
        return owner_by_input

    def _find_anchors(self, text: Text, owned: _Owners) -> dict[str, Owned]:
        """Node → module by its annotation or parameter; an annotation names no tensor."""
        # Annotations come first and are never replaced.
        anchors = _annotated_modules(text.flow.annotations, self._paths)
        # Name → parameter, for inputs and for all views of them.
        passed = dict(owned)
        # Parameter → nodes that use it, to find out about tied weights.
        users: dict[str, list[str]] = defaultdict(list)
        for name, uses in text.flow.uses.items():
            node = text.nodes.get(name)
            taken = [use for use in uses if use in passed]
            # No parameter, or those of two modules: the node is of neither for sure.
            if not taken or len({passed[use].module for use in taken}) != 1:
                continue
            # A view of the parameter is passed on. Anything else uses it and ends the chain.
            if len(uses) == 1 and node is not None and word_of(node.target) in _PASSES_ON:
                passed[name] = passed[taken[0]]
            else:
                for use in taken:
                    users[use].append(name)
            anchors.setdefault(name, passed[taken[0]])
        for names in users.values():
            _without_strangers(names, text, anchors)
        return anchors


def word_of(target: str | None) -> str:
    """What a target is called in a line of code: `add` of `aten.add.Tensor`.

    >>> word_of("aten.add.Tensor"), word_of("torch.nn.functional.gelu"), word_of("operator.mul")
    ('add', 'gelu', 'mul')
    """
    parts = (target or "").split(".")
    return parts[1] if parts[0] in ("aten", "prims") and len(parts) > 1 else parts[-1]


def _see_nodes(text: Text, owned: _Owners, *, words: bool) -> list[Seen]:
    """The nodes as module_frames.py looks at them; `words` False where names are no words."""
    functions = text.flow.functions
    return [
        Seen(
            line=node.line,
            function=functions.get(name),
            word=word_of(node.target) if words else "",
            module=owned[name].module if name in owned else None,
            tensor=owned[name].tensor if name in owned else None,
        )
        for name, node in text.nodes.items()
    ]


def _module_by_node(text: Text, modules: Iterable[str | None]) -> Mapping[str, str]:
    return {name: module for name, module in zip(text.nodes, modules, strict=True) if module}


def _root_variable(owned: _Owners) -> str:
    """The variable that all paths start with where it is one (`s.layers.0`), else `self`."""
    # Input names begin with `L_` or `G_`.
    if any(name[2:].startswith(f"{SELF}_") for name in owned):
        return SELF
    heads = {owner.module.partition(".")[0] for owner in owned.values()}
    return heads.pop() if len(heads) == 1 else SELF


def _annotated_modules(annotations: Mapping[str, str], paths: Iterable[str]) -> dict[str, Owned]:
    """The annotated modules; the root is `self`.

    An annotation that torch cut counts where only one module begins so.
    """
    owned = {}
    for name, annotation in annotations.items():
        # A cut annotation counts if a single module with parameters begins so.
        candidates = [path for path in paths if path.startswith(annotation.removesuffix(_CUT))]
        if not annotation.endswith(_CUT):
            owned[name] = Owned(annotation or SELF, "")
        elif len(candidates) == 1:
            owned[name] = Owned(candidates[0], "")
    return owned


def _without_strangers(names: list[str], text: Text, anchors: dict[str, Owned]) -> None:
    """Take out the nodes of tied weights that do not stand where the code names their module."""
    lines = {name: node.line for name in names if (node := text.nodes.get(name)) is not None}
    # All uses on one line: nothing shows that the weight is tied.
    if len({(line.file, line.line) for line in lines.values() if line is not None}) <= 1:
        return
    for name, line in lines.items():
        if name in text.flow.annotations or name not in anchors:
            continue
        module, tensor = anchors[name]
        # The line must name the module or its tensor behind a dot: `self.head(x)`, `self.weight`.
        named = attributes_in((line.code or "") if line else "")
        if named.isdisjoint((module.rpartition(".")[2], tensor)):
            del anchors[name]


def _trace_back(name: str, owned: Owned, text: Text, anchors: dict[str, Owned]) -> None:
    """Give a gradient's node its module, and the nodes that it is a mere view of."""
    # Backwards from the returned gradient through mere views, to the node that computed it.
    while name in text.nodes and name not in anchors:
        anchors[name] = owned
        uses = text.flow.uses.get(name, ())
        if word_of(text.nodes[name].target) not in _PASSES_ON or len(uses) != 1:
            return
        (name,) = uses
