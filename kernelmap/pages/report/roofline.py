"""The view Roofline: what bounds the chart, what all calls add up to, and why they have headroom.

The points of the chart are the rows of the shared table of calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from kernelmap.model import CompiledProgram
from kernelmap.model.roofline import BESIDE_CALLS, DeviceLimits, HeadroomReason, Roofline
from kernelmap.pages.limits import limits_in_words, of_steps, say_model_use, say_total
from kernelmap.pages.report.packed import PackedTexts
from kernelmap.pages.report.shared import Content

_NO_LIMITS = "The chart needs the limits of the device."


def data_of_roofline(content: Content, texts: PackedTexts) -> object:  # noqa: ARG001 -- the views' signature
    """Limits, sums and reasons; of a saved result only what its tables say.

    None where no table says what calls move.
    """
    records = content.records
    speeds = records.speeds if records else None
    if records is None or speeds is None:
        # The calls of a saved result may say what they move; limits and reasons are in no file.
        if all(size is None for size in content.tables.columns("calls")["bytes"]):
            return None
        notice = {"message": "This report was made from a saved result.", "hint": _NO_LIMITS}
        return {
            "facts": [],
            "roofs": None,
            "total": "",
            "of_steps": None,
            "notices": [notice],
            "reasons": [],
        }
    limits = only_limits(speeds)
    of_calls = [reason for reason in speeds.reasons if reason.slug not in BESIDE_CALLS]
    return {
        "facts": [name or "a device without a name" for name in speeds.devices]
        + (list(limits_in_words(limits)) if limits else []),
        "roofs": _data_of_roofs(limits) if limits else None,
        "total": ". ".join((say_total(speeds), *_say_uses(records.speeds_in_steps))),
        "of_steps": of_steps(records.speeds_in_steps) if records.speeds_in_steps else None,
        "notices": [
            {"message": notice.message, "hint": notice.hint, "odd": notice.slug != _UNKNOWN}
            for notice in speeds.notices
        ],
        "unknown": {
            _call_id(records.program, speed.call): speed.reason
            for speed in speeds.calls
            if speed.reason
        },
        "step_headroom_ns": {
            _call_id(records.program, call): part_ns
            for call, part_ns in records.step_headroom_ns.items()
        },
        "reasons": [_data_of_reason(records.program, reason) for reason in of_calls],
    }


_UNKNOWN = "device-limits-unknown"


def _say_uses(speeds: Roofline | None) -> Iterator[str]:
    return say_model_use(speeds) if speeds else iter(())


def only_limits(speeds: Roofline) -> DeviceLimits | None:
    """The limits of the device that all ran on, None where there are several or none is known."""
    limits = list(speeds.devices.values())
    return limits[0] if len(limits) == 1 else None


def _data_of_roofs(limits: DeviceLimits) -> object:
    """The bandwidth in bytes a second, and the peaks with the names of their dtypes."""
    peaks = sorted(limits.peaks.items(), key=lambda pair: -pair[1])
    return {
        "bandwidth": limits.bandwidth,
        "peaks": [
            {"flops": peak, "dtypes": ", ".join(dtype for dtype, _ in pairs)}
            for peak, pairs in groupby(peaks, key=lambda pair: pair[1])
        ],
    }


def _data_of_reason(program: CompiledProgram, reason: HeadroomReason) -> object:
    return {
        "slug": reason.slug.value,
        "evidence": reason.evidence,
        "calls": [_call_id(program, call) for call in reason.calls],
        "saves_ns": reason.saves_ns,
        "overlap_ns": reason.overlap_ns,
        "bytes": reason.bytes,
    }


def _call_id(program: CompiledProgram, position: int) -> str:
    graph, call = program.calls[position]
    return graph.call_id(call)
