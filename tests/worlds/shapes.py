"""What the profiler writes about an operator's inputs when shapes are recorded.

The numbers follow from the operator's name alone: they cost the world no random draw, so a world
with shapes and one without run the same kernels at the same times. They identify nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from zlib import crc32

_TENSORS = {"aten::addmm": 3, "aten::mm": 2, "aten::bmm": 2, "aten::convolution": 3}
_SCALARS = {"aten::addmm": 2, "aten::add": 1, "aten::convolution": 6, "aten::native_dropout": 2}
_TYPES = ("float", "c10::BFloat16", "c10::Half", "long int")


@cache
def shape_args(operator: str) -> Mapping[str, object]:
    """`Input Dims`, `Input Strides`, `Input type` and `Concrete Inputs` of one operator."""
    seed = crc32(operator.encode())
    tensors, scalars = _TENSORS.get(operator, 1 + seed % 2), _SCALARS.get(operator, seed % 2)
    dims = [[2 ** (5 + (seed >> at) % 6), 2 ** (5 + (seed >> at + 3) % 6)] for at in range(tensors)]
    empty: list[list[int]] = [[] for _ in range(scalars)]
    return {
        "Input Dims": [*dims, *empty],
        "Input Strides": [*([columns, 1] for _, columns in dims), *empty],
        "Input type": [_TYPES[seed % len(_TYPES)]] * tensors + ["Scalar"] * scalars,
        "Concrete Inputs": [""] * tensors + ["1"] * scalars,
    }
