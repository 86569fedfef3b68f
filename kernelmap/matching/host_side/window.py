"""Where a recording begins and ends on the threads that run compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from kernelmap.matching.host_side.host import Host
from kernelmap.model import Activity


@dataclass(frozen=True, slots=True)
class Window:
    """By process and thread: the start of its first compiled range and the end of its last, in ns.

    `broken_off` are the processes in which GPU activities lack their api call: the recording cut
    them apart.
    """

    compiled: Mapping[tuple[int, int], tuple[int, int]]
    broken_off: frozenset[int]

    @classmethod
    def of(cls, host: Host) -> Self:
        """Read it off the ranges and launches of a trace."""
        ranges, launches = host.ranges, host.trace.launches
        found: dict[tuple[int, int], tuple[int, int]] = {}
        rows = np.flatnonzero(host.is_mark | host.compiled)
        ends = ranges.start_ns + ranges.dur_ns
        columns = (ranges.process, ranges.thread, ranges.start_ns, ends)
        for process, thread, start, end in zip(*(c[rows].tolist() for c in columns), strict=True):
            first, last = found.get((process, thread), (start, end))
            found[process, thread] = min(first, start), max(last, end)
        lost = (launches.activity != Activity.CPU) & (launches.api < 0) & (launches.origin < 0)
        return cls(found, frozenset(np.unique(launches.process[lost]).tolist()))
