"""Sums by kernel that a tool printed → RawTrace: as many equal launches as they count.

A table says how often each kernel ran and for how long in all. Every launch becomes one of equal
length, so that numbers and sums by name are right; nothing else is: there are no times, no order,
no host side. Launches stand one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
from msgspec import Struct

from kernelmap.errors import KernelmapError
from kernelmap.model.notices import Notice
from kernelmap.model.paths import ROWS
from kernelmap.model.trace import Activity, ApiCalls, Launches, Ranges
from kernelmap.traces.assemble import RawTrace
from kernelmap.traces.columns import ALL_NS, LARGEST_PLACE, LONGEST_NS, absent

_CUT = ("…", "...")
TOO_LARGE = Decimal(2**62)


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
        return self.name.endswith(_CUT)


def raw_of_sums(path: Path, sums: Sequence[KernelSum], notices: tuple[Notice, ...]) -> RawTrace:
    """The launches that usable `sums` stand for; KernelmapError where there are too many."""
    total = sum(row.launches for row in sums)
    if ROWS.is_exceeded(total):
        raise KernelmapError(
            "nsys-stats-too-large",
            f"{path} sums up {total} launches; at most {ROWS.current()} can be read",
            "Give the export itself: nsys export --type sqlite REPORT.nsys-rep; or set"
            " KERNELMAP_LIMITS=4 to allow four times as many, or off.",
        )
    pids = tuple(dict.fromkeys(row.pid for row in sums))
    return RawTrace(
        source=str(path),
        launches=_launches(sums, pids),
        apis=_no_apis(),
        ranges=_no_ranges(),
        pids=pids,
        notices=notices,
    )


def is_usable(row: KernelSum) -> bool:
    """Whether the launches of a row can have lasted that long, and its GPU can have that number."""
    return row.time_ns <= min(row.launches * LONGEST_NS, ALL_NS) and (
        row.device is None or row.device <= LARGEST_PLACE
    )


def _launches(sums: Sequence[KernelSum], pids: Sequence[str | None]) -> Launches:
    """As many launches of each row as it counts, their durations adding up to its time."""
    numbers = np.array([row.launches for row in sums], dtype=np.int64)
    # `of` is the row of the table that each launch comes from, `nth` its number
    # within that row; both (launches,).
    of = np.repeat(np.arange(len(sums)), numbers)
    nth = np.arange(len(of)) - (np.cumsum(numbers) - numbers)[of]
    times = np.array([row.time_ns for row in sums], dtype=np.int64)
    # What does not divide evenly goes to the first launches of a row, a
    # nanosecond each: the sum is exact.
    least = times // np.maximum(numbers, 1)
    dur = least[of] + (nth < (times - least * numbers)[of])
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
    )


def _no_apis() -> ApiCalls:
    none = absent(0)
    return ApiCalls(none, none, none, none, none, none, none, none, none, none)


def _no_ranges() -> Ranges:
    none = absent(0)
    kind = none.astype(np.int8)
    return Ranges(none, kind, none, none, none, none, none, none, none, none, none)
