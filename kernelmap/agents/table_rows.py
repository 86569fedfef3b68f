"""The rows of one table as an agent gets them: the columns that answer, and an id to ask on with.

The id of a row is its word of --by and its position in the table (`line#3`): a name may be too long
to say, and is chosen by whoever wrote the trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kernelmap.agents.recordings import Recording
from kernelmap.agents.said import Document, show_value
from kernelmap.errors import UsageError
from kernelmap.model import Confidence
from kernelmap.model.notices import format_count
from kernelmap.suggestions import one_of
from kernelmap.tables.frames import rows_of_frame
from kernelmap.tables.launches import frame_of_rows, numbers_of_launches
from kernelmap.tables.memory import MEMORY_TABLES
from kernelmap.tables.rows import Cell, Row, name_of_line
from kernelmap.tables.schema import BY, LATER, SPEED, TABLES
from kernelmap.tables.table import Table, Type

MEMORY: Mapping[str, str] = {"memory": "graphs", "buffer": "buffers", "memory-line": "lines"}
"""Words for the tables of `kernelmap memory`: by graph, by buffer and by line."""
ALL_BY = (*BY, *MEMORY)
_ID = re.compile(r"([a-z-]+)#(\d{1,12})")
_SPEEDS = frozenset(column.name for column in SPEED)
_WITH_SPEED = frozenset({*_SPEEDS, "model_flops", "mfu"})

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "op": ("name", "origin", "time_ns", "backward_ns", "share", "launches", "calls"),
    "line": ("file", "line", "code", "time_ns", "backward_ns", "share", "launches", "calls"),
    "call": ("call", "wrapper", "time_ns", "mean_ns", "share", "launches", "ops", "source"),
    "kernel": ("wrapper", "device_name", "graph", "time_ns", "share", "launches", "calls", "ops"),
    "node": ("graph", "name", "target", "time_ns", "share", "calls"),
    "module": ("name", "origin", "time_ns", "total_ns", "backward_ns", "share", "launches"),
    "graph": ("graph", "kind", "invocations", "calls", "time_ns", "busy_ns", "mean_ns", "source"),
    "launch": ("name", "start_ns", "dur_ns", "step", "call", "confidence", "reason"),
    "wall": ("device", "step", "part", "cause", "what", "source", "time_ns", "step_ns", "share"),
    "step-kind": ("kind", "batch", "steps", "launches", "time_ns", "mean_ns", "share"),
    "operator": ("name", "input_shapes", "python_call", "launches", "time_ns", "share"),
    "memory": ("graph", "kind", "peak_bytes", "start_bytes", "peak_call", "unknown"),
    "buffer": ("graph", "name", "kind", "peak_bytes", "bytes", "call", "source"),
    "memory-line": ("graph", "file", "line", "code", "bytes", "share", "buffers"),
}
"""What is said of a row unless other columns are asked for: who it is, how much, how often."""


def require_by(by: str) -> None:
    """Raise UsageError for a word that names no table."""
    if by not in ALL_BY:
        raise UsageError("unknown-table", f"no rows are by {by[:40]!r}", one_of(by, ALL_BY, "by"))


def rows_by(recording: Recording, by: str, *, speeds: bool = False) -> Sequence[Row]:
    """All rows of the table that a word of --by names, in its order."""
    key = (by, speeds)
    if key not in recording.rows:
        recording.rows[key] = _make_rows(recording, by, speeds=speeds)
    return recording.rows[key]


def _make_rows(recording: Recording, by: str, *, speeds: bool) -> Sequence[Row]:
    require_by(by)
    if by in MEMORY:
        return recording.memory.tables.rows[MEMORY[by]]
    table = BY[by]
    if table == "operators":
        return list(recording.operators.tables.rows(table))
    whole = speeds or table in LATER
    return list((recording.whole if whole else recording.base).tables.rows(table))


def columns_asked(
    by: str, columns: Sequence[str], sort: str | None
) -> tuple[tuple[str, ...], bool]:
    """The columns to show, and whether they need the work of calls. Raises UsageError."""
    require_by(by)
    known = {name: column.type for name, column in _table_by(by).by_name.items()}
    for name in (*columns, *([sort] if sort else [])):
        if name not in known:
            hint = one_of(name, tuple(known), f"Rows by {by} have")
            raise UsageError("unknown-column", f"rows by {by} have no {name[:40]!r}", hint)
    if sort is not None and known[sort] not in (Type.INT, Type.FLOAT):
        raise UsageError("unknown-order", f"{sort!r} holds texts", "Sort by a column of numbers.")
    chosen = tuple(dict.fromkeys((*COLUMNS[by], *([sort] if sort else []), *columns)))
    return chosen, not _WITH_SPEED.isdisjoint(chosen)


def _table_by(by: str) -> Table:
    return MEMORY_TABLES[MEMORY[by]] if by in MEMORY else TABLES[BY[by]]


def meaning_of_numbers(by: str, columns: Sequence[str]) -> Document:
    """What the columns with a unit hold, as docs/columns.md says it: it differs between tables."""
    known = _table_by(by).by_name
    told = [known[name] for name in columns if name in known]
    return {
        column.name: column.help
        for column in told
        if column.unit is not None or column.name.endswith("bytes")
    }


def chosen_rows(
    recording: Recording,
    by: str,
    most: int,
    sort: str | None = None,
    contains: str | None = None,
    *,
    speeds: bool = False,
) -> tuple[list[tuple[int, Row]], int]:
    """The first rows with a text that has `contains`, most of `sort` first; and of how many.

    Each comes with its position in the table. Letters count alike in either case.
    """
    if by == "launch" and not contains:
        return _first_launches(recording, most, sort)
    rows = rows_by(recording, by, speeds=speeds)
    if not contains and sort is None:
        return list(enumerate(rows[:most])), len(rows)
    numbered = list(enumerate(rows))
    if contains:
        wanted = contains.casefold()
        numbered = [(at, row) for at, row in numbered if any(wanted in it for it in _texts(row))]
    if sort is not None:
        numbered.sort(key=lambda entry: (entry[1][sort] is None, -_number(entry[1][sort])))
    return numbered[:most], len(numbered)


def _first_launches(
    recording: Recording, most: int, sort: str | None
) -> tuple[list[tuple[int, Row]], int]:
    """The same of launches: a row is made only where it is shown, for there may be a million."""
    base = recording.base
    records = (base.program, base.trace, base.matching, base.attribution)
    counted = np.flatnonzero(base.attribution.counted)
    if sort is None:
        places = list(range(min(most, len(counted))))
    else:
        values = numbers_of_launches(*records, sort)
        # Only launches that reach the last value shown are sorted; of equal ones the earlier first.
        least = np.partition(values, -most)[-most] if len(values) > most else -np.inf
        reach = np.flatnonzero(values >= least)
        places = [int(reach[at]) for at in np.argsort(-values[reach], kind="stable")[:most]]
    frame = frame_of_rows(*records, counted[places])
    rows = rows_of_frame(TABLES["launches"], frame)
    return list(zip(places, rows, strict=True)), len(counted)


def _texts(row: Mapping[str, Cell]) -> Iterator[str]:
    for cell in row.values():
        for text in cell if isinstance(cell, list) else (cell,):
            if isinstance(text, str):
                yield text.casefold()
    if "function_line" in row:
        yield name_of_line(row).casefold()
    if "file" in row and "line" in row:
        yield f"{row['file']}:{row['line']}".casefold()


def _number(cell: Cell) -> float:
    return cell if isinstance(cell, int | float) else 0


def show_row(by: str, at: int, row: Mapping[str, Cell], columns: Sequence[str]) -> Document:
    """A row as JSON: its id, then the columns that are not null."""
    shown: Document = {"row": f"{by}#{at}"}
    for name in columns:
        if row.get(name) is not None and row[name] != []:
            shown[name] = show_value(row[name])
    return shown


def row_of_id(recording: Recording, text: str) -> tuple[str, int, Row] | None:
    """The row that an id names; None for what is no id. Raises UsageError where there is none."""
    match = _ID.fullmatch(text)
    if match is None:
        return None
    by, at = match[1], int(match[2])
    require_by(by)
    if by == "launch":  # which is explained by its number, and no row is made
        return by, at, {}
    rows = rows_by(recording, by)
    if at >= len(rows):
        count = format_count(len(rows), "row")
        raise UsageError("no-such-row", f"there is no row {text}", f"`top` by {by} has {count}.")
    return by, at, dict(rows[at])


def words_of_confidence(recording: Recording, call: str) -> str | None:
    """How sure the launches of a call are: `3 exact, 1 inferred`; None without any."""
    matching = recording.base.matching
    position = recording.positions.get(call)
    if position is None:
        return None
    rows = recording.base.attribution.counted & np.equal(matching.call, position)
    # How many of these launches have each confidence.
    counts = np.bincount(matching.confidence[rows], minlength=len(Confidence))
    words = [
        f"{count} {Confidence(at).name.lower()}"
        for at, count in enumerate(counts.tolist())
        if count
    ]
    return ", ".join(words) or None
