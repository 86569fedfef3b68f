"""Model FLOPs of recorded training steps against torch.utils.flop_counter on the same models.

The recordings are those of an H100 in sample_traces, of the code that Inductor wrote; the counter
runs the models eagerly on the meta device. Where both differ, it is for one of the reasons that
`attended` and `PADDED` work out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kernelmap
from kernelmap.speed.work.formulas import attention_backward, flops_of_attention

pytestmark = [pytest.mark.thorough, pytest.mark.torch]

PADDED = 2 * 64 * 8 * 2  # the last product of the conv net has 10 columns, run as 12
"""Operations that Inductor added, to make rows begin at multiples of 16 bytes."""


def attended(batch: int, heads: int, time: int, width: int, layers: int = 1) -> tuple[int, int]:
    """Of causal attention, trained: what torch counts on the meta device, and what we count.

    Torch takes it apart into two products forward and four backward, over all pairs. Ours are those
    of the flash kernels that ran: pairs up to the diagonal, and the scores once more backward.
    """
    shape = (batch, heads, time, width)
    pairs = 2 * batch * heads * time * time * width
    ours = flops_of_attention(shape, shape, shape, causal=True) + attention_backward(
        shape, shape, shape, causal=True
    )
    return layers * 6 * pairs, layers * ours


def make_models() -> dict[str, tuple[Callable[[], Any], tuple[int, ...], Any, tuple[int, int]]]:
    """By sample: the model, the size of its input, its dtype, and the difference by attention."""
    import torch
    from gpu_cases import models

    small, wide = attended(4, 4, 128, 64), attended(8, 16, 1024, 64)
    block, half = models.LlamaBlock, torch.bfloat16
    return {
        "cuda_mlp_train": (models.Perceptron, (8, 128, 256), torch.float32, (0, 0)),
        "cuda_attention_train": (models.Attention, (4, 128, 256), half, small),
        "cuda_llama_train": (block, (4, 128, 256), half, small),
        "cuda_wide_llama": (lambda: block(1024, 16), (8, 1024, 1024), half, wide),
        "cuda_conv_train": (models.Conv, (8, 3, 64, 64), torch.float32, (0, PADDED)),
        "cuda_language_train": (models.Language, (4, 128), None, attended(4, 4, 128, 64, 4)),
    }


SAMPLES = (
    "cuda_mlp_train",
    "cuda_attention_train",
    "cuda_llama_train",
    "cuda_wide_llama",
    "cuda_conv_train",
    "cuda_language_train",
)


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_step_has_the_operations_that_torch_counts(samples: Path, sample: str) -> None:
    """Equal to the last operation, once the named differences are taken out."""
    torch = pytest.importorskip("torch")
    from torch.utils.flop_counter import FlopCounterMode

    make, size, dtype, (theirs, ours) = make_models()[sample]
    model = make().to("meta", dtype)
    # The language model takes words and gives its loss.
    words = torch.randint(1024, size, device="meta")
    x = words if dtype is None else torch.randn(*size, device="meta", dtype=dtype)
    with FlopCounterMode(display=False) as counter:
        result = model(x)
        (result if dtype is None else result.float().square().mean()).backward()
    use = kernelmap.correlate(samples / sample).roofline().tables.roofline.model_use

    assert use.flops - use.steps * ours == use.steps * (counter.get_total_flops() - theirs)
