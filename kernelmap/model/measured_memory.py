"""What was measured of memory: spans of time with their peak, and who held the bytes at the peak.

A span is the recording as a whole, a step, or a run of a compiled graph, on one allocator. The
bytes that are alive at its peak are each in one HeldBytes, and these add up to the peak. Of a
snapshot the same is told by place: the line of Python that asked for them.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from kernelmap.model.allocations import Allocator
from kernelmap.model.matching import Confidence
from kernelmap.model.memory_snapshot import StackFrame
from kernelmap.model.notices import Notice


class SpanKind(StrEnum):
    """What a span is."""

    RECORDING = "recording"
    STEP = "step"
    GRAPH = "graph"


class Since(StrEnum):
    """When bytes that are alive at a span's peak were handed out.

    EARLIER: before the recording began, as parameters and the optimizer's state mostly are; and by
    threads that the profiler did not record. BEFORE: in the recording, before the span began.
    """

    EARLIER = "earlier"
    BEFORE = "before"
    WITHIN = "within"


class MemoryOwner(Struct, frozen=True, kw_only=True):
    """Who a block was handed out to, as far as that is known.

    `call` is a position in `CompiledProgram.calls`: the call that ran, where `is_during`, else the
    next one of the graph's run, for which the wrapper makes room. `confidence` is how sure that is,
    None without a call. `graph` is the position of the graph in whose run it was, with or without a
    call. `buffer` is the name of the code's variable that the block is; `is_stated` says whether
    the code asks for it, None where no code says that, or leaves its sizes open. `op` is the
    operator or annotation around it elsewhere, `place` the function of the user's code in which
    that was, where Python frames say so.
    """

    graph: int | None = None
    call: int | None = None
    is_during: bool = False
    confidence: Confidence | None = None
    buffer: str | None = None
    is_stated: bool | None = None
    op: str | None = None
    place: str | None = None


class HeldBytes(Struct, frozen=True, kw_only=True):
    """What one owner holds at the peak of a span: so many bytes in so many blocks.

    What was handed out EARLIER has no owner, and its number of blocks is not known.
    """

    since: Since
    bytes: int
    owner: MemoryOwner | None = None
    blocks: int | None = None


class MeasuredSpan(Struct, frozen=True, kw_only=True):
    """The memory of one allocator in a span.

    `process` is the position in `Trace.processes`, `graph` that in `CompiledProgram.graphs`. Bytes
    are what was handed out when the span began, at most, and when it ended; `reserved_bytes` is the
    most that the allocator had taken from the driver, None where that is not stated.
    `handed_out_bytes` is the sum of its `allocations`. `peak_ns` is the first time of the peak,
    `at_peak` whose allocation made it, None where nothing in the span was above its begin.
    `code_growth_bytes` is how far above its start a graph is at its peak, as its code says itself;
    None for all that is no run of a graph with code, and for code of symbolic sizes.
    """

    kind: SpanKind
    allocator: Allocator
    process: int | None
    start_ns: int
    end_ns: int
    before_bytes: int
    peak_bytes: int
    after_bytes: int
    reserved_bytes: int | None
    allocations: int
    frees: int
    handed_out_bytes: int
    peak_ns: int
    step: int | None = None
    graph: int | None = None
    invocation: int | None = None
    at_peak: MemoryOwner | None = None
    code_growth_bytes: int | None = None
    held: tuple[HeldBytes, ...] = ()


class MeasuredMemory(Struct, frozen=True, kw_only=True):
    """All spans of a window: recordings first, then steps and runs of graphs in their order."""

    spans: tuple[MeasuredSpan, ...]
    notices: tuple[Notice, ...] = ()

    def of_kind(self, kind: SpanKind) -> tuple[MeasuredSpan, ...]:
        """The spans of one kind."""
        return tuple(span for span in self.spans if span.kind is kind)


class SnapshotPlace(Struct, frozen=True, kw_only=True):
    """Where a block was asked for, as far as the stack of Python says.

    `frame` is the innermost function of the user's code, `code` the innermost one of code that the
    compiler wrote. What autograd runs in a backward has no function of the user's on its stack.
    `owner` is the call that `code` was at, where the program has that code.
    """

    frame: StackFrame | None = None
    code: StackFrame | None = None
    owner: MemoryOwner | None = None


class PlaceBytes(Struct, frozen=True, kw_only=True):
    """What was asked for at one place and is alive at the peak.

    EARLIER: before the history begins. `place` is None without a stack, `blocks` where the number
    is not known.
    """

    since: Since
    bytes: int
    place: SnapshotPlace | None = None
    blocks: int | None = None


class OutOfMemory(Struct, frozen=True, kw_only=True):
    """An allocation that failed: what was asked for, and what the device had left."""

    asked_bytes: int
    free_bytes: int | None
    place: SnapshotPlace | None


class SnapshotPeak(Struct, frozen=True, kw_only=True):
    """The memory of one device in a snapshot, in bytes that the program asked for.

    `begin_bytes` were handed out when the history begins, `end_bytes` when the snapshot was made;
    `peak_us` is None where nothing in the history was above its begin. `events` counts the history.
    The bytes of `places` add up to the peak.
    """

    device: int
    begin_bytes: int
    peak_bytes: int
    end_bytes: int
    reserved_bytes: int
    peak_us: int | None
    events: int
    places: tuple[PlaceBytes, ...]
    failed: tuple[OutOfMemory, ...] = ()
