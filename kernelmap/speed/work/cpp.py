"""The work of C++ kernels: their loops and accesses, read as those of Triton kernels are.

An access says by its index and the loops around it (cpp_loops.py) which elements it reaches, as in
triton_source.py. A vector load of a transposed tile, too, starts where its index says and covers
the steps of its loops.

Left out: kernels with loops that begin elsewhere than at 0, whose
operands count whole; templates (products that Inductor filled in).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from kernelmap.compiler.python.source import literal_value
from kernelmap.facts.dtypes import ITEMSIZE
from kernelmap.model import WrapperCall
from kernelmap.model.work import Work
from kernelmap.speed.work.cpp_arithmetic import is_foreign, is_matrix_product, operations_of
from kernelmap.speed.work.cpp_loops import (
    INDEX,
    TAIL,
    Loop,
    LoopStatement,
    find_closing_bracket,
    iter_statements,
    parse_integer_expression,
)
from kernelmap.speed.work.generated_code import GeneratedCode
from kernelmap.speed.work.tensors import Tensor
from kernelmap.speed.work.triton_bytes import bytes_moved
from kernelmap.speed.work.triton_source import Access, AccessKind, index_of
from kernelmap.speed.work.triton_values import Mask, Unknown

_TYPES: Mapping[str, str] = {
    "float": "float32",
    "double": "float64",
    "bool": "bool",
    "int8_t": "int8",
    "uint8_t": "uint8",
    "int16_t": "int16",
    "int32_t": "int32",
    "int64_t": "int64",
    "at::BFloat16": "bfloat16",
    "c10::BFloat16": "bfloat16",
    "at::Half": "float16",
    "c10::Half": "float16",
    "half": "float16",
}
_PARAMETERS = re.compile(r'extern\s+"C"\s+(?:\w+\s+)*?\w+\s*\(([^)]*)\)')
_PARAMETER = re.compile(r"(?:const\s+)?([\w:]+)\s*(\*?)\s*(\w+)\s*$")
_ALIAS = re.compile(r"auto (\w+) = (\w+_ptr\d+);")
_ARITHMETIC = "float32"  # which most kernels compute in, whatever they load and store

_TEMPLATE = "the products of a C++ template are not read from its source"
_FOREIGN = "a function computes in it whose source is not given"
_SYMBOL = "how far one of its loops runs is not known"


def work_of(call: WrapperCall, code: GeneratedCode) -> Work:
    """The work of one run of a C++ kernel."""
    source, statement = code.cpp.get(call.kernel or ""), code.statement_of(call)
    if source is None or statement is None:
        return Work(reason="the source of its kernel is not given")
    # Loops of such a template are only a part of what it reads.
    if is_matrix_product(source):
        return Work(reason=_TEMPLATE)
    parameters = _dtypes_of_parameters(source)
    # The arguments of the call by the kernel's parameters, and the tensors and numbers among them.
    given = dict(zip(parameters, map(_tensor_of, statement.call.args), strict=False))
    itemsize = {name: ITEMSIZE[dtype] for name, dtype in parameters.items() if dtype}
    tensors: dict[str, Tensor] = {}
    for name, node in given.items():
        tensor = code.tensors.tensor_of(node)
        if tensor is not None:
            tensors[name] = tensor
    sizes = {
        name: value for name, node in given.items() if type(value := literal_value(node)) is int
    }
    # The statements once, for accesses and for arithmetic.
    read = tuple(iter_statements(source, sizes))
    accesses = tuple(_iter_accesses(read, [*parameters], dict(_ALIAS.findall(source)), sizes))
    if not accesses or any(access.argument not in itemsize for access in accesses):
        return Work(reason="its source has no loop that can be read")
    elements = {name: tensor.elements for name, tensor in tensors.items()}
    operands = bytes_moved(accesses, {name: elements.get(name) for name in itemsize}, itemsize)
    if operands is None:
        return Work(reason="the size of an operand is not known")
    named = (
        replace(one, name=tensors[one.name].name) if one.name in tensors else one
        for one in operands
    )
    flops = operations_of(read)
    reason = None if flops is not None else _FOREIGN if is_foreign(source) else _SYMBOL
    return Work(operands=tuple(named), flops=flops, dtype=_ARITHMETIC, reason=reason)


def _dtypes_of_parameters(source: str) -> dict[str, str | None]:
    """The kernel's parameters with torch's names of what pointers among them point to."""
    stated = _PARAMETERS.search(source)
    # Only a pointer has a type of elements; of other parameters it is None.
    parameters: dict[str, str | None] = {}
    for text in stated[1].split(",") if stated is not None else ():
        match = _PARAMETER.search(text.strip())
        if match is not None:
            parameters[match[3]] = _TYPES.get(match[1]) if match[2] else None
    return parameters


def _tensor_of(node: ast.expr) -> ast.expr:
    """The tensor in `c_void_p(buf0.data_ptr())`, as older code hands it over."""
    inner = node.args[0] if isinstance(node, ast.Call) and node.args else node
    match inner:
        case ast.Call(func=ast.Attribute(value=tensor, attr="data_ptr")):
            return tensor
    return node


def _iter_accesses(
    read: Sequence[LoopStatement],
    parameters: Sequence[str],
    aliases: Mapping[str, str],
    sizes: Mapping[str, int],
) -> Iterator[Access]:
    """All loads and stores in order; `aliases` are other names of pointers."""
    pointers = [*(name for name in parameters if "ptr" in name), *aliases]
    if not pointers:
        return
    names = "|".join(sorted(map(re.escape, pointers), key=len, reverse=True))
    pattern = re.compile(
        rf"(?P<before>store\(|atomic_add\w*\(&)?\b(?P<name>{names})(?: \+ |\[){re.escape(INDEX)}"
    )
    for statement in read:
        for match in pattern.finditer(statement.text):
            end = find_closing_bracket(statement.text, match.end())
            argument: str = match["name"]
            # `auto in_ptr2 = in_out_ptr0;` is another name of one pointer.
            while argument in aliases:
                argument = aliases[argument]
            kind = _kind_of_access(match["before"], statement.text[end:])
            yield _read_access(
                Access(kind=kind, argument=argument, index=Unknown(), mask=Mask(), extents={}),
                statement.text[match.end() : end],
                statement.loops,
                sizes,
            )


def _kind_of_access(before: str | None, after: str) -> AccessKind:
    """Whether memory is read or written: `store(p + …)`, `p[…] = `, or anything else."""
    if before is not None:
        return AccessKind.STORE if before.startswith("store") else AccessKind.ATOMIC
    # `p[…] = v` writes, `p[…] += v` reads and writes.
    assigns = re.match(r"\)\s*\]\s*(\+?=)(?!=)", after)
    return (
        AccessKind.LOAD
        if assigns is None
        else AccessKind.STORE
        if assigns[1] == "="
        else AccessKind.ATOMIC
    )


def _read_access(
    unknown: Access, index: str, loops: Sequence[Loop], sizes: Mapping[str, int]
) -> Access:
    """The access with its index; `unknown` as it is where that or a loop cannot be read."""
    extents: dict[str, int] = {}
    axes: dict[str, str] = {}
    # Axes are loops. One that begins elsewhere or has no known end leaves the access without an
    # index.
    for loop in loops:
        if loop.last is None or loop.first != 0:
            return unknown
        axes[loop.axis] = f"{loop.axis}_{loop.last}"  # equal names of other loops may run further
        extents[axes[loop.axis]] = loop.last
    node = parse_integer_expression(index.replace(TAIL, ""))
    if node is None:
        return unknown
    return replace(unknown, index=index_of(node, axes, extents, sizes), extents=extents)
