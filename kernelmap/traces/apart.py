"""A trace of several processes → one trace per process, each with its own host side alone.

Nsight Systems records all processes of a machine into one report, and files of rocprofv3 may be
merged; ranks are processes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from kernelmap.model import NONE, Trace
from kernelmap.model.trace import Bool, Int


def split_by_process(trace: Trace) -> Iterator[Trace]:
    """The trace of each process that launched something, by its first device, then by its pid."""
    processes = np.unique(trace.launches.process)
    if len(processes) < 2:  # noqa: PLR2004 -- one is alone
        yield trace
        return
    for process in sorted(processes.tolist(), key=lambda number: _place(trace, number)):
        yield _alone(trace, process)


def _place(trace: Trace, process: int) -> tuple[int, int, str]:
    """By local rank, as far as a report says it: launchers give processes devices in order."""
    # The first device that the process launched on stands for its local rank.
    of_process = trace.launches.process == process
    pid = trace.processes[process].pid or ""
    number = int(pid) if pid.isdecimal() else 0
    return int(trace.launches.device[of_process].min()), number, pid


def _alone(trace: Trace, process: int) -> Trace:
    launches = trace.launches.take_rows(trace.launches.process == process)
    # Masks of the api calls and ranges of this process, (apis,) and (ranges,).
    of_api, of_range = (columns.process == process for columns in (trace.apis, trace.ranges))
    apis, ranges = trace.apis.take_rows(of_api), trace.ranges.take_rows(of_range)
    # For each row of the whole trace its row in the part, so that links
    # can follow; -1 for dropped rows.
    api_at, range_at = _new_rows(of_api), _new_rows(of_range)
    return replace(
        trace,
        launches=replace(
            launches,
            api=_moved(launches.api, api_at),
            origin=_moved(launches.origin, api_at),
            range=_moved(launches.range, range_at),
        ),
        apis=replace(apis, range=_moved(apis.range, range_at)),
        ranges=replace(ranges, parent=_moved(ranges.parent, range_at)),
        steps=tuple(step for step in trace.steps if step.process == process),
    )


def _new_rows(kept: Bool) -> Int:
    """Where each row is among those that are kept, NONE for the others."""
    # A kept row moves up by the dropped rows before it: mask [1, 0, 1] gives [0, -1, 1].
    rows: Int = np.where(kept, np.cumsum(kept) - 1, NONE)
    return rows


def _moved(links: Int, rows: Int) -> Int:
    """The links after the rows moved; NONE where they led to another process."""
    moved: Int = np.full(len(links), NONE, dtype=links.dtype)
    linked = links >= 0
    moved[linked] = rows[links[linked]]
    return moved
