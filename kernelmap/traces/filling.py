"""Columns of texts and numbers → bytes, on their own or put into a text.

In C where it was built and nothing turns it off (native.py); Python gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelmap.model.annotations import NO_NUMBER, Decimals, TextColumns, Texts
from kernelmap.model.trace import Int
from kernelmap.traces.native import fill, runs_native

_TEXTS = -1  # in place of a number of decimals


def put_in(text: bytes, places: Int, parts: TextColumns) -> bytes:
    """`text` with the i-th row put in at `places[i]`, which ascend; (n,)."""
    if fill is not None and runs_native():
        return fill(text, _bytes_of(places), tuple(map(_column, parts)))
    written = 0
    pieces: list[bytes] = []
    for place, row in zip(places.tolist(), rows_of(parts), strict=True):
        pieces += (text[written:place], row)
        written = place
    return b"".join((*pieces, text[written:]))


def filled(parts: TextColumns) -> bytes:
    """All rows, one behind the other."""
    first = parts[0]
    rows = len(first.which if isinstance(first, Texts) else first.numbers)
    return put_in(b"", np.zeros(rows, dtype=np.int64), parts)


def taken(parts: TextColumns, rows: Int | slice) -> TextColumns:
    """The chosen rows."""
    return tuple(
        Texts(part.which[rows], part.table)
        if isinstance(part, Texts)
        else Decimals(part.numbers[rows], part.places)
        for part in parts
    )


def rows_of(parts: TextColumns) -> list[bytes]:
    """Each row."""
    return list(map(b"".join, zip(*map(_spelled, parts), strict=True)))


def _column(part: Texts | Decimals) -> tuple[int, memoryview, bytes, memoryview]:
    """As C takes it."""
    if isinstance(part, Decimals):
        return part.places, _bytes_of(part.numbers), b"", memoryview(b"")
    return _TEXTS, _bytes_of(part.which), part.table.together, _bytes_of(part.table.ends)


def _bytes_of(column: Int) -> memoryview:
    return np.ascontiguousarray(column, dtype=np.int64).data.cast("B")


def _spelled(part: Texts | Decimals) -> Sequence[bytes]:
    if isinstance(part, Texts):
        texts = [*part.table.texts, b""]  # -1 finds the last one
        return [texts[at] for at in part.which.tolist()]
    return [
        b"" if number == NO_NUMBER else decimal(number, part.places)
        for number in part.numbers.tolist()
    ]


def decimal(number: int, places: int) -> bytes:
    """A number with so many decimals.

    >>> decimal(1234567, 3), decimal(-5, 3), decimal(7, 0)
    (b'1234.567', b'-0.005', b'7')
    """
    digits = b"%0*d" % (places + 1, abs(number))
    point = len(digits) - places
    sign = b"-" if number < 0 else b""
    return sign + digits[:point] + (b"." + digits[point:] if places else b"")
