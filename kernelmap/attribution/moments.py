"""The launches that a person points at: by a time, or by a correlation id.

Times are those that the profiler itself shows: counted from the start of an Nsight Systems session,
or, where the trace does not say when that was, from its first event.
"""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np

from kernelmap.errors import UsageError
from kernelmap.model import Trace
from kernelmap.model.busy_time import stretches_of_work
from kernelmap.model.trace import Int

_TIME = re.compile(r"(\d+(?:\.\d+)?) ?(ns|us|ms|s)?")
_UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def running_at(trace: Trace, time: str) -> list[int]:
    """Rows of the launches that ran at `time` (`12.5s`, `80us`; seconds without a unit)."""
    read = _TIME.fullmatch(time.strip())
    if read is None:
        raise UsageError(
            "not-a-time", f"{time!r} is no time", "Write a number and ns, us, ms or s: 12.345s."
        )
    if trace.without_times.any():
        raise UsageError(
            "nothing-there",
            "nothing says what ran at a time: the profile is a table of sums",
            "Give the export itself: nsys export --type sqlite REPORT.nsys-rep",
        )
    at_ns = int(Decimal(read[1]) * _UNITS[read[2] or "s"])
    # An operator of a CPU profile runs itself in several stretches; `of` is the launch of each.
    # Times count from the zero of the launch's own profile.
    ran = stretches_of_work(trace.launches, trace.ranges)
    zero = _zero_of_timelines(trace)[ran.of]
    start, end = ran.start_ns - zero, ran.end_ns - zero
    rows: list[int] = ran.of[(start <= at_ns) & (at_ns < end)].tolist()
    if not rows:
        near = _say_nearest(ran.of, start, end, at_ns)
        raise UsageError("nothing-there", f"nothing ran at {time}", near)
    return rows


def rows_of_correlation(trace: Trace, number: int) -> list[int]:
    """Rows of the launches with one correlation id; ids of several processes may be equal."""
    rows: list[int] = np.flatnonzero(np.equal(trace.launches.correlation, number)).tolist()
    if not rows:
        raise UsageError(
            "nothing-there",
            f"no launch has the correlation id {number}",
            "The id of a call that launches nothing, such as a synchronization, leads nowhere.",
        )
    return rows


def _zero_of_timelines(trace: Trace) -> Int:
    """Time 0 of each launch's own timeline."""
    zero_of_trace = [zero or trace.origin_ns for zero in trace.zeros_ns]
    zeros = np.array([zero_of_trace[process.trace] for process in trace.processes], dtype=np.int64)
    return zeros[trace.launches.process]


def _say_nearest(launch: Int, start: Int, end: Int, at_ns: int) -> str:
    """The launches that ended last before a time and began first after it."""
    # Stretches that ended by then, and those that began later.
    before, after = np.flatnonzero(end <= at_ns), np.flatnonzero(start > at_ns)
    parts = []
    if len(before):
        row = int(before[end[before].argmax()])
        parts.append(f"launch {int(launch[row])} ended at {int(end[row]) / 1e9:.9f}s")
    if len(after):
        row = int(after[start[after].argmin()])
        parts.append(f"launch {int(launch[row])} began at {int(start[row]) / 1e9:.9f}s")
    return f"{'; '.join(parts)}.".capitalize() if parts else "The trace has no launches."
