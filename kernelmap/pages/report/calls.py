"""The view Calls: every call and every rest row of the shared table of calls.

What they cost stands in the shared columns already; here is what only this view shows.
"""

from __future__ import annotations

from kernelmap.pages.columns import say_counters
from kernelmap.pages.report.packed import PackedTexts
from kernelmap.pages.report.shared import Content

_COLUMNS = ("p50_ns", "p95_ns", "backend")


def data_of_calls(content: Content, texts: PackedTexts) -> object:  # noqa: ARG001 -- the views' signature
    """Columns in the order of the shared table of calls."""
    columns = content.tables.columns("calls")
    counters = [say_counters(row) for row in content.tables.rows("calls")]
    return {name: columns[name] for name in _COLUMNS} | {"counters": counters}
