"""Programs that waste time in one way each, and programs that do not: what reasons are tested with.

Each is a function and its arguments on the default device. What Inductor makes of them is its own
choice: nothing here was changed after looking at the answers.
"""

# mypy: disable-error-code="misc,no-untyped-call"
# -- torch's functions carry no types where torch is not installed

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
import torch.nn.functional as F  # noqa: N812 -- everybody's name for it
from torch import Tensor

Program = tuple[Callable[..., object], tuple[object, ...]]


def _f(*size: int) -> Tensor:
    return torch.randn(*size)


def _b(*size: int) -> Tensor:
    return torch.randn(*size, dtype=torch.bfloat16)


def every_eighth() -> Program:
    """Every eighth column: a sector for every element."""
    return (lambda x: x[:, ::8] * 2 + 1), (_f(8192, 8192),)


def column() -> Program:
    """One of 16 neighbouring channels."""
    return (lambda x: x[..., 0].sigmoid()), (_f(4096, 1024, 16),)


def three_orders() -> Program:
    """Operands in three orders: two dimensions of a tile suffice."""

    def run(x: Tensor, y: Tensor, z: Tensor) -> Tensor:
        return x.permute(2, 1, 0) + y.permute(1, 0, 2) * z

    return run, (_f(256, 256, 512), _f(256, 512, 256), _f(512, 256, 256))


def whole_sum() -> Program:
    """A sum over everything, in two kernels."""
    return (lambda x: x.square().sum()), (_f(1 << 26),)


def column_sums() -> Program:
    """Sums of long columns, in two kernels."""
    return (lambda x: (x * 2).sum(0)), (_f(1 << 18, 64),)


def twice_computed() -> Program:
    """A row sum and a column sum, which Inductor computes in one pass."""

    def run(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        hidden = F.gelu(x * w)
        return hidden.sum(0), hidden.sum(1)

    return run, (_f(8192, 4096), _f(4096))


def computed_for_two() -> Program:
    """Two reductions of one value over different dimensions."""

    def run(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        hidden = F.gelu(x * w)
        return hidden.sum((0, 2)), hidden.amax(1)

    return run, (_f(64, 512, 2048), _f(2048))


def cast_weight() -> Program:
    """A weight cast before a product."""

    def run(x: Tensor, w: Tensor) -> Tensor:
        return x @ w.to(torch.bfloat16)

    return run, (_b(512, 8192), _f(8192, 8192))


def turned() -> Program:
    """A transposed copy before a product."""

    def run(x: Tensor, w: Tensor) -> Tensor:
        return x.permute(1, 0, 2).reshape(2048, -1) @ w

    return run, (_b(32, 2048, 128), _b(4096, 512))


def float32_product() -> Program:
    """A large product in float32."""
    return torch.mm, (_f(4096, 4096), _f(4096, 4096))


def odd_vocabulary() -> Program:
    """A product with a vocabulary of an odd size."""
    return torch.mm, (_b(8192, 1024), _b(1024, 50257))


def few_more_than_a_tile() -> Program:
    """Products of 65 rows and columns."""
    return torch.bmm, (_b(512, 65, 1024), _b(512, 1024, 65))


def many_small() -> Program:
    """Many small calls one after the other."""

    def run(x: Tensor, weights: list[Tensor]) -> Tensor:
        for weight in weights:
            x = F.relu(x @ weight)
        return x

    return run, (_b(32, 64), [_b(64, 64) for _ in range(24)])


def few_rows() -> Program:
    """A softmax over a few long rows."""
    return (lambda x: F.softmax(x, -1)), (_f(12, 500_000),)


def two_passes() -> Program:
    """A scan, and a pooling of what it made."""

    def run(x: Tensor) -> Tensor:
        return F.avg_pool2d((x * 2).relu().cumsum(-1), 2) + 1

    return run, (_f(64, 64, 256, 256),)


def quiet_pointwise() -> Program:
    """One pointwise kernel."""
    return (lambda x, y: F.relu(x * 2 + y)), (_b(8192, 8192), _b(8192, 8192))


def softmax_and_sum() -> Program:
    """A softmax of a value, and its column sums."""

    def run(x: Tensor, scale: Tensor) -> tuple[Tensor, Tensor]:
        scores = torch.tanh(x * scale)
        return F.softmax(scores, -1), scores.sum(0)

    return run, (_f(4096, 8192), _f(8192))


def quiet_softmax() -> Program:
    """One kernel that reads every row once."""
    return (lambda x: F.softmax(x, -1)), (_b(65536, 1024),)


def quiet_transpose() -> Program:
    """A transposed operand, read in tiles."""
    return (lambda x, y: x.t() + y), (_f(8192, 4096), _f(4096, 8192))


def quiet_norm() -> Program:
    """One kernel that normalises rows."""

    def run(x: Tensor, w: Tensor) -> Tensor:
        return x * x.pow(2).mean(-1, keepdim=True).rsqrt() * w

    return run, (_b(65536, 4096), _b(4096))


def quiet_product() -> Program:
    """A large product in bfloat16."""
    return torch.mm, (_b(8192, 4096), _b(4096, 8192))


def quiet_embedding() -> Program:
    """Rows of a table, scaled."""
    return (lambda i, w: F.embedding(i, w) * 2), (
        torch.randint(0, 50257, (64, 2048)),
        _b(50257, 1024),
    )


_ALL = (
    every_eighth,
    column,
    three_orders,
    whole_sum,
    column_sums,
    twice_computed,
    computed_for_two,
    cast_weight,
    turned,
    float32_product,
    odd_vocabulary,
    few_more_than_a_tile,
    many_small,
    few_rows,
    two_passes,
    quiet_pointwise,
    softmax_and_sum,
    quiet_softmax,
    quiet_transpose,
    quiet_norm,
    quiet_product,
    quiet_embedding,
)

CAUSES: Mapping[str, Callable[[], Program]] = {build.__name__: build for build in _ALL}
