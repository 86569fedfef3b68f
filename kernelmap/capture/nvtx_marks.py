"""The listener that pushes and pops NVTX ranges; capture/nvtx.py says what they say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kernelmap.capture.hooks import LoadedGraph
from kernelmap.capture.instrument import Instrumentation, instrumented
from kernelmap.capture.nvtx_domain import Domain, open_domain
from kernelmap.model import WrapperCall
from kernelmap.model.marks import DOMAIN, MarkedCall, MarkedGraph, encode


class NvtxMarks:
    """The listener that pushes and pops the ranges."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._graphs: dict[LoadedGraph, object] = {}
        self._calls: dict[LoadedGraph, tuple[object, ...]] = {}

    def enter_graph(self, graph: LoadedGraph) -> None:
        """Begin the graph's range; at its first run all texts of the graph are registered."""
        if graph not in self._graphs:
            prepared = self._domain.prepared
            self._calls[graph] = tuple(prepared(encode(_of(graph, call))) for call in graph.calls)
            self._graphs[graph] = prepared(
                encode(
                    MarkedGraph(digest=graph.digest, name=graph.name, compile_id=graph.compile_id)
                )
            )
        self._domain.push(self._graphs[graph])

    def exit_graph(self, graph: LoadedGraph) -> None:  # noqa: ARG002 -- the innermost range ends
        """End the graph's range."""
        self._domain.pop()

    def enter_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """Begin the call's range."""
        self._domain.push(self._calls[graph][call.index])

    def exit_call(self, graph: LoadedGraph, call: WrapperCall) -> None:  # noqa: ARG002 -- as above
        """End the call's range."""
        self._domain.pop()


@contextmanager
def marked() -> Iterator[Instrumentation]:
    """Mark what compiled graphs run until the end. Raises KernelmapError without nvtx."""
    with instrumented(NvtxMarks(open_domain(DOMAIN))) as instrumentation:
        yield instrumentation


def _of(graph: LoadedGraph, call: WrapperCall) -> MarkedCall:
    return MarkedCall(
        digest=graph.digest, index=call.index, wrapper=call.wrapper, handle=call.handle
    )
