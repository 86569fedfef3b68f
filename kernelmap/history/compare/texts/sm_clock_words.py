"""What a comparison says of the SM clock of both sides, before it says anything of the code."""

from __future__ import annotations

from kernelmap.history.compare.numbers.comparison import Comparison
from kernelmap.history.compare.numbers.sm_clock import SmClock
from kernelmap.model.notices import format_count
from kernelmap.pages.text import format_percent


def say_sm_clock(comparison: Comparison) -> str | None:
    """`the SM clock was 7.0 % lower (1,980 → 1,841 MHz)`; None where it was not, or nobody knows.

    It is no change of the code, so it stands before whatever may be one.
    """
    clock = comparison.sm_clock
    if clock is None or not clock.has_moved:
        return None
    held = f", {_say_held(comparison)}" if comparison.at_equal_clocks else ""
    return f"the SM clock was {_say_shift(clock)} ({_say_clocks(clock)}){held}"


def sm_clock_line(comparison: Comparison) -> str | None:
    """`SM clock: 7.0 % lower, 1,980 → 1,841 MHz: 12 and 14 samples in calls that take 93 % …`."""
    clock = comparison.sm_clock
    if clock is None:
        asked = (
            "At equal clocks: nothing is held, no call has samples of the SM clock on both sides"
        )
        return asked if comparison.at_equal_clocks else None
    before, after = clock.samples
    moved = _say_shift(clock) if clock.has_moved else "alike"
    seen = (
        f"{before:,} and {after:,} samples in calls with {format_percent(clock.share)} of the time"
    )
    held = ""
    if comparison.at_equal_clocks:
        others = "; all others as recorded: memory and launches do not follow the SM clock"
        held = f"; {_say_held(comparison)}{others if comparison.held_calls else ''}"
    return f"SM clock: {moved}, {_say_clocks(clock)}: {seen}{held}"


def _say_held(comparison: Comparison) -> str:
    """How many calls are held at equal clocks."""
    number = comparison.held_calls
    if not number:
        return "no call is known to be compute bound on both sides, so none is held at equal clocks"
    return f"{format_count(number, 'compute-bound call')} held at equal clocks"


def _say_shift(clock: SmClock) -> str:
    return f"{format_percent(abs(clock.ratio - 1))} {'lower' if clock.ratio < 1 else 'higher'}"


def _say_clocks(clock: SmClock) -> str:
    return f"{clock.before_mhz:,.0f} → {clock.after_mhz:,.0f} MHz"
