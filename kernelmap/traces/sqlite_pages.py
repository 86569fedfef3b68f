"""Tables of a SQLite file, read from its pages with numpy.

SQLite hands over one value at a time, and millions of rows have many. In the file itself a table
is a tree of pages whose leaves hold the rows one behind another, so numpy takes a column of some
thousand rows at once, for a small part of the work. A row is its length, its rowid, a header with a
type per column, and the values; lengths, rowids and types are numbers of one to nine bytes.
Taken: the file, the number of a table's root page, places of columns. Given: columns of whole
numbers or texts, rows in the order of their rowid.
`NotPlain` is raised for whatever is not laid out the plain way, damaged or not: rows that go on on
other pages or lack a column, indexes, values of other kinds, pointers that lead nowhere. SQLite
itself reads those tables, and names what is wrong with them.
Rules: SQLite's documentation, "Database File Format", sections 1.3, 1.6 and 2.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BufferedReader

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
HEADER = 100
_LEVELS = 20  # a tree of SQLite's has fewer
_STRETCH = 1 << 20  # bytes in memory at a time; with many more, they leave the cache
_UTF8 = 1


class NotPlain(Exception):  # noqa: N818 -- nothing went wrong
    """The table is not laid out the plain way."""


def children(data: Bytes, size: int) -> Int:
    """The pages that interior pages point at, in order."""
    base, cells, page = _cells(data, size, INTERIOR, _INTERIOR_HEADER)
    pointed_at = np.concatenate([_big(data, cells, 4), _big(data, base + 8, 4)])
    order = np.argsort(np.concatenate([page, np.arange(len(base))]), kind="stable")
    return pointed_at[order]


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
            or length.sum() > len(data)  # rows that lie in one another
            or (self._end > base[page] + usable).any()
            or (self._values > self._end).any()
        ):
            raise NotPlain

    def __len__(self) -> int:
        return len(self._end)

    def integers(self, places: Sequence[int]) -> list[Int]:
        """The columns at `places`, -1 for NULL."""
        by_place = {place: self._integers(kind, at) for place, kind, at in self._columns(places)}
        return [by_place[place] for place in places]

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


def page_size(header: bytes) -> int:
    """The size of a page, from the first `HEADER` bytes of a file."""
    size = int.from_bytes(header[16:18], "big")
    return 65536 if size == 1 else size


def _longer(column: Int, room: int) -> Int:
    """The column with room for more; what lies behind it costs nothing until it is written."""
    longer = np.empty(room, dtype=np.int64)
    longer[: len(column)] = column
    return longer


class Pages:
    """The pages of one file; none of them is kept."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        header = file.read(HEADER)
        self._size = page_size(header)
        self._usable = self._size - header[20]
        self._utf8 = int.from_bytes(header[56:60], "big") == _UTF8
        self._count = file.seek(0, 2) // self._size

    def integers(self, root: int, places: Sequence[int]) -> tuple[int, list[Int]]:
        """How many rows the table has, and its columns at `places`, -1 for NULL."""
        count, columns = 0, [np.zeros(0, dtype=np.int64) for _ in places]
        leaves = self._leaves(root)
        for pages, rows in self._rows(leaves):
            end = count + len(rows)
            if places and end > len(columns[0]):
                room = end + (len(leaves) - pages) * (end // pages + 1)  # as full as those before
                columns = [_longer(cells[:count], room) for cells in columns]
            for column, values in zip(columns, rows.integers(places), strict=True):
                column[count:end] = values
            count = end
        return count, [column[:count] for column in columns]

    def texts(self, root: int, place: int) -> list[bytes | None]:
        """The column at `place`, None for NULL."""
        if not self._utf8:
            raise NotPlain
        leaves = self._leaves(root)
        return [text for _, rows in self._rows(leaves) for text in rows.texts(place)]

    def _rows(self, leaves: Int) -> Iterator[tuple[int, PageRows]]:
        """The rows of a stretch of pages, and how many pages there were up to its end."""
        pages = 0
        for data in self._read(leaves):
            pages += (len(data) - PAD) // self._size
            yield pages, PageRows(data, self._size, self._usable)

    def _leaves(self, root: int) -> Int:
        """The numbers of the pages that hold the rows, in order."""
        level = np.array([root], dtype=np.int64)
        for _ in range(_LEVELS):
            kind = int(next(self._read(level[:1]))[0])
            if kind == LEAF:
                return level
            if kind != INTERIOR:
                raise NotPlain
            level = np.concatenate([children(data, self._size) for data in self._read(level)])
            if len(level) > self._count:
                raise NotPlain
        raise NotPlain

    def _read(self, numbers: Int) -> Iterator[Bytes]:
        """The pages of those numbers, a stretch at a time, one behind another and `PAD` zeros."""
        if len(numbers) and (numbers.min() < 1 or numbers.max() > self._count):
            raise NotPlain
        stretch = max(1, _STRETCH // self._size)
        room = np.zeros(min(stretch, len(numbers)) * self._size + PAD, dtype=np.uint8)
        for at in range(0, len(numbers), stretch):
            chosen = numbers[at : at + stretch]
            data = room[: len(chosen) * self._size + PAD]
            data[-PAD:] = 0
            view, place = data.data, 0
            for run in np.split(chosen, np.flatnonzero(np.diff(chosen) != 1) + 1):
                end = place + len(run) * self._size
                self._file.seek((int(run[0]) - 1) * self._size)
                if self._file.readinto(view[place:end]) != end - place:
                    raise NotPlain
                place = end
            yield data
