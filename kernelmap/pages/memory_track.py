"""What was measured of memory → curves of a trace viewer: allocated and reserved bytes per device.

torch writes an event per allocation and free, which viewers show as marks without a height. The
curve is what its allocator says it holds, nothing of ours.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelmap.model.allocations import MemoryEvents
from kernelmap.model.annotations import CounterTrack
from kernelmap.model.trace import NONE

_ABOVE_CALLS = 4_998_000
"""Among the processes of a viewer: behind those of the host, before the calls on GPUs."""


def iter_memory_tracks(events: MemoryEvents, file: int) -> Iterator[CounterTrack]:
    """The curves of each allocator of `trace.sources[file]`."""
    for allocator, rows in events.iter_allocators():
        if allocator.source != file:
            continue
        # Of what is at one time the last counts: viewers show a single value there.
        times = events.time_ns[rows]
        last = rows[np.append(times[1:] != times[:-1], True)]
        values = {"allocated": events.allocated[last]}
        if (events.reserved[last] >= 0).all():
            values["reserved"] = events.reserved[last]
        device = "the host" if allocator.is_host else f"GPU {allocator.device}"
        yield CounterTrack(
            process=f"kernelmap: memory of {device}",
            name="bytes",
            sort=_ABOVE_CALLS + max(allocator.device, NONE) + 1,
            time_ns=events.time_ns[last],
            values=values,
        )
