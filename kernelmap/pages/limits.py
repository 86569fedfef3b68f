"""The limits of a device, and what all calls add up to against them, in words."""

from __future__ import annotations

from collections.abc import Iterator

from kernelmap.model.roofline import DeviceLimits, Roofline
from kernelmap.pages.text import format_duration, format_percent, rate_in_words


def limits_in_words(limits: DeviceLimits) -> Iterator[str]:
    """`1,555 GB/s`, then the peak of each dtype."""
    yield rate_in_words(limits.bandwidth / 10**9, "GB/s")
    for dtype in ("float32", "tfloat32", "bfloat16", "float8"):
        if dtype in limits.peaks:
            yield f"{rate_in_words(limits.peaks[dtype] / 10**12, 'TFLOP/s')} {dtype}"


def of_steps(roofline: Roofline) -> str | None:
    """How much of all headroom could shorten the steps, None where nobody knows."""
    known = [part for call in roofline.calls if (part := call.step_headroom_ns) is not None]
    if not known:
        return None
    return f"Of the headroom {format_duration(sum(known))} could shorten the steps, at most"


def say_total(roofline: Roofline) -> str:
    """What all calls add up to: how much of the window is known, and how much could be won."""
    # Time of calls with a known limit in ns, and of those whose bytes are known.
    limited_ns = sum(speed.time_ns for speed in roofline.calls if speed.limit_ns is not None)
    known_ns = sum(speed.time_ns for speed in roofline.calls if speed.bytes is not None)
    headroom_ns = sum(speed.headroom_ns or 0 for speed in roofline.calls)
    whole_ns = roofline.total_ns
    share = format_percent(known_ns / whole_ns if whole_ns else None)
    text = f"Work is known for {format_duration(known_ns)} of {format_duration(whole_ns)} ({share})"
    if not limited_ns:
        return text
    won = format_percent(headroom_ns / limited_ns)
    return (
        f"{text}; headroom {format_duration(headroom_ns)} ({won} of {format_duration(limited_ns)})"
    )
