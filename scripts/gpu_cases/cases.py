"""The cases. Each is small: a few steps of it must be a sample that one can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from itertools import cycle

import torch
from torch import Tensor, nn

from gpu_cases import layers, models, reasons
from gpu_cases.case import Beside, Case, Need, Step

_GPU = (Need.GPU, Need.TRITON)


def _trained(
    make: Callable[[], nn.Module], *size: int, dtype: torch.dtype = torch.float32
) -> Callable[[str], Step]:
    """Steps of forward, loss, backward and optimizer."""

    def build(device: str) -> Step:
        model = make().to(device, dtype)
        compiled = torch.compile(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        x = torch.randn(*size, device=device, dtype=dtype)

        def step() -> None:
            compiled(x).float().square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()

        return step

    return build


def _called(
    function: Callable[..., object], *sizes: tuple[int, ...], mode: str | None = None
) -> Callable[[str], Step]:
    """Steps that call a compiled function on random tensors, without gradients."""

    def build(device: str) -> Step:
        compiled = torch.compile(function, mode=mode)
        dtype = torch.half if device == "cuda" else torch.float32
        arguments = [torch.randn(*size, device=device, dtype=dtype) for size in sizes]

        def step() -> None:
            with torch.no_grad():
                compiled(*arguments)

        return step

    return build


def _optimizer(device: str) -> Step:
    parameters = [nn.Parameter(torch.randn(64, 64, device=device)) for _ in range(6)]
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    optimizer = torch.optim.AdamW(parameters, lr=0.01, foreach=True)
    compiled: Step = torch.compile(optimizer.step)
    return compiled


def _dynamic(device: str) -> Step:
    """Three lengths in turn: the first compiles, the second compiles again, for any length."""
    model = models.Attention().to(device)
    compiled = torch.compile(model)
    inputs = cycle([torch.randn(2, time, 256, device=device) for time in (64, 96, 80)])

    def step() -> None:
        compiled(next(inputs)).square().mean().backward()

    return step


def _user_kernels(device: str) -> Step:
    fake = import_module("fake_gpu.models")  # needs triton
    plain, tuned = torch.compile(fake.user_kernel), torch.compile(fake.tuned_user_kernel)
    x, y = torch.randn(4096, device=device), torch.randn(4096, device=device)

    def step() -> None:
        plain(x, y)
        tuned(x)

    return step


def _two_streams(device: str) -> Step:
    first, second = torch.compile(models.two_norms), torch.compile(models.linear_relu)
    a, b, c = (torch.randn(512, 512, device=device) for _ in range(3))
    runs: list[Callable[[], object]] = [lambda: first(a), lambda: second(a, b, c)]
    streams = [torch.cuda.Stream() for _ in runs]

    def step() -> None:
        for stream, run in zip(streams, runs, strict=True):
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                run()
        for stream in streams:
            torch.cuda.current_stream().wait_stream(stream)

    return step


def _replayed(device: str) -> Step:
    """Forward and backward of an MLP, each one CUDA graph."""
    model = models.Perceptron().to(device)
    compiled = torch.compile(model, mode="reduce-overhead")
    x = torch.randn(8, 128, 256, device=device)

    def step() -> None:
        model.zero_grad()  # the gradients lie in the graph's memory, which the next run overwrites
        torch.compiler.cudagraph_mark_step_begin()
        loss: Tensor = compiled(x).square().mean()
        loss.backward()

    return step


def _language(device: str) -> Step:
    """A training step as people write it: only the model is compiled, all else runs eagerly."""
    model = models.Language().to(device)
    compiled = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    words = torch.randint(1024, (4, 128), device=device)

    def step() -> None:
        with torch.autocast(device, torch.bfloat16):
            loss = compiled(words.roll(1, 0))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        loss.item()

    return step


def _decoded(device: str) -> Step:
    """The language model without gradients, one CUDA graph, between eager sampling."""
    model = models.Language().to(device, torch.bfloat16)
    compiled = torch.compile(model, mode="reduce-overhead")
    words = torch.randint(1024, (4, 128), device=device)

    def step() -> None:
        torch.compiler.cudagraph_mark_step_begin()
        with torch.no_grad():
            loss = compiled(words)
            torch.multinomial(loss.float().softmax(0).expand(4), 1)

    return step


def _routed(device: str) -> Step:
    """Sorts, products in a row, copies: what libraries launch says little of its call."""
    routed = models.Routed().to(device)
    compiled = [torch.compile(f) for f in (routed, models.three_products, models.sorted_rows)]
    tokens, weight = torch.randn(512, 256, device=device), torch.randn(256, 256, device=device) / 16
    rows = torch.randn(64, 8192, device=device)

    def step() -> None:
        with torch.no_grad():
            compiled[0](tokens)
            compiled[1](tokens, weight)
            compiled[2](rows)

    return step


def _stacked(device: str) -> Step:
    """Twelve equal blocks, compiled one by one, of which torch compiles the first only."""
    model = layers.Stacked(models.LlamaBlock() for _ in range(12)).to(device, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    words = torch.randint(1024, (4, 128), device=device)

    def step() -> None:
        model(words).float().logsumexp(-1).mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def _numbered(device: str) -> Step:
    """Six blocks that differ in a number: as many graphs, with kernels of the same names."""
    model = layers.Stacked(map(layers.NumberedBlock, range(6))).to(device, torch.bfloat16)
    words = torch.randint(1024, (4, 128), device=device)

    def step() -> None:
        with torch.no_grad():
            model(words)

    return step


def _three_models(device: str) -> Step:
    """Three compiled models, trained in a row."""
    parts = (models.LlamaBlock(), models.Attention(), models.Perceptron())
    compiled = [torch.compile(part.to(device)) for part in parts]
    x = torch.randn(4, 128, 256, device=device)

    def step() -> None:
        y = x
        for part in compiled:
            y = part(y)
        y.square().mean().backward()

    return step


def _captured(make: Callable[[], layers.Decoder]) -> Callable[[str], Step]:
    """Steps that each make the graphs of one batch size, then steps that replay them in turn."""

    def build(device: str) -> Step:
        model = make().to(device, torch.bfloat16)
        made = iter(model.BATCHES)
        replayed = cycle(model.BATCHES)

        def step() -> None:
            batch = next(made, None)
            if batch is None:
                model.replay(next(replayed))
            else:
                model.warm_up(batch)
                model.capture(batch)

        return step

    return build


def _replayed_batch(step: int) -> Sequence[int]:
    """Which of its captures, in their order, a step of a Decoder replays."""
    count = len(layers.Decoder.BATCHES)
    return [(step - count) % count]


def _pairs(device: str) -> Step:
    """Each pair of reasons.py in its order, the slow one first."""
    runs: list[tuple[Callable[..., Tensor], tuple[Tensor, ...]]] = []
    for pair in reasons.pairs(device):
        slow = torch.compile(pair.function, dynamic=False)
        runs.append((slow, pair.slow()))
        fast = torch.compile(pair.other or pair.function, dynamic=False)
        runs.append((fast, pair.fast()))

    def step() -> None:
        with torch.no_grad():
            for function, arguments in runs:
                function(*arguments)

    return step


def _two_threads(device: str) -> Step:
    """Two threads that run compiled models at the same time, on the same stream."""
    blocks = [models.LlamaBlock().to(device), models.Perceptron().to(device)]
    compiled = [torch.compile(block) for block in blocks]
    x = torch.randn(4, 128, 256, device=device)

    def run(function: Callable[[Tensor], Tensor]) -> None:
        with torch.no_grad():
            for _ in range(3):
                function(x)

    for function in compiled:
        run(function)
    pool = ThreadPoolExecutor(len(compiled))

    def step() -> None:
        for done in [pool.submit(run, function) for function in compiled]:
            done.result()

    return step


_MLP = _trained(models.Perceptron, 8, 128, 256)
_LLAMA = _trained(models.LlamaBlock, 4, 128, 256, dtype=torch.bfloat16)
_WIDE_LLAMA = _trained(lambda: models.LlamaBlock(1024, 16), 8, 1024, 1024, dtype=torch.bfloat16)
_PRODUCT = ((512, 256), (256, 1024), (1024,))

CASES: tuple[Case, ...] = (
    Case(name="mlp_train", title="MLP with layer norm, GELU and dropout, trained", build=_MLP),
    Case(
        name="attention_train",
        title="Self-attention with flash SDPA, trained",
        build=_trained(models.Attention, 4, 128, 256, dtype=torch.bfloat16),
    ),
    Case(name="conv_train", title="A conv net, trained", build=_trained(models.Conv, 8, 3, 64, 64)),
    Case(
        name="llama_train",
        title="A Llama-like block in bf16: RMS norm, rotary, SwiGLU; trained",
        build=_LLAMA,
    ),
    Case(
        name="max_autotune",
        title="max-autotune: templates with an epilogue",
        build=_called(models.linear_relu, *_PRODUCT),
        needs=_GPU,
        config={
            "max_autotune": True,
            "max_autotune_gemm_backends": "ATEN,TRITON",
            "epilogue_fusion": True,
        },
    ),
    Case(name="foreach_optimizer", title="A compiled optimizer with foreach", build=_optimizer),
    Case(
        name="combo_kernels",
        title="Combo kernels: independent work in one launch",
        build=_called(models.independent, (1024,), (64, 64), (128, 512)),
        needs=_GPU,
        config={"combo_kernels": True, "benchmark_combo_kernel": False},
    ),
    Case(
        name="user_triton",
        title="User Triton kernels, one of them autotuned",
        build=_user_kernels,
        needs=_GPU,
    ),
    Case(
        name="dynamic_recompile",
        title="Dynamic shapes with a recompile",
        build=_dynamic,
        notes="Lengths 64, 96, 80 in turn; both the static and the dynamic code are in the log.",
    ),
    Case(
        name="graph_breaks",
        title="Two graph breaks: three graphs in a row",
        build=_called(models.broken_twice, (256, 128), (128, 128)),
    ),
    Case(
        name="cuda_graphs",
        title='mode="reduce-overhead": replays without node annotations',
        build=_replayed,
        needs=_GPU,
        warmup=5,
        cuda_graphs=True,
    ),
    Case(
        name="cuda_graphs_annotated",
        title='mode="reduce-overhead": replays whose nodes torch\'s graph annotations tell',
        build=_replayed,
        needs=(*_GPU, Need.NODE_IDS),
        warmup=5,
        cuda_graphs=True,
        annotations=True,
    ),
    Case(
        name="names_not_unique",
        title="unique_kernel_names off: every kernel is called triton_",
        build=_MLP,
        needs=_GPU,
        config={"triton.unique_kernel_names": False},
    ),
    Case(name="two_streams", title="Two graphs on two streams", build=_two_streams, needs=_GPU),
    Case(
        name="provenance_off",
        title="The MLP without provenance",
        build=_MLP,
        config={"trace.provenance_tracking_level": 0},
        notes="No handles and no node mappings, as in a run that nobody prepared.",
    ),
    Case(
        name="autotune_inside",
        title="Compilation and autotuning inside the window",
        build=_called(models.linear_relu, *_PRODUCT, mode="max-autotune-no-cudagraphs"),
        needs=_GPU,
        warmup=0,
    ),
    Case(
        name="language_train",
        title="A language model, trained in bf16 as people write it: eager clipping and AdamW",
        build=_language,
    ),
    Case(name="routed", title="Mixture of experts, products in a row, sorts", build=_routed),
    Case(name="two_threads", title="Two threads, a model each, at once", build=_two_threads),
    Case(
        name="decode_graphs",
        title='A language model in mode="reduce-overhead", with eager sampling',
        build=_decoded,
        needs=_GPU,
        warmup=5,
        cuda_graphs=True,
    ),
    Case(
        name="equal_layers",
        title="Twelve equal blocks compiled one by one: one graph runs twelve times; trained",
        build=_stacked,
        steps=2,
    ),
    Case(
        name="layers_own_code",
        title="Six blocks that differ in a number: six graphs whose kernels have the same names",
        build=_numbered,
    ),
    Case(
        name="code_withheld",
        title="Three models, trained; the code of the second is not there",
        build=_three_models,
        withheld=("1/0",),
        notes="The code of compile id 1/0, an attention, was taken out; truth.json knows it.",
    ),
    Case(
        name="lost_kernels",
        title="A profiler that stopped while the GPU was behind: kernels are missing",
        build=_trained(lambda: models.Perceptron(1024), 8, 512, 1024),
        needs=_GPU,
        steps=6,
        stops_early=True,
        notes="torch.cuda.synchronize did nothing when the profiler stopped.",
    ),
    Case(
        name="captured_eager",
        title="Eager and compiled decoding captured into CUDA graphs of three batch sizes",
        build=_captured(layers.Decoder),
        needs=_GPU,
        warmup=5,
        steps=6,
        cuda_graphs=True,
        replayed=_replayed_batch,
        model="Decoder",
        beside=(Beside.CAPTURES,),
    ),
    Case(
        name="captured_pieces",
        title="The same in thirteen CUDA graphs, with attention eagerly between them",
        build=_captured(layers.PiecewiseDecoder),
        needs=_GPU,
        warmup=5,
        cuda_graphs=True,
        replayed=lambda _: range(13),
        model="PiecewiseDecoder",
        beside=(Beside.CAPTURES,),
    ),
    Case(
        name="reason_pairs",
        title="Pairs of kernels, one with a reason to be slow, with counters of the GPU",
        build=_pairs,
        needs=_GPU,
        beside=(Beside.COUNTERS,),
        notes="Each graph is one half of a pair of scripts/gpu_cases/reasons.py, in its order.",
    ),
    Case(
        name="wide_llama",
        title="A wide Llama-like block in bf16, trained, with counters of the GPU",
        build=_WIDE_LLAMA,
        needs=_GPU,
        keeps_settings=True,
        beside=(Beside.COUNTERS,),
    ),
    Case(
        name="wide_llama_unfused",
        title="The same with max_fusion_size = 2 and epilogue_fusion = False",
        build=_WIDE_LLAMA,
        needs=_GPU,
        config={"max_fusion_size": 2, "epilogue_fusion": False},
        keeps_settings=True,
    ),
    Case(
        name="wide_conv",
        title="A conv net on large images, trained, with counters of the GPU",
        build=_trained(models.Conv, 64, 3, 128, 128),
        needs=_GPU,
        beside=(Beside.COUNTERS,),
    ),
    Case(
        name="memory_mlp",
        title="The MLP with every allocation recorded",
        build=_MLP,
        needs=_GPU,
        memory=True,
    ),
    Case(
        name="memory_llama",
        title="The Llama-like block with every allocation recorded",
        build=_LLAMA,
        needs=_GPU,
        memory=True,
    ),
    Case(
        name="memory_graphs",
        title="The MLP in CUDA graphs with every allocation recorded, with counters of the GPU",
        build=_replayed,
        needs=_GPU,
        warmup=5,
        cuda_graphs=True,
        memory=True,
        beside=(Beside.COUNTERS,),
    ),
    Case(
        name="memory_checkpointed",
        title="Four blocks under torch.utils.checkpoint, trained, with every allocation recorded",
        build=_trained(layers.Checkpointed, 8, 256, 512, dtype=torch.bfloat16),
        needs=_GPU,
        memory=True,
    ),
)
