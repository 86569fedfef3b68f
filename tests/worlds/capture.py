"""A CUDA graph as capture makes it: its nodes, and the ids that they and their clones get.

The id of a node is its graph's number above 32 bits and its own below. A graph is launched from its
last clone. Numbers start anew in every process, so ids of two processes collide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from worlds.world import Owner

NODE = "graph_node"
"""Category of rows that tell of a node's creation; Kineto has no such events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What one captured call will do whenever the graph runs; `number` counts from 1."""

    number: int
    category: str
    name: str
    dur_ns: int
    stream: int
    args: Mapping[str, object]
    owner: Owner


@dataclass(slots=True)
class Capture:
    """Graph number `number`, cloned `clones` times before it is launched."""

    number: int
    clones: int
    nodes: list[Node] = field(default_factory=list)

    def node(self, at: int, clone: int) -> int:
        """The id of node `at` in a clone; clone 0 is the captured graph."""
        graph = self.number * (self.clones + 1) + clone + 1
        return (graph << 32) | self.nodes[at].number

    def launched(self, at: int) -> int:
        """The id that a replay shows."""
        return self.node(at, self.clones)


def graph_args(node: int | None) -> Mapping[str, object]:
    """What Kineto writes beside a replayed activity."""
    return {} if node is None else {"graph id": node >> 32, "graph node id": node}
