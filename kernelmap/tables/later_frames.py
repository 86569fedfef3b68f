"""Frames of tables, each made when it is first asked for: pandas and pyarrow are loaded then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kernelmap.tables.rows import Columns, Row, rows_of_columns
from kernelmap.tables.schema import TABLES

if TYPE_CHECKING:  # heavy: loaded when a frame is first asked for
    import pandas as pd


class Frames(Mapping[str, "pd.DataFrame"]):
    """Frames by the names of their tables, each made of its rows when it is first asked for.

    `later` makes the columns of further tables, when they are first asked for.
    """

    def __init__(
        self,
        rows: Mapping[str, Sequence[Row]],
        later: Mapping[str, Callable[[], Columns]] | None = None,
    ) -> None:
        self._rows = dict(rows)
        self._later = later or {}
        self._columns: dict[str, Columns] = {}
        self._made: dict[str, pd.DataFrame] = {}

    def columns(self, name: str) -> Columns:
        """The cells of a table by column; KeyError where there is none of that name."""
        if name not in self._columns:
            # Tables that are made later have columns first and rows on demand; all others have rows
            # first.
            if name in self._later and name not in self._rows:
                self._columns[name] = self._later[name]()
            else:
                rows = self._rows[name]
                self._columns[name] = {it: [row[it] for row in rows] for it in TABLES[name].by_name}
        return self._columns[name]

    def rows(self, name: str) -> Sequence[Row]:
        """The rows of a table; KeyError where there is none of that name."""
        if name not in self._rows:
            self._rows[name] = rows_of_columns(TABLES[name], self.columns(name))
        return self._rows[name]

    def __getitem__(self, name: str) -> pd.DataFrame:
        """The frame of a table."""
        if name not in self._made:
            from kernelmap.tables.frames import frame_of_rows

            self._made[name] = frame_of_rows(TABLES[name], self.rows(name))
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is such a table; makes no frame."""
        return name in self._rows or name in self._later

    def __iter__(self) -> Iterator[str]:
        """The names of the tables."""
        return iter(dict.fromkeys((*self._rows, *self._later)))

    def __len__(self) -> int:
        """How many tables there are."""
        return len(list(iter(self)))
