"""Where facts may be put into the events of a file, noted while it is read for its columns.

So whoever writes the file anew need not read its events again. Taken: stretches as the scanner in C
gives them, and at the end the stream that they came from. Given: `EventPlaces`; None where anything
had to be read by Python, mended or left out: then what stands in the file is not what was read, and
annotate.py reads it again, event by event. A place is a multiple of `UNIT`, and says besides what
is there: see PLACE_FOR_MORE in _scanner.c.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from msgspec.structs import astuple

from kernelmap.model.annotations import EventPlaces
from kernelmap.model.trace import NONE, Int
from kernelmap.traces.columns import Parts
from kernelmap.traces.json_stream import EventStream
from kernelmap.traces.kineto_events import Batch
from kernelmap.traces.native import Scanned

HAS_MEMBERS, IN_ARGUMENTS, HAS_OURS, UNIT = 1, 2, 4, 8  # as in _scanner.c
_TABLES = ("ranges", "launches")  # those whose events may get facts


class NotedPlaces:
    """Takes the stretches of one file, in order, with `add`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = state_of(path)
        self._parts: Parts | None = Parts()

    def add(self, stretch: Batch | Scanned, first: int, offset: int) -> None:
        """Note the places of a stretch that begins with the event `first`, at the byte `offset`."""
        if not isinstance(stretch, Scanned):
            self._parts = None
        if self._parts is None or not isinstance(stretch, Scanned):
            return
        for table in _TABLES:
            rows = stretch.tables[table]
            if len(rows):
                place = rows["place_for_more"]
                moved = np.where(place >= 0, place + offset * UNIT, NONE)
                self._parts.add(event=rows["event"] + first, place=moved)

    def of_whole(self, stream: EventStream[Batch | Scanned], base_ns: int) -> EventPlaces | None:
        """All places; None where the file could not be read just as it is."""
        is_odd = stream.cut or stream.damage or stream.unread or stream.apart
        is_odd = is_odd or any(stream.repairs.values())
        if self._parts is None or is_odd or stream.end is None:
            return None
        if not self._file or state_of(self._path) != self._file:
            return None
        return EventPlaces(
            file=self._file,
            base_ns=base_ns,
            end=stream.end,
            layout=None if stream.layout is None else astuple(stream.layout),
            event=self._parts.take("event"),
            place=self._parts.take("place"),
        )


def state_of(path: Path) -> tuple[int, ...]:
    """What changes when somebody writes to a file; nothing where there is none."""
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def places_of(events: Int, places: EventPlaces) -> Int | None:
    """The place of each event, (n,); None where some event is not known."""
    if not len(places.event):
        return None if len(events) else events
    order = np.argsort(places.event, kind="stable")
    at = order[np.minimum(np.searchsorted(places.event, events, sorter=order), len(order) - 1)]
    return places.place[at] if np.array_equal(places.event[at], events) else None
