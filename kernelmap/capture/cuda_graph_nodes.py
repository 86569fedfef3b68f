"""Which nodes of a CUDA graph a captured call made, as torch's graph annotations tell.

Takes torch.cuda.graph_annotations (torch 2.14 and newer; read in 2.14.1 and 2.15.0), or anything
like it. Annotations are switched on for each capture by a keyword of torch.cuda.graph. They need
the package cuda-bindings and a driver of CUDA 13.1 or newer; where they are not to be had, and
after any error, ids are not known, and `why_unknown` says why. Ids are those that profilers write:
id of the executable graph << 32 | number of the node.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Protocol
from weakref import WeakSet

_KEY = "kernelmap"
_SWITCH, _OPTIONS, _KEYED_BY = "enable_annotations", "annotation_config", "key_by"
NO_MODULE = "this torch has no torch.cuda.graph_annotations, as 2.14 and newer have"
_NO_DRIVER = "it needs cuda-bindings and a driver of CUDA 13.1 or newer"
_NOT_SWITCHED = "the program captured without torch.cuda.graph, or took its annotations away"
_SEVERAL = "nodes of one capture were found in several graphs"
_KEPT_BY_SOURCE = "the program has torch keep the ids of the graph that was captured"


class GraphAnnotations(Protocol):
    """What we use of torch.cuda.graph_annotations."""

    def is_available(self) -> bool:
        """Whether the driver and its Python package can tell ids."""

    def mark_kernels(
        self, annotation: dict[str, object], *, backward: bool
    ) -> AbstractContextManager[None]:
        """Note the nodes that are captured inside; not what autograd makes of them later."""

    def get_kernel_annotations(self) -> Mapping[int, Sequence[object]]:
        """Node ids of graphs that can run, with what was noted for them."""


class NodeIds:
    """Asks for the nodes of scopes; `key` names a scope in this process.

    `why_unknown` is why ids are not known, of all captures or of the last one that had none; None
    where nothing was missing.
    """

    def __init__(self, annotations: GraphAnnotations | None) -> None:
        self._annotations = annotations
        self.why_unknown = None if annotations is not None else NO_MODULE
        # Graphs of which the program has torch keep other ids than a profile shows.
        self._otherwise_keyed: WeakSet[object] = WeakSet()

    def switch_on(self, graphs: ModuleType) -> Callable[[], None]:
        """Have each torch.cuda.graph of the module `graphs` note nodes; gives what undoes it."""
        context = getattr(graphs, "graph", None)
        if self._annotations is None or context is None:
            return lambda: None
        original = context.__init__
        signature = inspect.signature(original)
        if _SWITCH not in signature.parameters:
            self._give_up(NO_MODULE)
            return lambda: None

        @functools.wraps(original)
        def make(*args: object, **kwargs: object) -> None:
            # Where the driver cannot tell, torch is called as the program calls it.
            if self._is_available():
                given = signature.bind(*args, **kwargs)
                given.arguments[_SWITCH] = True
                self._note_options(given)
                args, kwargs = given.args, given.kwargs
            original(*args, **kwargs)

        context.__init__ = make

        def restore() -> None:
            # Where somebody has put a wrapper around ours meanwhile, that one stays.
            if context.__init__ is make:
                context.__init__ = original

        return restore

    def begin(self, key: str) -> AbstractContextManager[None] | None:
        """A scope whose nodes belong to `key`; None where the ids of nodes cannot be had."""
        if self._annotations is None:
            return None
        try:
            scope = self._annotations.mark_kernels({_KEY: key}, backward=False)
            scope.__enter__()
        except Exception as error:  # noqa: BLE001 -- of the bindings, or a warning that the program made an error; its capture must not suffer
            self._give_up(f"{type(error).__name__}: {error}")
            return None
        return scope

    def end(self, scope: AbstractContextManager[None]) -> None:
        """All nodes of the scope are there."""
        try:
            scope.__exit__(None, None, None)
        except Exception as error:  # noqa: BLE001 -- as above
            self._give_up(f"{type(error).__name__}: {error}")

    def of_capture(self, graph: object, keys: Sequence[str]) -> list[list[int]] | None:
        """The ascending node ids of each of the `keys` of one capture; None where not known.

        To be asked when the graph can run. All nodes of a graph have its id in their upper half:
        where that differs, something of another graph was noted under our keys, and nothing is
        said.
        """
        if self._annotations is None:
            return None
        if graph in self._otherwise_keyed:
            self.why_unknown = _KEPT_BY_SOURCE
            return None
        nodes: dict[str, list[int]] = {key: [] for key in keys}
        for node, noted in sorted(self._annotations.get_kernel_annotations().items()):
            for annotation in noted:
                # Notes of the user's own may stand on the same node.
                key = annotation.get(_KEY) if isinstance(annotation, dict) else None
                if key in nodes:
                    nodes[key].append(node)
        graphs = {node >> 32 for of_key in nodes.values() for node in of_key}
        if len(graphs) == 1:
            return list(nodes.values())
        if keys and self.why_unknown is None:
            self.why_unknown = _SEVERAL if graphs else _NOT_SWITCHED
        return None

    def _is_available(self) -> bool:
        if self._annotations is None:
            return False
        try:
            available = self._annotations.is_available()
        except Exception as error:  # noqa: BLE001 -- as above
            self._give_up(f"{type(error).__name__}: {error}")
            return False
        if not available:
            self._give_up(_NO_DRIVER)
        return available

    def _note_options(self, given: inspect.BoundArguments) -> None:
        """Note a graph whose ids will not be those of a profile, by the program's own choice."""
        options = given.arguments.get(_OPTIONS)
        if isinstance(options, dict) and options.get(_KEYED_BY, "exec") != "exec":
            self._otherwise_keyed.add(given.arguments["cuda_graph"])

    def _give_up(self, why: str) -> None:
        self.why_unknown = " ".join(why.split())
        self._annotations = None


def torch_annotations() -> GraphAnnotations | None:
    """How torch tells ids; None where this torch has no such module, or another one than ours.

    Torch calls the module a prototype that may change.
    """
    try:
        from torch.cuda import graph_annotations
    except ImportError:
        return None
    needed = (name for name in vars(GraphAnnotations) if not name.startswith("_"))
    if not all(callable(getattr(graph_annotations, name, None)) for name in needed):
        return None
    annotations: GraphAnnotations = graph_annotations
    return annotations
