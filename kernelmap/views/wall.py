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
    whole: dict[int, int] = defaultdict(int)  # by the step's identity: all rows of a step share it
    for record in times:
        whole[id(record.step)] += record.time_ns
    ordered = sorted(
        times,
        key=lambda it: (it.step.device, it.step.start_ns, -it.time_ns, it.part, _words(it)),
    )
    return rows_of(
        WALL,
        [
            {
                "rank": trace.processes[record.step.process].rank,
                "pid": trace.processes[record.step.process].pid,
                "device": record.step.id if record.step.id >= 0 else None,
                "step": record.step.step,
                "part": record.part.value,
                "cause": None if record.cause is None else record.cause.word,
                "what": record.what,
                "source": record.source,
                "stretches": record.stretches,
                "time_ns": record.time_ns,
                "step_ns": whole[id(record.step)],
                "share": record.time_ns / whole[id(record.step)],
                "longest_ns": record.longest_ns,
                "longest_start_ns": record.longest_start_ns - trace.origin_ns,
            }
            for record in ordered
        ],
    )


def _words(record: WallTime) -> tuple[str, str, str]:
    return (record.cause.word if record.cause else "", record.what or "", record.source or "")
