"""What instrumented code calls, and whom it tells: a `Hook` per loaded graph, a `Listener` for all.

A hook knows which call of its graph runs: by the number that stands in the code, and for functions
that are called from several places by where this thread called them from. Where that is not known,
because the code was instrumented meanwhile, nothing is told. A graph whose `call()` had begun
before is not heard to begin, but its calls are heard. Listeners hear from any thread, must not
raise, and hear every exit, whatever the call raised.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ParamSpec, Protocol, TypeVar

from kernelmap.model import WrapperCall

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoadedGraph:
    """A generated module in this process: its code, what marks call it, and its calls.

    `compile_id` is known for code that was loaded while an instrumentation was installed.
    """

    path: str
    digest: str
    name: str | None
    compile_id: str | None
    calls: tuple[WrapperCall, ...]


class Listener(Protocol):
    """Hears when a graph's `call()` and when each of its calls begins and ends."""

    def enter_graph(self, graph: LoadedGraph) -> None:
        """`call()` begins."""

    def exit_graph(self, graph: LoadedGraph) -> None:
        """`call()` has ended, perhaps by an exception."""

    def enter_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """The call is next; its arguments are worked out."""

    def exit_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """The call has returned or raised; what it launched may still run."""


@dataclass(frozen=True, slots=True)
class Together:
    """Several listeners as one; they hear the ends in the reverse order."""

    listeners: Sequence[Listener]

    def enter_graph(self, graph: LoadedGraph) -> None:
        """Tell all."""
        for listener in self.listeners:
            listener.enter_graph(graph)

    def exit_graph(self, graph: LoadedGraph) -> None:
        """Tell all, the last first."""
        for listener in reversed(self.listeners):
            listener.exit_graph(graph)

    def enter_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """Tell all."""
        for listener in self.listeners:
            listener.enter_call(graph, call)

    def exit_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """Tell all, the last first."""
        for listener in reversed(self.listeners):
            listener.exit_call(graph, call)


class Hook:
    """What stands in the code of one loaded graph; `rewrite` says how it is called."""

    def __init__(self, graph: LoadedGraph, listener: Listener) -> None:
        self.graph = graph
        self.listener = listener
        self._thread = _Thread()

    def __enter__(self) -> None:
        """`call()` begins."""
        self.listener.enter_graph(self.graph)

    def __exit__(self, *_: object) -> None:
        """`call()` ends."""
        self.listener.exit_graph(self.graph)

    def run(self, index: int, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """The call `index` of the graph."""
        graph, listener = self.graph, self.listener
        call = graph.calls[index]
        listener.enter_call(graph, call)
        try:
            return function(*args, **kwargs)
        finally:
            listener.exit_call(graph, call)

    def run_from(
        self, relative: int, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """A call in a function that is called from several places."""
        starts = self._thread.starts
        if not starts:
            return function(*args, **kwargs)
        return self.run(starts[-1] + relative, function, *args, **kwargs)

    def within(
        self, start: int, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """One of the places that such a function is called from; its calls begin at `start`."""
        starts = self._thread.starts
        starts.append(start)
        try:
            return function(*args, **kwargs)
        finally:
            starts.pop()

    def within_from(
        self, relative: int, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Such a place in a function that itself is called from several."""
        starts = self._thread.starts
        if not starts:
            return function(*args, **kwargs)
        return self.within(starts[-1] + relative, function, *args, **kwargs)


class _Thread(threading.local):
    """Where the functions that run in this thread start to count, innermost last."""

    def __init__(self) -> None:
        self.starts: list[int] = []
