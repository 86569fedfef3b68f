"""A simulated serving engine: captures of its CUDA graphs, replays of them, and the truth.

Nothing of it was recorded: layers, kernels, grids and times are invented after how vLLM and SGLang
run. 36 equal layers; decode steps are one graph for each batch size; prefill steps run in pieces,
one graph between two attentions, and attention eagerly between them. A norm and a gate of each
layer are compiled, all else is eager. Where the driver is HIP's, captures state the kernels and
replays no grids; where it is CUDA's, the other way round.

`capture(path, …)` and `replay(path, …)` write Kineto traces; the latter gives the truth by event.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

BATCHES = (1, 2, 4, 8, 16)
TOKENS = 512
"""The padded size of a prefill."""
_WIDTH = 2048
_KEYS = {"triton_red_fused_add_rms_norm_0": "fnorm", "triton_poi_fused_mul_silu_0": "fgate"}


class Launch(NamedTuple):
    """One kernel: its name, blocks of its grid, the operators around it, and its function."""

    kernel: str
    blocks: int
    ops: tuple[str, ...]
    function: str
    is_compiled: bool = False
    is_attention: bool = False
    us: float = 8.0
    stream: int = 7
    rows: int = 0
    """Of the tensor that its operators are handed: the batch, or the tokens of a prefill."""

    @property
    def shapes(self) -> dict[str, object]:
        """What `record_shapes=True` notes of that tensor."""
        dims = {"Input Dims": [[self.rows, _WIDTH]], "Input type": ["c10::BFloat16"]}
        return {**dims, "Concrete Inputs": [""]}


class CameFrom(NamedTuple):
    """Where a launch came from: its outermost operator and its function; of a call its wrapper."""

    op: str
    function: str | None
    wrapper: str | None
    inputs: str | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """What varies: layers, whose driver it is, whether experts run on a stream of their own.

    `nodes` says whether replays state the ids of graph nodes, `marks` in which engine's words
    ranges mark the steps: "vLLM", "SGLang", "ATOM" or "TensorRT-LLM". With `shapes`
    operators note what they are handed.
    """

    layers: int = 36
    hip: bool = False
    two_streams: bool = False
    nodes: bool = False
    marks: str | None = None
    shapes: bool = False
    seed: int = 1

    def name_step(self, step: int | str) -> str:
        """The range around a step."""
        is_prefill = step == "prefill"
        if self.marks == "SGLang":
            return f"step[EXTEND bs=1 toks={TOKENS}]" if is_prefill else f"step[DECODE bs={step}]"
        if self.marks == "ATOM":
            return f"prefill[bs=1 tok={TOKENS}]" if is_prefill else f"decode[bs={step} tok={step}]"
        if self.marks == "TensorRT-LLM":
            requests = "1 ctx reqs, 0 gen reqs" if is_prefill else f"0 ctx reqs, {step} gen reqs"
            return f"[Executor] _forward_step 7: {requests}"
        context, generation = (
            (f"1({TOKENS})", "0(0)") if is_prefill else ("0(0)", f"{step}({step})")
        )
        return f"execute_context_{context}_generation_{generation}"

    def decode(self, batch: int) -> list[list[Launch]]:
        """The one graph of a decode step."""
        return [list(self._model(batch))]

    def prefill(self) -> list[list[Launch]]:
        """The pieces of a prefill, and behind each but the last the attention that runs eagerly."""
        pieces: list[list[Launch]] = [[]]
        for launch in self._model(TOKENS):
            if launch.is_attention != (len(pieces) % 2 == 0):
                pieces.append([])
            pieces[-1].append(launch)
        return pieces

    def _model(self, size: int) -> Iterator[Launch]:
        return (launch._replace(rows=size) for launch in self._launches(size))

    def _launches(self, size: int) -> Iterator[Launch]:
        yield Launch("index_select_kernel", size, ("aten::embedding",), "model.py(10): forward")
        for _ in range(self.layers):
            yield from self._layer(size)
        norm = ("sgl::rmsnorm",)
        yield Launch("rmsnorm_kernel", size, norm, "model.py(10): forward", us=2)
        yield self._product(size, "head", "model.py(10): forward")

    def _layer(self, size: int) -> Iterator[Launch]:
        layer, attend, mlp = (
            f"{name}): forward" for name in ("layer.py(30", "attn.py(55", "mlp.py(9")
        )
        yield Launch("add_rmsnorm_kernel", size, ("sgl::fused_add_rmsnorm",), layer, us=2)
        yield self._product(size, "qkv", attend)
        yield Launch("rotary_kernel", size, ("sgl::rotary_embedding",), attend, us=2)
        cache = ("vllm::unified_kv_cache_update", "_C::reshape_and_cache")
        yield Launch("reshape_and_cache_kernel", size, cache, attend, is_attention=True, us=2)
        attention = ("vllm::unified_attention_with_output",)
        for kernel in ("attention_3d", "reduce_segments") if size >= 8 else ("attention_2d",):
            yield Launch(kernel, 8 * size, attention, attend, is_attention=True, us=15)
        yield self._product(size, "out", attend)
        yield self._compiled("triton_red_fused_add_rms_norm_0", size)
        if self.two_streams:
            yield Launch("shared_gate", size, ("aten::linear", "aten::mm"), mlp, stream=13)
            yield Launch("shared_up", size, ("sgl::shared_expert",), mlp, stream=13)
        yield self._product(size, "up", mlp)
        yield self._compiled("triton_poi_fused_mul_silu_0", size * 4)
        yield self._product(size, "down", mlp)

    @staticmethod
    def _product(size: int, which: str, function: str) -> Launch:
        # Libraries choose by size: batches of one and two have one kernel, four and eight another.
        tile = 16 if size < 4 else 32 if size < 16 else 128
        kernel = f"gemm_{which}_tile{tile}_TN"
        return Launch(kernel, -(-size // tile) * 64, ("aten::linear", "aten::mm"), function, us=12)

    @staticmethod
    def _compiled(kernel: str, blocks: int) -> Launch:
        return Launch(kernel, blocks, (), "", is_compiled=True, us=1.5)


@dataclass(slots=True)
class _File:
    """A Kineto trace while it is written; times in microseconds."""

    engine: Engine
    random: random.Random
    events: list[dict[str, Any]] = field(default_factory=list)
    truth: dict[int, CameFrom] = field(default_factory=dict)
    now: float = 1000.0
    gpu: float = 1000.0
    correlation: int = 0
    external: int = 0

    def save(self, path: Path) -> None:
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": self.events}))

    @contextmanager
    def inside(self, category: str, name: str, **args: object) -> Iterator[None]:
        event: dict[str, Any] = {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1}
        self.events.append(event)
        begin = self.now
        self.now += 1
        yield
        self.now += 1
        event.update(ts=begin, dur=self.now - begin, args=args)

    @contextmanager
    def operator(self, name: str, **args: object) -> Iterator[None]:
        self.external += 1
        with self.inside("cpu_op", name, **{"External id": self.external, **args}):
            yield

    def api(self, name: str, **args: object) -> None:
        self.correlation += 1
        with self.inside("cuda_runtime", name, correlation=self.correlation, **args):
            pass

    def kernel(self, launch: Launch, *, node: int | None = None) -> None:
        """The GPU's side of a launch, for the last api call; `node` is that of a replay."""
        dur = launch.us * self.random.uniform(0.8, 1.3)
        args: dict[str, Any] = {
            "correlation": self.correlation,
            "device": 0,
            "stream": launch.stream,
        }
        if node is not None and self.engine.nodes:
            args |= {"graph id": node >> 32, "graph node id": node}
        if not self.engine.hip or node is None:
            args |= {"grid": [launch.blocks, 1, 1], "block": [128, 1, 1]}
        self.gpu = max(self.gpu, self.now) + 0.5
        event = {"ph": "X", "cat": "kernel", "name": launch.kernel, "pid": 0, "tid": launch.stream}
        self.truth[len(self.events)] = CameFrom(
            launch.ops[0].replace("::", ".") if launch.ops else launch.kernel,
            None if launch.is_compiled else launch.function,
            launch.kernel if launch.is_compiled else None,
            f"bf16[{launch.rows}, {_WIDTH}]" if launch.ops and self.engine.shapes else None,
        )
        self.events.append(event | {"ts": self.gpu, "dur": dur, "args": args})
        self.gpu += dur

    def host_side(self, launch: Launch, *, runs: bool) -> None:
        """The host's side of a launch: frames, operators, the api call."""
        around = [("cpu_op", op) for op in launch.ops]
        if launch.is_compiled:
            key = _KEYS[launch.kernel]
            around = [
                ("user_annotation", "Torch-Compiled Region: 0/0"),
                ("user_annotation", f"## Call CompiledFxGraph {key} ##"),
            ]
        else:
            around.insert(0, ("python_function", launch.function))
        self._enter(around, launch, runs=runs)

    def _enter(self, around: Sequence[tuple[str, str]], launch: Launch, *, runs: bool) -> None:
        if around:
            category, name = around[0]
            noted = launch.shapes if self.engine.shapes else {}
            is_operator = category == "cpu_op"
            opened = self.operator(name, **noted) if is_operator else self.inside(category, name)
            with opened:
                self._enter(around[1:], launch, runs=runs)
            return
        if launch.is_compiled:
            numbers = [str(launch.blocks), *(["64"] if "red" in launch.kernel else [])]
            inputs = {"Concrete Inputs": ["", "", *numbers], "kernel_backend": "triton"}
            with self.operator(
                launch.kernel, **inputs, kernel_kwargs="XBLOCK=1", num_warps=4, num_stages=1
            ):
                self._launch(launch, runs=runs)
        else:
            self._launch(launch, runs=runs)

    def _launch(self, launch: Launch, *, runs: bool) -> None:
        if self.engine.hip:
            self.api("hipModuleLaunchKernel", kernel=launch.kernel)
        else:
            self.api("cuLaunchKernelEx")
        if runs:
            self.kernel(launch)


def capture(path: Path, engine: Engine, sizes: Sequence[int | str], *, marked: bool = True) -> None:
    """Write the profile of captures: a decode graph for each batch size, "prefill" for the pieces.

    `marked` says whether the calls that begin and end a capture were recorded.
    """
    draw = random.Random(f"{engine.seed} {sizes}")  # noqa: S311 -- a made-up world
    file = _File(engine, draw, now=1000 + 100 * draw.random())
    vendor = "hip" if engine.hip else "cuda"
    for size in sizes:
        graphs = engine.prefill() if size == "prefill" else engine.decode(int(size))
        with file.inside("python_function", "engine.py(80): capture"):
            for number, graph in enumerate(graphs):
                runs = number % 2 == 1  # attention between two pieces
                if marked and not runs:
                    file.api(f"{vendor}StreamBeginCapture")
                for launch in graph:
                    file.host_side(launch, runs=runs)
                if marked and not runs:
                    file.api(f"{vendor}StreamEndCapture")
    file.save(path)


def replay(
    path: Path, engine: Engine, steps: Sequence[int | str], *, lost: float = 0.0
) -> dict[int, CameFrom]:
    """Write the profile of steps, each a batch size or "prefill"; the truth of every kernel.

    Of so many kernels the profiler lost the activity.
    """
    file = _File(engine, random.Random(engine.seed))  # noqa: S311 -- a made-up world
    vendor = "hip" if engine.hip else "cuda"
    graph_ids: dict[tuple[int | str, int], int] = {}
    argmax = Launch("argmax_kernel", 4, ("aten::argmax",), "engine.py(20): sample", us=4)
    for step in steps:
        graphs = engine.prefill() if step == "prefill" else engine.decode(int(step))
        marked = file.inside("user_annotation", engine.name_step(step))
        with marked if engine.marks else nullcontext():
            for number, graph in enumerate(graphs):
                if number % 2:
                    for launch in graph:
                        file.host_side(launch, runs=True)
                    continue
                file.api(f"{vendor}GraphLaunch")
                ran = _as_run(graph, file.random) if engine.two_streams else list(enumerate(graph))
                number_of_graph = graph_ids.setdefault((step, number), len(graph_ids) + 1)
                for place, launch in ran:
                    if file.random.random() >= lost:
                        file.kernel(launch, node=(number_of_graph << 32) + place)
        file.host_side(argmax, runs=True)
        file.now = file.gpu = max(file.now, file.gpu) + 50
    file.save(path)
    return file.truth


def _as_run(graph: Sequence[Launch], draw: random.Random) -> list[tuple[int, Launch]]:
    """The launches with their places, in the order in which two streams run them."""
    order = list(enumerate(graph))
    # A launch of the second stream may come a little later than it was captured; each stream keeps
    # its own order.
    for at in range(len(order) - 1):
        late = order[at][1].stream != 7 and order[at + 1][1].stream == 7
        if late and draw.random() < 0.5:
            order[at], order[at + 1] = order[at + 1], order[at]
    return order
