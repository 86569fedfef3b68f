"""Pieces of steps → one row for each part, cause, host event's name and source line of a step."""

from __future__ import annotations

import numpy as np

from kernelmap.attribution.records import Attribution
from kernelmap.matching.host_side.columns import paired
from kernelmap.model import CompiledProgram, Matching, Reason, Trace
from kernelmap.model.trace import Int
from kernelmap.wall.measure import Wall
from kernelmap.wall.records import PARTS, Cause, WallTime
from kernelmap.wall.texts import LinesAt, Texts


def wall_rows(
    wall: Wall,
    program: CompiledProgram,
    trace: Trace,
    matching: Matching,
    attribution: Attribution,
    lines_at: LinesAt,
) -> tuple[WallTime, ...]:
    """The rows of all steps; those of one step on one device add up to it.

    `lines_at` gives the source lines at which host threads were at some moments.
    """
    pieces = wall.pieces
    words = Texts(wall, program, trace, matching, attribution, lines_at)
    what, line = words.of_pieces()
    texts = (*words.texts, None)  # the last is that of -1
    cause = _causes(wall, matching)
    key = paired(pieces.step, pieces.part, cause, what, line)
    dur_ns = pieces.end_ns - pieces.start_ns
    order = np.lexsort((pieces.start_ns, -dur_ns, key))
    longest = order[np.flatnonzero(np.diff(key[order], prepend=-1))]
    time_ns = np.zeros(len(longest), dtype=np.int64)
    np.add.at(time_ns, key, dur_ns)
    stretches = np.bincount(key, minlength=len(longest))
    columns = (
        *(pieces.step[longest], pieces.part[longest], cause[longest], what[longest], line[longest]),
        *(stretches, time_ns, dur_ns[longest], pieces.start_ns[longest]),
    )
    causes = [*Cause, None]
    return tuple(
        WallTime(
            step=wall.steps[step],
            part=PARTS[part],
            cause=causes[why],
            what=texts[said],
            source=texts[source],
            stretches=number,
            time_ns=lasts,
            longest_ns=most,
            longest_start_ns=begins,
        )
        for step, part, why, said, source, number, lasts, most, begins in zip(
            *(column.tolist() for column in columns), strict=True
        )
    )


def _causes(wall: Wall, matching: Matching) -> Int:
    """The cause that is shown of each piece; -1 where the device is busy.

    Work of the host and what left no event are both unknown, and `what` keeps them apart. What the
    autotuner launches belongs to a compilation, also where no range of the profile says so.
    """
    cause = wall.pieces.cause.copy()
    reason = np.append(matching.reason, Reason.NONE)[wall.pieces.launch]
    tuned = np.equal(reason, Reason.AUTOTUNE) & (cause > Cause.HOST_WORK)
    cause[tuned & (cause != Cause.WAITING)] = Cause.COMPILING
    cause[np.isin(cause, (Cause.NOTHING, Cause.HOST_WORK))] = Cause.UNKNOWN
    return cause
