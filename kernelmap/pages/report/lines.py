"""The view Lines: the table of source lines, all of it.

What ran for a line the page works out of the leaves (ops.py) and the launches (timeline.py).
"""

from __future__ import annotations

from kernelmap.pages.report.packed import PackedTexts
from kernelmap.pages.report.shared import Content
from kernelmap.tables.rows import name_of_line

_COLUMNS = (
    "file line code function_line time_ns forward_ns backward_ns involved_ns share launches calls"
    " slow_launches slow_ns gbps tflops share_of_limit bound headroom_ns noted_ns"
)


def data_of_lines(content: Content, texts: PackedTexts) -> object:  # noqa: ARG001 -- the views' signature
    """All rows by time; `name` is what the page's addresses and the leaves call the row."""
    return [
        {column: row[column] for column in _COLUMNS.split()} | {"name": name_of_line(row)}
        for row in content.tables.rows("lines")
    ]
