"""Several host threads of one process, on a stream each or on one, as one recording.

Each thread is played by itself, from the same moment on. Then their rows are put into one order:
that of the host's clock, by which a profiler numbers what is launched.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.model import CompiledGraph
from worlds.recorder import Recorder
from worlds.rows import Row

_SHARED = 3
_GAP_NS = 700


def by_thread(graphs: list[CompiledGraph], threads: int) -> list[list[CompiledGraph]]:
    """The graphs of each thread, in order: every third runs in all of them, the others in one."""
    if threads == 1:
        return [graphs]
    return [
        [graph for at, graph in enumerate(graphs) if at % _SHARED == 0 or at % threads == number]
        for number in range(threads)
    ]


def merged(recorders: Sequence[Recorder]) -> Recorder:
    """The first recorder, with the rows of all of them and correlation ids in the host's order."""
    launched: dict[tuple[int, int | None], int] = {
        (recorder.number, row.correlation): row.start_ns
        for recorder in recorders
        for row in recorder.rows
        if row.owner is None and row.correlation is not None
    }
    ids = {key: number for number, key in enumerate(sorted(launched, key=launched.__getitem__), 1)}
    timed: list[tuple[int, Row]] = []
    for recorder in recorders:
        for row in recorder.rows:
            key = (recorder.number, row.correlation)
            timed.append((launched.get(key, row.start_ns), row))
    for recorder in recorders:
        for row in recorder.rows:
            if row.correlation is not None:
                row.correlation = ids[recorder.number, row.correlation]
                row.args["correlation"] = row.correlation
    first = recorders[0]
    first.rows = [row for _, row in sorted(timed, key=lambda pair: pair[0])]
    if first.world.shared:
        _queued(first.rows)
    first.marks = [mark for recorder in recorders for mark in recorder.marks]
    return first


def _queued(rows: Sequence[Row]) -> None:
    """Let each launch on the GPU wait for the one before: all share one stream."""
    free_ns = 0
    for row in rows:
        if row.owner is not None:
            row.start_ns = max(row.start_ns, free_ns)
            free_ns = row.end_ns + _GAP_NS
