"""Times as a trace file writes them → whole nanoseconds (int64), exactly.

Taken: microseconds as integers, floats or strings. A float that a JSON parser made is good to the
nanosecond only below 2**43 us: beyond that the decimal text has to be read, by `text_ns`.
Fractions of a nanosecond are rounded to the even neighbor.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, DecimalException

import numpy as np

from kernelmap.model.trace import Int

_EXACT_BELOW_US = float(2**43)
"""Below it two neighboring floats are less than a nanosecond apart, so rounding finds the text."""
_LARGEST_NS = 2**61
"""Base time, start and duration together stay within an int64; this is the year 2043."""


def exact_ns(values: Sequence[object]) -> Int | None:
    """Microseconds → nanoseconds, shape (n,); None where only the text of the numbers says.

    >>> exact_ns([1.001, 2.5]).tolist()
    [1001, 2500]
    >>> exact_ns([1700000000000000.25]) is None
    True
    """
    column = np.array(values)
    if column.dtype.kind == "i":
        fits = not len(column) or int(np.abs(column).max()) <= _LARGEST_NS // 1000
        exact: Int = column.astype(np.int64) * 1000
        return exact if fits else None
    if column.dtype.kind != "f" or not (np.abs(column) < _EXACT_BELOW_US).all():
        return None
    whole = np.floor(column)
    rest: Int = np.rint((column - whole) * 1000).astype(np.int64)
    rest += whole.astype(np.int64) * 1000
    return rest


def text_ns(text: bytes) -> int | None:
    """One number or quoted number in microseconds → nanoseconds; None where it is none.

    >>> text_ns(b"1700000000000000.123")
    1700000000000000123
    >>> text_ns(b'"12.5"')
    12500
    """
    try:
        number = Decimal(text.decode().strip().strip('"')).scaleb(3)
    except (DecimalException, UnicodeDecodeError):
        return None
    if not number.is_finite() or abs(number) > _LARGEST_NS:
        return None
    return int(number.to_integral_value())
