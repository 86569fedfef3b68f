"""The window's time in pots: launches that have one owner, added up once.

Every launch of the window is in exactly one pot, so whatever is made of the pots adds up to the
window. Ambiguous launches with the same candidates share a pot; so do outside launches of one op.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from kernelmap.model import Confidence, Matching, Reason, Trace
from kernelmap.model.names import operator
from kernelmap.model.trace import Bool, Int

AMBIGUOUS = "(ambiguous)"
OUTSIDE = "(outside compiled code)"
UNKNOWN = "(unknown)"
NO_OPERATOR = "(no operator)"
AUTOTUNING = "(autotuning)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pot:
    """Time with one owner.

    `calls` are positions in the program: one for matched launches, several for ambiguous ones, none
    outside. `rest` names the row that takes the time where no call does.
    """

    calls: tuple[int, ...]
    rest: str | None
    op: str | None
    launches: int
    time_ns: int


def pots(matching: Matching, dur_ns: Int, counted: Bool, ops: tuple[str | None, ...]) -> list[Pot]:
    """The pots of the counted launches, in a fixed order; `ops` are the outside ops, by launch."""
    matched = counted & (matching.confidence <= Confidence.INFERRED)
    found = _matched(matching.call[matched], dur_ns[matched])
    sums: dict[tuple[tuple[int, ...], str, str | None], list[int]] = defaultdict(lambda: [0, 0])
    for row in np.flatnonzero(counted & ~matched).tolist():
        key = _owner(matching, row, ops)
        sums[key][0] += 1
        sums[key][1] += int(dur_ns[row])
    for (calls, rest, op), (launches, time_ns) in sorted(
        sums.items(), key=lambda item: (item[0][0], item[0][1], item[0][2] or "")
    ):
        found.append(Pot(calls=calls, rest=rest, op=op, launches=launches, time_ns=time_ns))
    return found


def _owner(
    matching: Matching, row: int, ops: tuple[str | None, ...]
) -> tuple[tuple[int, ...], str, str | None]:
    confidence = matching.confidence[row]
    if confidence == Confidence.AMBIGUOUS:
        return matching.candidates_of(row), AMBIGUOUS, None
    if confidence == Confidence.OUTSIDE:
        return (), OUTSIDE, ops[row]
    return (), UNKNOWN, None


def _matched(call: Int, dur_ns: Int) -> list[Pot]:
    calls, which = np.unique(call, return_inverse=True)
    time_ns = np.zeros(len(calls), dtype=np.int64)
    np.add.at(time_ns, which, dur_ns)
    launches = np.bincount(which, minlength=len(calls))
    return [
        Pot(calls=(int(c),), rest=None, op=None, launches=int(n), time_ns=int(t))
        for c, n, t in zip(calls, launches, time_ns, strict=True)
    ]


def outside_ops(trace: Trace, matching: Matching) -> tuple[str | None, ...]:
    """The ATen op of each outside launch, a name in parentheses without one; None for the rest."""
    by_name = [operator(name) or name for name in trace.ranges.names]
    found: list[str | None] = [None] * len(trace.launches)
    outside = np.flatnonzero(matching.with_confidence(Confidence.OUTSIDE))
    ranges = matching.call_range[outside]
    for row, at, reason in zip(
        outside.tolist(), ranges.tolist(), matching.reason[outside].tolist(), strict=True
    ):
        if reason == Reason.AUTOTUNE:
            found[row] = AUTOTUNING
        else:
            found[row] = by_name[int(trace.ranges.name_id[at])] if at >= 0 else NO_OPERATOR
    return tuple(found)
