"""The work of calls of Triton templates: products and convolutions that Inductor filled in."""

from __future__ import annotations

import ast
from dataclasses import replace

from kernelmap.model import CompiledGraph, WrapperCall
from kernelmap.model.work import Amount, Work
from kernelmap.workload import triton
from kernelmap.workload.formulas import convolution, product
from kernelmap.workload.generated_code import GeneratedCode
from kernelmap.workload.tensors import Tensor

_PAIRS = (("A", "B"), ("C", "D"))  # a template adds the products of both, where it has both
_PREFIX = "arg_"
_ROUNDS = "ALLOW_TF32"


def work_of(graph: CompiledGraph, call: WrapperCall, code: GeneratedCode) -> Work:
    """The work of one launch: the operands that the template and its epilogue load and store.

    A template reads its operands tile by tile, whatever its index expressions: all of each counts.
    Left out: the operations of flex attention, which its mask decides.
    """
    work = triton.work_of(graph, call, code)
    if work.operands is not None:
        whole = (replace(one, bytes=Amount.exactly(one.bytes.most)) for one in work.operands)
        work = replace(work, operands=tuple(whole))
    given = triton.arguments(graph, call, code)
    tensors = {name.removeprefix(_PREFIX): code.tensors.of(node) for name, node in given.items()}
    flops, dtype = 0, None
    for pair in _PAIRS:
        left, right = (tensors.get(name) for name in pair)
        if left is not None and right is not None and _fit(left, right):
            flops += product(left.shape, right.shape)
            dtype = left.dtype
    image, weight = tensors.get("X"), tensors.get("W")
    result = _result(work, code)
    if image is not None and weight is not None and result is not None:
        flops = convolution(image.shape, weight.shape, result.shape, transposed=False)
        dtype = image.dtype
    if dtype == "float32" and _rounds_to_tf32(code.functions.get(call.kernel or "")):
        dtype = "tfloat32"
    return replace(work, flops=flops or None, dtype=dtype)


def _result(work: Work, code: GeneratedCode) -> Tensor | None:
    """The tensor that a template writes."""
    written = [one for one in work.operands or () if one.written]
    return code.tensors.by_name(written[0].name) if len(written) == 1 else None


def _fit(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors can be multiplied."""
    return len(right.shape) > 1 and left.shape[-1:] == right.shape[-2:-1]


def _rounds_to_tf32(function: ast.FunctionDef | None) -> bool:
    """Whether the template was filled in so that it rounds float32 to TensorFloat32."""
    return function is not None and any(
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == _ROUNDS
        and isinstance(node.value, ast.Constant)
        and node.value.value is True
        for node in ast.walk(function)
    )
