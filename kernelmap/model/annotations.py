"""What a trace may be given beside its own events: facts in their arguments, and rows of slices.

Takes nothing, gives records that `outputs` fills and `traces` writes into a file. Facts are JSON
objects, in columns because a trace has millions: each row of a column is one of few texts or a
number, and what a row of all columns says, one behind the other, is the object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import Int

KEY = "kernelmap"
"""The argument that holds our facts, and the category of our slices."""
NO_NUMBER = -(2**63)
"""Stands for a number that is not there."""


class TextTable(Struct, frozen=True, dict=True):
    """A few texts that many rows share."""

    texts: Sequence[bytes]

    @cached_property
    def together(self) -> bytes:
        """All of them, one behind the other."""
        return b"".join(self.texts)

    @cached_property
    def ends(self) -> Int:
        """Where each ends in that; (texts,)."""
        return np.cumsum([len(text) for text in self.texts], dtype=np.int64)


class Texts(Struct, frozen=True):
    """A text in each row, by its position in the table; -1: none. Shape (n,)."""

    which: Int
    table: TextTable


class Decimals(Struct, frozen=True):
    """A number in each row, with so many decimals: 1234 with three is 1.234. Shape (n,)."""

    numbers: Int
    places: int = 0


TextColumns = tuple[Texts | Decimals, ...]
"""Columns, at least one, of which each row is one text."""


class EventPlaces(Struct, frozen=True, kw_only=True):
    """Where facts may be put into events of a file that could be read just as it is.

    `file` tells whether it is still the same one, times in it count from `base_ns`, its events end
    at the byte `end`, and `layout` is what separates them (json_layout.py). Of the events `event`,
    (n,) in any order, `place` says where and how, as the scanner in C does: _scanner.c.
    """

    file: tuple[int, ...]
    base_ns: int
    end: int
    layout: tuple[bytes, ...] | None
    event: Int
    place: Int


class EventFacts(Struct, frozen=True, kw_only=True):
    """Facts for events of one file.

    `event` (n,) are their positions in the file, ascending; `names[name_id[i]]` is what the i-th of
    them is called there, by which a file that has changed is noticed; `facts(i, j)` are the JSON
    objects of those from i up to j. `places` is what reading the file told, if anything.
    """

    event: Int
    name_id: Int
    names: Sequence[str]
    facts: Callable[[int, int], TextColumns]
    places: EventPlaces | None = None


class Track(Struct, frozen=True, kw_only=True):
    """One row of a viewer: n slices in the order of time, of which no two overlap.

    Tracks of one `process` stand together, at the place that `sort` gives among the processes.
    `start_ns` and `dur_ns` (n,) are on the clock of `Launches`; `names` (n,) are JSON strings,
    `facts(i, j)` the JSON objects of the slices from i up to j.
    """

    process: str
    thread: str
    sort: int
    start_ns: Int
    dur_ns: Int
    names: Texts
    facts: Callable[[int, int], TextColumns]
