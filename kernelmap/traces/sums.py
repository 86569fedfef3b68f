"""Sums by kernel that a tool printed → RawTrace: as many equal launches as they count.

A table says how often each kernel ran and for how long in all. Every launch becomes one of equal
length, so that numbers and sums by name are right; nothing else is: there are no times, no order,
no host side. Launches stand one after the other; of many millions a row is several.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
from msgspec import Struct

from kernelmap.errors import KernelmapError
from kernelmap.model.names import CUT_OFF
from kernelmap.model.notices import Notice
from kernelmap.model.paths import ROWS
from kernelmap.model.trace import Activity, Int, Launches
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.columns import (
    ALL_NS,
    LARGEST_PLACE,
    LONGEST_NS,
    absent,
    no_api_calls,
    no_ranges,
)

TOO_LARGE = Decimal(2**62)
_MOST = 10**15
"""Launches: a GPU that is busy for a hundred years makes fewer. Chosen, for sums fit 64 bits."""


class KernelSum(Struct, frozen=True, kw_only=True):
    """One row, of a kernel or of what `activity` says.

    `time_ns` is the sum over `launches`, `exact` says whether the report stated it.
    """

    name: str
    launches: int
    time_ns: int
    exact: bool
    pid: str | None = None
    device: int | None = None
    activity: Activity = Activity.KERNEL

    @property
    def cut(self) -> bool:
        """Whether the table had no room for the whole name."""
        return self.name.endswith(CUT_OFF)


def raw_of_sums(path: Path, sums: Sequence[KernelSum], notices: tuple[Notice, ...]) -> RawTrace:
    """The launches that usable `sums` stand for; KernelmapError where nobody can have made them."""
    total = sum(row.launches for row in sums)
    if total > _MOST:
        raise KernelmapError(
            "nsys-stats-too-large",
            f"{path} sums up {total} launches: no profile holds more than {_MOST:,}",
            "Print the table again, or give the profile itself.",
        )
    pids = tuple(dict.fromkeys(row.pid for row in sums))
    return RawTrace(
        source=str(path),
        launches=_launches(sums, pids),
        apis=no_api_calls(),
        ranges=no_ranges(),
        pids=pids,
        notices=notices,
    )


def is_usable(row: KernelSum) -> bool:
    """Whether the launches of a row can have lasted that long, and its GPU can have that number."""
    return row.time_ns <= min(row.launches * LONGEST_NS, ALL_NS) and (
        row.device is None or row.device <= LARGEST_PLACE
    )


def _launches(sums: Sequence[KernelSum], pids: Sequence[str | None]) -> Launches:
    """The launches of each row, their durations adding up to its time.

    Where a table counts more launches than there can be rows, a row stands for several.
    """
    numbers = np.array([row.launches for row in sums], dtype=np.int64)
    times = np.array([row.time_ns for row in sums], dtype=np.int64)
    rows = _numbers_of_rows(numbers)
    # `of` is the row of the table that each launch comes from, `nth` its number within that row;
    # both (launches,).
    of = np.repeat(np.arange(len(sums)), rows)
    nth = np.arange(len(of)) - (np.cumsum(rows) - rows)[of]
    # What does not divide evenly goes to the first rows: `count` are the launches that each row
    # stands for, `before` those of its kernel in the rows before it; (launches,).
    each, more = np.divmod(numbers, np.maximum(rows, 1))
    count = each[of] + (nth < more[of])
    before = each[of] * nth + np.minimum(nth, more[of])
    # So does what is left of the time, a nanosecond for each launch: the sum is exact.
    least, rest = np.divmod(times, np.maximum(numbers, 1))
    dur = least[of] * count + np.clip(rest[of] - before, 0, count)
    names, name_id = np.unique(
        np.array([row.name for row in sums], dtype=np.str_), return_inverse=True
    )
    device = np.array([row.device or 0 for row in sums], dtype=np.int64)
    process = np.array([pids.index(row.pid) for row in sums], dtype=np.int64)
    nothing = absent(len(of))
    extent = np.full((len(of), 3), -1, dtype=np.int64)
    return Launches(
        name_id=name_id[of],
        activity=np.array([row.activity for row in sums], dtype=np.int8)[of],
        # Each launch begins where the last one ended.
        start_ns=np.cumsum(dur) - dur,
        dur_ns=dur,
        process=process[of],
        device=device[of],
        stream=nothing,
        correlation=nothing,
        external=nothing,
        graph=nothing,
        graph_node=nothing,
        grid=extent,
        block=extent,
        event=np.arange(len(of)),
        api=nothing,
        range=nothing,
        origin=nothing,
        names=tuple(map(str, names)),
        stands_for=None if (rows == numbers).all() else count,
    )


def _numbers_of_rows(launches: Int) -> Int:
    """How many rows each kernel gets: one for each of its launches, unless these are too many."""
    total, most = int(launches.sum()), ROWS.current() or ROWS.most
    if total <= most:
        return launches
    shared: Int = np.ceil(launches * (most / total)).astype(np.int64)
    return np.minimum(launches, shared)
