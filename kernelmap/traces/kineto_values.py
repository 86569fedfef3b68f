"""The values that Kineto's fields hold, whatever their spelling → int64 columns.

Ids are integers, in some files strings; 0 and absent mean "none" and become -1, and so do ids that
no int64 can hold. Extents (grid, block) are lists, in some files the string "grid(100,)".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import cast

import numpy as np

from kernelmap.model.trace import NONE, Int
from kernelmap.traces.kineto_events import Extent, Scalar

_LARGEST = 2**63 - 1
_DIGITS = 40  # of a number in quotes; what has more is too large, whatever it is
_ALL_ONES = (2**64 - 1, 2**32 - 1)
_NUMBER = re.compile(r"\d+")
_DIMENSIONS = 3


class Ids:
    """Turns ids into columns and counts those that no int64 holds."""

    def __init__(self) -> None:
        self.too_large = 0

    def column(self, values: Sequence[Scalar], *, lowest: int = 1) -> Int:
        """Int64 (n,); -1 for what is absent, no number, or below `lowest`."""
        try:
            column = np.array(values, dtype=np.int64)
        except (TypeError, ValueError, OverflowError):
            column = np.array([self._one(value) for value in values], dtype=np.int64)
        return np.where(column >= lowest, column, NONE)

    def _one(self, value: Scalar) -> int:
        number = _integer(value)
        if number is None or number in _ALL_ONES:
            return NONE
        if number > _LARGEST:
            self.too_large += 1
            return NONE
        return max(number, NONE)


def whole(value: Scalar) -> int | None:
    """The integer that a field holds, None where it holds none of 64 bits.

    >>> whole("12"), whole(7.0), whole("Spans"), whole(True), whole(2.0**63)
    (12, 7, None, None, None)
    """
    number = _integer(value)
    return number if number is not None and -_LARGEST <= number <= _LARGEST else None


def _integer(value: Scalar) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdecimal():
        return int(value) if len(value) <= _DIGITS else _LARGEST + 1
    return None


def text(value: Scalar) -> str | None:
    """The string that a field holds; None for anything else and for nothing."""
    return value if isinstance(value, str) and value else None


def extents(values: Sequence[Extent]) -> Int:
    """Grid or block sizes, int64 (n, 3); -1 where absent.

    >>> extents([[8, 1, 1], "grid(100,)", None]).tolist()
    [[8, 1, 1], [100, 1, 1], [-1, -1, -1]]
    """
    if all(type(value) is list and len(value) == _DIMENSIONS for value in values):
        flat = chain.from_iterable(cast("Sequence[list[object]]", values))
        try:
            column = np.fromiter(flat, dtype=np.int64, count=_DIMENSIONS * len(values))
        except (TypeError, ValueError, OverflowError):
            pass
        else:
            return column.reshape(-1, _DIMENSIONS)
    return np.array([_extent(value) for value in values], dtype=np.int64).reshape(-1, _DIMENSIONS)


def _extent(value: Extent) -> list[int]:
    if isinstance(value, str):
        numbers = list(map(whole, _NUMBER.findall(value)))
    elif isinstance(value, list):
        numbers = [whole(each) for each in value]
    else:
        numbers = [whole(value)]
    if not 0 < len(numbers) <= _DIMENSIONS:
        return [NONE] * _DIMENSIONS
    sizes = [NONE if number is None else number for number in numbers]
    if NONE in sizes:
        return [NONE] * _DIMENSIONS
    return sizes + [1] * (_DIMENSIONS - len(sizes))
