"""The table of invocations → ns per invocation of each call, and per step of everything.

Takes the tables of one side, gives sums; all are empty where the result was saved without its
invocations. Time without a call is known by its kind and op; older results have no ops there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from kernelmap.errors import UsageError
from kernelmap.views.frames import Cell, rows
from kernelmap.views.schema import TABLES
from kernelmap.views.tables import Tables

Key = tuple[str | None, int | None, int]
"""One invocation: process, rank, number."""


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Ns by call and invocation, by step, and of time without a call by step.

    `rests` goes by the row's name in the table of calls, `ops` by the op of outside time.
    """

    calls: Mapping[str, Mapping[Key, int]]
    steps: Mapping[int, int]
    rests: Mapping[str, Mapping[int, int]]
    ops: Mapping[str, Mapping[int, int]]


def samples(tables: Tables) -> Samples:
    """All sums of one result."""
    calls: dict[str, dict[Key, int]] = defaultdict(lambda: defaultdict(int))
    steps: dict[int, int] = defaultdict(int)
    rests: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    ops: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    try:
        frame = tables.frame("invocations")
    except UsageError:  # saved without them
        return Samples(calls=calls, steps=steps, rests=rests, ops=ops)
    for row in rows(TABLES["invocations"], frame):
        time_ns, step = whole(row["time_ns"]), row["step"]
        if step is not None:
            steps[whole(step)] += time_ns
        if row["call"] is not None and row["invocation"] is not None:
            rank = None if row["rank"] is None else whole(row["rank"])
            pid = None if row["pid"] is None else str(row["pid"])
            calls[str(row["call"])][pid, rank, whole(row["invocation"])] += time_ns
        if row["call"] is None and step is not None:
            rests[str(row["wrapper"])][whole(step)] += time_ns
            if row["op"] is not None:
                ops[str(row["op"])][whole(step)] += time_ns
    return Samples(calls=calls, steps=steps, rests=rests, ops=ops)


def whole(cell: Cell) -> int:
    """A cell of a column of whole numbers that has no nulls."""
    if not isinstance(cell, int):
        raise TypeError(f"{cell!r} is no whole number")  # the schema says it is one
    return cell
