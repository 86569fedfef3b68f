"""A change of memory → the words that terminal, HTML, Markdown, the gate and the lock share.

`+412 MB: buf37 of model.py:88 is saved for the backward; it was freed after call 6`
"""

from __future__ import annotations

from kernelmap.history.compare.memory.graphs import MemoryComparison
from kernelmap.history.compare.memory.peaks import MemoryChange, PeakChange
from kernelmap.history.compare.memory.reasons import MemoryReason
from kernelmap.history.compare.sides.held import HeldBuffer, HeldGraph
from kernelmap.pages.text import format_bytes, format_percent, format_signed_bytes


def say_memory(memory: MemoryComparison) -> str:
    """What to know first: the largest change of a peak and of a buffer in it."""
    if not memory.changed:
        return f"memory: no peak changed, the highest is {format_bytes(memory.after_bytes)}"
    peak = memory.changed[0]
    first = f"; {say_memory_change(peak, peak.changes[0])}" if peak.changes else ""
    return f"memory: {say_peak(peak)}{first}"


def say_peak(peak: PeakChange) -> str:
    """`0_forward: 1.24 GB → 1.65 GB, +412 MB (33.2 %) at the peak, model.py:88`."""
    before, after = peak.before.peak_bytes, peak.after.peak_bytes
    share = f" ({format_percent(abs(after - before) / before)})" if before else ""
    return (
        f"{peak.after.graph}: {format_bytes(before)} → {format_bytes(after)}, "
        f"{format_signed_bytes(after - before)}{share} at the peak, "
        f"{_say_moment(peak.after, peak.after.peak_moment)}"
    )


def say_room(peak: PeakChange) -> str | None:
    """What the peak of the other side lies above the place that is told; None where it is there."""
    if not peak.room_bytes:
        return None
    amount = format_bytes(abs(peak.room_bytes))
    if peak.room_bytes < 0:
        return f"the peak moved: before, this place was {amount} below the peak"
    return f"the peak moved: this place is {amount} below the peak now"


def say_memory_change(peak: PeakChange, change: MemoryChange) -> str:
    """One change: `+412 MB: buf37 of model.py:88 …`."""
    amount = format_signed_bytes(change.change_bytes)
    return f"{amount}: {change.buffer.described} {explain_change(peak, change)}"


def explain_change(peak: PeakChange, change: MemoryChange) -> str:
    """What happened to the buffer, without its name and bytes."""
    return _EXPLAIN[change.reason](peak, change)


def _say_moment(graph: HeldGraph, moment: int) -> str:
    """`model.py:88`, or `call 12` where no line is known."""
    if moment < 0:
        return "before any call"
    if moment >= graph.end:
        return "when all calls have run"
    line = next((one.place for one in graph.buffers if one.call == moment and one.source), None)
    return f"call {moment}" if line is None else f"call {moment} ({line})"


def _say_end(graph: HeldGraph, buffer: HeldBuffer) -> str:
    """Until when a buffer lives."""
    if buffer.is_saved:
        return "until the backward"
    if buffer.last >= graph.end:
        return "until the end"
    return f"until {_say_moment(graph, buffer.last)}"


def _say_freed(graph: HeldGraph, buffer: HeldBuffer | None) -> str:
    """When it was freed, where it was there at all."""
    if buffer is None:
        return "there was none"
    if buffer.last >= graph.end:
        return "it lived until the end"
    return f"it was freed after {_say_moment(graph, buffer.last)}"


def _say_saved(peak: PeakChange, change: MemoryChange) -> str:
    if change.before is None:
        return "is saved for the backward; it was not before"
    return f"is saved for the backward; {_say_freed(peak.before, change.before)} before"


def _say_handed_out(peak: PeakChange, change: MemoryChange) -> str:
    if change.before is None:
        return "is handed out of the graph; there was none before"
    return f"is handed out of the graph; {_say_freed(peak.before, change.before)} before"


def _say_longer(peak: PeakChange, change: MemoryChange) -> str:
    assert change.after is not None  # noqa: S101 -- it is there after
    lives = f"lives {_say_end(peak.after, change.after)}"
    return f"{lives}; {_say_freed(peak.before, change.before)} before"


def _say_shorter(peak: PeakChange, change: MemoryChange) -> str:
    assert change.after is not None and change.before is not None  # noqa: S101, PT018 -- both have it
    freed = f"is freed after {_say_moment(peak.after, change.after.last)}"
    return f"{freed}; it lived {_say_end(peak.before, change.before)} before"


def _say_when_made(peak: PeakChange, change: MemoryChange) -> str:
    assert change.after is not None and change.before is not None  # noqa: S101, PT018 -- both have it
    now = _say_moment(peak.after, change.after.first)
    return f"is there from {now} on; it was from {_say_moment(peak.before, change.before.first)} on"


def _say_unfused(_peak: PeakChange, change: MemoryChange) -> str:
    return f"lies between kernels that were one before{_say_type(change.buffer)}"


def _say_layout_copy(_peak: PeakChange, change: MemoryChange) -> str:
    original = "another buffer" if change.other is None else change.other.name
    strides = f", strides {change.buffer.stride}" if change.buffer.stride else ""
    return f"is a copy of {original} in another layout{strides}"


def _say_cast_copy(_peak: PeakChange, change: MemoryChange) -> str:
    original = "another buffer" if change.other is None else change.other.name
    return f"is a copy of {original} in {change.buffer.dtype}"


def _say_reuse_lost(_peak: PeakChange, change: MemoryChange) -> str:
    heir = "another buffer" if change.other is None else change.other.described
    return f"keeps its memory while {heir} is made, which took it over before"


def _say_reused(_peak: PeakChange, change: MemoryChange) -> str:
    heir = "another buffer" if change.other is None else change.other.described
    return f"gives its memory to {heir}, which had memory of its own before"


def _say_types(_peak: PeakChange, change: MemoryChange) -> str:
    assert change.after is not None and change.before is not None  # noqa: S101, PT018 -- both have it
    one, other = change.before, change.after
    if change.reason is MemoryReason.DTYPE:
        return f"is {other.dtype}; it was {one.dtype}"
    if change.reason is MemoryReason.SHAPE:
        return f"is {other.shape}; it was {one.shape}"
    return f"has strides {other.stride}; it had {one.stride}"


def _say_type(buffer: HeldBuffer) -> str:
    return f" ({buffer.dtype}{buffer.shape})" if buffer.dtype and buffer.shape else ""


def _say_plainly(peak: PeakChange, change: MemoryChange) -> str:  # noqa: ARG001 -- as the others
    """The reasons that need no more than themselves."""
    typed = _say_type(change.buffer)
    original = "another buffer" if change.other is None else change.other.name
    return {
        MemoryReason.NEW_INPUT: f"is a new input{typed}",
        MemoryReason.NEW: f"is new{typed}",
        MemoryReason.POOL: "has another rest that no buffer takes",
        MemoryReason.NOT_SAVED: "is not saved for the backward any more",
        MemoryReason.NOT_HANDED_OUT: "is not handed out of the graph any more",
        MemoryReason.FUSED: "is gone: the kernels between which it lay are one",
        MemoryReason.NO_LAYOUT_COPY: f"is gone: {original} is not copied into another layout",
        MemoryReason.NO_CAST_COPY: f"is gone: {original} is not copied into another dtype",
        MemoryReason.GONE_INPUT: "is no input any more",
        MemoryReason.GONE: f"is gone{typed}",
    }[change.reason]


_EXPLAIN = {
    **dict.fromkeys(MemoryReason, _say_plainly),
    MemoryReason.SAVED: _say_saved,
    MemoryReason.HANDED_OUT: _say_handed_out,
    MemoryReason.UNFUSED: _say_unfused,
    MemoryReason.LAYOUT_COPY: _say_layout_copy,
    MemoryReason.CAST_COPY: _say_cast_copy,
    MemoryReason.LONGER: _say_longer,
    MemoryReason.SHORTER: _say_shorter,
    MemoryReason.EARLIER: _say_when_made,
    MemoryReason.LATER: _say_when_made,
    MemoryReason.REUSE_LOST: _say_reuse_lost,
    MemoryReason.REUSED: _say_reused,
    MemoryReason.DTYPE: _say_types,
    MemoryReason.SHAPE: _say_types,
    MemoryReason.STRIDES: _say_types,
}
"""What says a reason, by the reason."""
