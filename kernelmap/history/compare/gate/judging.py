"""What the levels of a gate share: why a change may be noise, and how much of the whole is new."""

from __future__ import annotations

from math import ceil

from kernelmap.history.compare.gate.findings import GateLimits
from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.change import Change
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.statistics import (
    ALPHA,
    TestEvidence,
    Times,
    extremes_of_difference,
    least_invocations,
    telling_invocations,
)
from kernelmap.history.compare.texts.words import say_interval
from kernelmap.model.notices import format_count
from kernelmap.pages.text import format_percent


def why_in_doubt(
    samples: tuple[Times, Times],
    stats: TestEvidence | None,
    comparison: Comparison,
    scale: float | None,
    interval: tuple[int, int] | None = None,
) -> str:
    """Why a change may be noise: where it lies, and how many units would decide.

    `scale` is units per sample, None where nothing counts them.
    """
    word, apart = "rank" if comparison.sides[1].fleet else comparison.unit.noun, None
    # The ends of the interval in ns a unit; without a test those of single samples.
    if interval is None and all(map(len, samples)) and scale:
        low, high = (
            (stats.low_ns, stats.high_ns) if stats is not None else extremes_of_difference(*samples)
        )
        interval = (round(low / scale), round(high / scale))
    if interval is not None:
        apart = f" ({say_interval(*interval)})"
    # It is no chance, but no more than the same code differs by: more steps would not help.
    if stats is not None and stats.q <= ALPHA:
        floor = f"{format_percent(stats.floor)} is what the same code differs by"
        return f"{apart or ''}: may be noise, {floor}; repeats of the baseline would tell"
    # As many tests as the comparison made, for the correction.
    tests = max(1, sum(change.evidence is not None for change in comparison.changes))
    number = telling_invocations(*samples, tests) if scale else None
    if number is None or scale is None:
        number, scale = least_invocations(tests), 1.0
    steps = format_count(ceil(number * scale), word)
    return f"{apart or ''}: may be noise, about {steps} a side would tell"


def is_new(change: Change) -> bool:
    """Whether the change is of calls that took no time before."""
    return bool(change.after) and not change.before_ns


def is_new_operator(change: Change) -> bool:
    """Whether the change is of an operator outside compiled code that took no time before."""
    return change.cause is Cause.OUTSIDE and bool(change.after_ns) and not change.before_ns


def share_on_top(time_ns: int, comparison: Comparison, limits: GateLimits) -> str | None:
    """How much of the whole is new, if it is too much. What replaces something is not new."""
    # What came less what went: a call that takes the place of another counts with the difference.
    net = sum(
        change.change_ns
        for change in comparison.changes
        if is_new(change)
        or is_new_operator(change)
        or ((change.before or change.cause is Cause.OUTSIDE) and not change.after_ns)
    )
    # At most what this change took, whatever else came.
    added = min(time_ns, net)
    share = added / comparison.before_ns if comparison.before_ns else float("inf")
    too_much = added >= limits.time_ns and share > limits.regression
    return f"{format_percent(share)} on top of the whole" if too_much else None
