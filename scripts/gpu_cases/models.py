"""What the cases compile beside the models of scripts/fake_gpu.

Scrubbed output names this file /home/user/models.py, with its real line numbers.
"""

# mypy: disable-error-code="misc"
# -- torch's classes carry no types where torch is not installed

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 -- everybody's name for it
from torch import Tensor, nn


class Perceptron(nn.Module):
    """Two MLP blocks: layer norm, GELU, dropout, residual."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.ups = nn.ModuleList(nn.Linear(width, 4 * width) for _ in range(2))
        self.downs = nn.ModuleList(nn.Linear(4 * width, width) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, time, width) to the same."""
        for norm, up, down in zip(self.norms, self.ups, self.downs, strict=True):
            x = x + F.dropout(down(F.gelu(up(norm(x)))), 0.1, training=True)
        return x


class Attention(nn.Module):
    """Layer norm, self-attention, projection, residual."""

    def __init__(self, width: int = 256, heads: int = 4) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, time, width) to the same."""
        batch, time, width = x.shape
        mixed = self.qkv(self.norm(x)).view(batch, time, 3, self.heads, width // self.heads)
        q, k, v = mixed.permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.project(attended.transpose(1, 2).reshape(batch, time, width))


class Conv(nn.Module):
    """Two convolutions with batch norm and pooling, a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 32, 3, padding=1)
        self.norm = nn.BatchNorm2d(32)
        self.second = nn.Conv2d(32, 64, 3, stride=2)
        self.classify = nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, 3, height, width) to (batch, 10)."""
        x = F.relu(self.norm(self.first(x)))
        x = F.max_pool2d(F.relu(self.second(x)), 2)
        return self.classify(x.mean((2, 3))).log_softmax(-1)


class LlamaBlock(nn.Module):
    """RMS norm, rotary self-attention, SwiGLU: a block as large language models have it."""

    def __init__(self, width: int = 256, heads: int = 4) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.project = nn.Linear(width, width, bias=False)
        self.gate = nn.Linear(width, 2 * width, bias=False)
        self.up = nn.Linear(width, 2 * width, bias=False)
        self.down = nn.Linear(2 * width, width, bias=False)
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, time, width) to the same."""
        batch, time, width = x.shape
        size = width // self.heads
        mixed = self.qkv(self.norm1(x)).view(batch, time, 3, self.heads, size)
        q, k, v = mixed.permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(rotary(q), rotary(k), v, is_causal=True)
        x = x + self.project(attended.transpose(1, 2).reshape(batch, time, width))
        hidden = self.norm2(x)
        return x + self.down(F.silu(self.gate(hidden)) * self.up(hidden))


def rotary(x: Tensor) -> Tensor:
    """Rotate pairs of channels by their position; shape (…, time, size) stays."""
    time, size = x.shape[-2:]
    frequencies = 10000.0 ** (-torch.arange(0, size, 2, device=x.device) / size)
    angles = torch.arange(time, device=x.device)[:, None] * frequencies
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


def broken_twice(x: Tensor, weight: Tensor) -> Tensor:
    """Two graph breaks: three graphs run one after the other."""
    x = F.gelu(x @ weight)
    torch._dynamo.graph_break()  # noqa: SLF001 -- the way to ask for one
    x = F.layer_norm(x + 1, x.shape[-1:])
    torch._dynamo.graph_break()  # noqa: SLF001 -- as above
    return (x @ weight).softmax(-1)


def linear_relu(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """A matrix product with an epilogue."""
    return F.relu(x @ weight + bias)


def two_norms(x: Tensor) -> Tensor:
    """Work that has nothing to do with what runs on another stream."""
    return F.layer_norm(F.gelu(x), x.shape[-1:]) * 2


def independent(a: Tensor, b: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Three pieces of work that have nothing to do with each other."""
    return a.relu(), b.sigmoid() * 2, c.sum(-1)


class Language(nn.Module):
    """A language model: embedding, blocks, and a head that gives the loss."""

    def __init__(self, depth: int = 4, words: int = 1024, width: int = 256) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(LlamaBlock(width) for _ in range(depth))
        self.norm = nn.RMSNorm(width)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, words: Tensor) -> Tensor:
        """Shapes: (batch, time) of words to the mean loss of the next ones."""
        x = self.embed(words)
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), words[:, 1:].flatten())


class Routed(nn.Module):
    """A mixture of experts as it is written without kernels of one's own: sort, then products."""

    def __init__(self, width: int = 256, experts: int = 4) -> None:
        super().__init__()
        self.route = nn.Linear(width, experts)
        self.ups = nn.Parameter(torch.randn(experts, width, 2 * width) / 16)
        self.downs = nn.Parameter(torch.randn(experts, 2 * width, width) / 16)

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (tokens, width) to the same; every expert takes as many tokens."""
        weight, expert = self.route(x).softmax(-1).max(-1)
        order = expert.argsort()
        groups = x[order].view(len(self.ups), -1, x.shape[-1])
        out = torch.bmm(F.gelu(torch.bmm(groups, self.ups)), self.downs).view_as(x)
        return torch.zeros_like(x).index_copy(0, order, out) * weight[:, None]


def three_products(x: Tensor, weight: Tensor) -> Tensor:
    """Three products in a row with nothing generated between them."""
    return F.silu(x @ weight @ weight @ weight)


def sorted_rows(x: Tensor) -> Tensor:
    """A sort of long rows, which one library call does in several launches."""
    return x.sort(-1).values.cumsum(-1)
