"""(program, roofline) → the calls with the largest headroom, and why they have it.

Findings say what would make the answer better; these say what would make the program faster.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kernelmap.advice.records import Headroom
from kernelmap.model import CompiledProgram
from kernelmap.roofline.records import Reason, Roofline

_TOP = 5
_PART = 0.1  # of the headroom: a reason that saves less does not explain it
_SMALL = 0.01  # of the window: less is not worth a look


def headrooms(program: CompiledProgram, roofline: Roofline | None) -> tuple[Headroom, ...]:
    """At most five calls, the largest headroom first; none where no limits are known."""
    return tuple(_headrooms(program, roofline)) if roofline is not None else ()


def _headrooms(program: CompiledProgram, roofline: Roofline) -> Iterator[Headroom]:
    savings: dict[int, list[tuple[int, Reason]]] = defaultdict(list)
    for reason in roofline.reasons:
        for position, saved_ns in zip(reason.calls, reason.savings or (), strict=False):
            savings[position].append((saved_ns, reason))
    ordered = sorted(roofline.calls, key=lambda speed: (-(speed.headroom_ns or 0), speed.call))
    for speed in ordered[:_TOP]:
        headroom_ns, limit_ns, bound = speed.headroom_ns, speed.limit_ns, speed.bound
        if headroom_ns is None or limit_ns is None or bound is None:
            continue
        if headroom_ns < _SMALL * roofline.total_ns:
            continue
        graph, call = program.calls[speed.call]
        why = [reason for saved_ns, reason in savings[speed.call] if saved_ns > _PART * headroom_ns]
        yield Headroom(
            call=graph.call_id(call),
            wrapper=call.wrapper,
            headroom_ns=headroom_ns,
            share=headroom_ns / roofline.total_ns,
            share_of_limit=limit_ns / speed.time_ns,
            bound=bound.value,
            reasons=tuple(reason.slug.value for reason in why),
            evidence=tuple(reason.evidence for reason in why),
        )
