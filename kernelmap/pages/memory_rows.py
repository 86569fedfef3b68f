"""What the pages of memory share: a table that is cut to its largest rows, and bytes in a cell."""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.pages.page import Cells, PageColumn, PageRow, PageTable
from kernelmap.pages.text import ELLIPSIS, format_bytes
from kernelmap.tables.rows import Row, whole_number


def table_of_largest(
    name: str,
    columns: tuple[PageColumn, ...],
    cells: Sequence[tuple[Cells, ...]],
    sizes: Sequence[int],
    top: int,
    *,
    at: int = 1,
) -> PageTable:
    """The first `top` rows, and one that says what the others add up to, in column `at`."""
    rows = [PageRow(cells=each, dim=str(each[0]).startswith("(")) for each in cells[:top]]
    if len(cells) > top:
        after = [""] * len(columns)
        after[0] = f"{ELLIPSIS} {len(cells) - top:,} more"
        after[at] = format_bytes(sum(sizes[top:]))
        rows.append(PageRow(cells=tuple(after), dim=True, ours=True))
    return PageTable(
        id=name.replace(" ", "_"),
        title="",
        columns=columns,
        rows=tuple(rows),
        empty="Nothing is alive there.",
    ).filled


def bytes_of(row: Row, column: str) -> str:
    """The bytes in a column; an empty text where there are none to tell."""
    return "" if row[column] is None else format_bytes(whole_number(row, column))
