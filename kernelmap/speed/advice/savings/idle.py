"""Idle time of devices → parts that one change could save: by its cause, and by what ended it.

A wait for launching belongs to whoever launched: compiled code, a CUDA graph, an eager operator. A
wait with no event of the host belongs to the compiler where it ends with a launch of the compiler.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from kernelmap.model import NONE, Matching
from kernelmap.model.intervals import Spans
from kernelmap.model.savings import Lever
from kernelmap.model.trace import Bool, Int
from kernelmap.model.wall_time import PARTS, REMARKS, IdleCause, Remark, StepPart
from kernelmap.speed.advice.savings.launching import LEVERS
from kernelmap.speed.advice.savings.parts import StepParts, joined_parts
from kernelmap.speed.wall.measure import Wall

_LEVER_OF_CAUSE = {
    IdleCause.NOTHING: Lever.PYTHON,
    IdleCause.UNKNOWN: Lever.PYTHON,
    IdleCause.HOST_WORK: Lever.HOST_WORK,
    IdleCause.WAITING: Lever.WAITING,
    IdleCause.LAUNCHING: Lever.EAGER_OPERATORS,
    IdleCause.GRAPH_BREAK: Lever.GRAPH_BREAK,
    IdleCause.GUARDS: Lever.GUARDS,
    IdleCause.SYNCHRONIZATION: Lever.SYNCHRONIZATION,
    IdleCause.LOADING_DATA: Lever.LOADING_DATA,
    IdleCause.COMPILING: Lever.COMPILING,
}
_NO_HOST = (Remark.NO_HOST, Remark.NO_API_CALL)


def idle_parts(  # noqa: PLR0913, PLR0917 -- the pieces, and what is known of each
    wall: Wall,
    matching: Matching,
    lever: Int,
    copying: Spans,
    what: Int,
    source: Int,
    first_launches: Int,
) -> StepParts:
    """The idle pieces of the steps; `lever` and `copying` as launching.py gives them.

    `what` and `source` are the numbers of texts for the pieces of `wall`, `first_launches` the
    first of each device. What lies at the edges is left out where it is of the recording.
    """
    pieces = wall.pieces
    rows = np.flatnonzero(np.equal(pieces.part, PARTS.index(StepPart.IDLE)))
    # Without what the ends of the recording made.
    rows = rows[~_at_an_edge(wall, first_launches)[rows]]
    cause, launch = pieces.cause[rows], pieces.launch[rows]
    # The lever of each cause; those of launching depend on who launched.
    of_cause = [LEVERS.index(_LEVER_OF_CAUSE[it]) for it in IdleCause]
    by_cause = np.array(of_cause, dtype=np.int64)[cause]
    # The lever of the launch that ended the wait, Python where no launch did (-1).
    of_launch = np.append(lever, LEVERS.index(Lever.PYTHON))[launch]
    launching = np.equal(cause, IdleCause.LAUNCHING)
    by_cause[launching] = of_launch[launching]
    # Without an event of the host, only the launch that ended the wait tells that it compiled.
    nothing = np.equal(cause, IdleCause.NOTHING)
    compiler = np.equal(of_launch, LEVERS.index(Lever.COMPILING))
    by_cause[nothing & compiler] = LEVERS.index(Lever.COMPILING)
    # Events behind those of the host are remarks, here as positions among the remarks.
    remark = pieces.event[rows] - len(wall.host.events.start_ns)
    unrecorded = np.isin(remark, [REMARKS.index(it) for it in _NO_HOST])
    by_cause[nothing & unrecorded & ~compiler] = LEVERS.index(Lever.NOT_RECORDED)
    parts = StepParts(
        lever=by_cause,
        time_ns=pieces.end_ns[rows] - pieces.start_ns[rows],
        what=what[rows],
        source=source[rows],
        call=np.append(matching.call, NONE)[launch],
        launch=launch,
        is_busy=np.zeros(len(rows), dtype=np.bool_),
    )
    return _without_the_copying(parts, copying, pieces.start_ns[rows], pieces.end_ns[rows])


def _without_the_copying(parts: StepParts, copying: Spans, start_ns: Int, end_ns: Int) -> StepParts:
    """Waits for copies of inputs, cut: only while the host copies would static inputs save them.

    The rest is the way to the CUDA graph, which stays.
    """
    # The waits that copies of inputs ended.
    rows = np.flatnonzero(np.equal(parts.lever, LEVERS.index(Lever.STATIC_INPUTS)))
    if not len(rows):
        return parts
    # The part of each in which the host copied, in ns.
    copied_ns = copying.covered_ns(start_ns[rows], end_ns[rows])
    time_ns, lever = parts.time_ns.copy(), parts.lever.copy()
    # The rest of each wait stays as it was found, as the way to the graph's launch.
    time_ns[rows] -= copied_ns
    lever[rows] = LEVERS.index(Lever.GRAPH_LAUNCHING)
    way = replace(parts, time_ns=time_ns, lever=lever)
    return joined_parts([way, replace(parts.take_parts(rows), time_ns=copied_ns)])


def _at_an_edge(wall: Wall, first_launches: Int) -> Bool:
    """The pieces at the ends of the recording that are no part of what steps cost; (pieces,).

    `first_launches` are the first of each device: what ran before them may not be recorded. A
    launch that was queued behind that did not wait for the program, in a marked step neither: a
    serving engine launches a step while the one before it runs. Of other idleness at the ends the
    cause decides, and only in windows without steps.
    """
    pieces = wall.pieces
    # In front of the first launch of a device, or behind its last one.
    at_edge = np.isin(pieces.launch, first_launches) | (pieces.launch < 0)
    # The event number of the remark that what ran before is not recorded.
    first = len(wall.host.events.start_ns) + REMARKS.index(Remark.FIRST)
    behind_unrecorded = at_edge & np.equal(pieces.event, first)
    # Whether each step is marked; (steps,).
    marked = np.array([step.step is not None for step in wall.steps], dtype=bool)
    nobody_knows = np.isin(pieces.cause, (IdleCause.NOTHING, IdleCause.UNKNOWN))
    unmarked = at_edge & nobody_knows & ~marked[pieces.step]
    return np.asarray(behind_unrecorded | unmarked)
