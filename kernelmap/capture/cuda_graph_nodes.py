"""Which nodes of a CUDA graph a captured call made, asked of the driver through torch.

Takes torch.cuda._graph_annotations (torch 2.12 and 2.13), or anything like it. It answers only
with cuda-bindings and a driver of CUDA 13.1; without them, and after any error, ids are not known.
Ids are those that profilers write: id of the executable graph << 32 | number of the node.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

_KEY = "kernelmap"


class NodeAnnotations(Protocol):
    """What we use of torch.cuda._graph_annotations."""

    def enable_annotations(self) -> None:
        """Have `mark_kernels` do something."""

    def disable_annotations(self) -> None:
        """Have it do nothing."""

    def mark_kernels(self, annotation: dict[str, object]) -> AbstractContextManager[None]:
        """Note the nodes that are captured inside."""

    def resolve_pending_annotations(self) -> None:
        """To be called before a capture ends."""

    def remap_to_exec_graph(self, torch_cuda_graph: object) -> None:
        """To be called when the captured graph can run: profilers use that graph's id."""

    def get_kernel_annotations(self) -> dict[int, list[object]]:
        """Node ids with what was noted for them."""


class NodeIds:
    """Asks for the nodes of scopes; `key` names a scope in this process."""

    def __init__(self, annotations: NodeAnnotations | None) -> None:
        self._annotations = annotations
        self._was_enabled = bool(getattr(annotations, "_annotations_enabled", False))
        if annotations is not None:
            annotations.enable_annotations()

    def begin(self, key: str) -> AbstractContextManager[None] | None:
        """A scope whose nodes belong to `key`; None where the ids of nodes cannot be had."""
        if self._annotations is None:
            return None
        try:
            scope = self._annotations.mark_kernels({_KEY: key})
            scope.__enter__()
        except RuntimeError:  # of the CUDA bindings; the user's capture must not suffer
            self._give_up()
            return None
        return scope

    def end(self, scope: AbstractContextManager[None]) -> None:
        """All nodes of the scope are there."""
        try:
            scope.__exit__(None, None, None)
        except RuntimeError:
            self._give_up()

    def capture_ends(self) -> None:
        """To be called while the stream still captures."""
        if self._annotations is None:
            return
        try:
            self._annotations.resolve_pending_annotations()
        except RuntimeError:
            self._give_up()

    def of(self, graph: object) -> dict[str, list[int]]:
        """Key → ascending node ids of a graph that can run; empty where it cannot yet."""
        if self._annotations is None:
            return {}
        try:
            self._annotations.remap_to_exec_graph(graph)
        except RuntimeError:  # `keep_graph` puts off making the graph that runs
            return {}
        nodes: dict[str, list[int]] = {}
        for node, noted in sorted(self._annotations.get_kernel_annotations().items()):
            for annotation in noted:
                # Notes of the user's own may stand on the same node.
                if isinstance(annotation, dict) and _KEY in annotation:
                    nodes.setdefault(str(annotation[_KEY]), []).append(node)
        return nodes

    def close(self) -> None:
        """Leave torch as it was."""
        if self._annotations is not None and not self._was_enabled:
            self._annotations.disable_annotations()

    def _give_up(self) -> None:
        self.close()
        self._annotations = None


def torch_annotations() -> NodeAnnotations | None:
    """How torch asks the driver, None where this torch has no way, or another one than ours.

    The module is torch's own affair: 2.14 switches it on per capture, and has no function for that.
    """
    try:
        from torch.cuda import _graph_annotations
    except ImportError:
        return None
    needed = (name for name in vars(NodeAnnotations) if not name.startswith("_"))
    if not all(callable(getattr(_graph_annotations, name, None)) for name in needed):
        return None
    annotations: NodeAnnotations = _graph_annotations
    return annotations
