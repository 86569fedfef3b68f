"""Which operations of a call are those of the model: products, convolutions and attention.

Model FLOPs utilization counts what the model's definition asks for. Arithmetic of generated kernels
(activations, norms, optimizers) is small beside products, and differs between fusions of one model,
so it counts nothing. What a call computes again (activation checkpointing) counts each time it
runs: the code does not tell it from the first time.
"""

from __future__ import annotations

import ast

from kernelmap.compiler.python.source import nodes_in
from kernelmap.facts.communication import is_communication_operator
from kernelmap.facts.generated import is_generated_kernel
from kernelmap.model import Backend, WrapperCall
from kernelmap.model.work import Work
from kernelmap.speed.work.cpp_arithmetic import is_matrix_product
from kernelmap.speed.work.formulas import formula_of
from kernelmap.speed.work.generated_code import GeneratedCode

_LIBRARY = (Backend.EXTERN, Backend.GLUE)
_PRODUCTS = ("matmul", "_mm", "gemm")  # in names of operators
_DOTS = ("dot", "dot_scaled")  # Triton's products of tiles


def model_flops_of(call: WrapperCall, work: Work, code: GeneratedCode) -> int | None:
    """The model's operations in one execution of a call with this work, None where unknown.

    0 is no gap: a copy, a sort or a fused activation multiplies no matrices.
    """
    if call.backend is Backend.TEMPLATE:
        return work.flops
    # Work that makes no product has no such operations, whatever its sizes are.
    if call.backend in _LIBRARY:
        return work.flops if _may_multiply(call.target or "") else 0
    if call.backend is Backend.CPP:
        source = code.cpp.get(call.kernel or "")
        return None if source is None or is_matrix_product(source) else 0
    return 0 if _is_without_dot(call, code) else None


def _may_multiply(target: str) -> bool:
    """Whether an operator multiplies matrices, or may: one without a formula does anything."""
    formula = formula_of(target)
    # Some multiply and communicate at once: `symm_mem.fused_all_gather_matmul` of torch 2.6 on.
    if is_communication_operator(target):
        return any(word in target for word in _PRODUCTS)
    return formula is None or formula.matrix is not None


def _is_without_dot(call: WrapperCall, code: GeneratedCode) -> bool:
    """Whether a call runs a Triton kernel that surely multiplies no matrices."""
    # A user's kernel may multiply in a function that it calls, or without a dot. Inductor's own
    # multiplies with a dot where it was asked to (config.triton.native_matmul), and never else.
    function = code.functions.get(call.kernel or "")
    if function is None or not is_generated_kernel(function.tree.name):
        return False
    return not function.answer_once(_has_dot)


def _has_dot(function: ast.FunctionDef) -> bool:
    """Whether a kernel multiplies tiles of matrices."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in _DOTS for node in nodes_in(function)
    )
