"""What a Recorder collects: events before they are written, and the nodes of captured graphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from worlds.world import Owner

Json = object
Args = Mapping[str, Json]


@dataclass(slots=True, kw_only=True)
class Row:
    """One complete event before it is written; `owner` only on GPU rows."""

    category: str
    name: str
    pid: int
    tid: int
    start_ns: int
    dur_ns: int
    args: dict[str, Json]
    correlation: int | None = None
    owner: Owner | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What a captured graph launches; `args` are those of its GPU row."""

    number: int
    category: str
    name: str
    dur_ns: int
    stream: int
    args: Args
    owner: Owner
