"""What single expressions of a wrapper do: allocate, take from a pool, view, sum.

The names of functions are those that torch 2.0 to 2.15 write.
"""

from __future__ import annotations

import ast
import re

from kernelmap.compiler.python.no_work import is_working_method
from kernelmap.compiler.python.source import (
    dotted_name,
    dtype_among,
    keyword_value,
    last_word,
    literal_value,
)
from kernelmap.memory.sizes import TensorSizes
from kernelmap.memory.stated import dense_strides, sizes_of
from kernelmap.model.memory import MemoryKind

_ALLOCATION = re.compile(
    r"_?(?:empty|zeros|ones|full)(?:_strided\w*)?|rand_strided|tracked_empty_strided|new_empty"
)
_DEVICE = re.compile(r"_(cuda|cpu|xpu|mps|mtia|hpu)(?:_\w+)?$")
_VIEWS = ("reinterpret_tensor", "_reinterpret_tensor", "as_strided")
_WORKSPACE = re.compile(r"(?:workspace|semaphores?|barrier)\w*")

# Functions, methods and operators that give back the memory that they are given.
_SAME_MEMORY = frozenset(
    {
        *_VIEWS,
        *("view", "reshape", "permute", "transpose", "t", "expand", "squeeze", "unsqueeze"),
        *("select", "narrow", "slice", "alias", "detach", "view_as_real", "view_as_complex"),
        *("unfold", "diagonal", "flatten", "unflatten", "movedim", "view_as", "expand_as"),
        *("wait_tensor", "copy_if_misaligned", "set_", "requires_grad_"),
    }
)


def is_allocation(word: str) -> bool:
    """Whether a function of this name gives new memory."""
    return _ALLOCATION.fullmatch(word) is not None


def is_view(call: ast.Call) -> bool:
    """Whether it is a view by shape, strides and offset."""
    return last_word(call) in _VIEWS and bool(call.args)


def names_same_memory(word: str) -> bool:
    """Whether a function or method of this name gives back the memory that it is given."""
    return word in _SAME_MEMORY


def gives_number(method: str) -> bool:
    """Whether a method of a tensor of this name gives a number or the like: `.item`, `.size`."""
    return method in ("item", "tolist") or not is_working_method(method)


def kind_of_buffer(name: str) -> MemoryKind:
    """What memory is there for by the name that the wrapper gives it."""
    return MemoryKind.WORKSPACE if _WORKSPACE.fullmatch(name) else MemoryKind.BUFFER


def made_by_allocation(call: ast.Call) -> tuple[TensorSizes | None, str | None]:
    """Sizes and device of `empty_strided_cuda((8, 16), (16, 1), torch.float32)`."""
    word, dtype = last_word(call), dtype_among(call)
    suffix = _DEVICE.search(word)
    device = suffix[1] if suffix is not None else _device_given(call)
    if "strided" in word:
        return sizes_of(call.args[0], call.args[1], dtype) if len(call.args) > 1 else None, device
    # `torch.empty((8, 16), dtype=…)`, `torch.zeros(8, 16)`: rows that follow one another.
    first = call.args[0] if call.args else None
    shape = tuple(first.elts if isinstance(first, ast.Tuple | ast.List) else call.args)
    return TensorSizes(shape=shape, stride=dense_strides(shape), dtype=dtype), device


def _device_given(call: ast.Call) -> str | None:
    """`cuda` of `device='cuda:0'` or `device=torch.device('cuda', 0)`."""
    given = keyword_value(call, "device")
    if isinstance(given, ast.Call) and given.args:
        given = given.args[0]
    device = literal_value(given) if given is not None else None
    return device if isinstance(device, str) else None


def sizes_in_pool(call: ast.Call) -> TensorSizes | None:
    """Those of `alloc_from_pool(pool1, 0, torch.float32, (8, 16), (16, 1))`."""
    match call.args:
        case [_, _, _, shape, stride, *_]:
            return sizes_of(shape, stride, dtype_among(call))
    return None


def sizes_of_view(node: ast.expr) -> TensorSizes | None:
    """Those of a view; its dtype is that of the memory."""
    match node:
        case ast.Call(args=[_, shape, stride, *_]) if is_view(node):
            return sizes_of(shape, stride)
    return None


def sizes_of_sum(call: ast.Call, summed: TensorSizes | None) -> TensorSizes | None:
    """Those of `workspace_0[0:512].view(512, 4096).sum(dim=0)`."""
    given = keyword_value(call, "dim") or (call.args[0] if call.args else None)
    dim = literal_value(given) if given is not None else None
    base = call.func.value if isinstance(call.func, ast.Attribute) else None
    shape = summed.shape if summed is not None else ()
    if isinstance(base, ast.Call) and (dotted_name(base.func) or "view").endswith("view"):
        listed = base.args[0] if len(base.args) == 1 else None
        shape = tuple(listed.elts) if isinstance(listed, ast.Tuple | ast.List) else tuple(base.args)
    if type(dim) is not int or not 0 <= dim < len(shape):
        return None
    left = (*shape[:dim], *shape[dim + 1 :])
    dtype = summed.dtype if summed is not None else None
    return TensorSizes(shape=left, stride=dense_strides(left), dtype=dtype)
