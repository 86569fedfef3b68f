"""Pairs of compiled functions: one kernel has a reason to be slow, the other does the same without.

Scrubbed output names this file /home/user/reasons.py, with its real line numbers. `PAIRS` runs in
its order, the slow one of each pair first; each function is compiled for its own inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

SIZE = 1 << 24
ROWS = 4096


def scaled(x: Tensor) -> Tensor:
    """A read and a write per element."""
    return x * 2 + 1


def every_thirtieth(x: Tensor) -> Tensor:
    """One of 32 neighbouring elements is read."""
    return x[:, 0] * 2 + 1


def gathered(x: Tensor, index: Tensor) -> Tensor:
    """Elements are read in the order of `index`."""
    return x[index] * 2


def added_up(x: Tensor, index: Tensor) -> Tensor:
    """Elements are added where `index` says, as many at once as it repeats."""
    return torch.zeros_like(x).index_add(0, index, x)


def transcendental(x: Tensor) -> Tensor:
    """Many functions per element."""
    for _ in range(6):
        x = x.sin().exp().tanh().erf()
    return x


def summed(x: Tensor) -> Tensor:
    """Rows are summed."""
    return x.sum(-1)


def normalized(x: Tensor) -> Tensor:
    """A softmax of each row."""
    return x.softmax(-1)


def product(x: Tensor, y: Tensor) -> Tensor:
    """A matrix product."""
    return x @ y


@dataclass(frozen=True, slots=True)
class Pair:
    """What is slow about the first inputs, and the inputs; each is made by a function of its own.

    `other` is what runs on the second inputs, where that is another function.
    """

    reason: str
    function: Callable[..., Tensor]
    slow: Callable[[], tuple[Tensor, ...]]
    fast: Callable[[], tuple[Tensor, ...]]
    other: Callable[..., Tensor] | None = None


def pairs(device: str) -> tuple[Pair, ...]:
    """The pairs, on `device`."""

    def random(*size: int, dtype: torch.dtype = torch.float32) -> Tensor:
        return torch.randn(*size, device=device, dtype=dtype)

    def shuffled() -> Tensor:
        return torch.randperm(SIZE, device=device)

    def in_order() -> Tensor:
        return torch.arange(SIZE, device=device)

    half = torch.half
    return (
        Pair(
            "reads with a stride",
            every_thirtieth,
            lambda: (random(SIZE // 8, 32),),
            lambda: (random(SIZE // 8),),
            scaled,
        ),
        Pair(
            "rows that are not aligned",
            normalized,
            lambda: (random(ROWS, 4095),),
            lambda: (random(ROWS, 4096),),
        ),
        Pair(
            "a gather in no order",
            gathered,
            lambda: (random(SIZE), shuffled()),
            lambda: (random(SIZE), in_order()),
        ),
        Pair(
            "atomic additions to few places",
            added_up,
            lambda: (random(SIZE), shuffled() % 64),
            lambda: (random(SIZE), in_order()),
        ),
        Pair(
            "transcendental functions",
            transcendental,
            lambda: (random(SIZE),),
            lambda: (random(SIZE),),
            scaled,
        ),
        Pair(
            "a reduction over few rows",
            summed,
            lambda: (random(3, SIZE // 3),),
            lambda: (random(ROWS, ROWS),),
        ),
        Pair("a tiny kernel", scaled, lambda: (random(100),), lambda: (random(SIZE),)),
        Pair(
            "sizes that a product pads",
            product,
            lambda: (random(4095, 4095, dtype=half), random(4095, 4095, dtype=half)),
            lambda: (random(4096, 4096, dtype=half), random(4096, 4096, dtype=half)),
        ),
        Pair(
            "no tensor cores",
            product,
            lambda: (random(2048, 2048), random(2048, 2048)),
            lambda: (random(2048, 2048, dtype=half), random(2048, 2048, dtype=half)),
        ),
    )
