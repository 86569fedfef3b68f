"""What goes into a CUDA graph is written down while it is captured.

No GPU was at hand: `Cuda` stands in for the parts of torch that are hooked.
"""

from __future__ import annotations

import inspect
import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from capture.loaded_code import Heard, kernels, load
from kernelmap.capture.cuda_graph_nodes import GraphAnnotations, torch_annotations
from kernelmap.capture.cuda_graphs import CudaGraphRecorder, recording
from kernelmap.capture.instrument import Instrumentation
from kernelmap.capture.rewrite import Together
from kernelmap.model.bundle import CUDA_GRAPHS

CODE = f"""# AOT ID: ['0_inference']
{kernels("triton_a", "triton_b")}
def partition_0(args):
    triton_a.run(stream=0)
    # [Provenance debug handles] triton_b:5
    triton_b.run(stream=0)
class Runner:
    def __init__(self, partitions):
        self.partitions = partitions
    def call(self, args):
        aten.add()
        self.partitions[0](args)
runner = Runner(partitions=[partition_0])
call = runner.call
"""
CAPTURED, RUNNABLE = 3, 9


class Cuda:
    """A GPU of which only captures exist, and torch.cuda.graph_annotations of torch 2.14.

    As there, nodes are noted in captures that switched it on, by the id of the captured graph, and
    get the id of the graph that runs when that is made. `available` is whether the driver can tell.
    """

    def __init__(self, *, available: bool = True) -> None:
        self.available = available
        self.capturing = self.noting = self.broken = False
        self.node = 0
        self.scopes: list[tuple[dict[str, object], list[int]]] = []
        self.pending: list[tuple[dict[str, object], list[int]]] = []
        self.noted: dict[int, list[object]] = {}
        self.backward: list[bool] = []
        cuda = self

        class CUDAGraph:
            def __init__(self, *, keep_graph: bool = False) -> None:
                self.keep_graph = keep_graph

            def capture_begin(self, pool: object = None) -> None:
                del pool
                cuda.capturing = True

            def capture_end(self) -> None:
                cuda.capturing = False
                if not self.keep_graph:
                    self.instantiate()

            def instantiate(self) -> None:
                cuda.remap()

        class graph:  # noqa: N801 -- torch's name
            def __init__(
                self,
                cuda_graph: CUDAGraph,
                pool: object = None,
                stream: object = None,
                capture_error_mode: str = "global",
                enable_annotations: bool = False,  # noqa: FBT002 -- as torch has it
                annotation_config: dict[str, object] | None = None,
            ) -> None:
                self.arguments = (pool, stream, capture_error_mode, annotation_config)
                self.cuda_graph, self.noting = cuda_graph, enable_annotations

            def __enter__(self) -> None:
                cuda.noting = self.noting
                self.cuda_graph.capture_begin()

            def __exit__(self, *_: object) -> None:
                if self.noting:
                    cuda.resolve()
                self.cuda_graph.capture_end()
                cuda.noting = False

        self.graphs = ModuleType("graphs")
        vars(self.graphs).update(
            CUDAGraph=CUDAGraph, graph=graph, is_current_stream_capturing=lambda: self.capturing
        )

    def launch(self, _: str) -> None:
        """A kernel runs: while a graph is captured it becomes a node."""
        if self.capturing:
            self.node += 1
            for _annotation, nodes in self.scopes:
                nodes.append(CAPTURED << 32 | self.node)

    def is_available(self) -> bool:
        return self.available

    @contextmanager
    def mark_kernels(self, annotation: dict[str, object], *, backward: bool) -> Iterator[None]:
        self.backward.append(backward)
        if self.broken:
            raise RuntimeError("cudaErrorUnknown")
        if not self.noting:
            yield
            return
        self.scopes.append((annotation, []))
        yield
        if self.broken:
            raise RuntimeError("cudaErrorUnknown")
        self.pending.append(self.scopes.pop())

    def get_kernel_annotations(self) -> dict[int, list[object]]:
        return self.noted

    def resolve(self) -> None:
        """Before a capture ends; what an inner scope noted of a node goes before an outer one's."""
        for annotation, nodes in self.pending:
            for node in nodes:
                merged = {**annotation, **(self.noted[node][0] if node in self.noted else {})}  # type: ignore[dict-item]
                self.noted[node] = [merged]
        self.pending.clear()

    def remap(self) -> None:
        """When a captured graph can run."""
        for node in [node for node in self.noted if node >> 32 == CAPTURED]:
            self.noted[RUNNABLE << 32 | node & 0xFFFFFFFF] = self.noted.pop(node)


@contextmanager
def captured(cuda: Cuda) -> Iterator[None]:
    with cuda.graphs.graph(cuda.graphs.CUDAGraph()):
        yield


def recorder_of(
    cuda: Cuda, folder: Path, *, ids: bool = True
) -> tuple[CudaGraphRecorder, ModuleType]:
    recorder = CudaGraphRecorder()
    recorder.watch(cuda.graphs, cuda if ids else None)
    module = load(folder, CODE, [], cuda.launch)
    recorder.instrumentation.add(module)
    return recorder, module


def captures(recorder: CudaGraphRecorder) -> list[dict[str, Any]]:
    """What was recorded, as JSON gives it back."""
    recorded: list[dict[str, Any]] = json.loads(json.dumps(recorder.recorded()))["captures"]
    return recorded


def calls_of(recorder: CudaGraphRecorder) -> list[list[list[tuple[int, list[int] | None]]]]:
    """Index and nodes of each call, per capture and run."""
    return [
        [[(call["index"], call["nodes"]) for call in run["calls"]] for run in capture["runs"]]
        for capture in captures(recorder)
    ]


def test_captured_calls_are_written_down_with_their_nodes(tmp_path: Path) -> None:
    """Calls stand in the order of capture, with the ids that a profiler gives their nodes."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path)
    with captured(cuda):
        module.call([])

    (capture,) = captures(recorder)
    (run,) = capture["runs"]
    assert (capture["graph_id"], capture["complete"]) == (RUNNABLE, True)
    assert run["name"] == "0_inference"
    assert [tuple(call.values()) for call in run["calls"]] == [
        (0, "aten.add", None, [RUNNABLE << 32 | 1]),
        (1, "triton_a", None, [RUNNABLE << 32 | 2]),
        (2, "triton_b", 5, [RUNNABLE << 32 | 3]),
    ]


def test_what_is_not_captured_is_not_written_down(tmp_path: Path) -> None:
    """A run outside of a capture leaves nothing; a captured partition leaves its own calls."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path, ids=False)
    module.call([])
    inner = module.runner.partitions[0]

    def capturing(args: list[object]) -> None:
        with captured(cuda):
            inner(args)

    module.runner.partitions = [capturing]
    module.call([])

    assert calls_of(recorder) == [[[(1, None), (2, None)]]]


def test_each_execution_is_a_run(tmp_path: Path) -> None:
    """Two executions in one capture are two runs; a second capture is another entry."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path, ids=False)
    with captured(cuda):
        module.call([])
        module.call([])
    with captured(cuda):
        module.call([])

    indexes = [[[index for index, _ in run] for run in runs] for runs in calls_of(recorder)]
    assert indexes == [[[0, 1, 2], [0, 1, 2]], [[0, 1, 2]]]


def test_another_thread_may_take_part(tmp_path: Path) -> None:
    """Autograd runs backwards in a thread of its own, into the capture of the main thread."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path)
    with captured(cuda):
        thread = threading.Thread(target=module.call, args=([],))
        thread.start()
        thread.join()

    assert [len(run) for runs in calls_of(recorder) for run in runs] == [3]


def test_the_recorder_may_be_one_of_several_listeners(tmp_path: Path) -> None:
    """One instrumentation serves all listeners."""
    cuda = Cuda()
    recorder, heard = CudaGraphRecorder(by_itself=False), Heard()
    recorder.watch(cuda.graphs, cuda)
    instrumentation = Instrumentation(Together((heard, recorder)))
    module = load(tmp_path, CODE, [], cuda.launch)
    instrumentation.add(module)
    instrumentation.on()
    with captured(cuda):
        module.call([])

    assert [len(run) for runs in calls_of(recorder) for run in runs] == [3]
    assert heard.indexes() == [0, 1, 2]


def test_a_failed_capture_is_not_called_complete(tmp_path: Path) -> None:
    """Where the capture never ended, what is known of it stays, marked."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path)
    cuda.graphs.CUDAGraph().capture_begin()
    module.call([])

    (capture,) = captures(recorder)
    assert capture["complete"] is False
    assert [len(run["calls"]) for run in capture["runs"]] == [3]


def why_no_nodes(recorder: CudaGraphRecorder) -> str:
    return str(recorder.recorded()["why_no_nodes"])


@pytest.mark.parametrize("late", [False, True])
def test_an_error_of_the_driver_costs_only_the_ids(tmp_path: Path, *, late: bool) -> None:
    """The user's capture goes on, calls are known in their order, and the file says what it was."""
    cuda = Cuda()
    cuda.broken = not late
    recorder, module = recorder_of(cuda, tmp_path)
    with captured(cuda):
        module.call([])
        cuda.broken = True
        module.call([])

    indexes = [(index, None) for index in range(3)]
    assert calls_of(recorder) == [[indexes, indexes]]
    assert "cudaErrorUnknown" in why_no_nodes(recorder)


def test_where_ids_are_known_nothing_is_missing(tmp_path: Path) -> None:
    """No reason is given, and autograd's later work is never noted under the key of a call."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path)
    with captured(cuda):
        module.call([])

    assert recorder.recorded()["why_no_nodes"] is None
    assert cuda.backward == [False, False, False]


def test_a_graph_that_is_made_later_has_its_ids_then(tmp_path: Path) -> None:
    """With `keep_graph` the graph that runs is made after the capture."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path)
    graph = cuda.graphs.CUDAGraph(keep_graph=True)
    with cuda.graphs.graph(graph):
        module.call([])
    graph.instantiate()

    assert calls_of(recorder) == [[[(index, [RUNNABLE << 32 | index + 1]) for index in range(3)]]]


def test_what_the_program_notes_itself_stays(tmp_path: Path) -> None:
    """Its own annotation stands beside ours on the same nodes."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path)
    with captured(cuda), cuda.mark_kernels({"name": "encoder"}, backward=True):
        module.call([])

    assert ["encoder" in str(noted) for noted in cuda.noted.values()] == [True] * 3
    assert [len(nodes or ()) for _, nodes in calls_of(recorder)[0][0]] == [1, 1, 1]


def test_a_driver_that_cannot_tell_is_not_asked(tmp_path: Path) -> None:
    """Torch is then called as the program calls it, and the file says what is needed."""
    cuda = Cuda(available=False)
    recorder, module = recorder_of(cuda, tmp_path)
    with captured(cuda):
        noting = cuda.noting
        module.call([])

    assert not noting
    assert cuda.backward == []
    assert calls_of(recorder) == [[[(0, None), (1, None), (2, None)]]]
    assert "CUDA 13.1" in why_no_nodes(recorder)


def test_a_capture_that_torch_cannot_note_says_so(tmp_path: Path) -> None:
    """Who captures with methods of CUDAGraph alone cannot have annotations switched on."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path)
    graph = cuda.graphs.CUDAGraph()
    graph.capture_begin()
    module.call([])
    graph.capture_end()

    assert calls_of(recorder) == [[[(0, None), (1, None), (2, None)]]]
    assert "without torch.cuda.graph" in why_no_nodes(recorder)


def test_ids_of_another_kind_are_not_taken(tmp_path: Path) -> None:
    """A program may have torch keep the ids of the captured graph, which no profile shows."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path)
    by_source = {"key_by": "source"}
    with cuda.graphs.graph(cuda.graphs.CUDAGraph(), annotation_config=by_source):
        module.call([])

    assert calls_of(recorder) == [[[(0, None), (1, None), (2, None)]]]
    assert "captured" in why_no_nodes(recorder)


def test_nodes_of_two_graphs_are_nobody_s(tmp_path: Path) -> None:
    """What stands in another graph under the key of a call makes the whole capture uncertain."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path)
    cuda.noted[77 << 32 | 1] = [{"kernelmap": "0/0/1"}]
    with captured(cuda):
        module.call([])

    assert calls_of(recorder) == [[[(0, None), (1, None), (2, None)]]]
    assert "several graphs" in why_no_nodes(recorder)


def test_the_program_s_own_arguments_go_on(tmp_path: Path) -> None:
    """By position or by name, torch.cuda.graph gets what it was given, and notes."""
    cuda = Cuda()
    recorder_of(cuda, tmp_path)
    graph = cuda.graphs.CUDAGraph()
    context = cuda.graphs.graph(graph, "pool", stream="side", capture_error_mode="thread_local")

    assert context.arguments == ("pool", "side", "thread_local", None)
    assert context.cuda_graph is graph
    assert context.noting


@pytest.mark.parametrize("lacking", [None, "is_available", "get_kernel_annotations"])
def test_a_torch_that_asks_otherwise_costs_only_the_ids(
    lacking: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module is a prototype: where a function of it is gone it is not used at all."""
    names = {name for name in vars(GraphAnnotations) if not name.startswith("_")} - {lacking}
    module = ModuleType("torch.cuda.graph_annotations")
    vars(module).update(dict.fromkeys(names, lambda *_: None))
    cuda = ModuleType("torch.cuda")
    vars(cuda)["graph_annotations"] = module
    for name, stand_in in (("torch", ModuleType("torch")), ("torch.cuda", cuda)):
        monkeypatch.setitem(sys.modules, name, stand_in)

    assert (torch_annotations() is None) == (lacking is not None)


def test_code_is_instrumented_only_while_a_capture_is_open(tmp_path: Path) -> None:
    """Outside of captures the functions have their original code."""
    cuda = Cuda()
    _, module = recorder_of(cuda, tmp_path)
    original = module.partition_0.__code__
    with captured(cuda):
        during = module.partition_0.__code__

    assert during is not original
    assert module.partition_0.__code__ is original


def test_what_was_captured_is_written_as_one_file(tmp_path: Path) -> None:
    """The file appears whole, and not at all where nothing was captured."""
    cuda = Cuda()
    recorder, module = recorder_of(cuda, tmp_path)
    recorder.write(tmp_path / "none.json")
    with captured(cuda):
        module.call([])
    recorder.write(tmp_path / CUDA_GRAPHS)

    assert json.loads((tmp_path / CUDA_GRAPHS).read_text())["captures"] == captures(recorder)
    assert {path.name for path in tmp_path.iterdir()} == {CUDA_GRAPHS, "generated.py"}


def test_hooks_are_taken_back(tmp_path: Path) -> None:
    """Afterwards torch's classes have their own methods, and nothing is noted any more."""
    del tmp_path
    cuda = Cuda()
    graph, context = cuda.graphs.CUDAGraph, cuda.graphs.graph
    before = (graph.capture_begin, graph.capture_end, graph.instantiate, context.__init__)
    undo = CudaGraphRecorder().watch(cuda.graphs, cuda)
    during = (graph.capture_begin, graph.capture_end, graph.instantiate, context.__init__)
    for take_back in undo:
        take_back()

    after = (graph.capture_begin, graph.capture_end, graph.instantiate, context.__init__)
    assert after == before
    assert not set(during) & set(before)


@pytest.mark.torch
def test_torch_has_what_is_hooked(tmp_path: Path) -> None:
    """The names that we hook exist in the torch that is installed, GPU or not."""
    import torch.cuda.graphs

    cls = torch.cuda.graphs.CUDAGraph
    before = dict(vars(cls))
    with recording(tmp_path):
        changed = {name for name in before if vars(cls)[name] is not before[name]}

    assert changed == {"capture_begin", "capture_end", "instantiate"}
    assert {name: vars(cls)[name] for name in before} == before
    assert callable(torch.cuda.graphs.is_current_stream_capturing)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.torch
def test_torch_has_the_annotations_that_are_asked(tmp_path: Path) -> None:
    """In 2.14 and newer: the three functions, how they are called, and the keyword."""
    import torch.cuda.graphs

    annotations = torch_annotations()
    if annotations is None:
        pytest.skip(f"torch {torch.__version__} has no torch.cuda.graph_annotations; 2.14 has")
    context = torch.cuda.graphs.graph
    original = context.__init__
    with recording(tmp_path):
        during = context.__init__

    assert isinstance(annotations.is_available(), bool)
    assert isinstance(annotations.get_kernel_annotations(), Mapping)
    assert "backward" in inspect.signature(annotations.mark_kernels).parameters
    assert {"cuda_graph", "enable_annotations"} <= set(inspect.signature(original).parameters)
    assert during is not original
    assert context.__init__ is original
