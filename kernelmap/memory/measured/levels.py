"""Memory events of one allocator → what it held in a span of time, at most, and at its ends."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from kernelmap.model.allocations import MemoryEvents, level_before
from kernelmap.model.trace import NONE, Int


class SpanLevel(Struct, frozen=True, kw_only=True):
    """What an allocator held in a span; `rows` are its events in it, in the order of time.

    `peak_row` is the first event after which most is handed out, -1 where that was so when the span
    began; `last_row` the last event before the span, -1 without one. `reserved` is None where it is
    not stated.
    """

    rows: Int
    last_row: int
    before: int
    peak: int
    after: int
    reserved: int | None
    peak_row: int

    @property
    def row_of_peak(self) -> int:
        """The last event that led to the peak: in the span, or before it; -1 without any."""
        return self.peak_row if self.peak_row >= 0 else self.last_row


def measure_level(events: MemoryEvents, rows: Int, start_ns: int, end_ns: int) -> SpanLevel:
    """The level of the allocator whose events are `rows` from `start_ns` until before `end_ns`."""
    times = events.time_ns[rows]
    first, stop = np.searchsorted(times, [start_ns, end_ns], side="left").tolist()
    inside = rows[first:stop]
    last_row = int(rows[first - 1]) if first else NONE
    # The level changes with events alone, so before the span it is that of the last one, or what
    # the first one that there is began with.
    before = int(events.allocated[last_row] if first else level_before(events, rows[:1])[0])
    peak, peak_row, after = before, NONE, before
    reserved = int(events.reserved[last_row]) if first else NONE
    if len(inside):
        level = events.allocated[inside]
        after = int(level[-1])
        reserved = max(reserved, int(events.reserved[inside].max()))
        if (highest := int(level.max())) > before:
            peak, peak_row = highest, int(inside[int(level.argmax())])
    return SpanLevel(
        rows=inside,
        last_row=last_row,
        before=before,
        peak=peak,
        after=after,
        reserved=None if reserved < 0 else reserved,
        peak_row=peak_row,
    )
