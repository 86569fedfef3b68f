"""Rows whose time a few slow launches decide.

Taken: the launches of a row, with the part of each that is the row's. Given: those few, where the
row's mean is far above its median because of them. A launch is slow beside others of its kind: the
same kernel for the same call or operator; where it has too few of them, beside the whole row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelmap.model.trace import Int

FAR = 2  # times the median
_FEW = 20  # one launch in so many, one at least
_MOST = 5  # launches: more are no exceptions
_ENOUGH = 3  # launches, to know what is usual


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow:
    """The `launches` of `of` that hold most of a row: their `time_ns` in it, the row's median.

    `rows` are their positions in the trace.
    """

    launches: int
    of: int
    time_ns: int
    median_ns: int
    rows: Int


def slow(rows: Int, time_ns: Int, kind: Int) -> Slow | None:
    """The slow launches of a row, all columns (n,); None where none decide it.

    At most one launch in twenty, and at most five, that hold more than half of its time, where the
    mean is more than twice the median.
    """
    count, total = len(rows), int(time_ns.sum())
    most = max(1, min(count // _FEW, _MOST))
    if count < _ENOUGH or 2 * _longest(time_ns, most) <= total:
        return None
    median = float(np.median(time_ns))
    if total <= FAR * median * count:
        return None
    order = np.argsort(-time_ns, kind="stable")[:most]
    chosen = [at for at in order.tolist() if time_ns[at] > FAR * _usual(time_ns, kind, at, median)]
    held = np.cumsum(time_ns[chosen])
    if not len(held) or 2 * held[-1] <= total:
        return None
    needed = int(np.searchsorted(2 * held, total, side="right")) + 1
    return Slow(
        launches=needed,
        of=count,
        time_ns=int(held[needed - 1]),
        median_ns=round(median),
        rows=rows[chosen[:needed]],
    )


def _longest(time_ns: Int, most: int) -> int:
    """The sum of the longest few."""
    if most == 1:
        return int(time_ns.max())
    return int(np.partition(time_ns, len(time_ns) - most)[-most:].sum())


def _usual(time_ns: Int, kind: Int, at: int, median: float) -> float:
    """The median of a launch's kind, that of the row where the kind is rare."""
    same = time_ns[kind == kind[at]]
    return float(np.median(same)) if len(same) >= _ENOUGH else median
