"""What went into each CUDA graph: the calls that ran while it was captured, in their order.

A replay has no host side, so a profile of it says nothing of calls. `recording` listens while CUDA
graphs are captured and writes plain JSON:

    {"format": "kernelmap.cuda_graphs", "version": 1, "pid": 7, "why_no_nodes": null, "captures": [
        {"graph_id": 12, "complete": true, "runs": [
            {"digest": "3f2ab4c5d6e7f801", "name": "0_forward", "calls": [
                {"index": 0, "wrapper": "triton_poi_fused_add_0", "handle": 1,
                 "nodes": [51539607552]}]}]}]}

A run is one execution of a graph's `call()`, or the part of it that was captured. `nodes` are what
profilers call the graph node id, null unless torch could ask the driver (cuda_graph_nodes); then
`why_no_nodes` says why. Calls stand in the order of capture in any case, and nodes are created in
that order. `complete` is false for a capture that failed. Left out: what else the graph holds
(copies of inputs, eager code).

The order was recorded on GPUs; ids of nodes were tried on a stand-in, written against torch 2.14
and 2.15, for no GPU with a driver of CUDA 13.1 was at hand.
"""

from __future__ import annotations

import functools
import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from kernelmap.capture.cuda_graph_nodes import GraphAnnotations, NodeIds, torch_annotations
from kernelmap.capture.import_hooks import when_imported
from kernelmap.capture.instrument import Instrumentation, following
from kernelmap.capture.rewrite import LoadedGraph
from kernelmap.model import WrapperCall
from kernelmap.model.bundle import CUDA_GRAPHS
from kernelmap.model.trace import CAPTURED_FORMAT, CAPTURED_VERSION
from kernelmap.whole_files import write_whole_text

_GRAPHS = "torch.cuda.graphs"


@dataclass(slots=True)
class _CallInCapture:
    call: WrapperCall
    nodes: list[int] | None = None


@dataclass(slots=True)
class _RunInCapture:
    graph: LoadedGraph
    execution: int
    calls: list[_CallInCapture] = field(default_factory=list)


@dataclass(slots=True)
class _Capture:
    number: int
    runs: list[_RunInCapture] = field(default_factory=list)
    complete: bool = False

    def calls(self) -> Iterator[_CallInCapture]:
        for run in self.runs:
            yield from run.calls


class _CapturingThread(threading.local):
    """What this thread is in: executions of graphs, and scopes of captured calls."""

    def __init__(self) -> None:
        self.executions: list[int] = []
        self.scopes: list[AbstractContextManager[None] | None] = []


class CudaGraphRecorder:
    """Listens to calls, and to captures of the torch that `watch` is given.

    Code is instrumented only while a capture is open: elsewhere nothing costs. Where somebody
    else instruments it and notifies this recorder too, `by_itself` is False.
    """

    def __init__(self, *, by_itself: bool = True) -> None:
        self.instrumentation = Instrumentation(self)
        self._by_itself = by_itself
        self._captures: list[_Capture] = []
        self._open: dict[int, _Capture] = {}  # by the id of a CUDAGraph, which lives that long
        self._ended: dict[int, _Capture] = {}
        self._thread = _CapturingThread()
        self._count = 0
        self._is_capturing: Callable[[], bool] = bool
        self._nodes = NodeIds(None)

    def watch(
        self, graphs: ModuleType, annotations: GraphAnnotations | None
    ) -> list[Callable[[], None]]:
        """Hook the CUDAGraph of the module `graphs`; gives what takes the hooks back."""
        self._is_capturing = graphs.is_current_stream_capturing
        self._nodes = nodes = NodeIds(annotations)
        cls = graphs.CUDAGraph
        hooks = {
            "capture_begin": self._begin,
            "capture_end": self._end,
            "instantiate": self._instantiated,
        }
        undo: list[Callable[[], None]] = [nodes.switch_on(graphs)]
        for name, hook in hooks.items():
            original = vars(cls).get(name)
            if original is not None:
                setattr(cls, name, _around(original, hook))
                undo.append(functools.partial(setattr, cls, name, original))
        return undo

    def recorded(self) -> dict[str, object]:
        """All captures so far, as plain values for JSON."""
        return {
            "format": CAPTURED_FORMAT,
            "version": CAPTURED_VERSION,
            "pid": os.getpid(),
            "why_no_nodes": self._nodes.why_unknown,
            "captures": [_plain(capture) for capture in self._captures],
        }

    def write(self, path: Path) -> None:
        """Put what was recorded into `path` as a whole file; nothing where nothing was captured."""
        if not self._captures:
            return
        write_whole_text(path, json.dumps(self.recorded()))

    def enter_graph(self, graph: LoadedGraph) -> None:  # noqa: ARG002 -- only that it begins
        """Another execution begins in this thread."""
        self._count += 1
        self._thread.executions.append(self._count)

    def exit_graph(self, graph: LoadedGraph) -> None:  # noqa: ARG002 -- the innermost ends
        """It ends."""
        self._thread.executions.pop()

    def enter_call(self, graph: LoadedGraph, call: WrapperCall) -> None:
        """Note the call if it is captured."""
        capture = self._current()
        self._thread.scopes.append(None if capture is None else self._noted(capture, graph, call))

    def exit_call(self, graph: LoadedGraph, call: WrapperCall) -> None:  # noqa: ARG002 -- innermost
        """The nodes of the call are all there."""
        scope = self._thread.scopes.pop()
        if scope is not None:
            self._nodes.end(scope)

    def _current(self) -> _Capture | None:
        """The capture that takes this thread's work; autograd's threads take part in another's."""
        if not self._open or not self._is_capturing():
            return None
        return next(reversed(self._open.values()))

    def _noted(
        self, capture: _Capture, graph: LoadedGraph, call: WrapperCall
    ) -> AbstractContextManager[None] | None:
        executions = self._thread.executions
        execution = executions[-1] if executions else 0  # a partition of a call() that had begun
        # Calls of one execution that follow one another make a run. Another graph, or the same
        # graph executed again, begins the next one.
        last = capture.runs[-1] if capture.runs else None
        if last is None or (last.graph, last.execution) != (graph, execution):
            capture.runs.append(_RunInCapture(graph, execution))
        calls = capture.runs[-1].calls
        # The driver answers by this key, once the graph can run.
        key = f"{capture.number}/{len(capture.runs) - 1}/{len(calls)}"
        calls.append(_CallInCapture(call))
        return self._nodes.begin(key)

    def _begin(self, graph: object, begin: Callable[[], object]) -> object:
        result = begin()
        capture = _Capture(len(self._captures))
        self._captures.append(capture)
        self._open[id(graph)] = capture
        # A graph that is captured again forgets what it held.
        self._ended.pop(id(graph), None)
        if self._by_itself:
            self.instrumentation.on()
        return result

    def _end(self, graph: object, end: Callable[[], object]) -> object:
        capture = self._open.pop(id(graph), None)
        # Hooks stay while another capture is open.
        if not self._open:
            self.instrumentation.off()
        result = end()
        # A capture that raised does not come here and stays incomplete.
        if capture is not None:
            capture.complete = True
            self._ended[id(graph)] = capture
            # Nodes get their ids now if the graph can run already, else when it is instantiated.
            self._number_nodes(graph)
        return result

    def _instantiated(self, graph: object, instantiate: Callable[[], object]) -> object:
        result = instantiate()
        self._number_nodes(graph)
        return result

    def _number_nodes(self, graph: object) -> None:
        """Ask for the ids of the nodes, once the graph can run."""
        capture = self._ended.get(id(graph))
        if capture is None:
            return
        keys = [
            f"{capture.number}/{at}/{position}"
            for at, run in enumerate(capture.runs)
            for position in range(len(run.calls))
        ]
        nodes = self._nodes.of_capture(graph, keys)
        for at, call in enumerate(capture.calls()):
            call.nodes = None if nodes is None else nodes[at]


@contextmanager
def recording(
    folder: Path, *, node_ids: bool = True, by_itself: bool = True
) -> Iterator[CudaGraphRecorder]:
    """Record what is captured until the end, and then write it into `folder` if anything was.

    Without `node_ids` the driver is not asked for the ids of nodes. Not `by_itself`, the recorder
    has to be among the listeners of an instrumentation.
    """
    recorder = CudaGraphRecorder(by_itself=by_itself)
    undo: list[Callable[[], None]] = []
    over: list[bool] = []

    def watch(graphs: ModuleType) -> None:
        if not over:
            undo.extend(recorder.watch(graphs, torch_annotations() if node_ids else None))

    when_imported(_GRAPHS, watch)
    with following(recorder.instrumentation):
        try:
            yield recorder
        finally:
            over.append(True)
            for step in undo:
                step()
            recorder.instrumentation.off()
            recorder.write(folder / CUDA_GRAPHS)


def _around(
    original: Callable[..., object], hook: Callable[[object, Callable[[], object]], object]
) -> Callable[..., object]:
    @functools.wraps(original)
    def hooked(graph: object, *args: object, **kwargs: object) -> object:
        return hook(graph, functools.partial(original, graph, *args, **kwargs))

    return hooked


def _plain(capture: _Capture) -> dict[str, object]:
    nodes = [node for call in capture.calls() for node in call.nodes or ()]
    return {
        # The upper half of a node's id is the id of the graph that runs, the same for all its
        # nodes.
        "graph_id": nodes[0] >> 32 if nodes else None,
        "complete": capture.complete,
        "runs": [
            {
                "digest": run.graph.digest,
                "name": run.graph.name,
                "calls": [
                    {
                        "index": call.call.index,
                        "wrapper": call.call.wrapper,
                        "handle": call.call.handle,
                        # An empty list says that the call made no node; null says that nothing is
                        # known of any.
                        "nodes": call.nodes,
                    }
                    for call in run.calls
                ],
            }
            for run in capture.runs
        ],
    }
