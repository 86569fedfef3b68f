"""Text of whole events → rows, as the scanner in C makes them: an event at a time, in Python.

It reads what the scanner gives up, any spelling of a value that is JSON, and every stretch where no
scanner was built. Left out, and counted: events whose category or phase no profiler writes, events
of accelerators that are no GPU, and ids that no int64 holds.
"""

from __future__ import annotations

import numpy as np

from kernelmap.facts.frames import NEEDLES
from kernelmap.model.trace import NONE
from kernelmap.traces.columns import Numbers
from kernelmap.traces.kineto.counters import sample_of_event
from kernelmap.traces.kineto.events import EVENTS, NO_ARGS, Args, KinetoEvent, Scalar, text_ns
from kernelmap.traces.kineto.native_scan import TABLE_OF, Rows, Scanned
from kernelmap.traces.kineto.values import (
    EXPORTED_FIELDS,
    OTHER_DEVICES,
    EventKind,
    Kinds,
    LeftOut,
    extent,
    id_of,
    text,
    unclear,
    whole,
)

_EVENT = ("event", "start_ns", "dur_ns", "name", "kind")
_HOST = (*_EVENT, "process", "thread", "thread_name")
_EXTERNAL = ("external", "external_old")
_EXTENTS = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z")
_GPU = ("device", "stream", "correlation", *_EXTERNAL, "graph", "graph_node", "capture")
COLUMNS = {
    "ranges": (*_HOST, *_EXTERNAL, "sequence", "detail"),
    "apis": (*_HOST, *_EXTERNAL, "correlation", "capture", "kernel"),
    "launches": (*_EVENT, "pid", "tid", "owner", *_GPU, *_EXTENTS),
    "frames": _HOST,
}
"""The columns of each table; in the scanner's the order is another one."""
_NEEDLES = tuple(needle.decode() for needle in NEEDLES)

Exported = tuple[Scalar, ...]


class PlainScan:
    """Reads stretches of one file; texts keep their numbers from one to the next."""

    def __init__(self) -> None:
        self._kinds = Kinds()
        self._numbers: Numbers[str | Exported] = Numbers()
        self._values: list[str | Exported] = []
        self._dropped: set[str] = set()
        self._left_out = LeftOut()

    def __call__(self, stretch: bytes) -> Scanned:
        """The rows of events joined by commas; raises one of MALFORMED."""
        events = EVENTS.decode(b"[%s]" % stretch)
        self._left_out = LeftOut()
        # Rows of plain integers per table, as the scanner in C gives them;
        # the event's number comes first.
        rows: dict[str, list[list[int]]] = {table: [] for table in COLUMNS}
        samples = []
        for number, event in enumerate(events):
            kind = self._kinds.of_event(event)
            if kind > EventKind.NOTHING:
                table = TABLE_OF[EventKind(kind)]
                if table != "frames" or self._may_count(event):
                    rows[table].append(self._row(table, number, kind, event))
            elif kind == EventKind.OTHER_DEVICE:
                self._left_out.other_devices[OTHER_DEVICES[str(event.cat).lower()]] += 1
            # What is unclear is counted by what hides its kind, so that a notice can say it.
            elif kind < EventKind.OTHER_DEVICE and (what := unclear(event)) is not None:
                self._left_out.unclear[what] += 1
            elif (sample := sample_of_event(event)) is not None:
                samples.append(sample)
        tables = {
            # The shape holds for tables without rows as well: (columns, 0).
            table: Rows(np.array(rows[table], dtype=np.int64).reshape(-1, len(names)).T, names)
            for table, names in COLUMNS.items()
        }
        return Scanned(self, len(events), tables, self._left_out, tuple(samples))

    def drop_frames(self, number: int) -> None:
        """Leave out from now on the source frames whose name is the text of this number."""
        self._dropped.add(str(self._values[number]))

    def text(self, number: int) -> str | None:
        """What a text says, by its number; None for -1."""
        return None if number == NONE else str(self._values[number])

    def exported(self, number: int) -> Exported:
        """What Inductor exports of a kernel, in the order of EXPORTED, by its number."""
        value = self._values[number]
        return value if isinstance(value, tuple) else ()

    def _may_count(self, event: KinetoEvent) -> bool:
        """Whether a source frame may have a role, or be a function in a file."""
        name = event.name
        if not isinstance(name, str) or not event.has_duration or name in self._dropped:
            return False
        # A rough test, the same as that of the scanner in C; the exact one
        # follows once per different name.
        is_in_file = not name.startswith("<") and "): " in name
        return is_in_file or any(needle in name for needle in _NEEDLES)

    def _row(self, table: str, number: int, kind: int, event: KinetoEvent) -> list[int]:
        """The cells of an event, in the order of COLUMNS."""
        start, dur = text_ns(bytes(event.ts)), text_ns(bytes(event.dur))
        if start is None or dur is None:
            # It counts as one without a time, whatever else it says.
            return [number, 0, *[NONE] * (len(COLUMNS[table]) - 2)]
        name = self._text(None if event.name is None else str(event.name))
        args = event.args or NO_ARGS
        make = self._of_launch if table == "launches" else self._of_host
        return [number, start, dur, name, kind, *make(table, event, args)]

    def _of_host(self, table: str, event: KinetoEvent, args: Args) -> list[int]:
        # Files of our own move some host rows to another row of the viewer,
        # and say here where they belong.
        thread = event.tid if args.thread is None else args.thread
        tid = whole(thread)
        # A thread is a number, or else a text; the other of the two columns is -1.
        place = [self._text(str(event.pid)), NONE if tid is None else tid]
        place.append(self._text(str(thread)) if tid is None else NONE)
        if table == "frames":
            return place
        external = [self._id(args.external), self._id(args.external_old)]
        if table == "ranges":
            return [*place, *external, self._id(args.sequence), self._detail(args)]
        kernel = self._text(text(args.kernel))
        return [*place, *external, self._id(args.correlation), self._id(args.capture), kernel]

    def _of_launch(self, _: str, event: KinetoEvent, args: Args) -> list[int]:
        # The track of a GPU activity: device and stream, where the arguments name none.
        tracks = [whole(event.pid), whole(event.tid)]
        ids = (
            args.device,
            args.stream,
            args.correlation,
            args.external,
            args.external_old,
            args.graph,
            args.graph_node,
            args.capture,
        )
        return [
            *(NONE if track is None else track for track in tracks),
            self._text(None if args.process is None else str(args.process)),
            *map(self._id, ids),
            *extent(args.grid),
            *extent(args.block),
        ]

    def _id(self, value: Scalar) -> int:
        """An id, -1 for none; one that is too large is none, and counted."""
        number = id_of(value)
        if number is None:
            self._left_out.too_large += 1
        return NONE if number is None else number

    def _text(self, value: str | None) -> int:
        """The number of a text; -1 for None."""
        return NONE if value is None else self._number(value)

    def _detail(self, args: Args) -> int:
        """The number of what Inductor exports of a kernel; -1 where it exports nothing."""
        fields = EXPORTED_FIELDS(args)
        return self._number(fields) if any(field is not None for field in fields) else NONE

    def _number(self, value: str | Exported) -> int:
        number = self._numbers[value]
        if number == len(self._values):
            self._values.append(value)
        return number
