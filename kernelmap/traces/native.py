"""The scanner in C behind the reader of Kineto traces: text of whole events → rows of numbers.

It is built where there is a compiler, and does what kineto_events.py does, without an object per
event. Taken: a stretch of text. Given: its rows, or None where it holds anything unusual: then the
stretch is read by Python, which alone mends, counts and complains. So both give the same.
`KERNELMAP_NO_NATIVE=1` leaves all to Python.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import msgspec
import numpy as np

from kernelmap.model.names import NEEDLES
from kernelmap.model.trace import NONE, Int
from kernelmap.traces.kineto_events import FRAME_NAME
from kernelmap.traces.kineto_values import Kind, Kinds

_scanner: ModuleType | None
try:
    from kernelmap.traces import _scanner
except ImportError:  # no compiler when it was installed
    _scanner = None

SWITCH = "KERNELMAP_NO_NATIVE"
_OFF = ("", "0")
TABLE_OF = {
    Kind.OP: "ranges",
    Kind.ANNOTATION: "ranges",
    Kind.API: "apis",
    Kind.FRAME: "frames",
    Kind.KERNEL: "launches",
    Kind.MEMCPY: "launches",
    Kind.MEMSET: "launches",
    Kind.GRAPH: "launches",
}


def is_built() -> bool:
    """Whether there was a compiler when kernelmap was installed."""
    return _scanner is not None


def runs_native() -> bool:
    """Whether traces are read by the scanner in C: it was built, and nothing turns it off."""
    return is_built() and os.environ.get(SWITCH, "") in _OFF


def reader_name() -> str:
    """What reads Kineto traces, and why, in words."""
    if runs_native():
        return "scanner in C"
    return (
        f"Python reader, {SWITCH} is set" if is_built() else "Python reader, no scanner was built"
    )


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table, int64 (n, columns); `names` are those of the columns."""

    cells: Int
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, name: str) -> Int:
        """One column, (n,)."""
        column: Int = self.cells[:, self.names.index(name)]
        return column

    def take(self, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Rows:
        """The rows of a mask."""
        return Rows(self.cells[rows], self.names)


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a stretch holds: `total` events, rows by the name of their table.

    `frames` tells whether there are source frames among the events, `odd_frames` whether some of
    them are not among the rows that say in an unusual way what, when or where they were.
    """

    total: int
    tables: dict[str, Rows]
    frames: bool
    odd_frames: bool


class Scan:
    """One file's scanner; texts keep their numbers from one stretch to the next."""

    def __init__(self) -> None:
        if _scanner is None:
            raise RuntimeError("the scanner was not built")
        self._scanner = _scanner.Scanner(secrets.randbits(64), NEEDLES)
        self._names, self._places = _scanner.TABLES, _scanner.PLACES
        self._tables = {name: at for at, (name, _) in enumerate(_scanner.TABLES)}
        self._dropped, self._handed_back = _scanner.DROPPED, _scanner.HANDED_BACK
        self._kinds = Kinds()
        self._other_frames = False  # some have another category than FRAME_NAME

    def __call__(self, text: bytes) -> Scanned | None:
        """The rows of events joined by commas; None where Python has to read them."""
        result = self._asked(self._scanner.scan, text)
        if result is None:
            return None
        total, frames, odd_frames, tables = result
        rows = {
            name: Rows(np.frombuffer(cells, dtype=np.int64).reshape(-1, len(columns)), columns)
            for (name, columns), cells in zip(self._names, tables, strict=True)
        }
        return Scanned(total, rows, frames, odd_frames or self._other_frames)

    def places(self, text: bytes) -> Rows | None:
        """Where each event has its name, and where something may be put into it; else as above.

        Columns: `name` to `name_end`, between the quotes; `in_args` and `in_event`, behind the last
        value of either. -1 for what is not there; both of the last are -1 where `args` is null.
        """
        result = self._asked(self._scanner.places, text)
        if result is None:
            return None
        cells = np.frombuffer(result[0], dtype=np.int64)
        return Rows(cells.reshape(-1, len(self._places)), self._places)

    def _asked(self, ask: Callable[[bytes], Any], text: bytes) -> Any:  # noqa: ANN401 -- what it gives
        """What the scanner gives, once it can place all categories of the text."""
        result = ask(text)
        while isinstance(result, bytes):
            self._introduce(result)
            result = ask(text)
        return result

    def text(self, number: int) -> str | None:
        """What a text says, by its number; None for -1."""
        return None if number == NONE else unescaped(self._scanner.text(number))

    def json(self, number: int) -> object:
        """The value of a text that is JSON itself."""
        value: object = msgspec.json.decode(self._scanner.text(number))
        return value

    def _introduce(self, category: bytes) -> None:
        """Say what becomes of events of a category that is met for the first time."""
        kind = self._kinds[unescaped(category)]
        table = self._dropped if kind == Kind.NOTHING else self._handed_back
        if kind > Kind.NOTHING:
            table = self._tables[TABLE_OF[Kind(kind)]]
        self._other_frames |= kind == Kind.FRAME and b'"%s"' % category != FRAME_NAME
        self._scanner.set_category(category, kind, table)


def unescaped(raw: bytes) -> str:
    """What stands between the quotes of a string that the scanner has accepted."""
    text: str = msgspec.json.decode(b'"%s"' % raw, type=str) if b"\\" in raw else raw.decode()
    return text
