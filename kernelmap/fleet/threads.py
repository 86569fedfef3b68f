"""Manifests of bundles → how many threads torch had on each rank, and which ranks had others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from kernelmap.fleet.answer import row_of_divergence
from kernelmap.model.bundle import RecordedProcess
from kernelmap.model.notices import format_count
from kernelmap.tables.rows import Row, whole_number

NAMES: Mapping[str, str] = {"threads": "thread", "interop_threads": "interop thread"}
"""Columns of tables.fleet.RANKS, each with the singular of what it counts."""


class TorchThreads(Struct, frozen=True):
    """How many threads within an operator a rank has, and how many most ranks have."""

    here: int
    usual: int

    def __str__(self) -> str:
        return f"{format_count(self.here, 'thread')} instead of {self.usual}"


def threads_of(processes: Mapping[int, RecordedProcess]) -> dict[int, Row]:
    """What processes, by rank, state of their threads: values of NAMES by rank."""
    return {
        rank: {column: getattr(process, column) for column in NAMES}
        for rank, process in processes.items()
    }


def find_unusual(stated: Mapping[int, Row], name: str, reference: int) -> dict[int, TorchThreads]:
    """The ranks whose number in column `name` is not the most frequent one.

    Of equally frequent numbers that of the rank `reference` is the usual one. Ranks of which
    nothing is stated are left out.
    """
    numbers = {
        rank: whole_number(row, name) for rank, row in stated.items() if row[name] is not None
    }
    if not numbers:
        return {}
    counts = Counter(numbers.values())
    # The most frequent number, then that of the reference, then the highest.
    usual = max(
        counts, key=lambda number: (counts[number], number == numbers.get(reference), number)
    )
    return {rank: TorchThreads(here, usual) for rank, here in numbers.items() if here != usual}


def divergence_in(stated: Mapping[int, Row], reference: int) -> Iterator[Row]:
    """Rows of tables.fleet.DIVERGENCE: the numbers that differ from those of most ranks."""
    for name, one in NAMES.items():
        ranks: dict[tuple[int, int], list[int]] = {}
        for rank, threads in sorted(find_unusual(stated, name, reference).items()):
            ranks.setdefault((threads.usual, threads.here), []).append(rank)
        for (usual, here), which in sorted(ranks.items()):
            yield row_of_divergence(
                "threads",
                "torch",
                format_count(usual, one),
                format_count(here, one),
                np.array(which),
            )


def with_threads(rows: Sequence[Row], stated: Mapping[int, Row]) -> list[Row]:
    """Rows of tables.fleet.RANKS with what is stated of threads."""
    nothing: Row = dict.fromkeys(NAMES)
    return [row | stated.get(whole_number(row, "rank"), nothing) for row in rows]
