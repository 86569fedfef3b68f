"""The levels of a gate: each call, each family of calls, and the whole are held against the limits.

A regression fails where it is both significant (against no change) and larger than the threshold;
one that is larger and may be noise is inconclusive, and says how many units would decide. What took
no time before has no ratio: it is held against the whole, as far as it came on top of what went.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from kernelmap.history.compare.gate.family_level import judge_families
from kernelmap.history.compare.gate.findings import Findings, GateLimits
from kernelmap.history.compare.gate.judging import is_new, share_on_top, why_in_doubt
from kernelmap.history.compare.gate.reasons import reason_of
from kernelmap.history.compare.numbers.causes import BY_CLOCK, Cause
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparable import main_graph, per_unit
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.drift import drifting_operator, members_of_calls
from kernelmap.history.compare.numbers.statistics import (
    LEAST,
    TestEvidence,
    Times,
    by_runs,
    by_steps,
    find_evidence,
    is_slower,
    sum_of_calls,
)
from kernelmap.history.compare.texts.words import say_speed
from kernelmap.model.notices import format_count
from kernelmap.pages.text import format_duration, format_percent, format_signed

_PAIRED = (
    Cause.REFUSED,
    Cause.CONFIG,
    Cause.LIBRARY,
    Cause.TEMPLATE,
    Cause.COMPILED,
    Cause.OPS,
    Cause.SAME_CODE,
)
_TOO_FEW = f"with fewer than {LEAST} runs on a side"
_ALL_OF_IT = 0.99
"""Of the time: what runs of graphs hold is the whole, and the note says nothing of a rest. It
decides words alone."""


def _judge_calls(comparison: Comparison, limits: GateLimits, findings: Findings) -> None:
    """Calls, or groups of calls, that take longer for the same work, and new ones."""
    for change in comparison.changes:
        # Time without a call, a clock that moved and single slow runs are no doing of a call.
        if not (change.before or change.after) or change.cause in (*BY_CLOCK, Cause.SPREAD):
            continue
        # Short calls are judged in their families.
        if max(change.before_ns, change.after_ns) < limits.time_ns:
            continue
        if is_new(change):
            _judge_new(change, comparison, limits, findings)
        elif change.cause is Cause.LAUNCHES:
            _judge_launches(change, comparison, limits, findings)
        # Other shapes are other work, so a ratio says nothing.
        elif change.cause is Cause.SHAPES:
            findings.left["call", "of other shapes or types"].append(change.after_ns)
        elif change.cause in _PAIRED:
            _judge_pair(change, comparison, limits, findings)
    # All that no level judges is noted with its time.
    _left_small(comparison, limits, findings)
    for rest in comparison.sides[1].rests:
        where = "outside compiled code" if rest.outside else "without a call"
        findings.left["time", where].append(rest.time_ns // comparison.unit.after)


def _left_small(comparison: Comparison, limits: GateLimits, findings: Findings) -> None:
    """Note the calls below --min-time that are not judged with others of their op or kernel."""
    units = comparison.unit.before, comparison.unit.after
    # The calls of the families that were judged; they are not left out.
    judged = {call.id for family in findings.families for call in family.calls}
    below = "below --min-time"
    if "op" in limits.levels:
        below += ", also with others of their op or kernel"
    for pair in comparison.pairs:
        # Ns a unit before and now.
        times = [
            per_unit(sum(call.time_ns for call in calls), number)
            for calls, number in zip((pair.before, pair.after), units, strict=True)
        ]
        if max(times) < limits.time_ns and times[1] and not judged & {c.id for c in pair.after}:
            findings.left["call", below].append(times[1])


def _judge_new(
    change: Change, comparison: Comparison, limits: GateLimits, findings: Findings
) -> None:
    """A call or a graph that took no time before."""
    by = share_on_top(change.change_ns, comparison, limits) if change.change_ns > 0 else None
    if by is not None:
        _fail_change(change, by, comparison, findings)


def _judge_pair(
    change: Change, comparison: Comparison, limits: GateLimits, findings: Findings
) -> None:
    """A call that does the same work on both sides, by its runs."""
    stats = change.evidence
    # Ns of each invocation, the clock's part taken out of the newer side.
    factor = float(comparison.clocks.of_calls(change.before, change.after))
    samples = sum_of_calls(change.before), sum_of_calls(change.after) / factor
    if stats is None or not stats.before_ns:
        findings.left["call", _TOO_FEW].append(change.after_ns)
    ratio = _ratio_of(stats, samples, change)
    # A median above the limit does not fail where the change as a whole saves time.
    if ratio - 1 <= limits.regression or change.change_ns <= 0:
        return
    if stats is not None and stats.significant:
        _fail_change(change, say_speed(ratio), comparison, findings)
        # The level of families may put this reason and others together into one.
        findings.alone[tuple(call.id for call in change.after)] = findings.reasons[-1]
        return
    scale = _per_sample(comparison, samples[1])
    unsure = why_in_doubt(samples, stats, comparison, scale, change.interval_ns)
    findings.doubts.append(reason_of(change, say_speed(ratio), comparison.unit) + unsure)


def _ratio_of(stats: TestEvidence | None, samples: tuple[Times, Times], change: Change) -> float:
    """After over before: of medians, or of the time where there are no separate runs."""
    if stats is not None and stats.before_ns:
        return stats.ratio
    # Too few runs for a test: medians as they are, and below that the time of the whole window.
    before, after = (float(np.median(sample)) if len(sample) else 0.0 for sample in samples)
    if before and after:
        return after / before
    return 1 + change.change_ns / change.before_ns if change.before_ns else 1.0


def _per_sample(comparison: Comparison, samples: Times) -> float | None:
    """Units per sample of the newer side; a rank of a fleet has its mean unit as one sample."""
    if not len(samples):
        return None
    return 1.0 if comparison.sides[1].fleet else comparison.unit.after / len(samples)


def _judge_launches(
    change: Change, comparison: Comparison, limits: GateLimits, findings: Findings
) -> None:
    """A call that is launched more often, but for what was cut off at the ends of a recording."""
    more = change.change_ns / change.before_ns if change.before_ns else 0.0
    if more <= limits.regression:
        return
    # Launches a unit before and now.
    before, after = (
        Fraction(sum(call.launches for call in calls), units)
        for calls, units in (
            (change.before, comparison.unit.before),
            (change.after, comparison.unit.after),
        )
    )
    # Two units may be cut off at the ends of a recording: so many launches prove nothing.
    text, cut_off = reason_of(change, say_speed(1 + more), comparison.unit), 2 * max(before, after)
    # The launches that came, over the shorter recording; if the ends do not explain them, it fails.
    if (after - before) * min(comparison.unit.before, comparison.unit.after) > cut_off:
        _fail_change(change, say_speed(1 + more), comparison, findings)
        return
    # So many units a side would make them more than what is cut off.
    number = int(cut_off / (after - before)) + 1
    units = format_count(number, comparison.unit.noun)
    findings.doubts.append(f"{text}: may be cut off at the ends, {units} a side would tell")


def _fail_change(change: Change, by: str, comparison: Comparison, findings: Findings) -> None:
    """A reason that is about one change; reasons.py tells those of one sum together."""
    text = reason_of(change, by, comparison.unit)
    findings.reasons.append(text)
    findings.changes[text] = change


def _judge_total(comparison: Comparison, limits: GateLimits, findings: Findings) -> None:
    """The whole, the clock's part taken out of it: what ran outside did not follow the clock.

    By the steps, and where these are too few by the runs of the graph that takes the most time.
    """
    by_clock = comparison.by_clock_ns
    # Ns of each step. With too few steps, the runs of the graph that takes the most time stand for
    # the whole, and `held` is the part of the time that is theirs.
    before, after = (by_steps(side) for side in comparison.sides)
    held, runs_of = 1.0, None
    if min(len(before), len(after)) < LEAST and (main := main_graph(comparison.graphs)) is not None:
        before, after = (by_runs(*pair) for pair in zip(comparison.sides, main, strict=True))
        runs_of = main[1].id
        held = float(after.sum()) / (comparison.sides[1].total_ns or 1)
    # The clock's part is ns a unit: times the units of a sample, and only the part that is in it.
    scale = _per_sample(comparison, after)
    clock_free = after - by_clock * (scale or 1) * held
    # The whole is one pair of samples, and so one test.
    stats = find_evidence(
        {0: (before, clock_free)}, {0: _floor_of_whole(comparison, before, clock_free)}
    ).get(0)
    if stats is None:
        _without_samples(comparison, (before, clock_free), scale, limits, findings)
        return
    if runs_of is not None:
        findings.notes += _by_runs_note(runs_of, held)
    times = f"{format_duration(comparison.before_ns)} → {format_duration(comparison.after_ns)}"
    change = f"{format_signed(comparison.change_ns - by_clock)} a {comparison.unit.word}"
    beside = f" beside the clock's {format_signed(by_clock)}" if by_clock else ""
    text = f"total: {say_speed(stats.ratio)} in the median, means {times}, {change}{beside}"
    if stats.ratio - 1 > limits.regression:
        if stats.significant:
            findings.reasons.append(text)
        else:
            findings.doubts.append(
                text + why_in_doubt((before, clock_free), stats, comparison, scale)
            )
    elif (
        comparison.before_ns
        and (comparison.change_ns - by_clock) / comparison.before_ns > limits.regression
    ):
        findings.notes.append(
            f"the mean is larger than the limit and the median is not, which is judged: {text}"
        )


def _floor_of_whole(comparison: Comparison, before: Times, after: Times) -> float:
    """What the whole differs by from process to process: a little of a thousand launches."""
    # The drift of the whole is that of all calls and operators together.
    older = comparison.sides[0]
    calls = [call for graph in older.graphs for call in graph.calls]
    members = [
        *members_of_calls(calls),
        *(one for rest in older.rests for one in drifting_operator(rest)),
    ]
    return max(
        comparison.floor, comparison.drift.floor_of_sum(members, slower=is_slower(before, after))
    )


def _by_runs_note(graph: str, held: float) -> list[str]:
    note = f"the whole is judged by runs of {graph}: there are too few steps, or none"
    rest = f"; {format_percent(1 - held)} of the time is in none of them and not judged"
    return [note if held >= _ALL_OF_IT else note + rest]


def _without_samples(
    comparison: Comparison,
    samples: tuple[Times, Times],
    scale: float | None,
    limits: GateLimits,
    findings: Findings,
) -> None:
    """The whole where there is nothing to test: larger than the limit it is in doubt."""
    by_clock = comparison.by_clock_ns
    ratio = (
        1 + (comparison.change_ns - by_clock) / comparison.before_ns
        if comparison.before_ns
        else 1.0
    )
    if ratio - 1 > limits.regression:
        change = f"{format_signed(comparison.change_ns - by_clock)} a {comparison.unit.word}"
        text = f"total: {say_speed(ratio)}, {change}"
        findings.doubts.append(text + why_in_doubt(samples, None, comparison, scale))
    counts = " and ".join(str(len(sample)) for sample in samples)
    runs = f"{counts} steps or runs of a graph, {LEAST} a side are needed"
    why = runs if any(map(len, samples)) else "there are neither steps nor runs of a graph"
    findings.notes.append(f"the whole was not judged: {why}")


JUDGES: Mapping[str, Callable[[Comparison, GateLimits, Findings], None]] = {
    "call": _judge_calls,
    "op": judge_families,
    "total": _judge_total,
}
"""What judges each level, in the order of a verdict."""
