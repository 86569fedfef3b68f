"""The work of calls of Triton kernels, from the kernel's source and the tensors it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.compiler.python.source import literal_value
from kernelmap.facts.dtypes import ITEMSIZE, TORCH_DTYPES
from kernelmap.model import Backend, CompiledGraph, KernelDef, WrapperCall
from kernelmap.model.work import Work
from kernelmap.speed.work.generated_code import (
    GeneratedCode,
    KernelFunction,
    pointer_types,
    runtime_parameters,
)
from kernelmap.speed.work.triton_bytes import bytes_moved
from kernelmap.speed.work.triton_source import KernelBody, body_of

_ARITHMETIC = "float32"  # which Inductor's kernels compute in, whatever they load and store
NO_SOURCE = "the source of its kernel is not given"


class KernelLaunch(Struct, frozen=True, kw_only=True):
    """A call of a kernel that Inductor generated: its source, read once for all questions.

    `given` is what the launch hands over for each parameter, `names` the wrapper's name of each
    tensor among them, `dtypes` torch's names of what pointers point to, as far as they are known.
    """

    call: WrapperCall
    kernel: KernelDef
    function: KernelFunction
    given: Mapping[str, ast.expr]
    names: Mapping[str, str]
    body: KernelBody
    dtypes: Mapping[str, str]


def iter_launches(graph: CompiledGraph, code: GeneratedCode) -> Iterator[KernelLaunch]:
    """The calls of generated kernels whose source is given, in program order."""
    for call in graph.calls:
        kernel = graph.kernel_of(call)
        function = code.functions.get(kernel.name) if kernel is not None else None
        if call.backend is not Backend.TRITON or kernel is None or function is None:
            continue
        given = arguments_by_parameter(graph, call, code)
        types = pointer_types(kernel)
        yield KernelLaunch(
            call=call,
            kernel=kernel,
            function=function,
            given=given,
            names=_tensors_by_parameter(given, code),
            body=body_of_launch(kernel, function, given, code),
            dtypes={n: TORCH_DTYPES[kind] for n, kind in types.items() if kind in TORCH_DTYPES},
        )


def work_of(graph: CompiledGraph, call: WrapperCall, code: GeneratedCode) -> Work:
    """The work of one launch of a generated or a user's Triton kernel."""
    kernel = _definition_of_call(graph, call)
    function = code.functions.get(kernel.name) if kernel is not None else None
    if kernel is None or function is None or kernel.signature is None:
        return Work(reason=NO_SOURCE)
    given = arguments_by_parameter(graph, call, code)
    # The bytes of an element by pointer parameter, and how many elements the tensor behind it has.
    itemsize = {
        name: ITEMSIZE[TORCH_DTYPES[kind]]
        for name, kind in pointer_types(kernel).items()
        if kind in TORCH_DTYPES
    }
    elements = {name: _count_elements(given.get(name), code) for name in itemsize}
    body = body_of_launch(kernel, function, given, code)
    # Bytes need the type of every operand.
    untyped = {access.argument for access in body.accesses} - itemsize.keys()
    if untyped:
        return Work(reason=f"the type of {min(untyped)} is not known")
    if not body.accesses:
        return Work(reason="its source has no load or store that can be read")
    # Launches of one kernel with equal sizes move the same, whatever their tensors are called.
    key = (kernel.name, *_sizes_by_parameter(given).items(), *elements.items())
    if key not in code.moved:
        code.moved[key] = bytes_moved(body.accesses, elements, itemsize)
    operands = code.moved[key]
    if operands is None:
        return Work(reason="the size of an operand is not known")
    # From the kernel's parameters to the wrapper's names of the tensors.
    names = _tensors_by_parameter(given, code)
    named = tuple(
        replace(operand, name=names.get(operand.name, operand.name)) for operand in operands
    )
    return Work(operands=named, flops=body.operations, dtype=_ARITHMETIC)


def body_of_launch(
    kernel: KernelDef,
    function: KernelFunction,
    given: Mapping[str, ast.expr],
    code: GeneratedCode,
) -> KernelBody:
    """What one launch does that hands over `given`, by parameter; kept for launches like it."""
    sizes = _sizes_by_parameter(given)
    key = (kernel.name, *sizes.items())
    if key not in code.bodies:
        code.bodies[key] = body_of(function.tree, pointer_types(kernel), sizes)
    return code.bodies[key]


def _sizes_by_parameter(given: Mapping[str, ast.expr]) -> dict[str, int]:
    """The whole numbers among what a launch hands over, by parameter."""
    return {
        name: value for name, node in given.items() if type(value := literal_value(node)) is int
    }


def arguments_by_parameter(
    graph: CompiledGraph, call: WrapperCall, code: GeneratedCode
) -> Mapping[str, ast.expr]:
    """What the launch hands over for each parameter; nothing for a multi-kernel's member."""
    kernel, statement = _definition_of_call(graph, call), code.statement_of(call)
    function = code.functions.get(kernel.name) if kernel is not None else None
    if statement is None or function is None or call.backend is Backend.MULTI:
        return {}
    return dict(zip(runtime_parameters(function), statement.call.args, strict=False))


def _tensors_by_parameter(given: Mapping[str, ast.expr], code: GeneratedCode) -> Mapping[str, str]:
    """The wrapper's names of the tensors that a launch hands over, by parameter."""
    tensors = {argument: code.tensors.tensor_of(node) for argument, node in given.items()}
    return {argument: tensor.name for argument, tensor in tensors.items() if tensor and tensor.name}


def _definition_of_call(graph: CompiledGraph, call: WrapperCall) -> KernelDef | None:
    """What the call runs; of a multi-kernel its first member, since all do the same work."""
    kernel = graph.kernel_of(call)
    if kernel is not None and kernel.members:
        return graph.kernel_by_name.get(kernel.members[0])
    return kernel


def _count_elements(argument: ast.expr | None, code: GeneratedCode) -> int | None:
    tensor = code.tensors.tensor_of(argument) if argument is not None else None
    return tensor.elements if tensor is not None else None
