"""The rows that lie on some leaf pages of a SQLite table, taken apart by numpy.

A row is its length, its rowid, a header with a type per column, and the values; lengths, rowids and
types are numbers of one to nine bytes. Taken: pages one behind another, then `PAD` zeros. Given:
columns of whole numbers or of texts. `NotPlain` where a page or a row is anything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kernelmap.model.trace import NONE, Int

LEAF, INTERIOR = 13, 5
PAD = 4096
"""How far a damaged row may lead behind the last page before that is noticed."""

_HEADER, _INTERIOR_HEADER = 8, 12
_MOST = PAD // 9 - 9  # columns, each with a type of up to nine bytes
_SIZES = np.array([0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0], dtype=np.int64)  # bytes of a value by type
_SHIFTS = np.minimum(64 - 8 * _SIZES, 63)
_BIG = {2: ">u2", 4: ">u4", 8: ">i8"}
_FLOAT, _ZERO, _ONE, _OTHERS, _TEXT = 7, 8, 9, 10, 13
_MORE = 128  # the bit that says that a number goes on
_LOCAL = 35  # bytes of a page that a row leaves free, or else it goes on elsewhere

Bytes = NDArray[np.uint8]


class NotPlain(Exception):  # noqa: N818 -- nothing went wrong
    """The table is not laid out the plain way."""


def children(data: Bytes, size: int) -> Int:
    """The pages that interior pages point at, in order."""
    base, cells, page = _cells(data, size, INTERIOR, _INTERIOR_HEADER)
    found = np.concatenate([_big(data, cells, 4), _big(data, base + 8, 4)])
    order = np.argsort(np.concatenate([page, np.arange(len(base))]), kind="stable")
    return found[order]


class PageRows:
    """The rows of some leaf pages; a row's parts are positions in `data`."""

    def __init__(self, data: Bytes, size: int, usable: int) -> None:
        base, cells, page = _cells(data, size, LEAF, _HEADER)
        self._data = data
        length, at = _number(data, cells)
        at = _behind(data, at)
        self._end = at + length
        header, self._types = _number(data, at)
        self._values = at + header
        if (
            (length > usable - _LOCAL).any()
            or (self._end > base[page] + usable).any()
            or (self._values > self._end).any()
        ):
            raise NotPlain

    def __len__(self) -> int:
        return len(self._end)

    def integers(self, places: Sequence[int]) -> list[Int]:
        """The columns at `places`, -1 for NULL."""
        found = {place: self._integers(kind, at) for place, kind, at in self._columns(places)}
        return [found[place] for place in places]

    def texts(self, place: int) -> list[bytes | None]:
        """The column at `place`, None for NULL."""
        ((_, kind, at),) = self._columns([place])
        if ((kind != 0) & ((kind < _TEXT) | (kind % 2 == 0))).any():
            raise NotPlain
        whole, end = self._data.tobytes(), at + _size(kind)
        return [
            whole[first:last] if is_text else None
            for is_text, first, last in zip(kind.tolist(), at.tolist(), end.tolist(), strict=True)
        ]

    def _columns(self, places: Sequence[int]) -> Iterator[tuple[int, Int, Int]]:
        """Of each place, in the order of the table: type and position of the value in each row."""
        last = max(places, default=NONE)
        if last > _MOST:
            raise NotPlain
        types, at = self._types, self._values
        for place in range(last + 1):
            kind, types = _number(self._data, types)
            size = _size(kind)
            if place in places:
                if (at + size > self._end).any() or (types > self._values).any():
                    raise NotPlain
                yield place, kind, at
            at = at + size

    def _integers(self, kind: Int, at: Int) -> Int:
        least, most = int(kind.min(initial=_ONE)), int(kind.max(initial=0))
        if most >= _OTHERS or (kind == _FLOAT).any():
            raise NotPlain
        if most == 0:
            return np.full(len(kind), NONE, dtype=np.int64)
        value = _big(self._data, at, 8)
        if least == most and 0 < most < _FLOAT:
            return value >> 64 - 8 * int(_SIZES[most])
        value >>= _SHIFTS.take(kind)
        for special, meant in ((0, NONE), (_ZERO, 0), (_ONE, 1)):
            value[kind == special] = meant
        return value


def _cells(data: Bytes, size: int, kind: int, header: int) -> tuple[Int, Int, Int]:
    """Where pages begin, where their cells begin, and the page of each cell by its number."""
    base = np.arange(0, len(data) - PAD, size)
    if (data[base] != kind).any():
        raise NotPlain
    counts = _big(data, base + 3, 2)
    if (header + 2 * counts > size).any():
        raise NotPlain
    page = np.repeat(np.arange(len(base)), counts)
    nth = np.arange(len(page)) - np.repeat(np.cumsum(counts) - counts, counts)
    pointer = _big(data, base[page] + header + 2 * nth, 2)
    if (pointer > size - 4).any():
        raise NotPlain
    return base, base[page] + pointer, page


def _big(data: Bytes, at: Int, size: int) -> Int:
    """Whole numbers of that many bytes, the highest first."""
    windows = np.ndarray((len(data) - size + 1,), dtype=_BIG[size], buffer=data, strides=(1,))
    return windows[at].astype(np.int64)


def _number(data: Bytes, at: Int) -> tuple[Int, Int]:
    """The number at each position, if it has up to four bytes, and the position behind it."""
    byte = data[at]
    value, after = byte.astype(np.int64), at + 1
    if not len(at) or byte.max() < _MORE:
        return value, after
    value &= _MORE - 1
    open_ = np.flatnonzero(byte >= _MORE)
    for _ in range(3):
        byte = data[after[open_]]
        value[open_] = value[open_] << 7 | byte & _MORE - 1
        after[open_] += 1
        open_ = open_[byte >= _MORE]
        if not len(open_):
            return value, after
    raise NotPlain


def _behind(data: Bytes, at: Int) -> Int:
    """The position behind the number at each position, however long it is."""
    after = at + 1
    open_ = np.flatnonzero(data[at] >= _MORE)
    for _ in range(8):
        if not len(open_):
            break
        byte = data[after[open_]]
        after[open_] += 1
        open_ = open_[byte >= _MORE]
    return after


def _size(kind: Int) -> Int:
    """How many bytes a value of that type takes."""
    if not len(kind) or kind.max() < len(_SIZES):
        return _SIZES.take(kind)
    short = _SIZES.take(np.minimum(kind, len(_SIZES) - 1))
    return np.where(kind < len(_SIZES), short, kind - len(_SIZES) >> 1)
