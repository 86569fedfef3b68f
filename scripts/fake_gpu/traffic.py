"""Ways to read and write memory, each a kernel of its own: what a count of bytes is tested with.

One function computes all patterns from arguments that they do not share, so that nothing is fused
across them.
"""

# mypy: disable-error-code="misc,no-untyped-call"
# -- torch's functions carry no types where torch is not installed

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812 -- everybody's name for it
from torch import Tensor

Pattern = tuple[Callable[..., object], tuple[Tensor, ...]]


def _f(*size: int) -> Tensor:
    return torch.randn(*size)


def _b(*size: int) -> Tensor:
    return torch.randn(*size, dtype=torch.bfloat16)


def _rows(*size: int, below: int) -> Tensor:
    return torch.randint(0, below, size)


def patterns() -> list[Pattern]:
    """The patterns with their arguments, on the default device."""
    return [
        (lambda x: F.softmax(x, -1), (_b(128, 2048),)),
        (lambda x: F.softmax(x, -1), (_b(16, 100_000),)),
        (lambda x, w, b: F.layer_norm(x, (768,), w, b), (_f(32, 128, 768), _f(768), _f(768))),
        (lambda x, w: x * x.pow(2).mean(-1, keepdim=True).rsqrt() * w, (_b(2048, 4096), _b(4096))),
        (lambda a, b: torch.cat([a, b], 1).relu(), (_f(64, 128), _f(64, 200))),
        (lambda a, b: torch.cat([a, b], 0) * 2, (_f(64, 130), _f(30, 130))),
        (lambda x: F.pad(x, (1, 1, 2, 3)).sin(), (_f(8, 3, 64, 62),)),
        (lambda x: x[:, ::2, 3:60].cos(), (_f(8, 64, 65),)),
        (lambda x: x[2:5] + x[3:6], (_f(8, 64, 66),)),
        (lambda i, w: F.embedding(i, w) * 2, (_rows(8, 512, below=50257), _b(50257, 768))),
        (
            lambda x, i, v: x.index_put((i,), v, accumulate=True),
            (_f(1000, 64), _rows(300, below=1000), _f(300, 64)),
        ),
        (lambda x: x.t().contiguous() + 1, (_f(1000, 700),)),
        (lambda x, y: x.t() + y, (_f(1024, 512), _f(512, 1024))),
        (lambda x: x.permute(0, 2, 3, 1).contiguous().relu(), (_f(8, 64, 28, 28),)),
        (
            lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b).relu(),
            (_f(8, 64, 28, 30), _f(64), _f(64), _f(64), _f(64)),
        ),
        (
            lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b, training=True).relu(),
            (_f(32, 64, 28, 28), _f(64), _f(64), _f(64), _f(64)),
        ),
        (lambda x: F.max_pool2d(x, 3, 2, 1), (_f(8, 64, 56, 56),)),
        (lambda x: F.avg_pool2d(x, 2), (_f(8, 64, 57, 57),)),
        (lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), (_f(4, 16, 28, 28),)),
        (lambda x: x.cumsum(-1), (_f(128, 1024),)),
        (lambda x: (x.argmax(-1), x.max()), (_f(128, 5000),)),
        (lambda x: x.sum(), (_f(1 << 22),)),
        (lambda x: x.sum(0), (_f(8192, 512),)),
        (lambda x: x.mean((2, 3)), (_f(32, 256, 14, 14),)),
        (lambda x, y: x[:, None, :] * y[None, :, :], (_f(64, 128), _f(32, 128))),
        (lambda x: x.expand(64, 1000) + 1, (_f(1000),)),
        (lambda x, y: x.add_(y).mul_(2), (_f(512, 512), _f(512, 512))),
        (lambda x: F.dropout(x, 0.1, training=True), (_f(512, 513),)),
        (lambda x: torch.roll(x, (3, 5), (0, 1)) * 2, (_f(300, 700),)),
        (lambda x: x.flip(1) + 1, (_f(300, 701),)),
        (lambda x: x.tril() + 1, (_f(300, 302),)),
        (F.cross_entropy, (_f(512, 32000), _rows(512, below=32000))),
        (lambda x, i: x.gather(1, i) * 2, (_f(512, 320), _rows(512, 7, below=320))),
        (lambda c, x, y: torch.where(c > 0, x, y), (_f(512, 514), _f(512, 514), _f(512, 1))),
        (lambda x, w, b: F.group_norm(x, 8, w, b), (_f(8, 64, 28, 31), _f(64), _f(64))),
        (
            lambda q, c, s: q * c + torch.cat((-q[..., 64:], q[..., :64]), -1) * s,
            (_b(2, 16, 512, 128), _b(512, 128), _b(512, 128)),
        ),
        (lambda x: x.view(64, 8, 16).transpose(0, 1).reshape(8, 1024).relu(), (_f(64, 128),)),
        (lambda x: x[:, 0] * 2 + x[:, -1], (_f(64, 100, 128),)),
        (lambda x: F.silu(x[..., :4096]) * x[..., 4096:], (_b(4, 512, 8192),)),
        (lambda a, b: torch.stack([a, b], -1).flatten(-2), (_f(100, 64), _f(100, 64))),
        (lambda x: x.unfold(1, 8, 4).sum(-1), (_f(100, 64),)),
        (lambda x: torch.sort(x)[0], (_f(128, 64),)),
        (lambda x: torch.var_mean(x, -1), (_f(128, 70_000),)),
        (lambda x: (x.float() * 0.1).bfloat16(), (_rows(512, 516, below=100).to(torch.int8),)),
        (lambda x, y: x + y, (_f(333, 77), _f(77))),
    ]


def traffic(chosen: list[Pattern]) -> Callable[..., object]:
    """One function of the arguments of all patterns, in order."""

    def run(*arguments: Tensor) -> list[object]:
        results, at = [], 0
        for function, pattern_arguments in chosen:
            results.append(function(*arguments[at : at + len(pattern_arguments)]))
            at += len(pattern_arguments)
        return results

    return run
