# mypy: disable-error-code="misc, untyped-decorator"
# -- torch's classes and decorators carry no types where torch is not installed
"""A model with two graph breaks and a recompilation, trained for a few steps.

Each layer ends in a call that Dynamo must not trace, so the model's forward falls into three graphs
with a backward each. Every other step asks for another activation, for which the first part is
compiled anew; from then on both versions run.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 -- everybody's name for it
from torch import Tensor, nn

BATCH, WIDTH, CLASSES = 32, 64, 10
STEPS = 12


@torch.compiler.disable
def look(x: Tensor) -> Tensor:
    """Stands for logging, a custom extension, or whatever else breaks a graph."""
    return x


class Classifier(nn.Module):
    """Two layers and a head, with a break after each layer."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(WIDTH, 2 * WIDTH)
        self.second = nn.Linear(2 * WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x: Tensor, activation: str) -> Tensor:
        """Shapes: (batch, WIDTH) to (batch, CLASSES)."""
        hidden = self.first(x)
        hidden = F.gelu(hidden) if activation == "gelu" else F.silu(hidden)
        hidden = look(hidden)
        hidden = self.norm(self.second(hidden).tanh())
        hidden = look(hidden)
        return self.head(hidden).log_softmax(dim=-1)


def main() -> None:
    """Train; the activation alternates."""
    torch.manual_seed(7)
    model = Classifier()
    compiled = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(STEPS):
        x = torch.randn(BATCH, WIDTH)
        labels = torch.randint(CLASSES, (BATCH,))
        loss = F.nll_loss(compiled(x, "gelu" if step % 2 else "silu"), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
