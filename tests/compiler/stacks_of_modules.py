# mypy: disable-error-code="misc"
# -- torch's classes carry no types where torch is not installed
"""A program for test_module_truth.py: models, compiled under TORCH_TRACE, and what torch knows.

Prints per graph the path of each node's module from `nn_module_stack`, which no log has.
"""

from __future__ import annotations

import json
import sys

import torch
import torch.nn.functional as F  # noqa: N812 -- everybody's name for it
from torch import Tensor, fx, nn

FOUND: list[dict[str, list[str]]] = []


class Norm(nn.Module):
    """A norm with a weight of its own, which its own code names."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.pow(2).mean(-1, keepdim=True)
        x = x * torch.rsqrt(mean + 1e-5)
        return x * self.weight


class Attention(nn.Module):
    """A helper method between parameters of one line."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)

    def split(self, x: Tensor) -> Tensor:
        return x.view(2, 8, 2, -1).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = q @ k.transpose(-1, -2)
        weights = F.softmax(scores / 8, -1)
        return self.out((weights @ v).transpose(1, 2).reshape(x.shape))


class Gate(nn.Module):
    """The same lines with a parameter in one instance and without in the next."""

    def __init__(self, width: int, *, bare: bool) -> None:
        super().__init__()
        self.down = nn.Identity() if bare else nn.Linear(width, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        y = self.drop(self.down(torch.tanh(x)))
        y = y + self.down(x)
        return F.relu(y)


class Block(nn.Module):
    """Residuals around modules of the user's own."""

    def __init__(self, width: int, *, bare: bool) -> None:
        super().__init__()
        self.norm, self.attention = Norm(width), Attention(width)
        self.norm2, self.gate = nn.LayerNorm(width), Gate(width, bare=bare)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm(x))
        return x + self.gate(self.norm2(x))


class Model(nn.Module):
    """A stack of blocks in a loop, tied weights at both ends."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.table = nn.Embedding(32, width)
        self.blocks = nn.ModuleList([Block(width, bare=bool(n % 2)) for n in range(3)])
        self.head = nn.Linear(width, 32, bias=False)
        self.head.weight = self.table.weight
        self.act = nn.Sequential(nn.Linear(32, 32), nn.GELU())

    def forward(self, i: Tensor) -> Tensor:
        x = self.table(i)
        for block in self.blocks:
            x = block(x)
        logits = self.act(self.head(x))
        return F.cross_entropy(logits.view(-1, 32), i.view(-1))


def backend(module: fx.GraphModule, _: list[Tensor]) -> object:
    """Keeps what torch knows, and runs the graph as it is."""
    FOUND.append(
        {
            node.name: [path for path, _ in node.meta.get("nn_module_stack", {}).values()]
            for node in module.graph.nodes
            if node.op in ("call_function", "call_method")
        }
    )
    return module.forward


if __name__ == "__main__":
    torch.compile(Model(), backend=backend)(torch.randint(0, 32, (2, 8)))
    sys.stdout.write(json.dumps(FOUND))
