"""The source of Triton kernels, and library calls → the calls that do nothing but copy one operand.

A copy has one load and one store of equally many elements, and the stored value is the loaded one,
at most of another dtype. One that stores more pads: its mask leaves what lies around to a constant.
Left out: kernels with a loop, and those that a user wrote; library calls that repeat elements, or
of whose tensors the code does not state the shape or the dtype. The code does not say on which
device a tensor lies: a copy between two is listed as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kernelmap.compiler.python.source import dotted_name, nodes_in
from kernelmap.compiler.python.statements import split_assignment
from kernelmap.facts.dtypes import ITEMSIZE
from kernelmap.model import CompiledGraph
from kernelmap.model.work import Copy, Precision, Work
from kernelmap.speed.work.formulas import UnknownOperandError
from kernelmap.speed.work.generated_code import GeneratedCode
from kernelmap.speed.work.library import operands_of_statement
from kernelmap.speed.work.tensors import Tensor
from kernelmap.speed.work.triton import KernelLaunch
from kernelmap.speed.work.triton_source import AccessKind

_COPIED: Mapping[str, int] = {
    "aten.clone": 0,
    "aten.contiguous": 0,
    "aten.copy": 1,
    "aten.copy_": 1,
}
"""The position of what is copied, by operator."""

_UNCHANGED = ("to", "broadcast_to")  # methods whose result has the same elements
_LOOPS = (ast.For, ast.While)
_ACCESSES = ("load", "store")


def find_copies(
    launches: Iterable[KernelLaunch], works: Sequence[Work], first: int
) -> Iterator[Copy]:
    """The calls of a graph that only copy.

    `works` is parallel to the graph's calls, `first` the position of its first call in the program.
    """
    for launch in launches:
        work = works[launch.call.index]
        made = _copy_of_kernel(first + launch.call.index, launch, work)
        if made is not None and launch.function.answer_once(_stores_what_it_loads):
            yield made


def library_copies(graph: CompiledGraph, code: GeneratedCode, first: int) -> Iterator[Copy]:
    """The library calls of a graph that only copy; `first` is the position of its first call."""
    for call in graph.calls:
        at, statement = _COPIED.get(call.target or ""), code.statement_of(call)
        if at is None or statement is None:
            continue
        given = operands_of_statement(statement, code.tensors, call.target or "")
        try:
            source, target = given.tensor_at(at), given.first_result()
        except UnknownOperandError:
            continue
        # A broadcast or another shape repeats elements, which is no plain copy.
        is_whole = source.shape == target.shape and source.elements == target.elements
        if is_whole and target.elements and source.dtype and target.dtype:
            yield Copy(
                call=first + call.index,
                source=source.name,
                target=target.name,
                elements=target.elements,
                dtypes=(source.dtype, target.dtype),
                reorders=_strides_of_dimensions(source) != _strides_of_dimensions(target),
            )


def _strides_of_dimensions(tensor: Tensor) -> list[int]:
    """The strides of the dimensions along which there is another element."""
    sizes = zip(tensor.shape, tensor.stride, strict=True)
    return [stride for length, stride in sizes if length > 1]


def _copy_of_kernel(call: int, launch: KernelLaunch, work: Work) -> Copy | None:
    """The copy that a kernel with one load and one store makes; None where fewer are stored."""
    read = [operand for operand in work.operands or () if not operand.written]
    written = [operand for operand in work.operands or () if operand.written]
    loads = [access for access in launch.body.accesses if access.kind is AccessKind.LOAD]
    stores = [access for access in launch.body.accesses if access.kind is AccessKind.STORE]
    if [len(group) for group in (read, written, loads, stores)] != [1, 1, 1, 1]:
        return None
    source, target = (launch.dtypes[access.argument] for access in (loads[0], stores[0]))
    # The bytes are known for certain, and both sides have equally many elements, or a mask keeps
    # loads from what the target has around them.
    is_exact = read[0].bytes.precision is written[0].bytes.precision is Precision.EXACT
    elements = read[0].bytes.most // ITEMSIZE[source]
    added = written[0].bytes.most // ITEMSIZE[target] - elements
    is_padded = added > 0 and bool(loads[0].mask.conditions)
    if not is_exact or not elements or (added and not is_padded):
        return None
    return Copy(
        call=call,
        source=read[0].name,
        target=written[0].name,
        elements=elements,
        dtypes=(source, target),
        reorders=loads[0].index != stores[0].index,
        padding=added,
    )


def _stores_what_it_loads(function: ast.FunctionDef) -> bool:
    """Whether the kernel has one load and one store, of the same value."""
    # The loads and stores of the kernel, and what each name was given, for the way back below.
    accesses: dict[str, list[ast.Call]] = {name: [] for name in _ACCESSES}
    values: dict[str, list[ast.expr]] = {}
    for node in nodes_in(function):
        if isinstance(node, _LOOPS):
            return False
        pair = split_assignment(node)
        if pair is not None:
            values.setdefault(pair[0], []).append(pair[1])
        if isinstance(node, ast.Call):
            owner, _, name = (dotted_name(node.func) or "").rpartition(".")
            # An atomic addition does more than a copy.
            if name.startswith("atomic_"):
                return False
            if owner == "tl" and name in accesses:
                accesses[name].append(node)
    (loads, stores) = accesses.values()
    if len(loads) != 1 or len(stores) != 1 or len(stores[0].args) < len(("pointer", "value")):
        return False
    # Back from the stored value over names and casts, up to the load or to something else.
    value: ast.expr | None = stores[0].args[1]
    for _ in range(len(values) * 2 + 2):  # a name may lead to itself
        if value is loads[0] or value is None:
            break
        value = _value_before_cast(value, values)
    return value is loads[0]


def _value_before_cast(value: ast.expr, values: dict[str, list[ast.expr]]) -> ast.expr | None:
    """What a value is a cast or another name of; None where it is neither."""
    if isinstance(value, ast.Name):
        # A name with several values has no value that is known.
        given = values.get(value.id, [])
        return given[0] if len(given) == 1 else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return None
    if value.func.attr not in _UNCHANGED:
        return None
    if dotted_name(value.func.value) == "tl":  # `tl.broadcast_to(tmp0, …)`
        return value.args[0] if value.args else None
    return value.func.value
