"""Whether a kernel's name is one that Inductor gives to what it generates."""

from __future__ import annotations

import re

_GENERATED = re.compile(r"triton_(?:poi|red|per|tem|for|spl)_|triton_(?:_\d+[\dcde]*)?$")


def is_generated_kernel(name: str) -> bool:
    """Whether Inductor generated the Triton kernel `name`; users name theirs otherwise.

    Torch before 2.2 called every kernel `triton_`, and Triton put the signature behind it.

    >>> is_generated_kernel("triton_poi_fused_add_0"), is_generated_kernel("triton__0d1c")
    (True, True)
    >>> is_generated_kernel("triton_matmul")
    False
    """
    return _GENERATED.match(name) is not None
