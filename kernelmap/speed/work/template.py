"""The work of calls of Triton templates: products and convolutions that Inductor filled in."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from kernelmap.compiler.python.source import nodes_in
from kernelmap.model import CompiledGraph, WrapperCall
from kernelmap.model.work import Amount, Work
from kernelmap.speed.work import triton
from kernelmap.speed.work.formulas import (
    attention_backward,
    flops_of_attention,
    flops_of_convolution,
    flops_of_product,
)
from kernelmap.speed.work.generated_code import GeneratedCode
from kernelmap.speed.work.tensors import Tensor

_PAIRS = (("A", "B"), ("C", "D"))  # a template adds the products of both, where it has both
_PREFIX = "arg_"
_FIRST_PAIR = ("arg_A", "arg_B")
_ATTENDED, _GRADIENT = ("Q", "K", "V"), "DO"  # what the templates of flex attention are handed
_MASKED = "how much flex attention computes is up to its mask"
_ROUNDS = "ALLOW_TF32"


def work_of(graph: CompiledGraph, call: WrapperCall, code: GeneratedCode) -> Work:
    """The work of one launch: the operands that the template and its epilogue load and store.

    A template reads its operands tile by tile, whatever its index expressions: all of each counts.
    How much flex attention computes its mask decides, so that only the reason has a bound.
    """
    work = triton.work_of(graph, call, code)
    if work.operands is not None:
        whole = (replace(one, bytes=Amount.exactly(one.bytes.most)) for one in work.operands)
        work = replace(work, operands=tuple(whole))
    # Templates name their parameters by role: `arg_A` and `arg_B` are multiplied, `arg_X` and
    # `arg_W` are image and weight.
    given = triton.arguments_by_parameter(graph, call, code)
    tensors = {
        name.removeprefix(_PREFIX): code.tensors.tensor_of(node) for name, node in given.items()
    }
    flops, dtype = 0, None
    for pair in _PAIRS:
        left, right = (tensors.get(name) for name in pair)
        if left is not None and right is not None and _can_multiply(left, right):
            flops += flops_of_product(left.shape, right.shape)
            dtype = left.dtype
    image, weight = tensors.get("X"), tensors.get("W")
    result = _result_of_template(work, code)
    if image is not None and weight is not None and result is not None:
        flops = flops_of_convolution(image.shape, weight.shape, result.shape, transposed=False)
        dtype = image.dtype
    # Flex attention: bytes are known, operations are not.
    scores = [tensors.get(name) for name in _ATTENDED]
    if work.operands is not None and all(scores):
        return replace(
            work, reason=_say_why_flex([tensor.shape for tensor in scores if tensor], tensors)
        )
    # The source of a template says whether it uses tensor cores for float32.
    if dtype == "float32" and _is_rounded(call, code):
        dtype = "tfloat32"
    return replace(work, flops=flops or None, dtype=dtype)


def plain_matrices(
    graph: CompiledGraph, call: WrapperCall, code: GeneratedCode
) -> tuple[Tensor, Tensor] | None:
    """What a template multiplies in float32 without tensor cores; None where it does not."""
    given = triton.arguments_by_parameter(graph, call, code)
    left, right = (code.tensors.tensor_of(given[n]) if n in given else None for n in _FIRST_PAIR)
    if left is None or right is None or left.dtype != "float32" or not _can_multiply(left, right):
        return None
    return None if _is_rounded(call, code) else (left, right)


def _say_why_flex(shapes: Sequence[Sequence[int]], given: Mapping[str, Tensor | None]) -> str:
    """Why flex attention has no operations; they are at most those without a mask."""
    # Without batch, heads, length and width the formula for a bound does not apply.
    if any(len(shape) != len("bhld") for shape in shapes):
        return _MASKED
    counted = attention_backward if _GRADIENT in given else flops_of_attention
    most = counted(*shapes, causal=False)
    return f"{_MASKED}: at most {most:,} operations in one execution, without the mask"


def _result_of_template(work: Work, code: GeneratedCode) -> Tensor | None:
    """The tensor that a template writes."""
    written = [one for one in work.operands or () if one.written]
    return code.tensors.by_name(written[0].name) if len(written) == 1 else None


def _can_multiply(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors can be multiplied."""
    return len(right.shape) > 1 and left.shape[-1:] == right.shape[-2:-1]


def _is_rounded(call: WrapperCall, code: GeneratedCode) -> bool:
    """Whether a call runs a template that rounds float32 to TensorFloat32."""
    function = code.functions.get(call.kernel or "")
    return function is not None and function.answer_once(_rounds_to_tf32)


def _rounds_to_tf32(function: ast.FunctionDef) -> bool:
    """Whether the template was filled in so that it rounds float32 to TensorFloat32."""
    return any(
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == _ROUNDS
        and isinstance(node.value, ast.Constant)
        and node.value.value is True
        for node in nodes_in(function)
    )
