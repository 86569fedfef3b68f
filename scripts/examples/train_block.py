# mypy: disable-error-code="misc"
# -- torch's classes carry no types where torch is not installed
"""A transformer block and one training step of it; what sample_traces/cpu_block recorded."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 -- everybody's name for it
from torch import Tensor, nn

BATCH, TIME, WIDTH, HEADS = 4, 64, 64, 4


class Attention(nn.Module):
    """Causal self-attention."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, time, width) to the same."""
        batch, time, width = x.shape
        mixed = self.qkv(x).view(batch, time, 3, self.heads, width // self.heads)
        q, k, v = mixed.permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.project(attended.transpose(1, 2).reshape(batch, time, width))


class Block(nn.Module):
    """Attention and a GELU MLP, each behind a layer norm, with dropout and residuals."""

    def __init__(self, width: int = WIDTH, heads: int = HEADS) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, time, width) to the same."""
        x = x + self.dropout(self.attention(self.norm1(x)))
        hidden = F.gelu(self.up(self.norm2(x)))
        return x + self.dropout(self.down(hidden))


class Training:
    """A compiled block with its optimizer; `step` is one eager-compiled-eager round."""

    def __init__(self, seed: int) -> None:
        torch.manual_seed(seed)
        self.model = Block()
        self.compiled = torch.compile(self.model)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)

    def step(self) -> None:
        """New data, forward, loss, backward, optimizer."""
        x = torch.randn(BATCH, TIME, WIDTH)
        target = torch.randn(BATCH, TIME, WIDTH)
        loss = F.mse_loss(self.compiled(x), target)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()


if __name__ == "__main__":
    training = Training(seed=7)
    for _ in range(10):
        training.step()
