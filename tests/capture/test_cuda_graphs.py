"""What goes into a CUDA graph is written down while it is captured.

No GPU was at hand: `Cuda` stands in for the parts of torch that are hooked. It hands out node ids
as torch.cuda._graph_annotations does: those of the captured graph, until they are remapped.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from capture.loaded_code import Heard, kernels, load
from kernelmap.capture.cuda_graph_nodes import NodeAnnotations, torch_annotations
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
    """A GPU of which only captures exist."""

    def __init__(self) -> None:
        self.capturing = False
        self.node = 0
        self.scopes: list[tuple[dict[str, object], list[int]]] = []
        self.noted: dict[int, list[object]] = {}
        self.pending: list[tuple[dict[str, object], list[int]]] = []
        self._annotations_enabled = False
        self.broken = False
        cuda = self

        class CUDAGraph:
            def capture_begin(self, pool: object = None) -> None:
                del pool
                cuda.capturing = True

            def capture_end(self) -> None:
                cuda.capturing = False

        self.graphs = ModuleType("graphs")
        vars(self.graphs).update(
            CUDAGraph=CUDAGraph, is_current_stream_capturing=lambda: self.capturing
        )

    def launch(self, _: str) -> None:
        """A kernel runs: while a graph is captured it becomes a node."""
        if self.capturing:
            self.node += 1
            for _annotation, nodes in self.scopes:
                nodes.append(CAPTURED << 32 | self.node)

    def enable_annotations(self) -> None:
        self._annotations_enabled = True

    def disable_annotations(self) -> None:
        self._annotations_enabled = False

    @contextmanager
    def mark_kernels(self, annotation: dict[str, object]) -> Iterator[None]:
        if self.broken:
            raise RuntimeError("cudaErrorUnknown")
        self.scopes.append((annotation, []))
        yield
        self.pending.append(self.scopes.pop())

    def resolve_pending_annotations(self) -> None:
        if self.broken:
            raise RuntimeError("cudaErrorUnknown")
        for annotation, nodes in self.pending:
            for node in nodes:
                self.noted.setdefault(node, []).append(annotation)
        self.pending.clear()

    def remap_to_exec_graph(self, torch_cuda_graph: object) -> None:
        del torch_cuda_graph
        for node in [node for node in self.noted if node >> 32 == CAPTURED]:
            self.noted[RUNNABLE << 32 | node & 0xFFFFFFFF] = self.noted.pop(node)

    def get_kernel_annotations(self) -> dict[int, list[object]]:
        return self.noted


@contextmanager
def captured(cuda: Cuda) -> Iterator[None]:
    graph = cuda.graphs.CUDAGraph()
    graph.capture_begin(pool=None)
    yield
    graph.capture_end()


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


@pytest.mark.parametrize("late", [False, True])
def test_an_error_of_the_driver_costs_only_the_ids(tmp_path: Path, *, late: bool) -> None:
    """The user's capture goes on, and calls are known in their order."""
    cuda = Cuda()
    cuda.broken = not late
    recorder, module = recorder_of(cuda, tmp_path)
    with captured(cuda):
        module.call([])
        cuda.broken = True

    assert calls_of(recorder) == [[[(0, None), (1, None), (2, None)]]]


@pytest.mark.parametrize("lacking", [None, "enable_annotations", "get_kernel_annotations"])
def test_a_torch_that_asks_otherwise_costs_only_the_ids(
    lacking: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module is torch's own: where a function of it is gone it is not used at all."""
    names = {name for name in vars(NodeAnnotations) if not name.startswith("_")} - {lacking}
    module = ModuleType("torch.cuda._graph_annotations")
    vars(module).update(dict.fromkeys(names, lambda *_: None))
    cuda = ModuleType("torch.cuda")
    vars(cuda)["_graph_annotations"] = module
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
    """Afterwards torch's class has its own methods and its annotations are off, as before."""
    del tmp_path
    cuda = Cuda()
    cls = cuda.graphs.CUDAGraph
    before = (cls.capture_begin, cls.capture_end)
    undo = CudaGraphRecorder().watch(cuda.graphs, cuda)
    during = cls.capture_begin
    for take_back in undo:
        take_back()

    assert (cls.capture_begin, cls.capture_end) == before
    assert during is not before[0]
    assert not cuda._annotations_enabled  # noqa: SLF001 -- the stand-in's, named as torch names it


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
    assert hasattr(torch_annotations(), "mark_kernels")
    assert list(tmp_path.iterdir()) == []
