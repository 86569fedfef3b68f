# mypy: disable-error-code="misc"
# -- torch's classes carry no types where torch is not installed
"""A small classifier, compiled ahead of time; what sample_traces/aoti_block recorded."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 -- everybody's name for it
from torch import Tensor, nn

BATCH, WIDTH, CLASSES, BEST = 32, 64, 48, 3


class Classifier(nn.Module):
    """Two linear layers with a layer norm and a GELU between them; the best classes' shares."""

    def __init__(self, width: int = WIDTH, classes: int = CLASSES) -> None:
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.norm = nn.LayerNorm(4 * width)
        self.decide = nn.Linear(4 * width, classes)

    def forward(self, x: Tensor) -> Tensor:
        """Shapes: (batch, width) to (batch, BEST)."""
        hidden = F.gelu(self.norm(self.up(x)))
        shares = torch.softmax(self.decide(hidden), -1)
        return shares.topk(BEST).values
