"""Small programs for torch.compile on a CPU: by name a function that gives what to run.

What it gives takes no arguments and runs one step, forward and backward where there is one. torch
is imported in the functions, since whoever lists the names needs none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Step = Callable[[], object]
_BATCH, _WIDTH = 64, 256
CASES: dict[str, Callable[[], Step]] = {}


def _case(make: Callable[[], Step]) -> Callable[[], Step]:
    CASES[make.__name__] = make
    return make


def _training(model: Any, *inputs: Any, **options: Any) -> Step:  # noqa: ANN401 -- torch's
    """A step of forward and backward."""
    import torch

    compiled = torch.compile(model, **options)

    def step() -> None:
        for parameter in model.parameters():
            parameter.grad = None
        compiled(*inputs).square().mean().backward()

    return step


def _inference(model: Any, *inputs: Any, **options: Any) -> Step:  # noqa: ANN401 -- torch's
    import torch

    compiled = torch.compile(model, **options)

    def step() -> object:
        with torch.no_grad():
            return compiled(*inputs)

    return step


def _mlp(*, layers: int = 2) -> Any:  # noqa: ANN401 -- torch's
    from torch import nn

    parts = [
        part
        for _ in range(layers)
        for part in (nn.Linear(_WIDTH, 4 * _WIDTH), nn.GELU(), nn.Linear(4 * _WIDTH, _WIDTH))
    ]
    return nn.Sequential(*parts)


def _attention(*, causal: bool = True) -> Any:  # noqa: ANN401 -- torch's
    import torch
    from torch import nn
    from torch.nn import functional

    class Attention(nn.Module):  # type: ignore[misc]  # torch is not followed
        def __init__(self) -> None:
            super().__init__()
            self.mixed = nn.Linear(_WIDTH, 3 * _WIDTH)
            self.out = nn.Linear(_WIDTH, _WIDTH)
            self.norm = nn.LayerNorm(_WIDTH)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            batch, length, width = x.shape
            mixed = self.mixed(self.norm(x)).view(batch, length, 3, 4, width // 4)
            query, key, value = mixed.permute(2, 0, 3, 1, 4)
            attended = functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
            return x + self.out(attended.transpose(1, 2).reshape(batch, length, width))

    return Attention()


def _convolutions() -> Any:  # noqa: ANN401 -- torch's
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 10),
    )


def _rows(*shape: int) -> Any:  # noqa: ANN401 -- torch's
    import torch

    return torch.randn(*(shape or (_BATCH, _WIDTH)))


@_case
def mlp_train() -> Step:
    """A multi-layer perceptron with its backward."""
    return _training(_mlp(), _rows())


@_case
def mlp_inference() -> Step:
    """The same without gradients."""
    return _inference(_mlp(), _rows())


@_case
def attention_train() -> Step:
    """Causal attention, whose library call has results of its own."""
    return _training(_attention(), _rows(4, 64, _WIDTH))


@_case
def attention_inference() -> Step:
    """The same without gradients."""
    return _inference(_attention(), _rows(4, 64, _WIDTH))


@_case
def convolution_train() -> Step:
    """Convolutions and batch norm, in oneDNN."""
    return _training(_convolutions(), _rows(8, 3, 32, 32))


@_case
def convolution_inference() -> Step:
    """The same without gradients."""
    return _inference(_convolutions().eval(), _rows(8, 3, 32, 32))


@_case
def dynamic_shapes() -> Step:
    """A first dimension that is a symbol."""
    import torch

    model, rows = _mlp(), [_rows(size, _WIDTH) for size in (32, 48, 80)]
    compiled = torch.compile(model, dynamic=True)

    def step() -> None:
        for each in rows[-1:]:
            compiled(each).square().mean().backward()

    return step


@_case
def graph_break() -> Step:
    """Two graphs with Python between them."""
    import torch

    first, second = _mlp(layers=1), _mlp(layers=1)

    def forward(x: torch.Tensor) -> torch.Tensor:
        middle = first(x)
        torch._dynamo.graph_break()  # noqa: SLF001 -- how one is asked for
        return second(middle)

    compiled, rows = torch.compile(forward), _rows()
    return lambda: compiled(rows).square().mean().backward()


@_case
def checkpointing() -> Step:
    """Layers whose activations are computed again in the backward."""
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    class Checkpointed(nn.Module):  # type: ignore[misc]  # torch is not followed
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList(_mlp(layers=1) for _ in range(3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for layer in self.layers:
                x = x + checkpoint(layer, x, use_reentrant=False)
            return x

    return _training(Checkpointed(), _rows())


@_case
def optimizer() -> Step:
    """Adam over all parameters in one graph."""
    import torch

    model = _mlp(layers=1)
    adam = torch.optim.Adam(model.parameters(), lr=torch.tensor(1e-3))
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    step = torch.compile(adam.step)
    return lambda: step()  # noqa: PLW0108 -- what compile gives has no type


@_case
def embedding_and_loss() -> Step:
    """A table of words, and a loss that is never returned whole."""
    import torch
    from torch import nn
    from torch.nn import functional

    table, head = nn.Embedding(500, _WIDTH), nn.Linear(_WIDTH, 500)
    words = torch.randint(0, 500, (4, 32))

    def loss(words: torch.Tensor) -> torch.Tensor:
        logits = head(table(words))
        return functional.cross_entropy(logits.view(-1, 500), words.view(-1))

    compiled = torch.compile(loss)
    return lambda: compiled(words).backward()


@_case
def lower_precision() -> Step:
    """Products in bfloat16 under autocast."""
    import torch

    compiled, rows = torch.compile(_mlp()), _rows()

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16):
            result = compiled(rows)
        result.float().square().mean().backward()

    return step


@_case
def sorting() -> Step:
    """Library calls with several results, one of them not used."""
    import torch

    def smallest(x: torch.Tensor) -> torch.Tensor:
        values, _ = torch.sort(x * 2, dim=1)
        best, places = torch.topk(x, 8, dim=1)
        return values[:, :8] + best + places

    return _inference(smallest, _rows())


@_case
def recurrence() -> Step:
    """The same cell many times over, with state that is replaced."""
    import torch
    from torch import nn

    cell = nn.Linear(2 * _WIDTH, _WIDTH)

    def unrolled(x: torch.Tensor) -> torch.Tensor:
        state = torch.zeros_like(x)
        for _ in range(6):
            state = torch.tanh(cell(torch.cat([x, state], dim=1)))
        return state

    compiled, rows = torch.compile(unrolled), _rows()
    return lambda: compiled(rows).square().mean().backward()


@_case
def branches() -> Step:
    """A condition that is decided by data."""
    import torch

    def either(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(
            x.sum() > 0,
            lambda x: (x.sin() @ x).cos(),
            lambda x: (x.cos() @ x).sin() * 2,
            (x,),
        )

    return _inference(either, _rows(128, 128))


@_case
def loop() -> Step:
    """A loop whose length is decided by data."""
    import torch
    from torch._higher_order_ops import while_loop

    def repeated(count: torch.Tensor, x: torch.Tensor) -> object:
        return while_loop(
            lambda count, _: count < 3,  # noqa: PLR2004 -- rounds
            lambda count, x: (count + 1, (x @ x.T).tanh()),
            (count, x),
        )

    return _inference(repeated, torch.tensor(0), _rows(128, 128))


@_case
def planned_memory() -> Step:
    """Buffers in pools that the compiler planned."""
    return _inference(_mlp(), _rows(), options={"memory_planning": True})


@_case
def wrapper_in_cpp() -> Step:
    """The wrapper as C++."""
    return _training(_mlp(), _rows(), options={"cpp_wrapper": True})


@_case
def package() -> Step:
    """AOTInductor's package of a model."""
    import torch

    model, rows = _mlp(), _rows()
    exported = torch.export.export(model, (rows,))
    path = torch._inductor.aoti_compile_and_package(exported, package_path="model.pt2")  # noqa: SLF001 -- its public name
    loaded = torch._inductor.aoti_load_package(path)  # noqa: SLF001 -- as above
    return lambda: loaded(rows)


@_case
def views_and_copies() -> Step:
    """Views that are returned, a copy into an input, and rows that are padded."""
    import torch

    def mixed(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        summed = x @ y
        x.copy_(summed)
        return summed.t(), torch.nn.functional.pad(summed, (0, 3))

    return _inference(mixed, _rows(128, 128), _rows(128, 128))
