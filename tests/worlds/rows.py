"""What a Recorder collects: events before they are written."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from worlds.world import Owner

Json = object
Args = Mapping[str, Json]

MARK = "mark"
"""Category of marks, of which a profile holds as many as its export wants."""


class Row(Struct, kw_only=True):
    """One complete event before it is written; `owner` only on GPU rows.

    `node` is the CUDA graph node of what was replayed; of rows of category "graph_node" the node
    that was made.
    """

    category: str
    name: str
    pid: int
    tid: int
    start_ns: int
    dur_ns: int
    args: dict[str, Json]
    correlation: int | None = None
    owner: Owner | None = None
    node: int | None = None

    @property
    def end_ns(self) -> int:
        """When it ended."""
        return self.start_ns + self.dur_ns
