"""The levels of a gate: each call, each op, and the whole are held against the limits.

A regression fails where it is both significant (against no change) and larger than the threshold;
one that is larger and may be noise is inconclusive, and says how many units would decide. What took
no time before has no ratio: it is held against the whole, as far as it came on top of what went.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from kernelmap.compare.causes import Cause
from kernelmap.compare.comparable import Unit, main_graph
from kernelmap.compare.comparison import Change, Comparison
from kernelmap.compare.side import Side
from kernelmap.compare.statistics import (
    ALPHA,
    LEAST,
    Evidence,
    Times,
    by_runs,
    by_steps,
    evidence,
    extremes,
    in_order,
    least_invocations,
    summed,
    telling_invocations,
    together,
)
from kernelmap.compare.words import between, speed
from kernelmap.model.notices import count
from kernelmap.present.text import duration, percent, signed

if TYPE_CHECKING:
    from kernelmap.compare.gate import Findings, Limits

_PAIRED = (
    Cause.REFUSED,
    Cause.CONFIG,
    Cause.LIBRARY,
    Cause.COMPILED,
    Cause.OPS,
    Cause.SAME_CODE,
)
_TOO_FEW = f"with fewer than {LEAST} runs on a side"
_ALL_OF_IT = 0.99  # of the time: what runs of graphs hold is the whole


def _calls(comparison: Comparison, limits: Limits, findings: Findings) -> None:
    """Calls, or groups of calls, that take longer for the same work, and new ones."""
    for change in comparison.changes:
        if not (change.before or change.after) or change.cause in (Cause.CLOCK, Cause.SPREAD):
            continue
        if max(change.before_ns, change.after_ns) < limits.time_ns:
            if change.cause is not Cause.LAUNCHES:
                findings.left["call", "below --min-time"].append(change.after_ns)
        elif _came(change):
            by = _on_top(change.change_ns, comparison, limits) if change.change_ns > 0 else None
            findings.reasons += [_reason(change, by, comparison.unit)] if by is not None else []
        elif change.cause is Cause.LAUNCHES:
            _launches(change, comparison, limits, findings)
        elif change.cause is Cause.SHAPES:
            findings.left["call", "of other shapes or types"].append(change.after_ns)
        elif change.cause in _PAIRED:
            _paired(change, comparison, limits, findings)
    for rest in comparison.sides[1].rests:
        where = "outside compiled code" if rest.outside else "without a call"
        findings.left["time", where].append(rest.time_ns // comparison.unit.after)


def _paired(change: Change, comparison: Comparison, limits: Limits, findings: Findings) -> None:
    """A call that does the same work on both sides, by its runs."""
    stats = change.evidence
    samples = together(change.before), together(change.after) / float(comparison.clock)
    if stats is None or not stats.before_ns:
        findings.left["call", _TOO_FEW].append(change.after_ns)
    ratio = _ratio_of(stats, samples, change)
    if ratio - 1 <= limits.regression or change.change_ns <= 0:
        return
    if stats is not None and stats.significant:
        findings.reasons.append(_reason(change, speed(ratio), comparison.unit))
        return
    scale = _per_sample(comparison, samples[1])
    unsure = _unsure(samples, stats, comparison, scale, change.interval_ns)
    findings.doubts.append(_reason(change, speed(ratio), comparison.unit) + unsure)


def _ratio_of(stats: Evidence | None, samples: tuple[Times, Times], change: Change) -> float:
    """After over before: of medians, or of the time where there are no separate runs."""
    if stats is not None and stats.before_ns:
        return stats.ratio
    before, after = (float(np.median(sample)) if len(sample) else 0.0 for sample in samples)
    if before and after:
        return after / before
    return 1 + change.change_ns / change.before_ns if change.before_ns else 1.0


def _per_sample(comparison: Comparison, samples: Times) -> float | None:
    """Units per sample of the newer side; a rank of a fleet has its mean unit as one sample."""
    if not len(samples):
        return None
    return 1.0 if comparison.sides[1].fleet else comparison.unit.after / len(samples)


def _unsure(
    samples: tuple[Times, Times],
    stats: Evidence | None,
    comparison: Comparison,
    scale: float | None,
    interval: tuple[int, int] | None = None,
) -> str:
    """Why a change may be noise: where it lies, and how many units would decide.

    `scale` is units per sample, None where nothing counts them.
    """
    word, apart = "rank" if comparison.sides[1].fleet else comparison.unit.noun, None
    if interval is None and all(map(len, samples)) and scale:
        low, high = (stats.low_ns, stats.high_ns) if stats is not None else extremes(*samples)
        interval = (round(low / scale), round(high / scale))
    if interval is not None:
        apart = f" ({between(*interval)})"
    if stats is not None and stats.q <= ALPHA:
        floor = f"{percent(stats.floor)} is what the same code differs by"
        return f"{apart or ''}: may be noise, {floor}; repeats of the baseline would tell"
    tests = max(1, sum(change.evidence is not None for change in comparison.changes))
    number = telling_invocations(*samples, tests) if scale else None
    if number is None or scale is None:
        number, scale = least_invocations(tests), 1.0
    steps = count(ceil(number * scale), word)
    return f"{apart or ''}: may be noise, about {steps} a side would tell"


def _launches(change: Change, comparison: Comparison, limits: Limits, findings: Findings) -> None:
    """A call that is launched more often, but for what was cut off at the ends of a recording."""
    more = change.change_ns / change.before_ns if change.before_ns else 0.0
    if more <= limits.regression:
        return
    before, after = (
        Fraction(sum(call.launches for call in calls), units)
        for calls, units in (
            (change.before, comparison.unit.before),
            (change.after, comparison.unit.after),
        )
    )
    text, cut_off = _reason(change, speed(1 + more), comparison.unit), 2 * max(before, after)
    if (after - before) * min(comparison.unit.before, comparison.unit.after) > cut_off:
        findings.reasons.append(text)
        return
    number = int(cut_off / (after - before)) + 1
    units = count(number, comparison.unit.noun)
    findings.doubts.append(f"{text}: may be cut off at the ends, {units} a side would tell")


def _reason(change: Change, by: str | None, unit: Unit) -> str:
    what = f"call {change.what} [{', '.join(call.id for call in change.after)}]"
    what = f"graph {change.what}" if change.cause is Cause.NEW_GRAPH else what
    detail = f" ({change.detail})" if change.detail else ""
    return f"{what}: {change.cause}{detail}, {by}, {signed(change.change_ns)} a {unit.word}"


def _came(change: Change) -> bool:
    """Whether the change is of calls that took no time before."""
    return bool(change.after) and not change.before_ns


def _on_top(time_ns: int, comparison: Comparison, limits: Limits) -> str | None:
    """How much of the whole is new, if it is too much. Calls that replace others are not new."""
    net = sum(
        change.change_ns
        for change in comparison.changes
        if _came(change) or (change.before and not change.after_ns)
    )
    added = min(time_ns, net)
    share = added / comparison.before_ns if comparison.before_ns else float("inf")
    too_much = added >= limits.time_ns and share > limits.regression
    return f"{percent(share)} on top of the whole" if too_much else None


def _ops(comparison: Comparison, limits: Limits, findings: Findings) -> None:
    """Ops whose part of the time grew; the calls they are in show whether that is noise.

    For an op that ran outside compiled code its steps show that.
    """
    rows = {
        row.name: row
        for row in comparison.tables["ops"]
        if row.change_ns > 0 and not row.name.startswith("(")
    }
    large = {
        name: row
        for name, row in rows.items()
        if max(row.before_ns, row.after_ns) >= limits.time_ns
    }
    for name in rows.keys() - large.keys():
        findings.left["op", "below --min-time"].append(rows[name].after_ns)
    pairs = {
        at: (
            _of_op(comparison.sides[0], name),
            _of_op(comparison.sides[1], name) / float(comparison.clock),
        )
        for at, name in enumerate(large)
    }
    tested = evidence(pairs, comparison.floor)
    outside = {
        change.what: change for change in comparison.changes if change.cause is Cause.OUTSIDE
    }
    for at, (name, row) in enumerate(large.items()):
        inside, eager = tested.get(at), outside.get(name)
        stats = inside or (eager.evidence if eager else None)
        outside_ns = eager.after_ns if eager else 0
        level = (row.after_ns - outside_ns) * (1 - 1 / float(comparison.clock))
        text = f"{signed(row.change_ns)} a {comparison.unit.word}"
        if not row.before_ns:
            by = _on_top(row.change_ns, comparison, limits)
            findings.reasons += [f"op {name}: {by}, {text}"] if by is not None else []
            continue
        if stats is None:
            findings.left["op", _TOO_FEW].append(row.after_ns)
        ratio = (row.after_ns - level) / row.before_ns
        if ratio - 1 <= limits.regression:
            continue
        text = f"op {name}: {speed(ratio)}, {text}"
        if _slower(inside) or (eager is not None and _slower(eager.evidence)):
            findings.reasons.append(text)
        else:
            samples, after = pairs[at], pairs[at][1]
            scale = comparison.unit.after / len(after) if len(after) else None
            findings.doubts.append(text + _unsure(samples, stats, comparison, scale))


def _slower(stats: Evidence | None) -> bool:
    return stats is not None and stats.significant and stats.ratio > 1


def _of_op(side: Side, name: str) -> Times:
    """The calls that `name` is part of, summed per invocation: the k-th of each call together."""
    calls = [call for graph in side.graphs for call in graph.calls if name in call.ops]
    return summed(in_order(call.samples) for call in calls)


def _total(comparison: Comparison, limits: Limits, findings: Findings) -> None:
    """The whole, the clock's part taken out of it: what ran outside did not follow the clock.

    By the steps, and where these are too few by the runs of the graph that takes the most time.
    """
    by_clock = comparison.by_cause.get(Cause.CLOCK, 0)
    before, after = (by_steps(side) for side in comparison.sides)
    held, runs_of = 1.0, None
    if min(len(before), len(after)) < LEAST and (main := main_graph(comparison.graphs)) is not None:
        before, after = (by_runs(*pair) for pair in zip(comparison.sides, main, strict=True))
        runs_of = main[1].id
        held = float(after.sum()) / (comparison.sides[1].total_ns or 1)
    scale = _per_sample(comparison, after)
    clock_free = after - by_clock * (scale or 1) * held
    stats = evidence({0: (before, clock_free)}, comparison.floor).get(0)
    if stats is None:
        _without_samples(comparison, (before, clock_free), scale, limits, findings)
        return
    if runs_of is not None:
        findings.notes += _by_runs_note(runs_of, held)
    times = f"{duration(comparison.before_ns)} → {duration(comparison.after_ns)}"
    change = f"{signed(comparison.change_ns - by_clock)} a {comparison.unit.word}"
    beside = f" beside the clock's {signed(by_clock)}" if by_clock else ""
    text = f"total: {speed(stats.ratio)} in the median, means {times}, {change}{beside}"
    if stats.ratio - 1 > limits.regression:
        if stats.significant:
            findings.reasons.append(text)
        else:
            findings.doubts.append(text + _unsure((before, clock_free), stats, comparison, scale))
    elif (
        comparison.before_ns
        and (comparison.change_ns - by_clock) / comparison.before_ns > limits.regression
    ):
        findings.notes.append(
            f"the mean is larger than the limit and the median is not, which is judged: {text}"
        )


def _by_runs_note(graph: str, held: float) -> list[str]:
    note = f"the whole is judged by runs of {graph}: there are too few steps, or none"
    rest = f"; {percent(1 - held)} of the time is in none of them and not judged"
    return [note if held >= _ALL_OF_IT else note + rest]


def _without_samples(
    comparison: Comparison,
    samples: tuple[Times, Times],
    scale: float | None,
    limits: Limits,
    findings: Findings,
) -> None:
    """The whole where there is nothing to test: larger than the limit it is in doubt."""
    by_clock = comparison.by_cause.get(Cause.CLOCK, 0)
    ratio = (
        1 + (comparison.change_ns - by_clock) / comparison.before_ns
        if comparison.before_ns
        else 1.0
    )
    if ratio - 1 > limits.regression:
        change = f"{signed(comparison.change_ns - by_clock)} a {comparison.unit.word}"
        text = f"total: {speed(ratio)}, {change}"
        findings.doubts.append(text + _unsure(samples, None, comparison, scale))
    counts = " and ".join(str(len(sample)) for sample in samples)
    runs = f"{counts} steps or runs of a graph, {LEAST} a side are needed"
    why = runs if any(map(len, samples)) else "there are neither steps nor runs of a graph"
    findings.notes.append(f"the whole was not judged: {why}")


JUDGES: Mapping[str, Callable[[Comparison, Limits, Findings], None]] = {
    "call": _calls,
    "op": _ops,
    "total": _total,
}
"""What judges each level, in the order of a verdict."""
