"""Changes of memory as sections of a page, and as JSON: of two recordings, or of two codes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import pandas as pd

from kernelmap.history.compare.memory.graphs import MemoryComparison
from kernelmap.history.compare.memory.peaks import MemoryChange, PeakChange
from kernelmap.history.compare.memory.words import (
    explain_change,
    say_memory,
    say_memory_change,
    say_peak,
    say_room,
)
from kernelmap.history.compare.sides.held import HeldBuffer, HeldGraph
from kernelmap.pages.page import (
    Bar,
    CellKind,
    Note,
    Page,
    PageColumn,
    PageRow,
    PageTable,
    Section,
    Tone,
)
from kernelmap.pages.text import format_signed_bytes, make_visible

_COLUMNS = (
    PageColumn(name="at the peak", kind=CellKind.NUMBER),
    PageColumn(name="", kind=CellKind.BAR, rank=4),
    PageColumn(name="reason", kind=CellKind.WORD),
    PageColumn(name="buffer", kind=CellKind.NAME, least=8),
    PageColumn(name="line", least=12, rank=1),
    PageColumn(name="graph", kind=CellKind.ID, rank=3),
    PageColumn(name="", kind=CellKind.SENTENCE, least=12),
)


def page_of_memory_change(memory: MemoryComparison, titles: tuple[str, str], top: int) -> Page:
    """The whole page where nothing but code is compared."""
    sides = " \u2192 ".join(map(make_visible, titles))
    name = make_visible(say_memory(memory)) if memory.is_known else "No memory is known to compare."
    about = Note(lines=((sides,), ("code alone is compared: no profile was given",)), tone=Tone.DIM)
    return Page(name=name, title="", sections=(about, *sections_of_memory(memory, top)))


def sections_of_memory(memory: MemoryComparison, top: int) -> list[Section]:
    """The peaks that changed, and the buffers that made them change, largest first.

    No section where no peak changed.
    """
    if not memory.changed:
        return []
    lines = [make_visible(say_peak(peak)) for peak in memory.changed[:top]]
    rooms = [
        make_visible(f"{peak.after.graph}: {room}")
        for peak in memory.changed[:top]
        if (room := say_room(peak)) is not None
    ]
    about = Note(title="Memory by the code", lines=tuple((line,) for line in (*lines, *rooms)))
    return [about, _table_of_changes(memory.changed, top)]


def _table_of_changes(peaks: Sequence[PeakChange], top: int) -> PageTable:
    pairs = [(peak, change) for peak in peaks for change in peak.changes]
    longest = max((abs(change.change_bytes) for _, change in pairs), default=0) or 1
    rows = [
        PageRow(
            cells=(
                format_signed_bytes(change.change_bytes),
                Bar(
                    0,
                    abs(change.change_bytes) / longest,
                    Tone.MORE if change.change_bytes > 0 else Tone.LESS,
                ),
                change.reason.value,
                make_visible(change.buffer.name),
                make_visible(change.buffer.place or ""),
                make_visible(peak.after.graph),
                make_visible(explain_change(peak, change)),
            )
        )
        for peak, change in islice(pairs, top)
    ]
    if rest := pairs[top:]:
        left = sum(change.change_bytes for _, change in rest)
        cells = (format_signed_bytes(left), "", "", f"{len(rest):,} more", "", "", "")
        rows.append(PageRow(cells=cells, dim=True, ours=True))
    return PageTable(
        id="memory",
        title="What is alive at the peak",
        columns=_COLUMNS,
        rows=tuple(rows),
        frame=pd.DataFrame([_change_in_json(peak, change) for peak, change in pairs]),
        empty="The same buffers, at another call.",
    ).filled


def memory_in_json(memory: MemoryComparison) -> dict[str, object] | None:
    """All peaks with the buffers that changed them; None where a side does not know its memory."""
    if not memory.is_known:
        return None
    return {
        "before_bytes": memory.before_bytes,
        "after_bytes": memory.after_bytes,
        "graphs": [_peak_in_json(peak) for peak in memory.peaks],
        "new": [_graph_in_json(graph) for graph in memory.new],
        "gone": [_graph_in_json(graph) for graph in memory.gone],
    }


def _peak_in_json(peak: PeakChange) -> dict[str, object]:
    return {
        "graph": peak.after.graph,
        "before_graph": peak.before.graph,
        "before_bytes": peak.before.peak_bytes,
        "after_bytes": peak.after.peak_bytes,
        "change_bytes": peak.change_bytes,
        "room_bytes": peak.room_bytes,
        "changes": [_change_in_json(peak, change) for change in peak.changes],
    }


def _graph_in_json(graph: HeldGraph) -> dict[str, object]:
    return {"graph": graph.graph, "peak_bytes": graph.peak_bytes}


def _change_in_json(peak: PeakChange, change: MemoryChange) -> dict[str, object]:
    return {
        "graph": peak.after.graph,
        "reason": change.reason.value,
        "buffer": change.buffer.name,
        "before_buffer": None if change.before is None else change.before.name,
        "source": change.buffer.source,
        "op": change.buffer.op,
        "call": _call_of_buffer(change.buffer, peak, change),
        "before_bytes": change.before_bytes,
        "after_bytes": change.after_bytes,
        "change_bytes": change.change_bytes,
        "words": say_memory_change(peak, change),
    }


def _call_of_buffer(buffer: HeldBuffer, peak: PeakChange, change: MemoryChange) -> str | None:
    graph = peak.before if change.after is None else peak.after
    return None if buffer.call is None else f"{graph.graph}/{buffer.call}"
