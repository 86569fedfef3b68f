"""The scanner in C behind the reader of Kineto traces: text of whole events → columns of numbers.

It is built where there is a compiler, and does what plain_scan.py does, without an object per
event. Taken: a stretch of text. Given: its rows, or None where it holds anything unusual: then the
stretch is read by Python, which alone mends, counts and complains. So both give the same.
`KERNELMAP_NO_NATIVE=1` leaves all to Python.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Protocol, TypeVar

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.facts.frames import NEEDLES
from kernelmap.model.trace import NONE, Bool, Int
from kernelmap.native import SWITCH, is_wanted, part
from kernelmap.traces.chrome.json_stream import MALFORMED
from kernelmap.traces.kineto.counters import SampledRows, values_at
from kernelmap.traces.kineto.events import Scalar
from kernelmap.traces.kineto.values import EventKind, Kinds, LeftOut

_Read = TypeVar("_Read")
# The number has to be that of the C code, so that an older build is not used.
_scanner = part("kernelmap.traces.kineto._scanner", 8)  # as in _scanner.c

_MOST_THREADS = 4  # what is left to Python has work for no more
TABLE_OF = {
    EventKind.OP: "ranges",
    EventKind.ANNOTATION: "ranges",
    EventKind.API: "apis",
    EventKind.FRAME: "frames",
    EventKind.KERNEL: "launches",
    EventKind.MEMCPY: "launches",
    EventKind.MEMSET: "launches",
    EventKind.GRAPH: "launches",
}


def is_built() -> bool:
    """Whether there was a compiler when kernelmap was installed."""
    return _scanner is not None


def runs_native() -> bool:
    """Whether traces are read by the scanner in C: it was built, and nothing turns it off."""
    return is_built() and is_wanted()


def reader_name() -> str:
    """What reads Kineto traces, and why, in words."""
    if runs_native():
        return "scanner in C"
    return (
        f"Python reader, {SWITCH} is set" if is_built() else "Python reader, no scanner was built"
    )


class Rows(Struct, frozen=True):
    """Rows of one table, int64 (columns, n); `names` are those of the columns."""

    cells: Int
    names: tuple[str, ...]

    def __len__(self) -> int:
        return int(self.cells.shape[1])

    def __getitem__(self, name: str) -> Int:
        """One column, (n,)."""
        column: Int = self.cells[self.names.index(name)]
        return column

    def take(self, rows: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Rows:
        """The rows of a mask."""
        if rows.all():
            return self
        return Rows(self.cells[:, rows], self.names)


# A column of nothing, as long as any; it takes the memory of one number.
_NOTHING: Int = np.broadcast_to(np.int64(NONE), (1 << 40,))


class SparseRows(Struct, frozen=True):
    """Rows of one table of which most columns are absent, or nobody asks for them.

    `columns` by name, None where all is absent; `rows` are those that were taken, None for all.
    """

    count: int
    columns: dict[str, Int | None]
    rows: Int | None = None

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, name: str) -> Int:
        """One column, (n,); it is not to be written to."""
        column = self.columns[name]
        if column is None:
            return _NOTHING[: self.count]
        # `take` needs two thirds of the time of an index.
        return column if self.rows is None else column.take(self.rows)

    def has(self, name: str) -> bool:
        """Whether a column says anything."""
        return self.columns[name] is not None

    def take(self, kept: Bool) -> SparseRows:
        """The rows of a mask."""
        if kept.all():
            return self
        rows = np.flatnonzero(kept)
        return SparseRows(len(rows), self.columns, rows if self.rows is None else self.rows[rows])


class Texts(Protocol):
    """A scanner, as whoever reads its rows knows it: texts have numbers in them."""

    def text(self, number: int) -> str | None:
        """What a text says, by its number; None for -1."""

    def exported(self, number: int) -> tuple[Scalar, ...]:
        """What Inductor exports of a kernel, in the order of EXPORTED, by its number."""

    def noted(self, number: int) -> bytes:
        """What a backend says of a launch, a JSON list in the order of NOTED, by its number."""

    def drop_frames(self, number: int) -> None:
        """Leave out from now on the source frames whose name is the text of this number."""


class Scanned(Struct, frozen=True):
    """What a stretch holds: `total` events, rows by the name of their table.

    Texts have the numbers of `scan`; `samples` are those of GPUs, in the order of the text, None
    where there are none.
    """

    scan: Texts
    total: int
    tables: dict[str, Rows] | dict[str, SparseRows]
    left_out: LeftOut
    samples: SampledRows | None = None


class Ahead(Generic[_Read]):
    """Asks scanners for stretches that are to come, in threads, and gives their answers in order.

    `read` asks one scanner for one stretch, and gives None where Python has to read it; so it is
    for all stretches where no scanner runs. An answer may be used until the next one is asked for:
    then its scanner goes on. A context: at its end the threads end.
    """

    def __init__(self, read: Callable[[Scan, bytes], _Read | None]) -> None:
        self._runs = runs_native()
        self.ahead = thread_count() if self._runs else 0
        self._read = read
        # One scanner per stretch that is under way, and one whose answer is in use.
        self._free = [Scan() for _ in range(self.ahead + 1)] if self._runs else []
        self._pool = ThreadPoolExecutor(max(self.ahead, 1), "kernelmap-scan")
        self._begun: deque[tuple[bytes, Scan, Future[_Read | None]]] = deque()
        self._given: Scan | None = None

    def __enter__(self) -> None:
        self._pool.__enter__()

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def begin(self, text: bytes) -> None:
        """Have a stretch read that will be asked for, where threads are worth it."""
        if self.ahead:
            scan = self._next()
            self._begun.append((text, scan, self._pool.submit(self._read, scan, text)))

    def __call__(self, text: bytes) -> _Read | None:
        """What `read` gives for a stretch, whether it was begun or not."""
        # Stretches are asked for in the order in which they were begun. A text that was not begun
        # is a piece of a damaged stretch.
        if self._begun and self._begun[0][0] is text:
            _, scan, answer = self._begun.popleft()
            self._release()
            self._given = scan
            return answer.result()
        if not self._runs:
            return None
        self._given = self._next()
        return self._read(self._given, text)

    def _next(self) -> Scan:
        self._release()
        return self._free.pop()

    def _release(self) -> None:
        """Let the scanner go on whose answer was given last."""
        if self._given is not None:
            self._free.append(self._given)
            self._given = None


def thread_count() -> int:
    """How many threads scan one file: as many as there are cores, none beside a single one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores, _MOST_THREADS) if cores and cores > 1 else 0


class Scan:
    """A scanner; texts keep their numbers from one stretch to the next."""

    def __init__(self) -> None:
        if _scanner is None:
            raise RuntimeError("the scanner was not built")
        # The seed of its hash table is a secret, so that no file can be made of texts that collide.
        self._scanner = _scanner.Scanner(int.from_bytes(os.urandom(8)), NEEDLES)
        self._names = _scanner.TABLES
        self._tables = {name: at for at, (name, _) in enumerate(_scanner.TABLES)}
        self._dropped, self._handed_back = _scanner.DROPPED, _scanner.HANDED_BACK
        self._kinds = Kinds()

    def __call__(self, text: bytes) -> Scanned | None:
        """The rows of events joined by commas; None where Python has to read them."""
        result = self._scanner.scan(text)
        # The stretch is scanned anew after each new category; there are few.
        while isinstance(result, bytes):  # a category that it has to be told of
            self._introduce(result)
            result = self._scanner.scan(text)
        if result is None:
            return None
        total, tables = result
        rows = {
            # The cells come as bytes, column after column; the rows of a table are (columns, n).
            name: Rows(np.frombuffer(cells, dtype=np.int64).reshape(len(columns), -1), columns)
            for (name, columns), cells in zip(self._names, tables, strict=True)
        }
        placed = rows.pop("counters")
        if not len(placed):
            return Scanned(self, total, rows, LeftOut())
        # The scanner tells where samples stand; what their values are is left to the JSON decoder.
        try:
            value = values_at(text, placed["begin"].tolist(), placed["end"].tolist())
        except MALFORMED:
            return None
        samples = SampledRows(placed["name"], placed["process"], placed["start_ns"], value)
        return Scanned(self, total, rows, LeftOut(), samples)

    def drop_frames(self, number: int) -> None:
        """Leave out from now on the source frames whose name is the text of this number."""
        self._scanner.drop_frames(number)

    def text(self, number: int) -> str | None:
        """What a text says, by its number; None for -1."""
        return None if number == NONE else unescaped(self._scanner.text(number))

    def exported(self, number: int) -> tuple[Scalar, ...]:
        """What Inductor exports of a kernel, in the order of EXPORTED, by its number."""
        return msgspec.json.decode(self._scanner.text(number), type=tuple[Scalar, ...])

    def noted(self, number: int) -> bytes:
        """What a backend says of a launch, a JSON list in the order of NOTED, by its number."""
        noted: bytes = self._scanner.text(number)
        return noted

    def _introduce(self, category: bytes) -> None:
        """Say what becomes of events of a category that is met for the first time."""
        kind = self._kinds[unescaped(category)]
        # Events of an unclear category or another device are counted, which only Python does.
        table = self._dropped if kind == EventKind.NOTHING else self._handed_back
        if kind > EventKind.NOTHING:
            table = self._tables[TABLE_OF[EventKind(kind)]]
        self._scanner.set_category(category, kind, table)


def unescaped(raw: bytes) -> str:
    """What stands between the quotes of a string that the scanner has accepted."""
    text: str = msgspec.json.decode(b'"%s"' % raw, type=str) if b"\\" in raw else raw.decode()
    return text
