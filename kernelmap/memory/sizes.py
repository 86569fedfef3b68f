"""Sizes as code writes them → numbers of bytes, and formulas where a size is only known in a run.

`(s0, 8)` with strides `(8, 1)` of float32 is `4*s0*8` bytes; with `s0=16` it is 512.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from kernelmap.facts.dtypes import ITEMSIZE

Sizes = Mapping[str, int]
"""The numbers that symbols stand for."""

_LARGEST = 10**18  # bytes or elements: more is no size
_OPERATORS: Mapping[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.USub: operator.neg,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "max": max,
    "min": min,
    "abs": abs,
    "int": int,
    "float": float,
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
}


class TensorSizes(Struct, frozen=True, kw_only=True):
    """Shape and strides as the code writes them, and the dtype; None is what it does not state."""

    shape: tuple[ast.expr, ...]
    stride: tuple[ast.expr, ...]
    dtype: str | None = None


def whole_number_of(node: ast.expr, sizes: Sizes) -> int | None:
    """The value of an expression of sizes; None where it is not known, or no whole number.

    >>> whole_number_of(ast.parse("8 * math.ceil(s0 / 8)", mode="eval").body, {"s0": 9})
    16
    """
    try:
        value = _value_of(node, sizes)
    except (ArithmeticError, ValueError, TypeError, RecursionError):
        return None
    if value is None or isinstance(value, bool) or value != int(value) or abs(value) > _LARGEST:
        return None
    return int(value)


def _value_of(node: ast.expr, sizes: Sizes) -> float | None:  # noqa: PLR0911 -- a kind of node each
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return sizes.get(name)
        case ast.BinOp(left=left, op=op, right=right):
            return _computed(_OPERATORS.get(type(op)), [left, right], sizes)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _computed(_OPERATORS.get(type(op)), [left, right], sizes)
        case ast.UnaryOp(op=op, operand=operand):
            return _computed(_OPERATORS.get(type(op)), [operand], sizes)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            holds = _value_of(test, sizes)
            return None if holds is None else _value_of(body if holds else orelse, sizes)
        case ast.Call(func=ast.Name(id=word) | ast.Attribute(attr=word), args=given) if given:
            return _computed(_FUNCTIONS.get(word), given, sizes)
    return None


def _computed(
    function: Callable[..., float] | None, operands: Sequence[ast.expr], sizes: Sizes
) -> float | None:
    values = [_value_of(operand, sizes) for operand in operands]
    # A product of endless factors would grow with each of them.
    if function is None or any(value is None or abs(value) > _LARGEST for value in values):
        return None
    return function(*values)


def in_numbers(listed: Sequence[ast.expr], sizes: Sizes) -> tuple[int | str, ...]:
    """Sizes as numbers, a text for each that is not known."""
    numbers = [
        # Nearly all are plain numbers, which need no look at what they are computed of.
        size.value
        if type(size) is ast.Constant and type(size.value) is int and size.value < _LARGEST
        else whole_number_of(size, sizes)
        for size in listed
    ]
    pairs = zip(numbers, listed, strict=True)
    return tuple([_text_of(size) if number is None else number for number, size in pairs])


def _text_of(node: ast.expr) -> str:
    try:
        return ast.unparse(node)
    except RecursionError:  # a sum of thousands
        return "a size that is too long to be shown"


def bytes_of_storage(
    shape: Sequence[int | str], stride: Sequence[int | str], dtype: str | None
) -> tuple[int | None, str | None]:
    """The bytes of memory that a tensor needs, or else their formula; both None without a dtype.

    >>> bytes_of_storage((8, 4), (4, 1), "float16"), bytes_of_storage(("s0", 4), (4, 1), "float32")
    ((64, None), (None, '4*s0*4'))
    """
    itemsize = ITEMSIZE.get(dtype or "")
    if itemsize is None or len(shape) != len(stride):
        return None, None
    numbers = [size for size in shape if isinstance(size, int)]
    steps = [step for step in stride if isinstance(step, int)]
    if 0 in numbers:
        return 0, None
    if len(numbers) == len(shape) and len(steps) == len(stride):
        # The place of the last element, and one more: broadcast dimensions (stride 0) need no
        # memory, and padded rows need what lies between them.
        last = sum((size - 1) * step for size, step in zip(numbers, steps, strict=True))
        whole = itemsize * (1 + last)
        return (whole, None) if 0 <= whole <= _LARGEST else (None, None)
    if _is_dense(shape, stride):
        factors = [itemsize, *(_in_brackets(size) for size in shape if size != 1)]
        return None, "*".join(map(str, factors))
    terms = [
        f"({size} - 1)*{_in_brackets(step)}"
        for size, step in zip(shape, stride, strict=True)
        if size != 1 and step != 0
    ]
    return None, f"{itemsize}*(1 + {' + '.join(terms)})"


def _in_brackets(size: int | str) -> str:
    """A factor: sums and the like in brackets."""
    text = str(size)
    return text if text.replace("_", "").isalnum() else f"({text})"


def _is_dense(shape: Sequence[int | str], stride: Sequence[int | str]) -> bool:
    """Whether the elements fill their memory: some order of the dimensions gives these strides.

    Strides with symbols are compared as texts after the smallest number, in the order in which
    each is the one before times its size.
    """
    # Dimensions of one element may have any stride. The others are taken one by one: the next is
    # that whose stride is the product of all sizes so far.
    left = [(size, step) for size, step in zip(shape, stride, strict=True) if size != 1]
    reached = _Product()
    while left:
        for at, (size, step) in enumerate(left):
            if reached.is_equal(step):
                reached = reached.times(size)
                del left[at]
                break
        else:
            return False
    return True


class _Product(Struct, frozen=True):
    """A product of a number and factors that are texts."""

    number: int = 1
    factors: tuple[str, ...] = ()

    def times(self, size: int | str) -> _Product:
        if isinstance(size, int):
            return _Product(self.number * size, self.factors)
        number, factors = _factors_of(size)
        return _Product(self.number * number, tuple(sorted((*self.factors, *factors))))

    def is_equal(self, step: int | str) -> bool:
        number, factors = (step, ()) if isinstance(step, int) else _factors_of(step)
        return (number, tuple(sorted(factors))) == (self.number, self.factors)


def _factors_of(text: str) -> tuple[int, tuple[str, ...]]:
    """The number in front of a product, and its other factors as texts; `max(1, s0)` is `s0`."""
    number, factors = 1, list[str]()
    try:
        pending = [ast.parse(text, mode="eval").body]
    except (SyntaxError, RecursionError, MemoryError):
        return 1, (text,)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            pending += [node.left, node.right]
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            number *= node.value
        elif _is_at_least_one(node) and isinstance(node, ast.Call):
            pending.append(node.args[1])
        else:
            factors.append(_text_of(node))
    return number, tuple(factors)


def _is_at_least_one(node: ast.expr) -> bool:
    """Whether it is `max(1, s0)`, as strides are written where a size might be 0."""
    match node:
        case ast.Call(func=ast.Name(id="max"), args=[ast.Constant(value=1), _]):
            return True
    return False
