"""Busy time that steps wait for → parts that one change could save: copies, communication, calls.

Copies and communication count where nothing computes beside them, eager kernels where fusion could
take them into others, calls with what lies above the limit of their device. All of it counts only
where a step waits for it (speed/wall/critical.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from kernelmap.model import NONE, Trace
from kernelmap.model.busy_time import stretches_of_work
from kernelmap.model.columns import distinct_values
from kernelmap.model.intervals import Spans, unite_intervals
from kernelmap.model.roofline import BESIDE_CALLS, CallSpeed, Roofline
from kernelmap.model.savings import Lever
from kernelmap.model.trace import Bool, Int
from kernelmap.model.wall_time import PARTS, IdleCause, StepPart
from kernelmap.speed.advice.savings.launching import LEVERS
from kernelmap.speed.advice.savings.parts import StepParts
from kernelmap.speed.wall.changes import lay_over
from kernelmap.speed.wall.critical import WaitedFor
from kernelmap.speed.wall.devices import parts_of_launches
from kernelmap.speed.wall.measure import Wall

_LEVER_OF_PART = {
    StepPart.COMMUNICATION: Lever.EXPOSED_COMMUNICATION,
    StepPart.COPY: Lever.EXPOSED_COPY,
}


class CallShare(Struct, frozen=True):
    """What one call could save of the steps for one reason, None for none that is known."""

    call: int
    reason: str | None
    saves_ns: int
    evidence: str | None = None


def moving_parts(wall: Wall, trace: Trace, waited: Sequence[WaitedFor]) -> StepParts:
    """Exposed copies and communication that steps wait for, each with one of its launches.

    Of copies that run at a time the one with the first name counts.
    """
    # What each launch does, as a position among the parts; (launches,).
    part_of, launches = parts_of_launches(trace), trace.launches
    found: list[tuple[int, int, int]] = []  # lever, launch, time
    for device in waited:
        pieces = wall.pieces
        # The pieces of this device's steps in which this part goes on and the step waits for it.
        of_device = np.isin(pieces.step, device.time.steps)
        for part, lever in _LEVER_OF_PART.items():
            rows = np.flatnonzero(of_device & np.equal(pieces.part, PARTS.index(part)))
            rows = rows[device.counts_at(pieces.end_ns[rows])]
            # The launches of this part on the device, and when those of each name ran.
            mine = device.time.rows[np.equal(part_of[device.time.rows], PARTS.index(part))]
            spans = list(_by_name(trace, mine))
            if not len(rows) or not spans:
                continue
            # Where several run at a time the last layer counts, so the names are turned round.
            cut = lay_over([(IdleCause.LAUNCHING, it) for it in reversed(spans)]).cut_intervals(
                pieces.start_ns[rows], pieces.end_ns[rows]
            )
            of_launch = cut.event >= 0
            # The name id of each piece, -1 where none of these launches ran.
            name = np.where(of_launch, np.append(launches.name_id, NONE)[cut.event], NONE)
            for number in distinct_values(name[of_launch]).tolist():
                # Per name, its time in all pieces and one launch that stands for it.
                same = of_launch & np.equal(name, number)
                ns = int((cut.end_ns[same] - cut.start_ns[same]).sum())
                found.append((LEVERS.index(lever), int(cut.event[same][0]), ns))
    # Three columns, also where nothing was found.
    levers, launch, time_ns = np.array(found, dtype=np.int64).reshape(-1, 3).T
    none = np.full(len(found), NONE, dtype=np.int64)
    return StepParts(levers, time_ns, none, none, none, launch, np.ones(len(found), dtype=np.bool_))


def _by_name(trace: Trace, rows: Int) -> Iterator[Spans]:
    """When launches of each name ran."""
    launches = trace.launches
    end_ns = launches.start_ns + launches.dur_ns
    for number in distinct_values(launches.name_id[rows]).tolist():
        same = rows[np.equal(launches.name_id[rows], number)]
        yield unite_intervals(launches.start_ns[same], end_ns[same], same)


def fusion_ns(lever: Int, chosen: Bool, exposed_ns: Int, waited: Sequence[WaitedFor]) -> Int:
    """What fusion could save of the exposed time of `chosen` eager kernels, at most; (launches,).

    Between two graphs of one function a kernel may be fused into theirs, and all of it is saved.
    Elsewhere kernels that follow one another may become one, which takes at least as long as the
    longest of them; what stands alone stays.
    """
    # The time that steps wait for, 0 for all launches that were not chosen; (launches,).
    saved_ns = np.where(chosen, exposed_ns, 0)
    elsewhere = chosen & ~np.equal(lever, LEVERS.index(Lever.GRAPH_BREAK))
    for device in waited:
        rows = device.time.rows
        mine = elsewhere[rows]
        # Runs of such kernels without anything else between them, numbered from 1.
        run = np.cumsum(np.diff(mine, prepend=False) & mine)[mine]
        kernels = rows[mine]
        # The longest of each run stays.
        order = np.lexsort((-exposed_ns[kernels], run))
        firsts = order[np.diff(run[order], prepend=0) > 0]
        saved_ns[kernels[firsts]] = 0
    return np.asarray(saved_ns)


def eager_parts(rows: Int, lever: Int, exposed_ns: Int, what: Int, source: Int) -> StepParts:
    """Kernels of eager code at `rows` that could be fused; `what` and `source` are parallel."""
    none = np.full(len(rows), NONE, dtype=np.int64)
    busy = np.ones(len(rows), dtype=np.bool_)
    return StepParts(lever[rows], exposed_ns[rows], what, source, none, rows, busy)


def host_parts(
    wall: Wall, trace: Trace, lever: Int, counted: Bool, what: Int, source: Int
) -> StepParts:
    """On the CPU: operators beside compiled code; of what runs at a time one counts.

    `lever`, `what` and `source` are of launches; (launches,).
    """
    launches, pieces = trace.launches, wall.pieces
    # The operators that some change would spare; (operators,).
    chosen = np.flatnonzero(counted & launches.on_cpu & (lever >= 0))
    # When each ran itself, without what it called: stretches, `of` the launch of each.
    ran = stretches_of_work(launches.take_rows(chosen), trace.ranges)
    of = chosen[ran.of]
    # A layer for each lever. Where threads run several at a time, the last layer has the time.
    layers = []
    for number in distinct_values(lever[chosen]).tolist():
        same = np.equal(lever[of], number)
        layers.append(
            (IdleCause.LAUNCHING, unite_intervals(ran.start_ns[same], ran.end_ns[same], of[same]))
        )
    # Pieces of the steps in which the device computes, cut where another operator begins.
    rows = np.flatnonzero(np.equal(pieces.part, PARTS.index(StepPart.COMPUTING)))
    cut = lay_over(layers).cut_intervals(pieces.start_ns[rows], pieces.end_ns[rows])
    cut = cut.take_pieces(np.flatnonzero(cut.event >= 0))
    at = cut.event
    none = np.full(len(at), NONE, dtype=np.int64)
    busy = np.ones(len(at), dtype=np.bool_)
    return StepParts(lever[at], cut.end_ns - cut.start_ns, what[at], source[at], none, at, busy)


def call_shares(roofline: Roofline) -> list[CallShare]:
    """What each call could save of the steps, for each of its reasons and for none.

    The reasons of a call save at most the time that steps wait for, and what is left of its
    headroom has no reason.
    """
    # By call: the time that steps wait for and no reason has taken yet, and what reasons took.
    speeds = {speed.call: speed for speed in roofline.calls}
    left = {call: _waited_ns(speed) for call, speed in speeds.items()}
    taken = dict.fromkeys(speeds, 0)
    shares = []
    for reason in roofline.reasons:
        if reason.slug in BESIDE_CALLS:
            continue
        for call, saved_ns in zip(reason.calls, reason.savings or (), strict=False):
            speed = speeds[call]
            # Of a saving only the share that steps wait for, and no more than is left of the call.
            part_ns = saved_ns * _waited_ns(speed) // speed.time_ns if speed.time_ns else 0
            part_ns = min(part_ns, left[call])
            left[call] -= part_ns
            taken[call] += part_ns
            shares.append(CallShare(call, reason.slug.value, part_ns, reason.evidence))
    for call, speed in speeds.items():
        # The headroom that no reason explains.
        headroom_ns = speed.headroom_ns or 0
        of_step = headroom_ns * _waited_ns(speed) // speed.time_ns if speed.time_ns else 0
        rest_ns = min(max(0, of_step - taken[call]), left[call])
        shares.append(CallShare(call, None, rest_ns))
    return [share for share in shares if share.saves_ns > 0]


def _waited_ns(speed: CallSpeed) -> int:
    """The time that steps wait for; all of it where nobody looked for that."""
    return speed.time_ns if speed.exposed_ns is None else min(speed.exposed_ns, speed.time_ns)
