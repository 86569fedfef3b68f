"""Whether a change of speed may pass: thresholds held against a comparison.

Takes a comparison, gives reasons to fail and notes. A regression counts where it is both
significant (against no change) and larger than the threshold, per call, per op, or as a whole. What
took no time before has no ratio: it is held against the whole, as far as it came on top of what
went. What all of the same code did alike (a slower clock) is noted and does not count. Where there
are too few invocations to tell, no ratio fails: that is a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kernelmap.compare.baseline import totals
from kernelmap.compare.causes import Cause
from kernelmap.compare.comparison import Change, Comparison
from kernelmap.compare.side import CallSide, Side
from kernelmap.compare.statistics import Evidence, Times, evidence
from kernelmap.compare.unit import Unit
from kernelmap.compare.words import signed, speed
from kernelmap.outputs.text import duration, percent

LEVELS = ("call", "op", "total")
_PAIRED = (Cause.REFUSED, Cause.CONFIG, Cause.LIBRARY, Cause.COMPILED, Cause.SAME_CODE)
_SURE = ("exact", "inferred", "outside")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What may pass.

    `regression` is a ratio, 0.03 for 3 %; `time_ns` is what a call or op takes at least per unit to
    be judged; `coverage` is the least share of time that is paired or known to be outside.
    """

    regression: float = 0.03
    time_ns: int = 20_000
    coverage: float | None = None
    levels: tuple[str, ...] = ("call", "total")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """`reasons` to fail, none where the change may pass; `notes` are what else to know."""

    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons


def judge(found: Comparison, limits: Limits) -> Verdict:
    """The verdict on the newer side of `found`."""
    reasons: list[str] = []
    if limits.coverage is not None:
        reasons += _uncovered(found.sides[1], limits.coverage)
    judges = {"call": _calls, "op": _ops, "total": _total}
    for level in LEVELS:
        if level in limits.levels:
            reasons += judges[level](found, limits)
    return Verdict(reasons=tuple(reasons), notes=tuple(_notes(found)))


def _calls(found: Comparison, limits: Limits) -> Iterator[str]:
    """Calls, or groups of calls, that take longer for the same work, and new ones."""
    for change in found.changes:
        if max(change.before_ns, change.after_ns) < limits.time_ns or change.change_ns <= 0:
            continue
        if _came(change):
            told = _on_top(change.change_ns, found, limits)
        else:
            ratio = _ratio(change, found.unit)
            slower = ratio is not None and ratio - 1 > limits.regression
            told = speed(ratio) if slower and ratio is not None else None
        if told is not None:
            what = f"call {change.what} [{', '.join(call.id for call in change.after)}]"
            what = f"graph {change.what}" if change.cause is Cause.NEW_GRAPH else what
            detail = f" ({change.detail})" if change.detail else ""
            yield (
                f"{what}: {change.cause}{detail}, {told}, "
                f"{signed(change.change_ns)} a {found.unit.word}"
            )


def _ratio(change: Change, unit: Unit) -> float | None:
    """After over before of what a call takes, where that is no chance; None otherwise."""
    if change.cause is Cause.LAUNCHES and _more_often(change, unit):
        return 1 + change.change_ns / change.before_ns
    if change.cause in _PAIRED and change.evidence is not None and change.evidence.before_ns:
        return change.evidence.ratio if change.evidence.significant else None
    return None


def _more_often(change: Change, unit: Unit) -> bool:
    """Whether there are more launches than steps that were cut off at both ends can explain."""
    before, after = (
        Fraction(sum(call.launches for call in calls), units)
        for calls, units in ((change.before, unit.before), (change.after, unit.after))
    )
    return (after - before) * min(unit.before, unit.after) > 2 * max(before, after)


def _came(change: Change) -> bool:
    """Whether it is calls that took no time before."""
    return bool(change.after) and not change.before_ns


def _on_top(time_ns: int, found: Comparison, limits: Limits) -> str | None:
    """What part of the whole is new, where it is too much; what came for what went is not new."""
    net = sum(
        change.change_ns
        for change in found.changes
        if _came(change) or (change.before and not change.after_ns)
    )
    added = min(time_ns, net)
    share = added / found.before_ns if found.before_ns else float("inf")
    too_much = added >= limits.time_ns and share > limits.regression
    return f"{percent(share)} on top of the whole" if too_much else None


def _ops(found: Comparison, limits: Limits) -> Iterator[str]:
    """Ops whose part of the time grew; whether that is noise is told by the calls they are in.

    Of an op that ran outside compiled code its steps tell it.
    """
    rows = {
        row.name: row
        for row in found.tables["ops"]
        if row.change_ns > 0 and max(row.before_ns, row.after_ns) >= limits.time_ns
    }
    names = [name for name in rows if not name.startswith("(")]
    pairs = {
        at: (_of_op(found.sides[0], name), _of_op(found.sides[1], name) / float(found.clock))
        for at, name in enumerate(names)
    }
    told = evidence(pairs, found.floor)
    outside = {each.what: each.evidence for each in found.changes if each.cause is Cause.OUTSIDE}
    eager = {each.what: each.after_ns for each in found.changes if each.cause is Cause.OUTSIDE}
    for at, name in enumerate(names):
        row, slower = rows[name], _slower(told.get(at)) or _slower(outside.get(name))
        level = (row.after_ns - eager.get(name, 0)) * (1 - 1 / float(found.clock))
        ratio = (row.after_ns - level) / row.before_ns if row.before_ns else None
        by = None
        if ratio is None:
            by = _on_top(row.change_ns, found, limits)
        elif slower and ratio - 1 > limits.regression:
            by = speed(ratio)
        if by is not None:
            yield f"op {name}: {by}, {signed(row.change_ns)} a {found.unit.word}"


def _slower(known: Evidence | None) -> bool:
    return known is not None and known.significant and known.ratio > 1


def _of_op(side: Side, name: str) -> Times:
    """The calls that `name` is part of, summed per invocation: the k-th of each call together."""
    series = [_series(call) for graph in side.graphs for call in graph.calls if name in call.ops]
    series = [each for each in series if len(each)]
    if not series:
        return np.zeros(0)
    shortest = min(map(len, series))
    total: Times = np.sum([each[:shortest] for each in series], axis=0)
    return total


def _series(call: CallSide) -> Times:
    keys = sorted(call.samples, key=lambda key: (key[0] or "", key[1] or 0, key[2]))
    return np.array([call.samples[key] for key in keys], dtype=np.float64)


def _total(found: Comparison, limits: Limits) -> Iterator[str]:
    """The whole, the clock's part taken out of it: what ran outside did not follow the clock."""
    before, after = (totals(side) for side in found.sides)
    by_clock = found.by_cause.get(Cause.CLOCK, 0)
    known = evidence({0: (before, after - by_clock)}, found.floor).get(0)
    if known is not None and known.significant and known.ratio - 1 > limits.regression:
        times = f"{duration(found.before_ns)} → {duration(found.after_ns)}"
        change = f"{signed(found.change_ns - by_clock)} a {found.unit.word}"
        beside = f" beside the clock's {signed(by_clock)}" if by_clock else ""
        yield f"total: {speed(known.ratio)}, {times}, {change}{beside}"


def _uncovered(side: Side, least: float) -> Iterator[str]:
    covered = sum(side.summary.coverage.get(bucket, 0.0) for bucket in _SURE)
    if side.summary.coverage and covered < least:
        yield f"coverage: {percent(covered)} of the time is paired, less than {percent(least)}"


def _notes(found: Comparison) -> Iterator[str]:
    if found.clock != 1:
        yield (
            f"all of the same code is {speed(float(found.clock))}: clock, power or GPU; "
            "this part does not count"
        )
    if not any(change.evidence for change in found.changes) and found.changes:
        yield "there are too few invocations to tell a change from noise: no ratio can fail"
    for difference in found.differences:
        yield f"differs beside the code: {difference.text()}"
