"""What one op, call, line or graph took in each run, as texts: a table, JSON, CSV.

Takes the frame of following.py, gives a rich Text or text; the columns of JSON and CSV are those of
FOLLOWED.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from kernelmap.outputs import csv
from kernelmap.outputs.layout import Bars, Part, draw, from_zero
from kernelmap.present.text import duration, percent, visible
from kernelmap.store.following import FOLLOWED
from kernelmap.views.frames import Cell, Row, rows

if TYPE_CHECKING:
    import pandas as pd
    from rich.text import Text

FORMAT, VERSION = "kernelmap.followed", 1


def table(frame: pd.DataFrame, more: int, width: int) -> Text:
    """A line per run, oldest first; `more` are older runs that are not shown.

    Its name and config stand where they change.
    """
    from rich.text import Text

    found = list(rows(FOLLOWED, frame))
    step = "step_ns" if any(row["step_ns"] is not None for row in found) else "time_ns"
    times = [_number(row[step]) for row in found]
    parts = [
        Part(header="run", cells=_cells(found, "run"), style="bold"),
        Part(header="name", cells=_cells(found, "name"), least=8, rank=4),
        Part(header="branch", cells=_cells(found, "branch"), least=8, rank=2),
        Part(header="tags", cells=_cells(found, "tags"), least=8, rank=3),
        Part(header="device", cells=_changes(found, "device"), least=8, rank=6),
        Part(
            header="a step" if step == "step_ns" else "time",
            cells=["" if time is None else duration(time) for time in times],
            right=True,
        ),
        Part(header="ratio", cells=[_ratio(row["ratio"]) for row in found], right=True),
        Part(
            header="share",
            cells=[percent(_number(row["share"])) for row in found],
            right=True,
            rank=3,
        ),
        Bars(header="", values=from_zero(times), style="cyan", rank=1),
        Part(header=str(frame.attrs["by"]), cells=_changes(found, "title"), least=16, rank=5),
        Part(header="config", cells=_changes(found, "config"), least=12, rank=6),
    ]
    shown = [part for part in parts if isinstance(part, Bars) or any(part.cells)]
    lines = [Text(_heading(frame), "bold"), Text(), *draw(shown, width, [False] * len(found))]
    if more:
        lines.insert(2, Text(f"… {more:,} older; -n shows them", "dim"))
    return Text("\n").join([*lines, Text()])


def csv_text(frame: pd.DataFrame) -> str:
    """A line per run with the columns of FOLLOWED."""
    buffer = io.BytesIO()
    csv.write_rows(buffer, FOLLOWED, rows(FOLLOWED, frame))
    return buffer.getvalue().decode()


def json_text(frame: pd.DataFrame) -> str:
    """One document, a run per line, with what was followed and what was passed over."""
    encode = msgspec.json.encode
    lines = b",\n".join(map(encode, rows(FOLLOWED, frame)))
    by, where, notices = (encode(frame.attrs[key]) for key in ("by", "where", "notices"))
    return (
        b'{\n"format": %b,\n"version": %d,\n"by": %b,\n"where": %b,\n"runs": [\n%b\n],\n'
        b'"notices": %b\n}\n' % (encode(FORMAT), VERSION, by, where, lines, notices)
    ).decode()


def _heading(frame: pd.DataFrame) -> str:
    """What is followed, and by what: `call t [0_forward/3], by fingerprint 1c5fa9d02b7e`."""
    last = next(iter(rows(FOLLOWED, frame.iloc[-1:])))
    alternatives = " or ".join(f"{key} {value}" for key, value in frame.attrs["where"].items())
    return visible(f"{frame.attrs['by']} {last['title']}, followed by {alternatives}")


def _cells(found: Sequence[Row], column: str) -> list[str]:
    return [visible(str(row[column] or "")) for row in found]


def _changes(found: Sequence[Row], column: str) -> list[str]:
    """The cells where they are other than in the line before; none where all are alike."""
    cells = _cells(found, column)
    alike = len(set(cells)) == 1
    before = [None, *cells[:-1]]
    return ["" if alike or cell == last else cell for cell, last in zip(cells, before, strict=True)]


def _number(cell: Cell) -> float | None:
    return cell if isinstance(cell, int | float) else None


def _ratio(cell: Cell) -> str:
    number = _number(cell)
    return "" if number is None else f"{number:.2f}x"
