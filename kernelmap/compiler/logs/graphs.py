"""The graph texts of one compilation in a log, parsed when its generated code comes.

A text is parsed once however often a log repeats it: warm caches, ranks and restarts do. The nodes
get the module that modules.py finds for them; Dynamo's graph and the sources of its inputs are what
it needs for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.fx.graph_text import TextNode, parse_printed, read_graph_text
from kernelmap.compiler.fx.modules import Modules, Text
from kernelmap.compiler.logs.events import Described
from kernelmap.compiler.logs.runnable import RUNNABLE
from kernelmap.model import GraphText

Nodes = Mapping[str, TextNode]
_Sources = tuple[str, ...]

# Two artifacts with the same graph: as Dynamo gives it, and as it is before the pre-grad passes.
_DYNAMO = ("dynamo_output_graph", "before_pre_grad_graph")
_PRE_GRAD = "after_pre_grad_graph"
_POST_GRAD = ("inductor_post_grad_graph", "after_post_grad_graph")
_AOT = {f"aot_{kind}_graph": kind for kind in ("forward", "backward", "inference")}
# These are logged before a graph's post-grad text: the code before has all its artifacts.
_OPENS = (RUNNABLE, "before_post_grad_graph")


class Graph(Struct, frozen=True):
    """A graph's text; `kind` None for one of Dynamo's, `forward` the text that a backward is of."""

    payload: str
    kind: str | None = None
    forward: str | None = None


class ParsedOnce(Struct):
    """What was parsed before, for a whole log."""

    texts: dict[str, Text] = {}
    modules: dict[tuple[str, _Sources], Modules] = {}
    nodes: dict[tuple[Graph, str, _Sources], Nodes] = {}

    def parse_once(self, payload: str) -> Text:
        """The graph that `payload` writes."""
        if payload not in self.texts:
            self.texts[payload] = Text(*read_graph_text(payload))
        return self.texts[payload]

    def modules_of(self, dynamo: str, sources: _Sources) -> Modules:
        """What Dynamo's graph and the sources of its inputs show of modules."""
        key = (dynamo, sources)
        if key not in self.modules:
            self.modules[key] = Modules(self.parse_once(dynamo), sources)
        return self.modules[key]

    def nodes_of(self, graph: Graph, dynamo: str, sources: _Sources) -> Nodes:
        """The nodes of a graph's text with their modules."""
        key = (graph, dynamo, sources)
        if key not in self.nodes:
            # Modules are those of Dynamo's graph; each later graph is joined to it in its own way.
            text, modules = self.parse_once(graph.payload), self.modules_of(dynamo, sources)
            if graph.kind is None:
                module_of = modules.of_dynamo(text)
            elif graph.kind == "backward":
                forward = None if graph.forward is None else self.parse_once(graph.forward)
                module_of = modules.of_backward(text, forward)
            else:
                module_of = modules.of_aot(text)
            self.nodes[key] = {
                name: replace(node, module=module_of.get(name), uses=text.flow.uses.get(name, ()))
                for name, node in text.nodes.items()
            }
        return self.nodes[key]


class LoggedGraphs(Struct):
    """What one compile id has logged so far, as text.

    `dynamo` is Dynamo's graph, `pre_grad` the same after the pre-grad passes, `aot` the graphs
    behind AOTAutograd by kind, `post_grad` the one that the next code is made from.
    """

    once: ParsedOnce
    dynamo: str | None = None
    pre_grad: str | None = None
    post_grad: str | None = None
    aot: dict[str, str] = {}
    sources: dict[str, None] = {}

    def note_source(self, raw: msgspec.Raw) -> None:
        """Note how Dynamo reaches an input. Raises MsgspecError for another shape."""
        source = msgspec.json.decode(raw, type=Described).source
        if source is not None:
            self.sources[source] = None

    def take_event(self, kind: str, text: Callable[[], str]) -> bool:
        """Use an event of this kind; whether it opens the next graph, so that the last is done."""
        if kind in _DYNAMO:
            # A new graph of Dynamo's ends what was known of the last one's passes.
            self.dynamo, self.pre_grad = text(), None
        elif kind == _PRE_GRAD:
            self.pre_grad = text()
        elif kind in _AOT:
            self.aot[_AOT[kind]] = text()
        elif kind in _OPENS:
            self.post_grad = None
            return True
        elif kind in _POST_GRAD:
            self.post_grad = text()
            return True
        return False

    def nodes_before(self) -> Nodes:
        """The nodes of the pre-grad graphs."""
        texts = self._texts_before()
        return {
            name: node for text in texts for name, node in self._nodes_of_graph(Graph(text)).items()
        }

    def texts_before(self) -> tuple[GraphText, ...]:
        """The pre-grad graph as Dynamo gave it, and after the passes, as far as both are known."""
        return tuple(graph for text in self._texts_before() if (graph := self._parse_printed(text)))

    def nodes_after(self, kind: str | None) -> Nodes:
        """The nodes that code of this kind was made from."""
        kind = kind or "inference"
        text = self._text_after(kind)
        if text is None:
            return {}
        # Later the backward needs the forward's text;
        # where no AOT graph was logged, this one serves.
        if kind == "forward":
            self.aot.setdefault(kind, text)
        return self._nodes_of_graph(Graph(text, kind, self.aot.get("forward")))

    def names_of_forward(self, kind: str | None) -> frozenset[str]:
        """The nodes of the forward whose backward this kind of code is; none for other kinds."""
        forward = self.aot.get("forward") if kind == "backward" else None
        return frozenset() if forward is None else frozenset(self.once.parse_once(forward).nodes)

    def text_after(self, kind: str | None) -> GraphText | None:
        """The graph that code of this kind was made from, as text."""
        text = self._text_after(kind or "inference")
        return None if text is None else self._parse_printed(text)

    def _texts_before(self) -> list[str]:
        return [text for text in (self.dynamo, self.pre_grad) if text is not None]

    def _text_after(self, kind: str) -> str | None:
        text = self.post_grad
        # A post-grad text without nodes is no help: then the graph behind AOTAutograd is taken.
        return text if text is not None and self.once.parse_once(text).nodes else self.aot.get(kind)

    def _parse_printed(self, text: str) -> GraphText | None:
        return parse_printed(text, self.once.parse_once(text).nodes)

    def _nodes_of_graph(self, graph: Graph) -> Nodes:
        # Without Dynamo's graph that after the pre-grad passes takes its place; a graph of Dynamo's
        # own (without kind) is its own.
        dynamo = self.dynamo or self.pre_grad or (graph.payload if graph.kind is None else "")
        return self.once.nodes_of(graph, dynamo, tuple(self.sources))
