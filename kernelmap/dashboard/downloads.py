"""The frame behind a chart or table as a text to download: CSV or JSON, all of its rows.

CSV is guarded against spreadsheets as everywhere here (docs/decisions/0011); JSON has every text
as it is, one object per row, null where there is nothing.
"""

from __future__ import annotations

import io
from collections.abc import Mapping

from kernelmap.dashboard.page import Chart, Page, Table
from kernelmap.outputs import csv

MIMETYPES: Mapping[str, str] = {"csv": "text/csv", "json": "application/json"}
"""The forms that there are, by their suffix."""


def section_of(found: Page, name: str) -> Chart | Table | None:
    """The chart or table of that id."""
    for each in found.sections:
        if isinstance(each, Chart | Table) and each.id == name:
            return each
    return None


def written(found: Chart | Table, form: str) -> str:
    """The frame of a section as CSV or JSON."""
    if form == "json":
        text: str = found.data.to_json(
            orient="records", indent=1, force_ascii=False, double_precision=15
        )
        return text + "\n"
    plain = found.data.astype(object)
    plain = plain.where(plain.notna(), None)
    buffer = io.StringIO(newline="")
    csv.write_cells(buffer, map(str, plain.columns), plain.itertuples(index=False))
    return buffer.getvalue()
