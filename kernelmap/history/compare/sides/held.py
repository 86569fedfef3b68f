"""What the buffers of a graph hold, as a comparison needs it: rows of the table of lifetimes.

Time is counted in the calls of the graph, as that table has it: -1 before any call, the number of
calls when all have run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import PurePath

import numpy as np
from msgspec import Struct

from kernelmap.model.memory import MemoryKind
from kernelmap.model.trace import Int
from kernelmap.tables.rows import Cell, Row, whole_number

_START = -1
_KINDS = {kind.value for kind in MemoryKind}


class HeldBuffer(Struct, frozen=True, kw_only=True):
    """One buffer, alive while calls `first` to `last` run.

    `nbytes` is 0 where the size is not known. `call` made it, `last_use` is the last that is handed
    it: indices in the graph; `origin` is the id of the call of the forward that made it. `source`
    is `file:line`. `reuses` and `pool` are indices of buffers, `copies` is the name of one;
    `saved_for` the backward for which a forward hands it out.
    """

    index: int
    name: str
    kind: MemoryKind
    nbytes: int
    first: int
    last: int
    formula: str | None = None
    shape: str | None = None
    stride: str | None = None
    dtype: str | None = None
    call: int | None = None
    op: str | None = None
    source: str | None = None
    last_use: int | None = None
    origin: str | None = None
    reuses: int | None = None
    pool: int | None = None
    copies: str | None = None
    saved_for: str | None = None

    def is_alive_at(self, moment: int) -> bool:
        """Whether it is alive while this call runs."""
        return self.first <= moment <= self.last

    @property
    def place(self) -> str | None:
        """The source line without folders: `model.py:88`."""
        return None if self.source is None else PurePath(self.source).name

    @property
    def described(self) -> str:
        """`buf37 of model.py:88`, by its call where no line is known."""
        where = self.place or (None if self.call is None else f"call {self.call}")
        return self.name if where is None else f"{self.name} of {where}"

    @property
    def is_saved(self) -> bool:
        """Whether it is kept from the forward to the backward, on either side of the two."""
        return self.saved_for is not None or self.kind is MemoryKind.SAVED


class HeldGraph(Struct, frozen=True, kw_only=True, dict=True):
    """The memory of one graph over its calls; `end` is the moment when all of them have run."""

    graph: str
    buffers: tuple[HeldBuffer, ...]
    end: int

    @cached_property
    def by_index(self) -> Mapping[int, HeldBuffer]:
        """The buffers by their index."""
        return {buffer.index: buffer for buffer in self.buffers}

    @cached_property
    def by_name(self) -> Mapping[str, HeldBuffer]:
        """The buffers by the wrapper's name; of those that share one, the last."""
        return {buffer.name: buffer for buffer in self.buffers}

    @cached_property
    def bytes_at(self) -> Int:
        """The bytes alive at each moment, from the start (at 0) to the end; (calls + 2,)."""
        # What each moment adds and takes away; the running sum is what is alive.
        change = np.zeros(self.end + 3, dtype=np.int64)
        for buffer in self.buffers:
            if buffer.pool is None:
                change[buffer.first + 1] += buffer.nbytes
                change[buffer.last + 2] -= buffer.nbytes
        return np.cumsum(change[:-1])

    @cached_property
    def peak_moment(self) -> int:
        """The first moment at which most is alive."""
        return int(self.bytes_at.argmax()) + _START

    @property
    def peak_bytes(self) -> int:
        """The most bytes that are alive at a time."""
        return int(self.bytes_at.max())

    def bytes_alive_at(self, moment: int) -> int:
        """The bytes alive at a moment; none where the graph has no such moment."""
        at = moment - _START
        return int(self.bytes_at[at]) if at < len(self.bytes_at) else 0

    def held_at(self, moment: int) -> Mapping[int, int]:
        """The bytes of each buffer that is alive at a moment, by index; of a pool what is left."""
        own = {one.index: one.nbytes for one in self.buffers if one.is_alive_at(moment)}
        for index in list(own):
            pool = self.by_index[index].pool
            if pool is not None and pool in own:
                own[pool] -= self.by_index[index].nbytes
        return own


def held_graphs(rows: Iterable[Row]) -> tuple[HeldGraph, ...]:
    """The graphs of a table of lifetimes, in its order."""
    by_graph: dict[str, list[HeldBuffer]] = {}
    for row in rows:
        by_graph.setdefault(str(row["graph"]), []).append(_buffer_of_row(row))
    return tuple(
        HeldGraph(graph=graph, buffers=tuple(buffers), end=max(one.last for one in buffers))
        for graph, buffers in by_graph.items()
    )


def _buffer_of_row(row: Row) -> HeldBuffer:
    kind = str(row["kind"])
    return HeldBuffer(
        index=whole_number(row, "index"),
        name=str(row["name"]),
        kind=MemoryKind(kind) if kind in _KINDS else MemoryKind.BUFFER,
        nbytes=whole_number(row, "bytes"),
        first=whole_number(row, "first"),
        last=whole_number(row, "last"),
        formula=_text_or_none(row["formula"]),
        shape=_text_or_none(row["shape"]),
        stride=_text_or_none(row["stride"]),
        dtype=_text_or_none(row["dtype"]),
        call=_index_of_call(row["call"]),
        op=_text_or_none(row["op"]),
        source=_text_or_none(row["source"]),
        last_use=_index_of_call(row["last_use"]),
        origin=_text_or_none(row["origin"]),
        reuses=_int_or_none(row["reuses"]),
        pool=_int_or_none(row["pool"]),
        copies=_text_or_none(row["copies"]),
        saved_for=_text_or_none(row["saved_for"]),
    )


def index_of_call(call: str) -> int:
    """3 of `0_forward/3`."""
    return int(call.rpartition("/")[2])


def _index_of_call(cell: Cell) -> int | None:
    return None if cell is None else index_of_call(str(cell))


def _int_or_none(cell: Cell) -> int | None:
    return cell if isinstance(cell, int) else None


def _text_or_none(cell: Cell) -> str | None:
    return None if cell is None else str(cell)
