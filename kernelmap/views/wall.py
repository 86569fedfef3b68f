"""The table of wall time: a row for each part, cause, host event and source line of a step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from kernelmap.model import Trace
from kernelmap.views.rows import Row, rows_of
from kernelmap.views.schema import WALL
from kernelmap.wall.records import WallTime


def wall(times: Sequence[WallTime], trace: Trace) -> list[Row]:
    """The rows of all steps, device by device."""
    whole: dict[object, int] = defaultdict(int)
    for each in times:
        whole[each.step] += each.time_ns
    ordered = sorted(
        times,
        key=lambda it: (it.step.device, it.step.start_ns, -it.time_ns, it.part, _words(it)),
    )
    return rows_of(
        WALL,
        [
            {
                "rank": trace.processes[each.step.process].rank,
                "pid": trace.processes[each.step.process].pid,
                "device": each.step.id if each.step.id >= 0 else None,
                "step": each.step.step,
                "part": each.part.value,
                "cause": None if each.cause is None else each.cause.word,
                "what": each.what,
                "source": each.source,
                "stretches": each.stretches,
                "time_ns": each.time_ns,
                "step_ns": whole[each.step],
                "share": each.time_ns / whole[each.step],
                "longest_ns": each.longest_ns,
                "longest_start_ns": each.longest_start_ns - trace.origin_ns,
            }
            for each in ordered
        ],
    )


def _words(each: WallTime) -> tuple[str, str, str]:
    return (each.cause.word if each.cause else "", each.what or "", each.source or "")
