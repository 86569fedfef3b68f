"""What a name in the body of a Triton kernel can hold, as far as its memory traffic needs it.

An index is a sum of digits of the axes, a mask a condition on such sums, a pointer an argument and
an offset; all else that loads and arithmetic give is data, of which only the axes are known that it
depends on. Of a kernel that no convention describes the values are unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from kernelmap.speed.work.index_space import Affine, Below, Digit, Extents

_NO_DIGITS: frozenset[Digit] = frozenset()
_START = Affine(0)


class Data(Struct, frozen=True):
    """A value that memory or arithmetic gave, and the digits of the axes that it depends on."""

    digits: frozenset[Digit] = _NO_DIGITS


class Unknown(Struct, frozen=True):
    """A value of which nothing is known, not even which axes it depends on."""


class Mask(Struct, frozen=True):
    """Conditions that hold together; `whole` is False where more is asked than they say.

    `digits` are those of the axes that any part of it depends on.
    """

    conditions: tuple[Below, ...] = ()
    whole: bool = True
    digits: frozenset[Digit] = _NO_DIGITS

    def __and__(self, other: Mask) -> Mask:
        return Mask(
            (*self.conditions, *other.conditions),
            self.whole and other.whole,
            self.digits | other.digits,
        )


Offset: TypeAlias = "Affine | Data | Unknown"


class Pointer(Struct, frozen=True):
    """A pointer argument, moved by an offset."""

    argument: str
    offset: Offset = _START


Value: TypeAlias = "Affine | Data | Mask | Pointer | Unknown"

_BOUNDS: Mapping[type[ast.cmpop], tuple[int | None, int | None]] = {
    ast.Lt: (None, 0),
    ast.LtE: (None, 1),
    ast.Gt: (1, None),
    ast.GtE: (0, None),
}
"""Where a comparison holds: the least value of left minus right, and the bound above it."""


def value_of_constant(value: object) -> Value:
    """A literal."""
    if isinstance(value, bool):
        return Mask(whole=value)
    return Affine(value) if isinstance(value, int) else Data()


def digits_of(value: Value) -> frozenset[Digit]:
    """The digits that a value depends on, as far as they are known."""
    return value.digits if isinstance(value, Affine | Data | Mask) else _NO_DIGITS


def mix_values(values: Iterable[Value]) -> Data | Unknown:
    """What an operation makes of values: data that depend on all that they depend on."""
    digits = _NO_DIGITS
    for value in values:
        if isinstance(value, Unknown):
            return value
        digits |= digits_of(value)
    return Data(digits)


def as_mask(value: Value) -> Mask:
    """A value in the place of a mask: data may hold anywhere."""
    return value if isinstance(value, Mask) else Mask(whole=False, digits=digits_of(value))


def compare_values(left: Value, right: Value, operator: ast.cmpop, extents: Extents) -> Mask:
    """Where `left` compares so with `right`; a condition that holds everywhere is none."""
    unsure = Mask(whole=False, digits=digits_of(left) | digits_of(right))
    if not (isinstance(left, Affine) and isinstance(right, Affine)):
        return unsure
    # `left < right` as a condition on the difference alone, its constant moved into the bounds.
    difference = left + right * -1
    # Equality is not followed, and neither is an axis of unknown length.
    if type(operator) not in _BOUNDS or any(d.axis not in extents for d in difference.digits):
        return unsure
    least, bound = (
        None if end is None else end - difference.const for end in _BOUNDS[type(operator)]
    )
    condition = Below(Affine(0, difference.terms), least, bound)
    # `x0 < 256` for an x0 that ends there says nothing.
    conditions = () if condition.holds_always(extents) else (condition,)
    return Mask(conditions, digits=difference.digits)


def compute_affine(
    left: Affine, right: Affine, operator: ast.operator, extents: Extents
) -> Affine | None:
    """The sum of digits that an operation on two gives, None where it gives none."""
    if isinstance(operator, ast.Add | ast.Sub):
        return left + (right if isinstance(operator, ast.Add) else right * -1)
    # A product of two sums is no sum of digits.
    if isinstance(operator, ast.Mult) and not (left.terms and right.terms):
        return left * right.const if left.terms else right * left.const
    # Division and remainder need to know how far the axes run, and a positive number on the right.
    measured = all(digit.axis in extents for digit in left.digits)
    if right.terms or right.const <= 0 or not measured:
        return None
    if isinstance(operator, ast.FloorDiv):
        return left.divide_by(right.const, extents)
    return left.remainder_by(right.const, extents) if isinstance(operator, ast.Mod) else None


def move_pointer(
    pointer: Pointer, offset: Value, operator: ast.operator, extents: Extents
) -> Pointer:
    """A pointer after arithmetic on it."""
    # Only an addition moves a pointer to a place that is known.
    at: Offset = Unknown()
    if isinstance(operator, ast.Add) and not isinstance(offset, Mask | Pointer | Unknown):
        if isinstance(pointer.offset, Affine) and isinstance(offset, Affine):
            at = compute_affine(pointer.offset, offset, operator, extents) or Unknown()
        else:
            at = mix_values([pointer.offset, offset])
    return Pointer(pointer.argument, at)
