"""The names of ATen's operators, and the operator that a C function of libtorch runs.

Code for C++ calls operators through functions such as `aoti_torch_cuda_mm_out`: device, name of the
operator, overload, all joined by underscores. Taking such a name apart needs to know the operators;
`aten_ops.txt` lists them (scripts/aten_ops.py makes it from torch's schemas).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

SHIM = "aoti_torch_"
_DEVICES = ("cpu", "cuda", "xpu", "mps", "hpu", "mtia")
_SPACES = ("mkldnn_", "_c10d_functional_", "quantized_", "onednn_")
_INFRASTRUCTURE = ("guard_", "caching_allocator_", "stream_")
_NONE: Mapping[str, str] = MappingProxyType({})


def shim_name(function: str) -> str | None:
    """What follows the device in the name of such a function, None where it runs no operator.

    >>> shim_name("aoti_torch_cuda_mm_out"), shim_name("aoti_torch_get_dtype")
    ('mm_out', None)
    """
    if not function.startswith(SHIM):
        return None
    device, _, name = function[len(SHIM) :].partition("_")
    if device not in _DEVICES or not name or name.startswith(_INFRASTRUCTURE):
        return None
    return name


def shim_operator(name: str, listed: Mapping[str, str] = _NONE) -> str:
    """The operator of a name as `shim_name` gives it: the longest known one that it starts with.

    `listed` are operators that are known to be near, such as those of the call's comment, as
    `{"scale": "mylib.scale"}`; they win over ATen's.

    >>> shim_operator("randint_low_out"), shim_operator("index_put"), shim_operator("fill__Scalar")
    ('aten.randint', 'aten.index_put', 'aten.fill_')
    >>> shim_operator("scale", {"scale": "mylib.scale"})
    'mylib.scale'
    """
    plain = name.removesuffix("_out")
    known = aten_operators()
    end = len(plain)
    while end > 0:
        start = plain[:end]
        if start in listed:
            return listed[start]
        if start in known:
            return f"aten.{start}"
        end = plain.rfind("_", 0, end)
    for space in _SPACES:
        if plain.startswith(space):
            return f"{space[:-1]}.{plain[len(space) :]}"
    return f"aten.{plain}"


@cache
def aten_operators() -> frozenset[str]:
    """Names without namespace and overload."""
    text = files("kernelmap.model").joinpath("aten_ops.txt").read_text(encoding="utf-8")
    return frozenset(text.split())
