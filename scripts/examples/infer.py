# mypy: disable-error-code="misc"
# -- torch's classes carry no types where torch is not installed
"""A compiled model that answers requests of several lengths."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 -- everybody's name for it
from torch import Tensor, nn

WIDTH, LENGTHS = 64, (16, 32, 24)


class Encoder(nn.Module):
    """A layer norm and a gated MLP."""

    def __init__(self, width: int = WIDTH) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.gate = nn.Linear(width, 2 * width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (length, width) to the same."""
        x = self.norm(x)
        return self.down(F.silu(self.gate(x)) * self.up(x))


if __name__ == "__main__":
    model = torch.compile(Encoder().eval(), dynamic=True)
    with torch.inference_mode():
        for request in range(20):
            model(torch.randn(LENGTHS[request % len(LENGTHS)], WIDTH))
