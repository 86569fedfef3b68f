"""A place in the user's source, or in generated code → its lines, with the time and calls of each.

Lines come from the file where it lies in the folders that may be read, else from what the compiler
noted of them; of generated code from the recording.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from kernelmap.agents.explaining import show_call
from kernelmap.agents.recordings import Recording
from kernelmap.agents.said import Document, Value, show_text
from kernelmap.agents.table_rows import row_of_id
from kernelmap.errors import UsageError
from kernelmap.model.notices import format_count
from kernelmap.model.paths import read_bytes
from kernelmap.suggestions import did_you_mean
from kernelmap.tables.rows import Row, whole_number

_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d{1,9})")
_TIMES = ("time_ns", "backward_ns", "share", "launches")
_CALLS = 12  # that are listed


def describe_source(
    recording: Recording, place: str, around: int, folders: Sequence[Path], *, figures: bool
) -> Document:
    """The lines around a place, and its calls. Raises UsageError for a place without any time."""
    if place in recording.positions:
        return _describe_statement(recording, place, around, figures=figures)
    file, line = _find_line(recording, place.strip())
    of_file = {
        row["line"]: row
        for row in recording.base.tables.rows("lines")
        if row["file"] == file and isinstance(row["line"], int)
    }
    text = _read_lines(file, folders)
    known = {number: str(row["code"]) for number, row in of_file.items() if row["code"]}
    lines: list[Value] = []
    for number in range(max(line - around, 1), line + around + 1):
        if text is not None and number <= len(text):
            code: str | None = text[number - 1]
        else:
            code = known.get(number)
        if code is None:
            continue
        shown: Document = {"line": number, "code": show_text(code.rstrip())}
        row = of_file.get(number)
        if figures and row is not None:
            shown |= {name: cell for name in _TIMES if isinstance(cell := row[name], int | float)}
        lines.append(shown)
    calls = [
        row
        for row in recording.base.tables.rows("calls")
        if row["call"] is not None and f"{file}:{line}" in _texts(row)
    ]
    name = show_text(f"{PurePosixPath(file).name}:{line}")
    return {
        "answer": f"{name}, made into {format_count(len(calls), 'call')}",
        "file": show_text(file),
        "text_from": "the file" if text is not None else "the compiler's notes: lines with work",
        "lines": lines,
        "calls": [show_call(recording, row, figures=figures) for row in calls[:_CALLS]],
        "next": ["source of a call for the generated code", "explain a call for its evidence"],
    }


def _find_line(recording: Recording, place: str) -> tuple[str, int]:
    """The file, as the recording names it, and the line of a place."""
    found = row_of_id(recording, place)
    if found is not None and found[0] == "line" and isinstance(found[2]["line"], int):
        return str(found[2]["file"]), found[2]["line"]
    match = _PLACE.fullmatch(place)
    files = {
        str(row["file"]) for row in recording.base.tables.rows("lines") if row["line"] is not None
    }
    if match is not None:
        wanted = match["file"].replace("\\", "/")
        fitting = [
            file
            for file in sorted(files)
            if file == wanted or file.replace("\\", "/").endswith(f"/{wanted.lstrip('/')}")
        ]
        if len(fitting) == 1:
            return fitting[0], int(match["line"])
    hint = did_you_mean(place.partition(":")[0], {PurePosixPath(file).name for file in files})
    raise UsageError(
        "no-such-place",
        f"{place[:80]!r} is no line of this recording, and no call of it",
        f"{hint} Ask with a row of `top` by line (line#0), `model.py:47`, or a call.".strip(),
    )


def _describe_statement(
    recording: Recording, call_id: str, around: int, *, figures: bool
) -> Document:
    """The generated code around the statement of a call."""
    graph, call = recording.base.program.calls[recording.positions[call_id]]
    rows: Mapping[object, Row] = {
        row["line"]: row
        for row in recording.base.tables.rows("calls")
        if row["graph"] == graph.id and row["line"] is not None
    }
    lines: list[Value] = []
    text = graph.text.splitlines() if graph.text is not None else []
    if call.line is not None:
        for number in range(max(call.line - around, 1), min(call.line + around, len(text)) + 1):
            shown: Document = {"line": number, "code": show_text(text[number - 1].rstrip(), 240)}
            if (row := rows.get(number)) is not None:
                shown["call"] = show_text(str(row["call"]))
                shown |= {"time_ns": whole_number(row, "time_ns")} if figures else {}
            lines.append(shown)
    own = [row for row in rows.values() if row["call"] == call_id]
    return {
        "answer": f"the statement of call {call_id} in the generated code",
        "file": show_text(graph.code) if graph.code else None,
        "text_from": "the generated code"
        if text
        else "nothing: the code of its graph is not given",
        "lines": lines,
        "calls": [show_call(recording, row, figures=figures) for row in own],
        "source": [show_text(f"{it.file}:{it.line}") for it in call.lines[:6]],
        "next": ["source of one of its lines", "explain the call for its evidence"],
    }


def _read_lines(file: str, folders: Sequence[Path]) -> list[str] | None:
    """The lines of a file below one of the folders, also where it was recorded elsewhere."""
    path = Path(file)
    if not path.is_absolute():
        return None
    try:
        real = path.resolve()
        if not any(real.is_relative_to(folder) for folder in folders):
            return None
        return read_bytes(real).decode("utf-8", "replace").splitlines()
    except (OSError, ValueError, RuntimeError):
        return None


def _texts(row: Row) -> list[str]:
    source = row["source"]
    return source if isinstance(source, list) else []
