"""What a graph's peak of memory would be without one of the buffers that it could do without."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from kernelmap.model.memory import MemoryBuffer


class MemorySavingKind(StrEnum):
    """What could be done about a buffer."""

    RECOMPUTE = "make it again"
    LAYOUT_COPY = "do without the copy"
    NARROW = "write the narrower dtype at once"
    LET_GO = "let go of the input"


class MemorySaving(Struct, frozen=True, kw_only=True):
    """One thing to win, by itself: others of the list may be about the same bytes.

    `peak_bytes` is the peak of the graph as it is, `without_bytes` what it would be: no other
    moment of the graph may be lower than that. `step_peak_bytes` and `step_without_bytes` are the
    same of the step, over all of its graphs; None where no step is known in which the graph
    allocates. `likely` says whether nothing is known that speaks against it, `doubt` what would
    have to be so. `words` say what is there now.
    """

    kind: MemorySavingKind
    graph: str
    buffer: MemoryBuffer
    peak_bytes: int
    without_bytes: int
    step_peak_bytes: int | None = None
    step_without_bytes: int | None = None
    likely: bool
    words: str
    doubt: str

    @property
    def saved_bytes(self) -> int:
        """By how much the peak of the graph would fall."""
        return self.peak_bytes - self.without_bytes

    @property
    def step_saved_bytes(self) -> int | None:
        """By how much the peak of the step would fall; below 0 where it would rise."""
        if self.step_peak_bytes is None or self.step_without_bytes is None:
            return None
        return self.step_peak_bytes - self.step_without_bytes

    @property
    def most_saved_bytes(self) -> int:
        """What it saves where it counts: in the step, and else in its graph."""
        in_step = self.step_saved_bytes
        return self.saved_bytes if in_step is None else in_step
