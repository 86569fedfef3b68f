"""Lines of the user's source, and the text of FX graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A line of the user's source; `line` counts from 1."""

    file: str
    line: int
    code: str | None = None


@dataclass(frozen=True, slots=True)
class GraphText:
    """A graph as text; `lines` says where each node stands, counted from 1.

    Of equal names (a graph within the graph may repeat them) the last one counts.
    """

    text: str = field(repr=False)
    lines: Mapping[str, int] = field(repr=False, hash=False)
