"""What a trace may be given beside its own events: facts in their arguments, slices, and curves.

Takes nothing, gives records that `outputs` fills and `traces` writes into a file. Facts are made
one by one while they are written, because a trace has millions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from kernelmap.model.trace import Int

KEY = "kernelmap"
"""The argument that holds our facts, and the category of our slices."""

Members = Mapping[str, object]
"""What is said of one event: the members of a JSON object."""


class EventFacts(Struct, frozen=True, kw_only=True):
    """Facts for events of one file; to be written once.

    `event` (n,) are their positions in the file, ascending; `names[name_id[i]]` is what the i-th of
    them is called there, by which a file that has changed is noticed; `facts` are those of each.
    """

    event: Int
    name_id: Int
    names: Sequence[str]
    facts: Iterable[Members]


class Track(Struct, frozen=True, kw_only=True):
    """One row of a viewer: n slices in the order of time, of which no two overlap; written once.

    Tracks of one `process` stand together, at the place that `sort` gives among the processes.
    `start_ns` and `dur_ns` (n,) are on the clock of `Launches`; `names` and `facts` are those of
    each slice.
    """

    process: str
    thread: str
    sort: int
    start_ns: Int
    dur_ns: Int
    names: Iterable[str]
    facts: Iterable[Members]


class CounterTrack(Struct, frozen=True, kw_only=True):
    """Curves of a viewer that share their times; written once.

    `process` and `sort` as of a Track; `name` is the counter's. `time_ns` (n,) ascends and is on
    the clock of `Launches`; each of `values` (n,) is a curve, by its name.
    """

    process: str
    name: str
    sort: int
    time_ns: Int
    values: Mapping[str, Int]
