"""The window's time in pots: launches that have one owner, added up once.

Every launch of the window is in exactly one pot, so whatever is made of the pots adds up to the
window. Ambiguous launches with the same candidates share a pot; so do outside launches of one op.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from kernelmap.attribution.records import OutsideOps
from kernelmap.model import NONE, Confidence, Matching, Reason, Trace
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


def pots(matching: Matching, dur_ns: Int, counted: Bool, ops: OutsideOps) -> list[Pot]:
    """The pots of the counted launches, in a fixed order."""
    matched = counted & (matching.call >= 0)
    found = [
        Pot(calls=(call,), rest=None, op=None, launches=launches, time_ns=time_ns)
        for call, launches, time_ns in _sums(matching.call[matched], dur_ns[matched])
    ]
    found += _ambiguous(matching, dur_ns, counted)
    outside = counted & matching.with_confidence(Confidence.OUTSIDE)
    found += [
        Pot(calls=(), rest=OUTSIDE, op=ops.names[code], launches=launches, time_ns=time_ns)
        for code, launches, time_ns in _sums(ops.code[outside], dur_ns[outside])
    ]
    unknown = counted & matching.with_confidence(Confidence.UNKNOWN)
    if unknown.any():
        time_ns = int(dur_ns[unknown].sum())
        launches = int(unknown.sum())
        found.append(Pot(calls=(), rest=UNKNOWN, op=None, launches=launches, time_ns=time_ns))
    return found


def _ambiguous(matching: Matching, dur_ns: Int, counted: Bool) -> list[Pot]:
    """One pot per set of candidates."""
    sums: dict[tuple[int, ...], list[int]] = defaultdict(lambda: [0, 0])
    rows = np.flatnonzero(counted & matching.with_confidence(Confidence.AMBIGUOUS))
    for row, time_ns in zip(rows.tolist(), dur_ns[rows].tolist(), strict=True):
        total = sums[matching.candidates_of(row)]
        total[0] += 1
        total[1] += time_ns
    return [
        Pot(calls=calls, rest=AMBIGUOUS, op=None, launches=launches, time_ns=time_ns)
        for calls, (launches, time_ns) in sorted(sums.items())
    ]


def _sums(code: Int, dur_ns: Int) -> list[tuple[int, int, int]]:
    """Code, launches and time of each code, in order."""
    codes, which = np.unique(code, return_inverse=True)
    time_ns = np.zeros(len(codes), dtype=np.int64)
    np.add.at(time_ns, which, dur_ns)
    launches = np.bincount(which, minlength=len(codes))
    return list(zip(codes.tolist(), launches.tolist(), time_ns.tolist(), strict=True))


def outside_ops(trace: Trace, matching: Matching) -> OutsideOps:
    """The op of each outside launch, a name in parentheses where there is none."""
    names = (NO_OPERATOR, AUTOTUNING, *(operator(name) or name for name in trace.ranges.names))
    outside = matching.with_confidence(Confidence.OUTSIDE)
    code = np.full(len(trace.launches), NONE, dtype=np.int64)
    code[outside] = 0
    ranged = outside & (matching.call_range >= 0)
    code[ranged] = trace.ranges.name_id[matching.call_range[ranged]] + 2
    code[outside & np.equal(matching.reason, Reason.AUTOTUNE)] = 1
    return OutsideOps(code, names)
