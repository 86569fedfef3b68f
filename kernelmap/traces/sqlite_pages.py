"""Tables of a SQLite file, read from its pages with numpy.

SQLite hands over one value at a time, and millions of rows have many. In the file itself a table
is a tree of pages whose leaves hold the rows one behind another, so numpy takes a column of some
thousand rows at once, for a small part of the work. Taken: the file, the number of a table's root
page, places of columns. Given: columns of whole numbers or texts, rows in the order of their rowid.
`NotPlain` is raised for whatever is not laid out the plain way, damaged or not: rows that go on on
other pages or lack a column, indexes, values of other kinds, pointers that lead nowhere. SQLite
itself reads those tables, and names what is wrong with them.
Rules: SQLite's documentation, "Database File Format", sections 1.3, 1.6 and 2.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BufferedReader

import numpy as np

from kernelmap.model.trace import Int
from kernelmap.traces.sqlite_rows import INTERIOR, LEAF, PAD, Bytes, NotPlain, PageRows, children

HEADER = 100
_LEVELS = 20  # a tree of SQLite's has fewer
_STRETCH = 1 << 20  # bytes in memory at a time; with many more, they leave the cache
_UTF8 = 1


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
        count, found = 0, [np.zeros(0, dtype=np.int64) for _ in places]
        leaves = self._leaves(root)
        for pages, rows in self._rows(leaves):
            end = count + len(rows)
            if places and end > len(found[0]):
                room = end + (len(leaves) - pages) * (end // pages + 1)  # as full as those before
                found = [_longer(each[:count], room) for each in found]
            for column, values in zip(found, rows.integers(places), strict=True):
                column[count:end] = values
            count = end
        return count, [column[:count] for column in found]

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
