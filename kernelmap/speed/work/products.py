"""Calls that multiply matrices → their dimensions, and how their operands lie in memory.

Library calls, and of Triton templates those that multiply float32 without tensor cores: they say so
(`ALLOW_TF32`), where of a library's kernels only the name does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from msgspec.structs import replace

from kernelmap.facts.dtypes import ITEMSIZE
from kernelmap.model import Backend, CompiledGraph, WrapperCall
from kernelmap.model.work import Product
from kernelmap.speed.work import template
from kernelmap.speed.work.formulas import UnknownOperandError
from kernelmap.speed.work.generated_code import GeneratedCode
from kernelmap.speed.work.library import operands_of_statement
from kernelmap.speed.work.tensors import Tensor

_FIRST: Mapping[str, int] = {
    "aten.mm": 0,
    "aten.addmm": 1,
    "aten._addmm_activation": 1,
    "aten.bmm": 0,
    "aten.baddbmm": 1,
    "aten._scaled_mm": 0,
}
"""The position of the left matrix by operator."""

_ALIGNED = 16  # bytes: how far apart rows begin that tensor cores' kernels load at once
_MATRIX = 2  # dimensions


def find_products(graph: CompiledGraph, code: GeneratedCode, first: int) -> Iterator[Product]:
    """The products of a graph; `first` is the position of its first call in the program."""
    for call in graph.calls:
        is_template = call.backend is Backend.TEMPLATE
        made = (
            _product_of_template(graph, call, code, first)
            if is_template
            else _product_of_call(call, code, first)
        )
        if made is not None:
            yield made


def _product_of_call(call: WrapperCall, code: GeneratedCode, first: int) -> Product | None:
    at, statement = _FIRST.get(call.target or ""), code.statement_of(call)
    if at is None or statement is None:
        return None
    given = operands_of_statement(statement, code.tensors, call.target or "")
    try:
        left, right, result = given.tensor_at(at), given.tensor_at(at + 1), given.first_result()
    except UnknownOperandError:
        return None
    # A vector is no matrix: its product has no tiles.
    if min(len(left.shape), len(right.shape)) < _MATRIX:
        return None
    made = _make_product(first + call.index, left, right)
    return replace(made, uneven=tuple(_iter_uneven_tensors((left, right, result))))


def _product_of_template(
    graph: CompiledGraph, call: WrapperCall, code: GeneratedCode, first: int
) -> Product | None:
    matrices = template.plain_matrices(graph, call, code)
    if matrices is None:
        return None
    return replace(_make_product(first + call.index, *matrices), is_plain=True)


def _make_product(call: int, left: Tensor, right: Tensor) -> Product:
    """The product of two matrices, or of as many pairs as there are."""
    return Product(
        call=call,
        batch=prod(left.shape[:-2]),
        rows=left.shape[-2],
        inner=left.shape[-1],
        columns=right.shape[-1],
        dtype=left.dtype,
    )


def _iter_uneven_tensors(tensors: tuple[Tensor, ...]) -> Iterator[tuple[str, int]]:
    """The tensors whose rows, along their dense dimension, do not all begin evenly."""
    for tensor in tensors:
        size = ITEMSIZE.get(tensor.dtype or "")
        sizes = zip(tensor.shape, tensor.stride, strict=True)
        # How far the rows lie apart, along every dimension that is not dense.
        apart = [stride for length, stride in sizes if length > 1 and stride > 1]
        odd = [stride for stride in apart if size and stride * size % _ALIGNED]
        if odd:
            yield tensor.name, odd[-1]
