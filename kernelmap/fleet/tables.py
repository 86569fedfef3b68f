"""The tables of a fleet, and the facts beside them: all that pages and files show of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kernelmap.fleet.inputs import Unplaced
from kernelmap.model import Notice
from kernelmap.tables.fleet import FLEET
from kernelmap.tables.frames import frame_of_rows
from kernelmap.tables.rows import Row

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class FleetTables:
    """The answer for all ranks; `rows` by the names of tables.fleet.FLEET.

    `expected` is how many ranks there were, `read` how many were read, of which `new` anew.
    `reference` is the median rank, `matched` counts collectives that were matched over ranks.
    `parts` are the rows of tables.fleet.ROWS of the slow ranks and of that one, `calls` the ns by
    rank of the calls in which ranks differ most; a run of a store has neither.
    """

    rows: Mapping[str, Sequence[Row]]
    expected: int
    read: int
    new: int
    reference: int
    matched: int
    unplaced: tuple[Unplaced, ...]
    notices: tuple[Notice, ...]
    inputs: tuple[str, ...]
    parts: Mapping[int, Sequence[Row]] = field(default_factory=dict, repr=False)
    calls: Mapping[str, Mapping[int, int]] = field(default_factory=dict, repr=False)

    def __getattr__(self, name: str) -> pd.DataFrame:
        """A table by its name: ranks, steps, causes, spread, divergence, communication, what_if."""
        if name not in FLEET:
            raise AttributeError(f"a {type(self).__name__} has no {name!r}")
        return frame_of_rows(FLEET[name], self.rows[name])
