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
    moment of the graph may be lower than that. `likely` says whether nothing is known that speaks
    against it, `doubt` what would have to be so. `words` say what is there now.
    """

    kind: MemorySavingKind
    graph: str
    buffer: MemoryBuffer
    peak_bytes: int
    without_bytes: int
    likely: bool
    words: str
    doubt: str

    @property
    def saved_bytes(self) -> int:
        """By how much the peak would fall."""
        return self.peak_bytes - self.without_bytes
