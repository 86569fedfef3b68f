"""What all views of the page share: the table of calls by column, and the ops that have a color."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelmap.outputs.report.content import Content
from kernelmap.views.frames import Cell, arrow, rows
from kernelmap.views.schema import CALLS, OPS

_COLUMNS = (
    "call",
    "graph",
    "line",
    "wrapper",
    "backend",
    "ops",
    "source",
    "launches",
    "time_ns",
    "p50_ns",
    "p95_ns",
    "share",
)
_COLORS = 12  # as many as palette.js has


def call_columns(content: Content) -> Mapping[str, Sequence[Cell]]:
    """The rows of the table of calls, in its order; rest rows have no `call`."""
    frame = content.tables.frame("calls")
    return {name: arrow(CALLS.by_name[name], frame[name]).to_pylist() for name in _COLUMNS}


def colored(content: Content) -> list[str]:
    """The ops with the most time, in or outside compiled code; each has a color of its own."""
    found = (str(row["name"]) for row in rows(OPS, content.tables.frame("ops")))
    return list(dict.fromkeys(name for name in found if not name.startswith("(")))[:_COLORS]
