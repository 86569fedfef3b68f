"""Lines of the user's source, and the text of FX graphs."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class SourceLine(Struct, frozen=True, kw_only=True):
    """A line of the user's source; `line` counts from 1."""

    file: str
    line: int
    code: str | None = None


class GraphText(Struct, frozen=True):
    """A graph as text; `lines` says where each node stands, counted from 1.

    Of equal names (a graph within the graph may repeat them) the last one counts.
    """

    text: str
    lines: Mapping[str, int]
