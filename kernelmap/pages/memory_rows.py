"""What the pages of memory share: a table that is cut to its largest rows, and bytes in a cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kernelmap.pages.page import Cells, PageColumn, PageRow, PageTable
from kernelmap.pages.text import ELLIPSIS, format_bytes
from kernelmap.tables.rows import Row, whole_number


def table_of_largest(
    name: str,
    columns: tuple[PageColumn, ...],
    rows: Sequence[Row],
    cells_of: Callable[[Row], Iterable[Cells]],
    top: int,
    size: str = "bytes",
) -> PageTable:
    """The first `top` rows, and one that says what the others add up to: their column `size`."""
    cells = [tuple(cells_of(row)) for row in rows[:top]]
    shown = [PageRow(cells=each, dim=str(each[0]).startswith("(")) for each in cells]
    if len(rows) > top:
        after = [""] * len(columns)
        after[0] = f"{ELLIPSIS} {len(rows) - top:,} more"
        at = [column.name for column in columns].index("bytes")
        after[at] = format_bytes(sum(whole_number(row, size) for row in rows[top:]))
        shown.append(PageRow(cells=tuple(after), dim=True, ours=True))
    return PageTable(
        id=name.replace(" ", "_"),
        title="",
        columns=columns,
        rows=tuple(shown),
        empty="Nothing is alive there.",
    ).filled


def bytes_of(row: Row, column: str) -> str:
    """The bytes in a column; an empty text where there are none to tell."""
    return "" if row[column] is None else format_bytes(whole_number(row, column))
