"""Columns and tables that grow while a file is read.

Left out: what the columns mean; readers of every format use these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import TypeVar

import numpy as np

from kernelmap.model.trace import Int

_Key = TypeVar("_Key", bound=Hashable)


class Numbers(dict[_Key, int]):
    """Numbers things in the order in which they are first met."""

    def __missing__(self, key: _Key) -> int:
        number = self[key] = len(self)
        return number


class Parts:
    """Columns that grow by a piece per batch."""

    def __init__(self) -> None:
        self._pieces: defaultdict[str, list[Int]] = defaultdict(list)

    def add(self, **columns: Int) -> None:
        """Put each column behind what its name holds so far."""
        for name, column in columns.items():
            self._pieces[name].append(column)

    def take(self, name: str) -> Int:
        """The whole column, int64; given away, so that there are never two copies of all."""
        pieces = self._pieces.pop(name, None)
        return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int64)
