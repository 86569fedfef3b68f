"""Marks in a profile: a range around every graph, every call, and every autotuning benchmark.

truth.py takes them out of the recorded profile again, and keeps what they say. Their texts are
those of kernelmap.model.marks; benchmarks have one of their own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from importlib import import_module

from kernelmap.capture.rewrite import LoadedGraph
from kernelmap.model import WrapperCall
from kernelmap.model.marks import MarkedCall, MarkedGraph, encode_mark

BENCHMARK = "kernelmap:benchmark"


class _Thread(threading.local):
    def __init__(self) -> None:
        self.ranges: list[ExitStack] = []


class KinetoMarks:
    """Opens a profiler range for whatever begins."""

    def __init__(self) -> None:
        self._thread = _Thread()

    def enter_graph(self, graph: LoadedGraph) -> None:
        """A graph's `call()` begins."""
        self._push(
            encode_mark(
                MarkedGraph(digest=graph.digest, name=graph.name, compile_id=graph.compile_id)
            )
        )

    def exit_graph(self, graph: LoadedGraph) -> None:  # noqa: ARG002 -- the innermost ends
        """It ends."""
        self._thread.ranges.pop().close()

    def enter_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """A call begins."""
        mark = MarkedCall(
            digest=graph.digest, index=call.index, wrapper=call.wrapper, handle=call.handle
        )
        self._push(encode_mark(mark))

    def exit_call(self, graph: LoadedGraph, call: WrapperCall) -> None:  # noqa: ARG002 -- as above
        """It ends."""
        self._thread.ranges.pop().close()

    def _push(self, text: str) -> None:
        from torch.profiler import record_function

        with ExitStack() as stack:
            stack.enter_context(record_function(text))
            self._thread.ranges.append(stack.pop_all())


@contextmanager
def marked_benchmarks() -> Iterator[None]:
    """Have Inductor's benchmarks stand in ranges until the end; needs triton."""
    from torch.profiler import record_function

    tuner = import_module("torch._inductor.runtime.triton_heuristics").CachingAutotuner
    original: Callable[..., object] = tuner.bench

    @wraps(original)
    def bench(*args: object, **kwargs: object) -> object:
        with record_function(BENCHMARK):
            return original(*args, **kwargs)

    tuner.bench = bench
    try:
        yield
    finally:
        tuner.bench = original
