"""How much a C++ kernel computes: the operations of its statements, by the loops around them.

As in Triton kernels an operation or a function is one for every element of the axes that its
operands depend on, a reduction one for every element that goes in; `fmadd` is two. Comparisons,
selections, casts and indices are none.

Left out: how lanes and threads join their sums; products that Inductor filled in, and whatever
libraries compute.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import prod

from kernelmap.speed.work.cpp_loops import INDEX, TAIL, Loop, LoopStatement, find_closing_bracket

_ASSIGNMENT = re.compile(r"(\w+)(?:\[[^\]=;]*\])?\s*=(?!=)\s*(.*)", re.DOTALL)
_LOAD = re.compile(r"\w+ \+ @|\w+\[@\]")
_BRACKETS = re.compile(r"<[^<>()]*>")
_OPERATOR = re.compile(r"(?<=[\w)#])\s*[-+*/%]\s*(?=[\w(#])")
# A name in front of a bracket is a function. Those listed below count as no arithmetic.
_FUNCTION = re.compile(r"(\w+)\s*\(")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NO_ARITHMETIC = frozenset(
    {
        *("static_cast", "Vectorized", "VectorizedN", "VecMask", "loadu", "load", "from", "to"),
        *("convert", "cast", "blendv", "arange", "decltype", "float", "double", "int", "bool"),
        *("int32_t", "int64_t", "uint32_t", "Half", "BFloat16", "half", "infinity", "min", "max"),
        *("normalized_rand_cpu", "randn_cpu", "randint64_cpu"),
        *("quiet_NaN", "set", "make_unique", "get", "data", "size_t", "isnan", "all_zero"),
    }
)
_TWICE = ("fmadd", "fmsub")
_LANES = "vec_reduce_all"
_PRODUCTS = re.compile(r"micro_gemm|cpublas|mkldnn")
_FOREIGN = re.compile(rf"{_PRODUCTS.pattern}|at::native")
_DEFERRED = "[&]"
"""What begins a function that the block behind it is."""


def is_matrix_product(source: str) -> bool:
    """Whether products that Inductor filled in, or a library's, read operands beside the loops."""
    return _PRODUCTS.search(source) is not None


def is_foreign(text: str) -> bool:
    """Whether a kernel, or a part of it, calls functions whose source is not given."""
    return _FOREIGN.search(text) is not None


def operations_of(statements: Iterable[LoopStatement]) -> int | None:
    """The operations of one run.

    None where a loop's length is not known, or a library's function computes.
    """
    operations = 0
    # The loops that each variable depends on, as statements before assigned it.
    depends: dict[str, frozenset[Loop]] = {}
    for statement in statements:
        lengths = {loop: loop.length for loop in statement.loops}
        assigned = _ASSIGNMENT.search(statement.text)
        if is_foreign(statement.text) or None in lengths.values():
            return None
        if assigned is None:
            continue
        name, value = assigned.groups()
        # The value depends on the loops whose axes stand in it or in the indices of its loads.
        plain, indices = _without_indices(value)
        words = {word for text in (plain, *indices) for word in _NAME.findall(text)}
        axes = {word.removesuffix(TAIL) for word in words}
        # `[&]` begins a function whose block is not part of this text: it may depend on all loops.
        over = {loop for loop in lengths if loop.axis in axes or _DEFERRED in value}
        # What was made in a loop that has ended no longer depends on it.
        over |= lengths.keys() & set().union(*(depends.get(word, ()) for word in words))
        # A second branch for the edge of a tile repeats the first. How lanes join their sums is
        # left out.
        if over and not statement.repeats and _LANES not in value:
            operations += _count_operations(plain) * prod(lengths[loop] or 0 for loop in over)
        depends[name] = frozenset(over)
    return operations


def _without_indices(value: str) -> tuple[str, Sequence[str]]:
    """A value with `#` in the place of each load, and the indices of the loads."""
    indices = []
    # Indices contain arithmetic of their own, so they are cut out before operators are counted.
    while (at := value.find(INDEX)) >= 0:
        end = find_closing_bracket(value, at + len(INDEX))
        indices.append(value[at + len(INDEX) : end])
        value = f"{value[:at]}@{value[end + 1 :]}"
    value = _LOAD.sub("#", value)
    # Template arguments, from the inside out: their brackets are no comparisons.
    while (shorter := _BRACKETS.sub("", value)) != value:
        value = shorter
    return value, indices


def _count_operations(value: str) -> int:
    functions = _FUNCTION.findall(value)
    counted = [name for name in functions if name not in _NO_ARITHMETIC]
    return len(_OPERATOR.findall(value)) + sum(1 + (name in _TWICE) for name in counted)
