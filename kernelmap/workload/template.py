"""The work of calls of Triton templates: products whose kernel Inductor filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kernelmap.model import CompiledGraph, WrapperCall
from kernelmap.model.work import Amount, Work
from kernelmap.workload import triton
from kernelmap.workload.formulas import product
from kernelmap.workload.generated_code import GeneratedCode
from kernelmap.workload.tensors import Tensor

_LEFT, _RIGHT = ("A", "arg_A"), ("B", "arg_B")


def work_of(graph: CompiledGraph, call: WrapperCall, code: GeneratedCode) -> Work:
    """The work of one launch: the operands that the template and its epilogue load and store.

    A template reads its operands tile by tile, whatever its index expressions: all of each counts.
    """
    moved = triton.work_of(graph, call, code)
    given = triton.arguments(graph, call, code)
    tensors = {name: code.tensors.of(node) for name, node in given.items()}
    left, right = (_first(tensors, names) for names in (_LEFT, _RIGHT))
    if moved.operands is not None:
        whole = tuple(
            replace(operand, bytes=Amount.exactly(operand.bytes.most)) for operand in moved.operands
        )
        moved = replace(moved, operands=whole)
    if left is None or right is None or left.shape[-1:] != right.shape[-2:-1]:
        return replace(moved, flops=None, dtype=None)
    return replace(moved, flops=product(left.shape, right.shape), dtype=left.dtype)


def _first(tensors: Mapping[str, Tensor | None], names: tuple[str, ...]) -> Tensor | None:
    return next((tensors[name] for name in names if tensors.get(name) is not None), None)
