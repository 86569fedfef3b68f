"""Equal layers: compiled one by one, and as serving engines run them, captured into CUDA graphs.

Scrubbed output names this file /home/user/layers.py, with its lines when it was recorded.
"""

# mypy: disable-error-code="misc"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 -- everybody's name for it
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from gpu_cases.models import LlamaBlock


class NumberedBlock(LlamaBlock):
    """A block that uses its number, as GPT-2 can scale by it: each one is compiled by itself."""

    def __init__(self, number: int, width: int = 256) -> None:
        super().__init__(width)
        self.number = number

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, time, width) to the same."""
        return super().forward(x) / (self.number + 1)


class Stacked(nn.Module):
    """Blocks that are compiled one by one, between an embedding and a head that are not."""

    def __init__(self, blocks: Iterable[nn.Module], words: int = 1024, width: int = 256) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.RMSNorm(width)
        self.head = nn.Linear(width, words, bias=False)
        for block in self.blocks:
            block.compile()

    def forward(self, words: Tensor) -> Tensor:
        """Shapes: (batch, time) of words to (batch, time, words) of logits."""
        x = self.embed(words)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Checkpointed(nn.Module):
    """Blocks whose activations are made again for the backward."""

    def __init__(self, depth: int = 4, width: int = 512) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(LlamaBlock(width, 8) for _ in range(depth))

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, time, width) to the same."""
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


def added_norm(x: Tensor, residual: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """A residual added, and its RMS norm: what serving engines compile between library calls."""
    residual = residual + x
    return F.rms_norm(residual, residual.shape[-1:], weight), residual


def gated(x: Tensor) -> Tensor:
    """SwiGLU of two halves."""
    gate, up = x.chunk(2, -1)
    return F.silu(gate) * up


class DecodeLayer(nn.Module):
    """One token per sequence: products and attention eagerly, norm and gate compiled."""

    norm = staticmethod(lambda *inputs: _compiled(added_norm)(*inputs))  # noqa: PLW0108 -- later
    gate = staticmethod(lambda *inputs: _compiled(gated)(*inputs))  # noqa: PLW0108 -- later

    def __init__(self, batch: int, width: int = 512, heads: int = 8, length: int = 256) -> None:
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.project = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 8 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)
        self.weights = nn.ParameterList(torch.ones(width) for _ in range(2))
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(batch, heads, length, width // heads))
        self.heads = heads

    def forward(self, x: Tensor, residual: Tensor, position: Tensor) -> tuple[Tensor, Tensor]:
        """Shapes: (batch, width) to the same; `position` is where the cache is written."""
        mixed, residual = self.before(x, residual)
        return self.after(self.attend(mixed, position), residual)

    def before(self, x: Tensor, residual: Tensor) -> tuple[Tensor, Tensor]:
        """What comes before attention: norm, and the product that makes queries, keys, values."""
        x, residual = self.norm(x, residual, self.weights[0])
        return self.qkv(x), residual

    def attend(self, mixed: Tensor, position: Tensor) -> Tensor:
        """Write the cache, and attend to what it holds."""
        batch, width = mixed.shape[0], mixed.shape[1] // 3
        q, k, v = mixed.view(batch, 3, self.heads, 1, width // self.heads).unbind(1)
        keys, values = self.keys[:batch], self.values[:batch]
        keys.index_copy_(2, position, k)
        values.index_copy_(2, position, v)
        seen = torch.arange(keys.shape[2], device=mixed.device) <= position
        attended = F.scaled_dot_product_attention(q, keys, values, attn_mask=seen[None])
        return attended.reshape(batch, width)

    def after(self, attended: Tensor, residual: Tensor) -> tuple[Tensor, Tensor]:
        """What comes after attention: the rest of the layer."""
        x, residual = self.norm(self.project(attended), residual, self.weights[1])
        return self.down(self.gate(self.up(x))), residual


class Decoder(nn.Module):
    """Equal layers that write a cache of keys and values, and the CUDA graphs of some batches."""

    BATCHES: tuple[int, ...] = (4, 2, 1)

    def __init__(self, depth: int = 12, words: int = 1024, width: int = 512) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.layers = nn.ModuleList(DecodeLayer(max(self.BATCHES), width) for _ in range(depth))
        self.head = nn.Linear(width, words, bias=False)
        self.register_buffer("words", torch.zeros(max(self.BATCHES), dtype=torch.long))
        self.register_buffer("position", torch.zeros(1, dtype=torch.long))
        self.graphs: dict[int, list[torch.cuda.CUDAGraph]] = {}
        self.logits: dict[int, Tensor] = {}

    def forward(self, batch: int) -> Tensor:
        """The logits of the first `batch` of `words`."""
        x = self.embed(self.words[:batch])
        residual = torch.zeros_like(x)
        for layer in self.layers:
            x, residual = layer(x, residual, self.position)
        return self.head(residual + x)

    def warm_up(self, batch: int) -> None:
        """Compile, and have libraries make what they need."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream), torch.no_grad():
            for _ in range(2):
                self(batch)
        torch.cuda.current_stream().wait_stream(stream)

    def capture(self, batch: int) -> None:
        """Make the graph of `batch`."""
        self.graphs[batch] = []
        with torch.no_grad(), self._captured(batch):
            self.logits[batch] = self(batch)

    def replay(self, batch: int) -> None:
        """A decode step: the graph, then the choice of the next words eagerly."""
        self.run(batch)
        self.words[:batch].copy_(self.logits[batch].argmax(-1))
        self.position.add_(1)

    def run(self, batch: int) -> None:
        """The graph of `batch`."""
        self.graphs[batch][0].replay()

    @contextmanager
    def _captured(self, batch: int) -> Iterator[None]:
        """What runs inside becomes one more graph of `batch`."""
        graph = torch.cuda.CUDAGraph(keep_graph=True)
        with torch.cuda.graph(graph):
            yield
        graph.instantiate()
        self.graphs[batch].append(graph)


class PiecewiseDecoder(Decoder):
    """The same in pieces, as vLLM has it by default: attention runs eagerly between small graphs.

    The first piece ends before the first attention, and the last begins behind the last one; those
    between are equal.
    """

    BATCHES = (4,)

    def capture(self, batch: int) -> None:
        """Make the graphs of `batch`."""
        self.graphs[batch] = []
        self.mixed: list[Tensor] = []
        self.attended: list[Tensor] = []
        with torch.no_grad():
            with self._captured(batch):
                x = self.embed(self.words[:batch])
                mixed, residual = self.layers[0].before(x, torch.zeros_like(x))
            for number, layer in enumerate(self.layers):
                self.mixed.append(mixed)
                self.attended.append(torch.zeros_like(residual))
                with self._captured(batch):
                    x, residual = layer.after(self.attended[-1], residual)
                    if number + 1 < len(self.layers):
                        mixed, residual = self.layers[number + 1].before(x, residual)
                    else:
                        self.logits[batch] = self.head(residual + x)

    def run(self, batch: int) -> None:
        """The pieces of `batch`, and attention between them."""
        first, *others = self.graphs[batch]
        first.replay()
        with torch.no_grad():
            for number, graph in enumerate(others):
                attended = self.layers[number].attend(self.mixed[number], self.position)
                self.attended[number].copy_(attended)
                graph.replay()


_COMPILED: dict[Callable[..., object], Callable[..., Any]] = {}


def _compiled(function: Callable[..., object]) -> Callable[..., Any]:
    """The function, compiled for every shape by itself; all layers share it."""
    if function not in _COMPILED:
        _COMPILED[function] = torch.compile(function, dynamic=False)
    return _COMPILED[function]
