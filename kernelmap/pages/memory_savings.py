"""What the peaks of graphs could do without, as a section: the three largest things to win."""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.pages.memory_rows import bytes_of
from kernelmap.pages.page import CellKind, PageColumn, PageRow, PageTable, Section
from kernelmap.pages.text import format_bytes, format_place, make_visible
from kernelmap.tables.rows import Row, whole_number

_SHOWN = 3
_COLUMNS = (
    PageColumn(name="saves", kind=CellKind.NUMBER),
    PageColumn(name="what to do", kind=CellKind.SENTENCE),
    PageColumn(name="what is there", kind=CellKind.SENTENCE),
    PageColumn(name="line", kind=CellKind.PATH),
    PageColumn(name="peak", kind=CellKind.TEXT),
    PageColumn(name="step", kind=CellKind.TEXT),
    PageColumn(name="sure", kind=CellKind.WORD),
    PageColumn(name="but", kind=CellKind.SENTENCE),
)


def sections_of_savings(rows: Sequence[Row]) -> list[Section]:
    """The largest savings; none where the peaks have nothing that they could do without."""
    # Of a step that trains what counts is its peak: what lowers that of one graph alone is no gain.
    winning = [row for row in rows if _saved_bytes(row) > 0]
    if not winning:
        return []
    shown = winning[:_SHOWN]
    more = len(rows) - len(shown)
    end = f" The JSON has {more:,} more." if more > 0 else ""
    of_step = any(row["step_saved_bytes"] is not None for row in shown)
    over = ", and over all graphs of a step above what is there all the time" if of_step else ""
    table = PageTable(
        id="memory_savings",
        title="The largest things to win",
        columns=_COLUMNS,
        rows=tuple(PageRow(cells=_cells_of_saving(row)) for row in shown),
        about=(f"Each by itself, sought on the bytes over all statements{over}.{end}",),
        stacked=True,
        ordered=True,
    )
    return [table.filled]


def _saved_bytes(row: Row) -> int:
    """What it saves where it counts: in the step, and else in its graph."""
    is_known = row["step_saved_bytes"] is not None
    return whole_number(row, "step_saved_bytes" if is_known else "saved_bytes")


def _cells_of_saving(row: Row) -> tuple[str, ...]:
    source = row["source"]
    places = source if isinstance(source, list) else []
    return (
        format_bytes(_saved_bytes(row)),
        make_visible(f"{row['kind']}: {row['name']} of {row['graph']}"),
        make_visible(f"{format_bytes(whole_number(row, 'bytes'))}, {row['words']}"),
        ", ".join(make_visible(format_place(place)) for place in places[:1]),
        _say_fall(row, "peak_bytes", "without_bytes"),
        _say_fall(row, "step_peak_bytes", "step_without_bytes"),
        str(row["sure"]),
        make_visible(str(row["doubt"])),
    )


def _say_fall(row: Row, before: str, after: str) -> str:
    """`26.8 MB → 22.6 MB`; nothing where there is no such peak."""
    if row[before] is None:
        return ""
    return f"{bytes_of(row, before)} → {bytes_of(row, after)}"
