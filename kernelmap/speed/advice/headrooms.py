"""Calls with time beyond the limit of their device: the largest, and what explains it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from kernelmap.model import CompiledProgram
from kernelmap.model.advice import Headroom
from kernelmap.model.roofline import CallSpeed, HeadroomReason, Roofline

_TOP = 5
"""Calls with headroom that become findings; more are read by nobody, and `--sort headroom` has all.
Chosen."""
_PART = 0.1
"""Of the headroom: a reason that saves less does not explain it. Chosen."""
_SMALL = 0.01
"""Of the window: less is not worth a look. Chosen."""


def largest_headrooms(program: CompiledProgram, roofline: Roofline | None) -> tuple[Headroom, ...]:
    """At most five calls, the largest headroom first; none where no limits are known."""
    if roofline is None:
        return ()
    return tuple(
        _make_headroom(program, roofline, speed, why) for speed, why in _iter_explained(roofline)
    )


def _make_headroom(
    program: CompiledProgram, roofline: Roofline, speed: CallSpeed, why: Sequence[HeadroomReason]
) -> Headroom:
    graph, call = program.calls[speed.call]
    bound = roofline.bounds[speed.call]
    headroom_ns = speed.headroom_ns or 0
    return Headroom(
        call=graph.call_id(call),
        wrapper=call.wrapper,
        headroom_ns=headroom_ns,
        share=headroom_ns / roofline.total_ns,
        share_of_limit=(speed.limit_ns or 0) / speed.time_ns,
        bound=bound.value if bound else "",
        reasons=tuple(reason.slug.value for reason in why),
        evidence=tuple(reason.evidence for reason in why),
    )


def find_unexplained(roofline: Roofline) -> tuple[CallSpeed, ...]:
    """Those of the five whose headroom has no reason, and of which nothing was counted."""
    return tuple(
        speed for speed, why in _iter_explained(roofline) if not why and speed.counted is None
    )


def _iter_explained(roofline: Roofline) -> Iterator[tuple[CallSpeed, Sequence[HeadroomReason]]]:
    """The calls with the largest headroom, each with what explains a good part of it."""
    # By call, what each reason could save of it, in ns.
    savings: dict[int, list[tuple[int, HeadroomReason]]] = defaultdict(list)
    for reason in roofline.reasons:
        for position, saved_ns in zip(reason.calls, reason.savings or (), strict=False):
            savings[position].append((saved_ns, reason))
    # The largest headroom first.
    ordered = sorted(roofline.calls, key=lambda speed: (-(speed.headroom_ns or 0), speed.call))
    for speed in ordered[:_TOP]:
        headroom_ns = speed.headroom_ns
        if headroom_ns is None or speed.limit_ns is None or roofline.bounds[speed.call] is None:
            continue
        if headroom_ns < _SMALL * roofline.total_ns:
            continue
        yield (
            speed,
            [reason for saved_ns, reason in savings[speed.call] if saved_ns > _PART * headroom_ns],
        )
