"""The calls as all views of the page know them: the table of calls, column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelmap.outputs.report.content import Content
from kernelmap.views.frames import Cell, arrow
from kernelmap.views.schema import CALLS

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


def call_columns(content: Content) -> Mapping[str, Sequence[Cell]]:
    """The rows of the table of calls, in its order; rest rows have no `call`."""
    frame = content.tables.frame("calls")
    return {name: arrow(CALLS.by_name[name], frame[name]).to_pylist() for name in _COLUMNS}
