"""A row id, a call or a launch → what stands behind it: its columns, calls, evidence, buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernelmap.agents.recordings import Recording
from kernelmap.agents.said import SENTENCE, Document, Value, show_text, show_value
from kernelmap.agents.table_rows import row_of_id, words_of_confidence
from kernelmap.tables.memory import buffers_at_peak
from kernelmap.tables.rows import Cell, Row

_CALLS = _BUFFERS = 12  # of a row that are listed
_WITHOUT_CALLS = ("module", "wall", "step-kind", "operator")
"""Rows that are of no call, or of which the table of calls does not tell."""
_TIMES = ("_ns", "share", "gbps", "tflops", "bytes")
"""Ends of the names of columns that hold figures, which a refusal leaves out."""


def explain_row(recording: Recording, target: str, *, figures: bool) -> Document:
    """The row with all its columns and its calls; of a call and a launch the evidence.

    Of a line or a graph of the tables of memory its buffers in the place of its calls.

    Raises UsageError where there is no such row, call or launch.
    """
    found = row_of_id(recording, target.strip())
    if found is None:
        return _explain(recording, target.strip())
    by, at, row = found
    if by == "launch":
        return _explain(recording, str(at))
    if by == "call" and isinstance(row["call"], str):
        return {**_explain(recording, row["call"]), "columns": show_columns(row, figures=figures)}
    about: Document = {"row": f"{by}#{at}", "columns": show_columns(row, figures=figures)}
    # The row of what has no call is of call's table too.
    if by in (*_WITHOUT_CALLS, "call"):
        return about
    if by in ("memory", "memory-line"):
        return {**about, **_show_buffers(recording, row)}
    calls = list(calls_of_row(recording, by, row))
    return {
        **about,
        "calls": [show_call(recording, call, figures=figures) for call in calls[:_CALLS]],
        "calls_in_all": len(calls),
        "next": ["explain one of the calls for its evidence"],
    }


def _show_buffers(recording: Recording, row: Mapping[str, Cell]) -> Document:
    """What holds the bytes of a row at the peak, largest first: who made it, who uses it last."""
    held = buffers_at_peak(recording.memory.tables, recording.base.program, row)
    shown: list[Value] = []
    for buffer, part in held[:_BUFFERS]:
        one: Document = {"name": show_value(buffer["name"]), "peak_bytes": part}
        if buffer["shape"] is not None:
            one["shape"] = show_text(", ".join(_texts(buffer["shape"])))
        one |= {
            name: show_value(buffer[name])
            for name in ("dtype", "bytes", "kind", "call", "origin", "last_use")
            if buffer[name] is not None
        }
        shown.append(one)
    return {
        "answer": "who holds the row's bytes at the peak of its graph, as the code states it",
        "meaning": {
            "peak_bytes": "what of it is held for this row; they add up to the row's bytes",
            "call": "the call that made it; origin: that of the forward which saved it",
            "last_use": "the last call that is handed it",
        },
        "buffers": shown,
        "buffers_in_all": len(held),
        "next": ["explain the call that made a buffer, or its last_use"],
    }


def _explain(recording: Recording, target: str) -> Document:
    explanation = recording.base.explain(target)
    memory = explanation.memory
    return {
        "answer": show_text(explanation.title, SENTENCE),
        "confidence": show_text(explanation.verdict, SENTENCE),
        "candidates": [show_text(candidate) for candidate in explanation.candidates[:12]],
        "evidence": [show_text(text, SENTENCE) for text in explanation.evidence],
        "kernel_does": [show_text(text, SENTENCE) for text in explanation.steps],
        **({} if memory is None else {"memory": show_text(memory, SENTENCE)}),
    }


def show_columns(row: Mapping[str, Cell], *, figures: bool) -> Document:
    """All columns of a row that are not null, but `parts`, which is for comparing."""
    return {
        name: show_value(cell)
        for name, cell in row.items()
        if cell is not None
        and cell != []
        and name not in ("parts", "body", "fingerprint")
        and (figures or not name.endswith(_TIMES))
    }


def show_call(recording: Recording, row: Row, *, figures: bool) -> Value:
    """One call in a line: its id, its kernel, its time, and how sure its launches are."""
    names = ("call", "wrapper", "time_ns", "launches", "ops")
    shown: Document = {
        name: show_value(row[name])
        for name in names
        if row[name] is not None and (figures or name != "time_ns")
    }
    if isinstance(row["call"], str):
        shown["confidence"] = words_of_confidence(recording, row["call"])
    return shown


def calls_of_row(recording: Recording, by: str, row: Mapping[str, Cell]) -> Iterator[Row]:
    """The calls that a row of another table is about, most time first."""
    for call in recording.base.tables.rows("calls"):
        if call["call"] is not None and _is_of_row(call, by, row):
            yield call


def _is_of_row(call: Row, by: str, row: Mapping[str, Cell]) -> bool:
    match by:
        case "line":
            return f"{row['file']}:{row['line']}" in _texts(call["source"])
        case "op":
            return row["name"] in _texts(call["ops"])
        case "kernel":
            same = call["wrapper"] == row["wrapper"] and call["graph"] == row["graph"]
            return same and row["device_name"] in _texts(call["device_names"])
        case "node":
            return row["name"] in _texts(call["nodes"]) and call["graph"] == row["graph"]
        case "graph":
            return call["graph"] == row["graph"]
        case _:  # a buffer: the call that first writes it, and the last one that is handed it
            return call["call"] in (row["call"], row["last_use"])


def _texts(cell: Cell) -> list[str]:
    return cell if isinstance(cell, list) else []
