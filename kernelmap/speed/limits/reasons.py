"""(what the code says, the speeds of calls, what ran between them) → why time could be won.

A reason says what could be won at most. Several may concern one call: the largest counts in full,
the others what it leaves of the call's time, so that the sum never exceeds the time of the calls.
Those that explain headroom share the headroom in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernelmap.model import CompiledProgram
from kernelmap.model.roofline import EXPLAINS_HEADROOM, CallSpeed, DeviceLimits, HeadroomReason
from kernelmap.model.work import CodeEvidence
from kernelmap.speed.limits.candidates import FindOccupancies, ReasonCandidate, no_occupancies
from kernelmap.speed.limits.code_reasons import iter_candidates
from kernelmap.speed.limits.counted_reasons import iter_counted_candidates
from kernelmap.speed.limits.waiting import WaitedTime

_MOST = 0.5
"""Of a call's headroom: a reason of the code that explains more of it needs no second one."""


def reasons_of_calls(
    program: CompiledProgram,
    calls: Iterable[CallSpeed],
    limits: DeviceLimits | None,
    evidence: CodeEvidence,
    waiting: Iterable[WaitedTime] = (),
    find_occupancies: FindOccupancies = no_occupancies,
) -> tuple[HeadroomReason, ...]:
    """The reasons of the calls that ran, the largest saving first.

    `waiting` are those of the time beside the calls, which no other reason concerns.
    `find_occupancies` says how many warps of kernels fit on a multiprocessor.
    """
    speeds = {speed.call: speed for speed in calls}
    # The time of each call that no reason has claimed yet.
    left = {call: speed.time_ns for call, speed in speeds.items()}
    headroom = {call: speed.headroom_ns or 0 for call, speed in speeds.items()}
    of_code = tuple(iter_candidates(program, speeds, limits, evidence, find_occupancies))
    # The code says what to change. Counters add a reason where it shows none for most of the rest.
    explained = {
        call
        for candidate in of_code
        for call, saving in candidate.savings.items()
        if candidate.slug in EXPLAINS_HEADROOM and (saving or 0) > _MOST * headroom[call]
    }
    unexplained = {call: speed for call, speed in speeds.items() if call not in explained}
    # The largest reason first, because it counts in full. Without a limit bytes decide instead.
    of_calls = sorted(
        (*of_code, *iter_counted_candidates(program, unexplained, limits)),
        key=lambda one: (-one.total_ns, -(one.bytes or 0), tuple(one.savings)),
    )
    stated = [_saving_beside(candidate, left, headroom) for candidate in of_calls] + [
        HeadroomReason(
            slug=one.slug,
            calls=one.calls,
            bytes=None,
            savings=(0,) * len(one.calls),
            overlap_ns=0,
            evidence=one.evidence,
            idle_ns=one.idle_ns,
            outside_ns=one.outside_ns,
        )
        for one in waiting
    ]
    return tuple(sorted(stated, key=lambda one: (-((one.saves_ns or 0) + (one.overlap_ns or 0)),)))


def _saving_beside(
    candidate: ReasonCandidate, left: dict[int, int], headroom: dict[int, int]
) -> HeadroomReason:
    """The reason with what it saves beyond earlier ones.

    `left` is the time of each call that these leave, `headroom` the part of it above the limit.
    """
    savings = []
    for call, saving in candidate.savings.items():
        # The reason gets no more of a call than what larger ones left.
        part = min(saving or 0, left[call])
        if candidate.slug in EXPLAINS_HEADROOM:
            part = min(part, headroom[call])
            headroom[call] -= part
        left[call] -= part
        savings.append(part)
    # A single call without a limit leaves the sum open.
    is_known = None not in candidate.savings.values()
    return HeadroomReason(
        slug=candidate.slug,
        calls=tuple(candidate.savings),
        bytes=candidate.bytes,
        savings=tuple(savings) if is_known else None,
        overlap_ns=candidate.total_ns - sum(savings) if is_known else None,
        evidence=candidate.evidence,
    )
