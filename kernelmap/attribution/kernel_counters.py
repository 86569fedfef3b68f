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
from kernelmap.model.trace import NONE, Bool, Int, Launches


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


def counters_by_call(
    counted: CountedLaunches, call: Int, launches: Launches, in_window: Bool
) -> dict[int, CountedCall]:
    """By position of a call what was counted of its launches in the window."""
    rows = np.flatnonzero(in_window & (call >= 0))
    rows = rows[np.argsort(call[rows], kind="stable")]
    calls, begins = np.unique(call[rows], return_index=True)
    summed = (sum_up_counters(counted, launches, of_call) for of_call in np.split(rows, begins[1:]))
    return {position: one for position, one in zip(calls.tolist(), summed, strict=False) if one}


def sum_up_counters(counted: CountedLaunches, launches: Launches, rows: Int) -> CountedCall | None:
    """What was counted of these launches together, None where nothing was."""
    known = rows[counted.kind[rows] >= 0]
    if not len(known):
        return None
    # Launches of one kind have the same counters: they weigh as much as they take time, and their
    # bytes count as often as they ran.
    ids, which, ran = np.unique(counted.kind[known], return_inverse=True, return_counts=True)
    time_ns = np.zeros(len(ids), dtype=np.int64)
    np.add.at(time_ns, which, launches.dur_ns[known])
    kinds = [counted.kinds[one] for one in ids.tolist()]
    is_whole = len(known) == len(rows)
    return CountedCall(
        counters=mean_counters(kinds, np.maximum(time_ns, 1).tolist()),
        launches=len(known),
        missing=len(rows) - len(known),
        dram_bytes=_sum_over([one.dram_bytes for one in kinds], ran) if is_whole else None,
        local_bytes=_sum_over([one.local_bytes for one in kinds], ran) if is_whole else None,
        confidence=max(counted.confidence[one] for one in ids.tolist()),
    )


def _sum_over(amounts: Sequence[float | None], ran: Int) -> int | None:
    """Each amount as often as it ran, None where one is not stated."""
    stated = [amount for amount in amounts if amount is not None]
    return round(float(np.dot(stated, ran))) if len(stated) == len(amounts) else None
