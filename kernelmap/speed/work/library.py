"""The work of library calls: the operands of the statement, put into the operator's formula.

What the code does not say of an operand, the file beside it may (`WrapperCall.library`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec.structs import replace

from kernelmap.compiler.python.source import keyword_value, literal_value
from kernelmap.facts.communication import is_communication_operator
from kernelmap.facts.dtypes import ITEMSIZE
from kernelmap.facts.result_dtypes import dtype_of_result
from kernelmap.model import WrapperCall
from kernelmap.model.program import LibraryFacts, TensorType
from kernelmap.model.work import Work
from kernelmap.speed.work.formulas import (
    GivenOperands,
    UnknownOperandError,
    every_operand,
    formula_of,
    tensors_in,
)
from kernelmap.speed.work.generated_code import CallStatement, GeneratedCode
from kernelmap.speed.work.tensors import Tensor, Tensors, dense_strides


def work_of(call: WrapperCall, code: GeneratedCode) -> Work:
    """The work of one execution of a library call."""
    formula, statement = formula_of(call.target or ""), code.statement_of(call)
    # Collectives have no formula: only their message counts.
    if is_communication_operator(call.target or ""):
        return _work_of_message(call, statement, code.tensors)
    if formula is None:
        return Work(reason=f"no formula for {call.target or call.wrapper}")
    if statement is None:
        return Work(reason="its statement is not given")
    given = operands_of_statement(statement, code.tensors, call.target or "")
    if call.library is not None:
        given = _with_stated(given, statement.call, call.library)
    try:
        matrix = None if formula.matrix is None else given.tensor_at(formula.matrix).dtype
        flops = None if formula.flops is None else formula.flops(given)
        moved = formula.reads(given) + given.bytes_written()
    except UnknownOperandError as error:
        return Work(reason=str(error))
    return Work(operands=moved, flops=flops, dtype=matrix)


def _work_of_message(call: WrapperCall, statement: CallStatement | None, tensors: Tensors) -> Work:
    """The message of a collective: what this device hands over, and what it is given.

    One whose name ends in an underscore writes to its operand, as every one does to an `out`.
    """
    unknown = Work(reason="the message of a collective is not known")
    if statement is None or (call.target or "").endswith("wait_tensor"):
        return unknown
    given = operands_of_statement(statement, tensors, call.target or "")
    try:
        in_place = given.tensors if (call.target or "").endswith("_") else ()
        made = replace(given, results=given.results or in_place)
        return Work(operands=every_operand(given) + made.bytes_written(), over_links=True)
    except UnknownOperandError:
        return unknown


def operands_of_statement(
    statement: CallStatement, tensors: Tensors, operator: str
) -> GivenOperands:
    """What a statement hands over to an operator, and the tensors of its results."""
    call = statement.call
    arguments: list[object] = [_value_of_node(argument, tensors) for argument in call.args]
    # `buf0.copy_(buf1)`: the tensor before the dot is the first operand.
    if isinstance(call.func, ast.Attribute) and _is_method(call.func, tensors):
        arguments.insert(0, tensors.tensor_of(call.func.value))
    # Results without a stated dtype have that of the first operand.
    inputs = [tensor for value in arguments for tensor in tensors_in(value) if tensor is not None]
    dtype = inputs[0].dtype if inputs else None
    results = list(_iter_results(statement, tensors, operator, dtype))
    # In place: the first operand is the result, or all tensors of the first list.
    formula = formula_of(operator)
    if formula is not None and formula.writes_first and not results:
        written = (tensor for value in arguments[:1] for tensor in tensors_in(value))
        results = [tensor for tensor in written if tensor is not None]
    return GivenOperands(
        arguments=arguments,
        keywords={
            word.arg: _value_of_node(word.value, tensors) for word in call.keywords if word.arg
        },
        results=results,
    )


def _with_stated(given: GivenOperands, call: ast.Call, facts: LibraryFacts) -> GivenOperands:
    """`given`, with the tensors of which the code does not state all that the file beside it says.

    That lists the tensors in the order of the operator's arguments, without their places: they are
    told only where the statement hands over as many.
    """
    arguments = list(given.arguments)
    # A literal, `None` among them, is no tensor; whatever else the code hands over may be one.
    places = [
        at
        for at, (value, node) in enumerate(zip(arguments, call.args, strict=False))
        if isinstance(value, Tensor) or (value is None and not isinstance(node, ast.Constant))
    ]
    if len(arguments) == len(call.args) and len(places) == len(facts.inputs):
        for at, stated in zip(places, facts.inputs, strict=True):
            arguments[at] = _completed(arguments[at], stated)
    results = list(given.results)
    # Results beyond the first, and those that the call writes to in place, are not stated.
    if facts.output is not None and len(results) <= 1:
        made = _completed(results[0] if results else None, facts.output)
        results = [made] if isinstance(made, Tensor) else results
    return GivenOperands(arguments=arguments, keywords=given.keywords, results=results)


def _completed(known: object, stated: TensorType) -> object:
    """The tensor that the code states, with a dtype that only the file has; else the file's."""
    shape = tuple(size for size in stated.shape if isinstance(size, int))
    # A size that a run decides is a symbol here as well.
    if len(shape) < len(stated.shape) or stated.dtype not in ITEMSIZE or min(shape, default=0) < 0:
        return known
    if isinstance(known, Tensor):
        return replace(known, dtype=known.dtype or stated.dtype) if known.shape == shape else known
    return Tensor(shape, dense_strides(shape), stated.dtype)


def _is_method(function: ast.Attribute, tensors: Tensors) -> bool:
    """Whether it is `buf0.copy_`, not `extern_kernels.mm`."""
    return tensors.tensor_of(function.value) is not None


def _value_of_node(node: ast.expr, tensors: Tensors) -> object:
    tensor = tensors.tensor_of(node)
    if isinstance(node, ast.List):
        listed = [tensors.tensor_of(item) for item in node.elts]
        return listed if any(listed) else literal_value(node)
    return literal_value(node) if tensor is None else tensor


def _iter_results(
    statement: CallStatement, tensors: Tensors, operator: str, dtype: str | None
) -> Iterator[Tensor]:
    """The tensors of `out=`, or of the name and the items of what the call returns.

    Where the code states no dtype of one, it follows from the operator and that of its operands.
    """
    out = keyword_value(statement.call, "out")
    # The name of the result is its first, items of it (`buf2 = buf1[1]`) are others.
    places = [] if statement.result is None else [(0, statement.result)]
    places += tensors.items.get(statement.result or "", [])
    if out is not None:
        placed = [(0, tensors.tensor_of(out))]
    else:
        placed = [(place, tensors.by_name(name)) for place, name in places]
    for place, tensor in placed:
        if tensor is not None:
            stated = tensor.dtype or (dtype and dtype_of_result(operator, place, dtype))
            yield replace(tensor, dtype=stated)
