"""What the cases compile: the user's code that source lines in provenance point to.

Scrubbed output names this file /home/user/models.py, with its real line numbers.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"
# -- torch's classes and Triton's language carry no types where torch is not installed

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 -- everybody's name for it
import triton
import triton.language as tl
from torch import Tensor, nn
from torch.nn.attention.flex_attention import flex_attention

Sizes = tuple[int, ...]


class MLP(nn.Module):
    """Layer norm, two linear layers with GELU, dropout, residual."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, time, width) to the same."""
        hidden = F.gelu(self.up(self.norm(x)))
        return x + F.dropout(self.down(hidden), 0.1, training=True)


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


class Heads(nn.Module):
    """Causal self-attention by the operator that a GPU would choose."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.project = nn.Linear(width, width, bias=False)
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, time, width) to the same."""
        batch, time, width = x.shape
        mixed = self.qkv(x).view(batch, time, 3, self.heads, width // self.heads)
        q, k, v = mixed.permute(2, 0, 3, 1, 4)
        flash = torch.ops.aten._scaled_dot_product_flash_attention  # noqa: SLF001 -- an operator
        attended = flash(q, k, v, 0.0, True)[0]
        return self.project(attended.transpose(1, 2).reshape(batch, time, width))


class Layer(nn.Module):
    """Attention and a GELU MLP, each behind a layer norm, with residuals."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Heads(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, time, width) to the same."""
        x = x + self.attention(self.norm1(x))
        hidden = F.gelu(self.up(self.norm2(x)), approximate="tanh")
        return x + self.down(hidden)


class GPT(nn.Module):
    """A small language model: tokens to the loss of predicting the next ones."""

    def __init__(self, vocabulary: int = 50304, width: int = 768, heads: int = 12) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(1024, width)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(2))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens: Tensor, targets: Tensor) -> Tensor:
        """Shapes: (batch, time) of token ids, twice, to a scalar."""
        place = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.places(place)
        for layer in self.layers:
            x = layer(x)
        logits = self.head(self.norm(x))
        return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


def linear_relu(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """A matrix product with an epilogue."""
    return F.relu(x @ weight + bias)


def flash_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The operator that a GPU would choose, called by hand."""
    operator = torch.ops.aten._scaled_dot_product_flash_attention  # noqa: SLF001 -- an operator
    attended: Tensor = operator(q * 2, k, v, 0.0, True)[0]
    return attended.relu()


def flex(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Attention with a bias by distance, each query with the keys up to its own place."""

    def score(value: Tensor, _b: Tensor, _h: Tensor, at: Tensor, key: Tensor) -> Tensor:
        return torch.where(at >= key, value + (key - at), -float("inf"))

    attended: Tensor = flex_attention(q, k, v, score_mod=score)
    return attended.relu()


def foreach_step(weights: list[Tensor], gradients: list[Tensor]) -> list[Tensor]:
    """A step with decay, over lists of tensors."""
    decayed = torch._foreach_mul(weights, 0.9)  # noqa: SLF001 -- the public spelling has none
    return list(torch._foreach_add(decayed, gradients))  # noqa: SLF001 -- as above


def independent(a: Tensor, b: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Three pieces of work that have nothing to do with each other."""
    return a.relu(), b.sigmoid() * 2, c.sum(-1)


def with_host_step(a: Tensor, b: Tensor) -> Tensor:
    """A piece of host work in the middle, which splits CUDA graphs."""
    x = (a @ b).relu()
    scale = x.sum().to("cpu") + 1
    return F.gelu(x * scale.to("cuda")) @ b


def conditional(condition: Tensor, x: Tensor) -> Tensor:
    """Two branches, chosen by data."""
    chosen: Tensor = torch.cond(condition, lambda x: x.sin() + 1, lambda x: x.cos() * 2, (x,))
    return chosen.relu()


def softmax(x: Tensor) -> Tensor:
    """A reduction with more than one good kernel."""
    return F.softmax(x, -1)


def scans(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """A scan, a sort and a bit cast."""
    return x.cumsum(0), torch.sort(x)[0], x.view(torch.int32) + 1


@torch.library.custom_op("mylib::scale", mutates_args=())
def scale(x: Tensor, by: float) -> Tensor:
    """A user's operator, opaque to the compiler."""
    return x * by


@scale.register_fake
def _(x: Tensor, by: float) -> Tensor:  # noqa: ARG001 -- the operator's signature
    return torch.empty_like(x)


def custom_operator(x: Tensor) -> Tensor:
    """A user's operator between two of torch's."""
    scaled: Tensor = torch.ops.mylib.scale(x.sin(), 2.0)
    return scaled.cos()


@triton.jit
def my_add_kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):  # noqa: ANN001, ANN201, N803, D103 -- Triton's language
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(o_ptr + offsets, tl.load(x_ptr + offsets, mask) + tl.load(y_ptr + offsets, mask), mask)


def user_kernel(x: Tensor, y: Tensor) -> Tensor:
    """A user's Triton kernel, then torch's own operators."""
    out = torch.empty_like(x)
    n = x.numel()
    my_add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    return out.relu() + 1


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 256}, num_warps=2),
        triton.Config({"BLOCK": 1024}, num_warps=4),
    ],
    key=["n"],
)
@triton.jit
def my_scale(x_ptr, o_ptr, n, BLOCK: tl.constexpr):  # noqa: ANN001, ANN201, N803, D103 -- Triton's language
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(o_ptr + offsets, tl.load(x_ptr + offsets, mask) * 2, mask)


def tuned_user_kernel(x: Tensor) -> Tensor:
    """A user's Triton kernel with configs to choose from."""
    out = torch.empty_like(x)
    n = x.numel()
    my_scale[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
    return out + 1
