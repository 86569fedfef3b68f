"""The limits of a device, and what all calls add up to against them, in words."""

from __future__ import annotations

from collections.abc import Iterator

from kernelmap.model.notices import join_some
from kernelmap.model.roofline import DeviceLimits, ModelUse, Roofline
from kernelmap.pages.text import (
    format_duration,
    format_percent,
    rate_in_words,
    rate_unit,
)

_SMALL = 0.001  # what percents of one digit show as less than 0.1


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


def say_model_use(roofline: Roofline) -> Iterator[str]:
    """Model FLOPs utilization with its numerator, time and peak, and what it leaves out.

    Nothing where no step or no product is known. A serving engine's kinds of steps come after all.
    """
    yield from _say_use(roofline, roofline.model_use, "")
    for kind, use in roofline.use_by_kind.items():
        yield from _say_use(roofline, use, f"{kind}: ")


def _say_use(roofline: Roofline, use: ModelUse, whose: str) -> Iterator[str]:
    if not use.flops or not use.wall_ns or not use.steps:
        return
    # Operations of a step in the unit that suits them: the rates' units without the second.
    tera = use.flops / use.steps / 10**12
    factor, unit = rate_unit(tera, "TFLOP/s")
    work = f"{tera * factor:.3g} {unit.removesuffix('/s')}"
    spelled = f"{work} a step / {format_duration(use.wall_ns // use.steps)} a step"
    if use.mfu is None:
        rate = rate_in_words(use.flops / use.wall_ns / 1000, "TFLOP/s")
        yield f"{whose}Model FLOPs {rate} = {spelled}; no peak is known to set it against"
    else:
        spelled += f" / {_say_peaks(roofline, use)}"
        # What is not known may multiply as well.
        least = "at least " if use.known_ns < use.total_ns else ""
        # "At least <0.1 %" would say nothing, so that a small share has two digits.
        share = format_percent(use.mfu) if use.mfu >= _SMALL else f"{100 * use.mfu:.2g} %"
        yield f"{whose}MFU {least}{share} = {spelled}"
    share = format_percent(use.known_ns / use.total_ns if use.total_ns else None)
    yield f"{whose}Model FLOPs are known for {share} of the GPU time; what runs again counts again"


def _say_peaks(roofline: Roofline, use: ModelUse) -> str:
    """The dense peak of each dtype; of several each part of the work is set against its own."""
    limits = next(limits for limits in roofline.devices.values() if limits is not None)
    peaks = {dtype: limits.peak_of(dtype) or 0 for dtype in use.by_dtype}
    return join_some(
        [
            f"{rate_in_words(peak / 10**12, 'TFLOP/s')} dense {dtype}"
            + f" ({format_percent(use.by_dtype[dtype] / use.flops)})" * (len(peaks) > 1)
            for dtype, peak in peaks.items()
        ]
    )


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
