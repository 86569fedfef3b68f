"""The text of an FX graph, as the compiler printed it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class GraphText:
    """A graph as text; `lines` says where each node stands, counted from 1.

    Of equal names (a graph within the graph may repeat them) the last one counts.
    """

    text: str = field(repr=False)
    lines: Mapping[str, int] = field(repr=False, hash=False)
