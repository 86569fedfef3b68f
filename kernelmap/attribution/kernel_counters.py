"""Counters of single launches in reports of Nsight Compute → those of each call and kernel.

A report has one step or some kernels, a profile many launches of each. A launch of the profile gets
the mean of the launches of a report that have its call, its kernel's own name, its grid and its
block; where none has, it is not counted. Shares are means over time, bytes are sums.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from kernelmap.model.kernel_counters import CountedCall, KernelCounters, mean_counters
from kernelmap.model.matching import Confidence
from kernelmap.model.trace import NONE, Activity, Bool, Int, Launches

_LARGEST_SUM = 2.0**62  # of bytes: a column of 64 bits holds no more


class CountedRow(Struct, frozen=True):
    """A launch of a report of which the call is known, -1 for one without a call.

    `token` says what kernel it is, as those of the profile do.
    """

    call: int
    token: int
    confidence: Confidence
    counters: KernelCounters


class CountedLaunches(Struct, frozen=True):
    """What was counted of the launches of a profile.

    `kind` (launches,) points into `kinds`, one per call, kernel, grid and block, -1 where none was
    counted. `confidence` is parallel to `kinds`.
    """

    kind: Int
    kinds: tuple[KernelCounters, ...]
    confidence: tuple[Confidence, ...]


def count_launches(call: Int, tokens: Int, counted: Sequence[CountedRow]) -> CountedLaunches:
    """The counters of each launch of a profile; `call` and `tokens` are columns of its launches."""
    of_kind: dict[tuple[int, int], list[CountedRow]] = defaultdict(list)
    for row in counted:
        of_kind[row.call, row.token].append(row)
    kind = np.full(len(call), NONE, dtype=np.int64)
    for at, (of_call, token) in enumerate(of_kind):
        kind[(call == of_call) & (tokens == token)] = at
    return CountedLaunches(
        kind=kind,
        kinds=tuple(mean_counters([row.counters for row in rows]) for rows in of_kind.values()),
        confidence=tuple(max(row.confidence for row in rows) for rows in of_kind.values()),
    )


def counters_by_owner(
    counted: CountedLaunches, owner: Int, launches: Launches, in_window: Bool
) -> dict[int, CountedCall]:
    """What was counted in the window, by the number of the call or kernel that `owner` gives.

    `owner` is a column of the launches; -1 is none.
    """
    rows = np.flatnonzero(in_window & (owner >= 0))
    rows = rows[np.argsort(owner[rows], kind="stable")]
    owners, begins = np.unique(owner[rows], return_index=True)
    summed = (sum_up_counters(counted, launches, own) for own in np.split(rows, begins[1:]))
    return {number: one for number, one in zip(owners.tolist(), summed, strict=False) if one}


def sum_up_counters(counted: CountedLaunches, launches: Launches, rows: Int) -> CountedCall | None:
    """What was counted of these launches together, None where nothing was."""
    rows = rows[launches.activity[rows] == Activity.KERNEL]
    known = rows[counted.kind[rows] >= 0]
    if not len(known):
        return None
    # Launches of one kind have the same counters: they weigh as much as they take time, and their
    # bytes count as often as they ran.
    ids, which, ran = np.unique(counted.kind[known], return_inverse=True, return_counts=True)
    time_ns = np.zeros(len(ids), dtype=np.int64)
    np.add.at(time_ns, which, launches.dur_ns[known])
    kinds = [counted.kinds[one] for one in ids.tolist()]

    def sum_of(name: str) -> int | None:
        """The amount of each kind as often as it ran, None where one is missing."""
        amounts = [getattr(one, name) for one in kinds]
        if len(known) < len(rows) or None in amounts:
            return None
        total = float(np.dot(amounts, ran))
        return round(total) if total <= _LARGEST_SUM else None

    return CountedCall(
        counters=mean_counters(kinds, np.maximum(time_ns, 1).tolist()),
        launches=len(known),
        missing=len(rows) - len(known),
        time_share=float(time_ns.sum() / max(launches.dur_ns[rows].sum(), 1)),
        dram_bytes=sum_of("dram_bytes"),
        dram_written_bytes=sum_of("dram_written_bytes"),
        local_bytes=sum_of("local_bytes"),
        confidence=max(counted.confidence[one] for one in ids.tolist()),
    )
