"""What a trace may be given beside its own events: facts in their arguments, and rows of slices.

Takes nothing, gives records that `outputs` fills and `traces` writes into a file; facts are JSON
objects as text, asked for one at a time because a trace has millions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kernelmap.model.trace import Int

KEY = "kernelmap"
"""The argument that holds our facts, and the category of our slices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFacts:
    """Facts for events of one file.

    `event` (n,) are their positions in the file, ascending; `name(i)` is what the i-th of them is
    called there, by which a file that has changed is noticed; `facts(i)` is its JSON object.
    """

    event: Int
    name: Callable[[int], str]
    facts: Callable[[int], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One row of a viewer: n slices in the order of time, of which no two overlap.

    Tracks of one `process` stand together, at the place that `sort` gives among the processes.
    `start_ns` and `dur_ns` (n,) are on the clock of `Launches`.
    """

    process: str
    thread: str
    sort: int
    start_ns: Int
    dur_ns: Int
    name: Callable[[int], str]
    facts: Callable[[int], bytes]
