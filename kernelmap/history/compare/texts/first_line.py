"""The first line of a comparison: the one thing to know, in a sentence.

Takes a Comparison, gives which change there is, by how much, and at which source line. What would
mislead without it stands before that: another SM clock, other code, a setting that differs, steps
on the clock.
"""

from __future__ import annotations

from kernelmap.history.compare.numbers.causes import COUNTED, Cause
from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.statistics import ALPHA
from kernelmap.history.compare.numbers.sums import ChangeSum
from kernelmap.history.compare.texts.sm_clock_words import say_sm_clock
from kernelmap.history.compare.texts.words import (
    ALIKE,
    MAY_BE_NOISE,
    is_beyond_noise,
    lines_of,
    of_sum,
    say_explaining,
    say_speed,
    stands_alone,
)
from kernelmap.model.notices import format_count
from kernelmap.pages.text import format_duration, format_percent, format_signed, make_visible

_LARGE = 0.05
"""Of a change without a test: what is less may be what long launches differ by from process to
process (numbers/drift.py), and is no finding."""
_SINGLE_RUNS = 0.01
"""Of the time: what single slow runs take beyond the median, if it is less, is the noise of any
recording. Chosen."""
_UNTESTED = "too few runs to tell it from noise"


def find_first_line(comparison: Comparison, *, slower: bool = False) -> str:
    """The one thing to know: the largest change beyond noise, by how much, and at which line.

    Another SM clock stands first, then what else differs and may explain the rest: versions,
    settings, the device. Where nothing is beyond noise it is the largest change that is no chance,
    with that doubt, else the largest change of code; and where nothing can be tested it says so.
    Other code, and steps that changed otherwise than the work in them, stand before it. With
    `slower` it is what took more time, if anything did: why a gate fails.

    `extern_kernels.mm is 1.10x slower in 63 calls, same code: +19.5 µs a step, model.py:12`.
    """
    # What is sure; else what is likely, and said with its doubt; else the largest change there is.
    beyond = [each for each in comparison.sums if _is_no_noise(each)]
    beyond = beyond or [each for each in comparison.sums if _is_likely(each)]
    beyond = beyond or [each for each in comparison.sums if stands_alone(each)]
    sampled = say_sm_clock(comparison)
    why = f"{sampled}; " if sampled else ""
    why += _say_explanation(comparison) + _on_the_clock(comparison, slower=slower)
    # A gate fails for what became slower, even beside a larger gain.
    if slower:
        beyond = [each for each in beyond if each.change_ns > 0] or beyond
    if not beyond:
        return why + _say_nothing_stands_out(comparison)
    first, *others = beyond
    # The largest change could not be tested, and it is none of the code.
    if first.cause in MAY_BE_NOISE and first.significant is None:
        return make_visible(why + _say_untestable(first, comparison))
    is_plain = first.cause in COUNTED or first.significant
    untested = "" if is_plain else _say_why_untested(first)
    parts = [f"{of_sum(first)}: {format_signed(first.change_ns)} a {comparison.unit.word}"]
    parts += filter(None, [lines_of(first), untested])
    rest = sum(each.change_ns for each in others)
    more = f"; {format_count(len(others), 'other change')}, {format_signed(rest)}" if others else ""
    return make_visible(why + ", ".join(parts) + more)


def _say_explanation(comparison: Comparison) -> str:
    """Other code, and what else differs that may explain the change; empty without any."""
    other = "".join(
        f"{each.say_difference()}; " for each in comparison.differences if each.is_other_code
    )
    explained = say_explaining(comparison)
    return make_visible(f"{other}{explained}; " if explained else other)


def _on_the_clock(comparison: Comparison, *, slower: bool) -> str:
    """Where steps changed otherwise than the work in them, in words before a finding; else empty.

    With `slower` only steps that became slower.
    """
    clock = comparison.on_the_clock
    if clock is None or not comparison.before_ns or (slower and clock.ratio < 1):
        return ""
    ratio = comparison.after_ns / comparison.before_ns
    if not clock.contradicts(ratio):
        return ""
    side = comparison.sides[1].summary.side.upper()
    times = f"{format_duration(clock.before_ns)} → {format_duration(clock.after_ns)}"
    works = say_speed(ratio).replace("slower", "longer").replace("faster", "shorter")
    works = "as long as before" if works == ALIKE else works
    step = f"a step is {say_speed(clock.ratio)} on the clock ({times})"
    return f"{step}, while the {side} works {works}; "


def _say_nothing_stands_out(comparison: Comparison) -> str:
    """Where nothing stands out: whether there is a change at all, and single runs that bear it."""
    spread = next((each for each in comparison.sums if each.cause is Cause.SPREAD), None)
    # Single runs are told where they bear more than half of the change, and 1 % of the time.
    most = max(abs(comparison.change_ns) / 2, _SINGLE_RUNS * comparison.before_ns)
    if spread is None or abs(spread.change_ns) <= most:
        return "nothing stands out from noise" if comparison.changes else "no change"
    time = f"{format_signed(spread.change_ns)} a {comparison.unit.word}"
    return f"nothing stands out from noise; single runs far from the median: {time}"


def _say_why_untested(each: ChangeSum) -> str:
    if each.cause is Cause.REPLACED:
        return "not tested"
    if each.significant is None:
        return _UNTESTED
    if each.evidence is None or each.evidence.q > ALPHA:
        return "may be noise"
    return f"may be noise: the same code differs by up to {format_percent(each.evidence.floor)}"


def _say_untestable(largest: ChangeSum, comparison: Comparison) -> str:
    """Where no change can be tested: why, and which one is the largest."""
    unit = comparison.unit
    why = f"{unit.before:,} and {format_count(unit.after, unit.noun)} are too few"
    # Steps, or runs of calls, without which nothing can be tested.
    has_samples = all(
        side.by_step or any(call.samples for graph in side.graphs for call in graph.calls)
        for side in comparison.sides
    )
    if not has_samples:
        why = "a side was saved without its invocations"
    elif any(change.evidence is not None for change in comparison.changes):
        why = "too few runs"
    time = f"{format_signed(largest.change_ns)} a {unit.word}"
    return f"no change can be told from noise: {why} (largest: {largest.what}, {time})"


def _is_likely(each: ChangeSum) -> bool:
    """Whether it is no chance and large, and still no more than what recordings differ by.

    It is worth a first line with that doubt; a small one is what any two recordings show.
    """
    stats = each.evidence
    return stats is not None and stats.q <= ALPHA and abs(stats.ratio - 1) >= _LARGE


def _is_no_noise(each: ChangeSum) -> bool:
    """Whether something changed for sure: other code, or more than noise of the same."""
    is_untested = each.cause in MAY_BE_NOISE and each.significant is None
    return is_beyond_noise(each) and not is_untested
