"""Texts of packets: what rows name by number or write out, and what becomes of each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from kernelmap.model.trace import Bool, Int
from kernelmap.traces.kineto.native_scan import SparseRows
from kernelmap.traces.perfetto.packets import Piece
from kernelmap.traces.perfetto.state import State


class PieceTable(Struct, frozen=True):
    """The rows of one table of a piece, each with the scope that its numbers belong to."""

    state: State
    piece: Piece
    rows: SparseRows
    scope: Int

    def texts(self, kind: int, column: str, only: Bool | None = None) -> Int:
        """Numbers of the texts of a column, -1 for none; written ones of rows `only`; (rows,)."""
        found = self.state.look_up(kind, self.scope, self.rows[column])
        if not self.rows.has(f"{column}_at"):
            return found
        at, size = self.rows[f"{column}_at"], self.rows[f"{column}_size"]
        written = (at >= 0) if only is None else (at >= 0) & only
        for row in np.flatnonzero(written).tolist():
            found[row] = self.state.texts.number(self.piece.text(int(at[row]), int(size[row])))
        return found


def table_of(state: State, piece: Piece, table: str, scope: Int) -> PieceTable:
    """A table of a piece, by the scopes of its packets."""
    rows = piece.tables[table]
    is_one = len(scope) > 0 and not scope.strides[0]
    of_rows = np.broadcast_to(scope[:1], (len(rows),)) if is_one else scope[rows["packet"]]
    return PieceTable(state, piece, rows, of_rows)


class PerText:
    """Maps columns of numbers of texts, where `value` says once what becomes of each."""

    def __init__(self, value: Callable[[int], int]) -> None:
        self._value = value
        self._known: dict[int, int] = {}

    def __call__(self, column: Int) -> Int:
        """What becomes of each row, (n,)."""
        if not len(column):
            return column
        # Few different texts stand in many rows: a table by number, -1 comes first.
        seen = np.flatnonzero(np.bincount(column + 1)) - 1
        table = np.zeros(int(seen[-1]) + 2, dtype=np.int64)
        for number in seen.tolist():
            if number not in self._known:
                self._known[number] = int(self._value(number))
            table[number + 1] = self._known[number]
        mapped: Int = table.take(column + 1)
        return mapped
