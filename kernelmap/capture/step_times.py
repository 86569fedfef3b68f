"""How long steps take while nobody records them: the time between two marks.

A profiler makes the host slower, so idle time of its recording is an upper bound. Steps before the
profiler comes up and after it has gone say by how much. Where a GPU is used a mark is an event in
its current stream: it costs some microseconds, and nothing waits for it. Else it is the host's
clock. torch is imported in functions only, and is loaded by then.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from kernelmap.model.bundle import StepClock

if TYPE_CHECKING:
    import torch

TIMED_STEPS = 5
"""How many steps are measured after the recording; their median then ignores two that were
disturbed."""


@dataclass(slots=True)
class StepTimes:
    """The marks between steps that follow one another."""

    _marks: list[tuple[int, torch.cuda.Event | None]] = field(default_factory=list)

    def mark(self) -> None:
        """A step ends, and the next one begins."""
        self._marks.append((time.perf_counter_ns(), _record_event()))

    def forget(self) -> None:
        """What ran since the last mark is no step like others: measure anew."""
        self._marks.clear()

    @property
    def steps(self) -> int:
        """How many whole steps were measured."""
        return max(0, len(self._marks) - 1)

    def measure(self) -> tuple[tuple[int, ...], StepClock]:
        """Each step's time in ns, and by which clock; waits until the GPU has done the last."""
        events = [event for _, event in self._marks if event is not None]
        # A program that began to use its GPU between two marks is measured by the host's clock.
        if not events or len(events) < len(self._marks):
            clock = [at_ns for at_ns, _ in self._marks]
            return tuple(end - begin for begin, end in pairwise(clock)), "host"
        events[-1].synchronize()
        took_ms = (begin.elapsed_time(end) for begin, end in pairwise(events))
        return tuple(round(ms * 1e6) for ms in took_ms), "gpu"


def _record_event() -> torch.cuda.Event | None:
    """An event in the current stream; None where no GPU is used, or a CUDA graph is captured."""
    import torch

    if not torch.cuda.is_initialized() or torch.cuda.is_current_stream_capturing():
        return None
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event
