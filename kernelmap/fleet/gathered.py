"""What is gathered of all ranks so that a fleet can be recorded as a run.

The median rank is read once more, in full. Rows of all ranks come from workers packed as Parquet,
256 ranks at a time, so the client holds some kB of each rank.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from kernelmap.errors import KernelmapError
from kernelmap.fleet.engine import Engine, Failed, Item
from kernelmap.fleet.kept import Kept, join_tables, pack_table
from kernelmap.fleet.rank import WholeTask, whole_result
from kernelmap.history.store.ranks import RANKS_OF_A_FILE
from kernelmap.tables.fleet import ROWS


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a run needs beside the tables of a fleet.

    `median` is the result of the median rank as JSON, `rows` are files of Parquet.
    """

    median: bytes = field(repr=False)
    rows: tuple[bytes, ...] = field(repr=False)


def gather_for_store(
    engine: Engine,
    kept: Kept,
    keys: Sequence[tuple[str, int]],
    median: WholeTask,
) -> Gathered:
    """What a run needs of the ranks with these keys; the `median` one is read once more, in full.

    Raises KernelmapError where one cannot be read.
    """
    # Each task packs the rows of so many ranks into one file, as the store keeps them.
    groups = [
        keys[start : start + RANKS_OF_A_FILE] for start in range(0, len(keys), RANKS_OF_A_FILE)
    ]
    # What is kept of a rank lacks wall time and work, so the median rank goes through the pipeline
    # again.
    (whole,) = _in_order(engine, whole_result, [median])
    return Gathered(median=whole, rows=tuple(_in_order(engine, partial(_rows_of, kept), groups)))


def _in_order(engine: Engine, work: Callable[[Item], bytes], items: Sequence[Item]) -> list[bytes]:
    """What `work` gives of all items, in order. Raises KernelmapError where one fails."""
    parts: dict[int, bytes] = {}
    for done in engine.as_completed(work, items):
        if isinstance(done.value, Failed):
            raise KernelmapError(
                "no-rank-read",
                f"the ranks cannot be read once more, to record them: {done.value.reason}",
                "Run the command again; what was read is kept.",
            )
        parts[done.position] = done.value
    return [parts[position] for position in sorted(parts)]


def _rows_of(kept: Kept, keys: Sequence[tuple[str, int]]) -> bytes:
    parts = [kept.tables_of(key, (ROWS.name,), rank) for key, rank in keys]
    return pack_table(join_tables(parts)[ROWS.name])
