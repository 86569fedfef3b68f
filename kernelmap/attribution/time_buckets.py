"""The window's time in buckets: launches that have one owner, added up once.

Every launch of the window is in exactly one bucket, so whatever is made of the buckets adds up to
the window. Ambiguous launches with the same candidates share a bucket; so do outside launches, and
unknown ones, of one op, one function of the user's code and one note of torch's, forward and
backward apart.

Of a bucket, or any other row, `find_slow` gives the few launches that decide its time, where its
mean is far above its median because of them. A launch is slow beside others of its kind: the same
kernel for the same call or operator; where it has too few of them, beside the whole row.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from msgspec import Struct, field

from kernelmap.attribution.records import Attribution, OutsideOps, Slow
from kernelmap.facts.communication import operator_of_kernel
from kernelmap.model import NONE, Confidence, Matching, Reason, Trace
from kernelmap.model.matching import LaunchPlaces
from kernelmap.model.names import operator_of_range
from kernelmap.model.source import FunctionPlace, LaunchNote
from kernelmap.model.trace import Bool, Int, Launches

AMBIGUOUS = "(ambiguous)"
OUTSIDE = "(outside compiled code)"
UNKNOWN = "(unknown)"
NO_OPERATOR = "(no operator)"
AUTOTUNING = "(autotuning)"


class TimeBucket(Struct, frozen=True, kw_only=True):
    """Time with one owner.

    `calls` are positions in the program: one for matched launches, several for ambiguous ones, none
    for others, of which `op`, `place` and `module` may be known, and that autograd ran them in a
    backward. `unattributed` names the row that takes the time where no call does. `note` is what
    torch's own tools wrote beside launches without a call. `rows` are the positions of its launches
    in the trace.
    """

    calls: tuple[int, ...]
    unattributed: str | None
    op: str | None
    launches: int
    time_ns: int
    place: FunctionPlace | None = None
    module: str | None = None
    is_backward: bool = False
    note: LaunchNote | None = None
    rows: Int = field(default_factory=lambda: np.zeros(0, np.int64))


def fill_time_buckets(
    matching: Matching, launches: Launches, counted: Bool, ops: OutsideOps, places: LaunchPlaces
) -> list[TimeBucket]:
    """The buckets of the counted launches, in a fixed order."""
    dur_ns = launches.dur_ns
    matched = counted & (matching.call >= 0)
    buckets = [
        TimeBucket(
            calls=(call,),
            unattributed=None,
            op=None,
            launches=launches.count_launches(rows),
            time_ns=time_ns,
            rows=rows,
        )
        for call, rows, time_ns in _sums_by_code(matching.call, dur_ns, matched)
    ]
    buckets += _ambiguous_buckets(matching, launches, counted)
    for confidence, row in ((Confidence.OUTSIDE, OUTSIDE), (Confidence.UNKNOWN, UNKNOWN)):
        rows = counted & matching.with_confidence(confidence)
        buckets += _without_call(row, rows, launches, ops, places)
    return buckets


def window_buckets(trace: Trace, matching: Matching, attribution: Attribution) -> list[TimeBucket]:
    """The buckets that `attribution` was made of."""
    return fill_time_buckets(
        matching,
        trace.launches,
        attribution.counted,
        attribution.outside_op,
        attribution.launch_places,
    )


def _without_call(
    unattributed: str, rows: Bool, launches: Launches, ops: OutsideOps, places: LaunchPlaces
) -> list[TimeBucket]:
    """One bucket per op, function and module of the user's code, pass, and note."""
    width, depth = len(places.places) + 1, len(places.modules) + 1
    notes = len(launches.notes) + 1
    # Without a place nobody asks for the pass, but a label may tell it; the last is for no note.
    by_label = np.array([note.is_backward for note in launches.notes] + [False])
    is_backward = (places.is_backward & (places.code >= 0)) | by_label[launches.note]
    module = 0 if places.module is None else places.module + 1
    # Module, op, place, pass and note in one number per launch, 0 for what is not known; divmod
    # takes it apart again.
    code = (((ops.code + 1) * depth + module) * width + places.code + 1) * 2 + is_backward
    buckets = []
    for key, members, time_ns in _sums_by_code(
        code * notes + launches.note + 1, launches.dur_ns, rows
    ):
        rest, note = divmod(key, notes)
        rest, backward = divmod(rest, 2)
        rest, place = divmod(rest, width)
        op, within = divmod(rest, depth)
        bucket = TimeBucket(
            calls=(),
            unattributed=unattributed,
            op=ops.names[op - 1] if op else None,
            launches=launches.count_launches(members),
            time_ns=time_ns,
            place=places.places[place - 1] if place else None,
            module=places.modules[within - 1] if within else None,
            is_backward=bool(backward),
            note=launches.notes[note - 1] if note else None,
            rows=members,
        )
        buckets.append(bucket)
    return buckets


def _ambiguous_buckets(matching: Matching, launches: Launches, counted: Bool) -> list[TimeBucket]:
    """One bucket per set of candidates."""
    dur_ns = launches.dur_ns
    sums: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for row in np.flatnonzero(counted & matching.with_confidence(Confidence.AMBIGUOUS)).tolist():
        sums[matching.candidates_of(row)].append(row)
    return [
        TimeBucket(
            calls=calls,
            unattributed=AMBIGUOUS,
            op=None,
            launches=launches.count_launches(np.array(rows, dtype=np.int64)),
            time_ns=int(dur_ns[rows].sum()),
            rows=np.array(rows, dtype=np.int64),
        )
        for calls, rows in sorted(sums.items())
    ]


def _sums_by_code(code: Int, dur_ns: Int, chosen: Bool) -> list[tuple[int, Int, int]]:
    """Code, launches and time of each code among the chosen launches, in order."""
    rows = np.flatnonzero(chosen)
    # Chosen launches by code, so that each code is one stretch.
    rows = rows[np.argsort(code[rows], kind="stable")]
    if not len(rows):
        return []
    starts = np.concatenate([[0], np.flatnonzero(np.diff(code[rows])) + 1])
    time_ns = np.add.reduceat(dur_ns[rows], starts)
    members = np.split(rows, starts[1:])
    return list(zip(code[rows[starts]].tolist(), members, time_ns.tolist(), strict=True))


def without_call(matching: Matching) -> Bool:
    """Mask of the launches that no call has, nor may have: outside or unknown; (launches,)."""
    undecided: Bool = np.isin(matching.confidence, (Confidence.OUTSIDE, Confidence.UNKNOWN))
    return undecided


def outside_ops(trace: Trace, matching: Matching) -> OutsideOps:
    """The op of each outside launch, a name in parentheses where there is none.

    A collective outside any operator is named by its kernel. An unknown launch has an op where its
    host side lies in an operator.
    """
    launches = trace.launches
    collective_of_name = [operator_of_kernel(name) for name in launches.names]
    collectives = sorted({name for name in collective_of_name if name is not None})
    learnt = matching.learnt
    learnt_ops = [_spell_operator(o.op) for o in learnt.origins] if learnt is not None else []
    of_ranges = [operator_of_range(name) or name for name in trace.ranges.names]
    # The first two names have the codes 0 and 1, those of ranges follow from 2 on, then those that
    # only a reference run shows, those of collectives last.
    new = dict.fromkeys(op for op in learnt_ops if op is not None and op not in of_ranges)
    names = (NO_OPERATOR, AUTOTUNING, *of_ranges, *new, *collectives)
    of_kernel = [0 if name is None else names.index(name) for name in collective_of_name]
    outside = matching.with_confidence(Confidence.OUTSIDE)
    # From weak to strong: a collective's kernel, the operator around the launch, and that it is a
    # benchmark.
    code = np.full(len(launches), NONE, dtype=np.int64)
    code[outside] = np.array(of_kernel, dtype=np.int64)[launches.name_id[outside]]
    unknown = matching.with_confidence(Confidence.UNKNOWN)
    ranged = (outside | unknown) & (matching.call_range >= 0)
    code[ranged] = trace.ranges.name_id[matching.call_range[ranged]] + 2
    if learnt is not None:
        # Where the other run shows no operator, a collective keeps the name of its kernel.
        ops = np.array([*(NONE if op is None else names.index(op) for op in learnt_ops), NONE])
        named = ops[learnt.code] >= 0
        code[named] = ops[learnt.code][named]
    code[outside & np.equal(matching.reason, Reason.AUTOTUNE)] = 1
    return OutsideOps(code, names)


def _spell_operator(name: str | None) -> str | None:
    """The operator of a range as tables write it."""
    return None if name is None else operator_of_range(name) or name


FAR = 2
"""Times the median that the mean has to be: of a row that varies evenly it is near 1, so that at
less every row would have exceptions. Chosen."""
_FEW = 20
"""One launch in so many, one at least: more are no exceptions, but another way to run. Chosen."""
_MOST = 5
"""Launches: of a million rows one in twenty are too many to be exceptions, and to be looked at.
Chosen."""
_ENOUGH = 3
"""Launches, to know what is usual: of two, either may be the odd one. Arithmetic."""


def find_slow(rows: Int, time_ns: Int, kind: Int) -> Slow | None:
    """The slow launches of a row, all columns (n,); None where none decide it.

    At most one launch in twenty, and at most five, that hold more than half of its time, where the
    mean is more than twice the median.
    """
    count, total = len(rows), int(time_ns.sum())
    most = max(1, min(count // _FEW, _MOST))
    # The cheapest test comes first: most rows have no few launches with half of their time.
    if count < _ENOUGH or 2 * _sum_of_longest(time_ns, most) <= total:
        return None
    median = float(np.median(time_ns))
    if total <= FAR * median * count:
        return None
    # The longest, as far as they are far above what is usual for their kind.
    order = np.argsort(-time_ns, kind="stable")[:most]
    chosen = [
        at for at in order.tolist() if time_ns[at] > FAR * _usual_time(time_ns, kind, at, median)
    ]
    held = np.cumsum(time_ns[chosen])
    if not len(held) or 2 * held[-1] <= total:
        return None
    # As few as hold more than half of the time.
    needed = int(np.searchsorted(2 * held, total, side="right")) + 1
    return Slow(
        launches=needed,
        of=count,
        time_ns=int(held[needed - 1]),
        median_ns=round(median),
        rows=rows[chosen[:needed]],
    )


def _sum_of_longest(time_ns: Int, most: int) -> int:
    """The sum of the longest few."""
    if most == 1:
        return int(time_ns.max())
    return int(np.partition(time_ns, len(time_ns) - most)[-most:].sum())


def _usual_time(time_ns: Int, kind: Int, at: int, median: float) -> float:
    """The median of a launch's kind, that of the row where the kind is rare."""
    same = time_ns[kind == kind[at]]
    return float(np.median(same)) if len(same) >= _ENOUGH else median
