"""The data behind a figure or table of a page, as CSV or JSON.

CSV is guarded against spreadsheets (docs/decisions/0011); JSON has one object per row.
"""

from __future__ import annotations

import io
from collections.abc import Mapping

from kernelmap.outputs import csv
from kernelmap.present.page import Figure, Table

MIMETYPES: Mapping[str, str] = {"csv": "text/csv", "json": "application/json"}
"""The forms that there are, by their suffix."""


def written(section: Figure | Table, form: str) -> str:
    """The frame of a section in one of the forms."""
    if form == "json":
        text: str = section.data.to_json(
            orient="records", indent=1, force_ascii=False, double_precision=15
        )
        return text + "\n"
    plain = section.data.astype(object)
    plain = plain.where(plain.notna(), None)
    buffer = io.StringIO(newline="")
    csv.write_cells(buffer, map(str, plain.columns), plain.itertuples(index=False))
    return buffer.getvalue()
