r"""Mark compiled graphs and their calls with NVTX ranges, for Nsight Systems.

    with marks():                       # in code
        train()

    nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node \
        python -m kernelmap.capture.nvtx train.py …

The ranges lie in the domain `kernelmap`; their texts are those of `model.marks`. One stands around
every execution of a graph's `call()`, and one around each call in it. While a CUDA graph is
captured they stand around what makes its nodes, which is what node-level tracing links replays to.
A replay itself runs no generated code and gets no range.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kernelmap.capture.hooks import LoadedGraph
from kernelmap.capture.instrument import Instrumentation, instrumented
from kernelmap.capture.nvtx_domain import Domain, is_tool_attached, open_domain
from kernelmap.capture.program import run_program
from kernelmap.errors import KernelmapError
from kernelmap.model import Notice, WrapperCall
from kernelmap.model.marks import DOMAIN, MarkedCall, MarkedGraph, encode

_USAGE = "usage: python -m kernelmap.capture.nvtx (SCRIPT | -m MODULE) [ARGUMENTS…]"


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
def marks() -> Iterator[Instrumentation]:
    """Mark what compiled graphs run until the end. Raises KernelmapError without nvtx."""
    with instrumented(NvtxMarks(open_domain(DOMAIN))) as instrumentation:
        yield instrumentation


def unheard() -> Notice | None:
    """What to say where nobody records the marks."""
    if is_tool_attached():
        return None
    return Notice(
        slug="marks-unheard",
        message="No profiler asked this process for NVTX, so nobody records its marks.",
        hint="Start it under `nsys profile --trace=cuda,nvtx,osrt --cuda-graph-trace=node`.",
    )


def main(arguments: Sequence[str]) -> int:
    """Run a program with marks; its own end, by exception or exit, is ours."""
    if not arguments:
        sys.stderr.write(f"{_USAGE}\n")
        return 2
    try:
        silence = unheard()
        with marks() as instrumentation:
            try:
                run_program(arguments)
            finally:
                for notice in (*([silence] if silence else ()), *instrumentation.notices):
                    sys.stderr.write(f"kernelmap: {notice.message} {notice.hint}\n")
    except KernelmapError as error:
        sys.stderr.write(f"kernelmap: {error.message}\n{error.hint}\n")
        return error.exit_code
    return 0


def _of(graph: LoadedGraph, call: WrapperCall) -> MarkedCall:
    return MarkedCall(
        digest=graph.digest, index=call.index, wrapper=call.wrapper, handle=call.handle
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
