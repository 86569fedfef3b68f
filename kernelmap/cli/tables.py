"""How `correlate` and `runs show` print the tables of a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernelmap.cli.common import emit, show_page
from kernelmap.tables.schema import BY

if TYPE_CHECKING:
    from kernelmap.pages.page import Note
    from kernelmap.tables.build import Tables


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTable:
    """Which table is shown or written, and how much of it; `launches` puts them into JSON."""

    by: str
    top: int
    sort: str = "time"
    launches: bool = False


def print_tables(
    tables: Tables, form: str, closing: Note | None, shown: ShownTable, *, speeds: bool
) -> None:
    """Print one table for people or as CSV, or all of them as JSON."""
    by, sort = shown.by, shown.sort
    if form == "json":
        from kernelmap.tables import json

        emit(json.dump_json(tables, launches=shown.launches or by == "launch"))
    elif form == "csv":
        from kernelmap.pages import csv

        emit(csv.dump_csv(tables.sorted_by(sort, BY[by]), table=BY[by]))
    else:
        from kernelmap.pages import one_table as result

        page = result.page_of_result(
            tables,
            by=by,
            top=shown.top,
            sort=sort,
            speeds=speeds,
            notices=form == "markdown",
            closing=closing,
        )
        show_page(page, form)
