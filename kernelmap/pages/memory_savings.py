"""What the peaks of graphs could do without, as a section: the three largest things to win."""

from __future__ import annotations

from collections.abc import Sequence

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
    PageColumn(name="sure", kind=CellKind.WORD),
    PageColumn(name="but", kind=CellKind.SENTENCE),
)


def sections_of_savings(rows: Sequence[Row]) -> list[Section]:
    """The largest savings; none where the peaks have nothing that they could do without."""
    if not rows:
        return []
    more = len(rows) - _SHOWN
    end = f" {more:,} smaller ones are in the JSON." if more > 0 else ""
    table = PageTable(
        id="memory_savings",
        title="The largest things to win",
        columns=_COLUMNS,
        rows=tuple(PageRow(cells=_cells_of_saving(row)) for row in rows[:_SHOWN]),
        about=(f"Each by itself, sought on the bytes over all statements.{end}",),
        stacked=True,
        ordered=True,
    )
    return [table.filled]


def _cells_of_saving(row: Row) -> tuple[str, ...]:
    source = row["source"]
    places = source if isinstance(source, list) else []
    before, after = (whole_number(row, name) for name in ("peak_bytes", "without_bytes"))
    return (
        format_bytes(whole_number(row, "saved_bytes")),
        make_visible(f"{row['kind']}: {row['name']} of {row['graph']}"),
        make_visible(f"{format_bytes(whole_number(row, 'bytes'))}, {row['words']}"),
        ", ".join(make_visible(format_place(place)) for place in places[:1]),
        f"{format_bytes(before)} → {format_bytes(after)}",
        str(row["sure"]),
        make_visible(str(row["doubt"])),
    )
