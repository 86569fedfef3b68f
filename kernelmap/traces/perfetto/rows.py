"""Rows of packets → rows of events, as the scanners of Kineto's JSON make them.

So everything behind them is one path: names, threads, links and counts are those of kineto/, and a
run that was written in both forms gives the same tables. Launches go there piece by piece. Host
events wait until the file is read, because only then their ends and their tracks are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import msgspec
import numpy as np

from kernelmap.model.trace import NONE, Bool, Int
from kernelmap.traces.columns import LARGEST_PLACE, ColumnParts
from kernelmap.traces.kineto.columns import Columns
from kernelmap.traces.kineto.counters import DERIVED, Sample
from kernelmap.traces.kineto.events import Scalar
from kernelmap.traces.kineto.frame_names import frame_of, tells_places
from kernelmap.traces.kineto.native_scan import TABLE_OF, Rows, Scanned
from kernelmap.traces.kineto.plain_scan import COLUMNS
from kernelmap.traces.kineto.values import (
    EXPORTED,
    OTHER_DEVICES,
    EventKind,
    Kinds,
    LeftOut,
    id_of,
)
from kernelmap.traces.perfetto.packets import Keys, Piece
from kernelmap.traces.perfetto.plain_packets import (
    ABSENT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    OF_SLICE,
    OF_STAGE,
    SLICE_IDS,
    STAGE_IDS,
    TEXT,
    TEXT_NAME,
)
from kernelmap.traces.perfetto.slices import pair_slices
from kernelmap.traces.perfetto.state import (
    CATEGORIES,
    KERNELS,
    NAMES,
    NOTE_NAMES,
    NOTE_TEXTS,
    STAGES,
    State,
)
from kernelmap.traces.perfetto.wire import BYTES, FIXED64, VARINT, fields, signed

_IDS = {
    "correlation": "correlation",
    "External id": "external",
    "external id": "external_old",
    "Sequence number": "sequence",
    "graph id": "graph",
    "graph node id": "graph_node",
    "device id": "device",
    "stream id": "stream",
}
"""Notes that hold ids, and the columns that they go to; slices have the first four of them."""
_KERNEL = "kernel"  # HIP's calls name the kernel that they launch
_NOTED = (
    *("stack", "annotation", "name", "module_fqn", "autograd_phase"),
    *("copy kind", "src kind", "dst kind", "memory kind"),
)
"""What torch's own tools write beside a launch."""
_NAMES = (*_IDS, _KERNEL, *_NOTED, *EXPORTED)
_AT = {name: at for at, name in enumerate(_NAMES)}
_FIRST_NOTED, _DETAILS = _AT[_NOTED[0]], _AT[EXPORTED[0]]
KEYS = Keys(tuple(name.encode() for name in _NAMES), _DETAILS)
"""The names of notes that are read; what Inductor exports of a kernel are details."""
_COLUMN_OF = tuple(_IDS.values())

CATEGORY_OF_STAGE = {
    "Kernel": "kernel",
    "Memcpy": "gpu_memcpy",
    "Memset": "gpu_memset",
    "Annotation": "gpu_user_annotation",
    "EventRecord": "graph_event_node",
    "HostNode": "graph_host_node",
}
"""The stages that torch writes, and what Kineto's JSON calls such events."""

_AT_ONCE = 1 << 18  # rows that go on together
_KEPT = ("event", "slice", "name", "kind", "external", "external_old", "sequence", "detail",
         "correlation", "kernel")  # fmt: skip
_HOST_TABLES = ("ranges", "apis", "frames")


class EventRows:
    """Takes pieces with `add`, and gives what it can to `columns`; the rest with `finish`."""

    def __init__(self, columns: Columns, state: State, *, libraries: bool = False) -> None:
        """`libraries`: frames of names that say nothing are kept for a second look, too."""
        self.stages_left_out: Counter[str] = Counter()
        self.categories: Counter[str] = Counter()
        self.left_out = LeftOut()
        self._columns, self._state, self._libraries = columns, state, libraries
        self._kinds = Kinds()
        self._kind_of_category = _PerText(self._kind_of)
        self._counts_as_frame = _PerText(self._may_count)
        self._edges, self._kept = ColumnParts(), ColumnParts()
        self._details: dict[bytes, int] = {}
        self._tracks: dict[int, int] = {}
        self._events, self._slices = 0, 0
        self._samples: list[Sample] = []

    def add(self, piece: Piece, scope: Int, time: Int) -> None:
        """Take a piece: the scope and the time of its packets are known, (packets,)."""
        slices, ends, stages = (piece.tables[table] for table in ("slices", "ends", "stages"))
        # Events are counted as they stand in the file: each slice at its begin, and each stage.
        counted = np.zeros(len(piece.tables["packets"]), dtype=np.int64)
        counted[slices["packet"]] = 1
        counted[stages["packet"]] = 1
        event = np.cumsum(counted) - 1 + self._events
        self._events += int(counted.sum())
        if len(slices) or len(ends):
            self._add_edges(slices, ends, scope, time)
        if len(slices):
            self._add_slices(piece, scope, event)
        if len(stages):
            self._add_stages(piece, scope, time, event)
        if len(piece.tables["counters"]):
            self._add_counters(piece.tables["counters"], scope, time)

    def finish(self) -> None:
        """Give host events to the columns, now that all ends are known."""
        take = self._edges.take
        is_begin, track, time = take("is_begin") > 0, take("track"), take("time")
        own_ns = take("own_ns")
        # Complete events stand among the begins with a duration of their own, and have no end.
        has_own = own_ns >= 0
        edges = np.flatnonzero(~has_own)
        ends = pair_slices(
            is_begin[edges],
            track[edges],
            time[edges],
            in_blocks=self._state.clocks.counts_since_1970,
        )
        begin_ns = time[is_begin]
        dur_ns = own_ns[is_begin]
        dur_ns[dur_ns < 0] = np.where(
            ends >= 0, time[edges][ends] - time[edges][is_begin[edges]], NONE
        )
        track = track[is_begin]
        columns = {name: self._kept.take(name) for name in _KEPT}
        process, thread = self._places()
        of_slice = columns.pop("slice")
        rows = {
            **columns,
            "start_ns": begin_ns[of_slice],
            "dur_ns": dur_ns[of_slice],
            "process": process[track[of_slice]],
            "thread": thread[track[of_slice]],
        }
        self.left_out = LeftOut()
        for begin in range(0, len(of_slice), _AT_ONCE):
            part = {name: column[begin : begin + _AT_ONCE] for name, column in rows.items()}
            self._give(dict(self._host_tables(part)))
        # What was counted as an event, and is none that has a table, counts all the same.
        self._give({}, total=self._events - self._columns.events)

    def _host_tables(self, rows: dict[str, Int]) -> Iterator[tuple[str, Rows]]:
        none = np.full(len(rows["kind"]), NONE, dtype=np.int64)
        for name in _HOST_TABLES:
            mine = np.isin(rows["kind"], [kind for kind, of in TABLE_OF.items() if of == name])
            cells = [rows.get(column, none)[mine] for column in COLUMNS[name]]
            yield name, Rows(np.array(cells, dtype=np.int64), COLUMNS[name])

    def _give(self, tables: dict[str, Rows], total: int = 0) -> None:
        """Hand rows on; events of the file have their numbers already."""
        empty = {
            name: Rows(np.zeros((len(columns), 0), dtype=np.int64), columns)
            for name, columns in COLUMNS.items()
        }
        first = self._columns.events
        moved = {}
        for name, rows in tables.items():
            cells = rows.cells.copy()
            cells[rows.names.index("event")] -= first
            moved[name] = Rows(cells, rows.names)
        samples, self._samples = tuple(self._samples), []
        texts = self._state.texts
        self._columns.add(Scanned(texts, total, empty | moved, self.left_out, samples))
        self.left_out = LeftOut()

    # ------------------------------------------------------------------ slices of threads

    def _add_edges(self, slices: Rows, ends: Rows, scope: Int, time: Int) -> None:
        """Begins and ends in the order of the file, for the pairing."""
        packet = np.concatenate([slices["packet"], ends["packet"]])
        order = np.argsort(packet, kind="stable")
        packet = packet[order]
        track = np.concatenate([slices["track"], ends["track"]])[order]
        own = np.concatenate([slices["duration_us"], np.full(len(ends), NONE, dtype=np.int64)])
        own = own[order]
        self._edges.add(
            is_begin=(order < len(slices)).astype(np.int64),
            track=self._track_numbers(track, scope[packet]),
            time=time[packet],
            own_ns=np.where((own >= 0) & (own < _LONGEST_US), own * 1000, NONE),
        )

    def _add_slices(self, piece: Piece, scope: Int, event: Int) -> None:
        slices = piece.tables["slices"]
        # The number of each slice of the file, for the rows that are kept.
        number = np.arange(len(slices)) + self._slices
        self._slices += len(slices)
        of_packet = scope[slices["packet"]]
        category = self._texts(piece, CATEGORIES, of_packet, slices, "category")
        self._count_categories(category)
        kind = self._kind_of_category(category)
        kept = (kind > EventKind.NOTHING) & (kind <= EventKind.FRAME)
        name = self._texts(piece, NAMES, of_packet, slices, "name", only=kept)
        is_frame = kept & (kind == EventKind.FRAME)
        self._columns.has_frames |= bool(is_frame.any())
        if is_frame.any():
            kept &= ~is_frame | (self._counts_as_frame(name) > 0)
        if not kept.any():
            return
        # Notes name rows of slices; `row_of` is the row among those that are kept, -1 for others.
        row_of = np.where(kept, np.cumsum(kept) - 1, NONE)
        slices = slices.take(kept)
        notes = self._notes(piece, OF_SLICE, of_packet, row_of, slices)
        self._kept.add(
            event=event[slices["packet"]],
            slice=number[kept],
            name=name[kept],
            kind=kind[kept],
            external=notes["external"],
            external_old=notes["external_old"],
            sequence=notes["sequence"],
            correlation=notes["correlation"],
            kernel=notes[_KERNEL],
            detail=self._details_of(piece, slices, notes["detail"]),
        )

    def _count_categories(self, category: Int) -> None:
        """Count slices by category, and those whose kind is hidden or which ran elsewhere."""
        counts = np.bincount(category + 1)
        for each in np.flatnonzero(counts).tolist():
            text, count = self._state.texts.text(each - 1), int(counts[each])
            if text is None:
                continue
            self.categories[text] += count
            kind = self._kinds[text]
            if kind == EventKind.UNCLEAR:
                self.left_out.unclear[f"category {text!r}"] += count
            elif kind == EventKind.OTHER_DEVICE:
                self.left_out.other_devices[OTHER_DEVICES[text.lower()]] += count

    def _track_numbers(self, uuid: Int, scope: Int) -> Int:
        """Tracks by a number of their own, in the order in which they are met; (n,)."""
        absent = uuid == ABSENT
        if absent.any():
            uuid = uuid.copy()
            for each in np.unique(scope[absent]).tolist():
                uuid[absent & (scope == each)] = self._state.default_track(each)
        # Most neighbors stand on one track: only where it changes it is looked up.
        changes = np.flatnonzero(np.append(True, uuid[1:] != uuid[:-1]))
        known, where = np.unique(uuid[changes], return_inverse=True)
        numbers = [self._tracks.setdefault(each, len(self._tracks)) for each in known.tolist()]
        of_change = np.array(numbers, dtype=np.int64)[where]
        return np.repeat(of_change, np.diff(np.append(changes, len(uuid))))

    def _places(self) -> tuple[Int, Int]:
        """The process (as a text) and the thread of each track, -1 where it has none."""
        process, thread = [], []
        for uuid in self._tracks:
            pid = tid = None
            seen: set[int] = set()
            # A track without a thread stands below one that has it, or is of its process alone.
            while uuid in self._state.tracks and uuid not in seen and pid is None:
                seen.add(uuid)
                track = self._state.tracks[uuid]
                pid, tid = track.pid, track.tid if tid is None else tid
                uuid = track.parent  # noqa: PLW2901 -- climbs
            process.append(self._state.texts.number(str(pid).encode()))
            thread.append(NONE if tid is None else tid)
        return np.array(process, dtype=np.int64), np.array(thread, dtype=np.int64)

    # ------------------------------------------------------------------ stages of GPUs

    def _add_stages(self, piece: Piece, scope: Int, time: Int, event: Int) -> None:
        stages = piece.tables["stages"]
        packet = stages["packet"]
        of_packet = scope[packet]
        stage = self._state.look_up(STAGES, of_packet, stages["stage"])
        kernel = self._state.look_up(KERNELS, of_packet, stages["kernel"])
        kind = self._kinds_of_stages(stage, kernel)
        kept = kind >= EventKind.KERNEL
        if not kept.any():
            return
        # A slice is called as its event says, else like its kernel, else like its stage.
        name = self._texts(piece, NAMES, of_packet, stages, "name", only=kept)
        name = np.where(name >= 0, name, np.where(kernel >= 0, kernel, stage))
        row_of = np.where(kept, np.cumsum(kept) - 1, NONE)
        of = stages.take(kept)
        rows = {
            **self._notes(piece, OF_STAGE, of_packet, row_of, of),
            "event": event[of["packet"]],
            "start_ns": time[of["packet"]],
            "dur_ns": of["duration"],
            "name": name[kept],
            "kind": kind[kept],
            "pid": of["gpu"],
            "tid": of["queue"],
            **{axis: of[axis] for axis in of.names if axis.startswith(("grid_", "block_"))},
        }
        none = np.full(int(kept.sum()), NONE, dtype=np.int64)
        cells = [rows.get(column, none) for column in COLUMNS["launches"]]
        self._give({"launches": Rows(np.array(cells, dtype=np.int64), COLUMNS["launches"])})

    def _add_counters(self, counters: Rows, scope: Int, time: Int) -> None:
        """Samples of counters that are described; what nobody measured is left out."""
        packet = counters["packet"]
        columns = (counters["descriptor"], counters["counter"], counters["gpu"], scope[packet])
        # A counter is told by its number in the description that its sequence numbers.
        key = np.stack(columns, axis=1)
        known, which = np.unique(key, axis=0, return_inverse=True)
        which = which.ravel()
        value = counters["value"]
        is_double = counters["value_kind"] == DOUBLE
        number = np.where(is_double, value.view(np.float64), value.astype(np.float64))
        usable = (counters["value_kind"] >= 0) & np.isfinite(number)
        for at, (descriptor, counter, gpu, of) in enumerate(known.tolist()):
            described = self._state.descriptors.get((of, descriptor))
            name = None if described is None else described.names.get(counter)
            if described is None or name is None or name.startswith(DERIVED):
                continue
            device = next((each for each in (gpu, described.gpu) if each not in {None, NONE}), 0)
            if not 0 <= device <= LARGEST_PLACE:
                continue
            mine = (which == at) & usable
            rows = zip(time[packet][mine].tolist(), number[mine].tolist(), strict=True)
            self._samples += [Sample(name, device, *row) for row in rows]

    def _kinds_of_stages(self, stage: Int, kernel: Int) -> Int:
        """Kinds of events by the names of their stages; what names a kernel is one."""
        kind = np.full(len(stage), EventKind.NOTHING, dtype=np.int64)
        for each in np.unique(stage).tolist():
            name = self._state.texts.text(each) or "without a name"
            category = CATEGORY_OF_STAGE.get(name)
            if category is not None:
                kind[stage == each] = self._kinds[category]
            else:
                left_out = (stage == each) & (kernel < 0)
                self.stages_left_out[name] += int(left_out.sum())
        kind[(kind == EventKind.NOTHING) & (kernel >= 0)] = EventKind.KERNEL
        return kind

    # ------------------------------------------------------------------ texts and notes

    def _texts(
        self,
        piece: Piece,
        kind: int,
        scope: Int,
        rows: Rows,
        column: str,
        *,
        only: Bool | None = None,
    ) -> Int:
        """Numbers of texts that rows name by number or write out, -1 for none; (rows,)."""
        found = self._state.look_up(kind, scope, rows[column])
        at, size = rows[f"{column}_at"], rows[f"{column}_size"]
        written = (at >= 0) if only is None else (at >= 0) & only
        for row in np.flatnonzero(written).tolist():
            found[row] = self._state.texts.number(piece.text(int(at[row]), int(size[row])))
        return found

    def _notes(self, piece: Piece, of: int, scope: Int, row_of: Int, rows: Rows) -> dict[str, Int]:
        """What notes say of the rows that are kept: ids, and numbers of texts; (rows,)."""
        has = SLICE_IDS if of == OF_SLICE else STAGE_IDS
        none = np.full(len(rows), NONE, dtype=np.int64)
        said = {
            # Ids below -1 are none, as in Kineto's JSON.
            column: np.maximum(rows[f"id_{key}"], NONE) if key < has else none
            for key, column in enumerate(_IDS.values())
        } | {name: none.copy() for name in (_KERNEL, "detail", "note")}
        notes = piece.tables["notes"]
        mine = notes["of"] == of
        mine[mine] = row_of[notes["row"][mine]] >= 0
        if not mine.any():
            return said
        # What is left are texts, odd values of ids, and notes with interned names.
        notes = notes.take(mine)
        owner, keys = row_of[notes["row"]], self._note_keys(notes, scope)
        exported: dict[int, list[Scalar]] = {}
        noted: dict[int, list[Scalar]] = {}
        for at in np.flatnonzero(keys >= 0).tolist():
            key, row = int(keys[at]), int(owner[at])
            value = self._value(piece, notes, at, scope)
            if key < has:
                said[_COLUMN_OF[key]][row] = self._id(value)
            elif key == _AT[_KERNEL] and isinstance(value, str) and value:
                said[_KERNEL][row] = self._state.texts.number(value.encode())
            elif key >= _FIRST_NOTED and key < _DETAILS:
                noted.setdefault(row, [None] * len(_NOTED))[key - _FIRST_NOTED] = value
            elif key >= _DETAILS:
                exported.setdefault(row, [None] * len(EXPORTED))[key - _DETAILS] = value
        for row, values in exported.items():
            said["detail"][row] = self._state.texts.number(tuple(values))
        for row, values in noted.items():
            said["note"][row] = self._state.texts.number(msgspec.json.encode(values))
        return said

    def _details_of(self, piece: Piece, slices: Rows, interned: Int) -> Int:
        """Numbers of what Inductor exports with ranges of kernels, -1 for none; (slices,)."""
        at, size = slices["detail_at"], slices["detail_size"]
        detail = interned.copy()
        rows = np.flatnonzero(at >= 0)
        for row, begin, end in zip(
            rows.tolist(), at[rows].tolist(), (at + size)[rows].tolist(), strict=True
        ):
            text = piece.data[begin:end]
            # The same kernel exports the same each time it runs.
            if text not in self._details:
                self._details[text] = self._state.texts.number(exported_in(text))
            detail[row] = self._details[text]
        return detail

    def _note_keys(self, notes: Rows, scope: Int) -> Int:
        """Positions in KEYS of the names of notes, -1 for others; (notes,)."""
        key = notes["key"]
        interned = key < 0
        if not interned.any():
            return key
        names = self._state.look_up(
            NOTE_NAMES, scope[notes["row"][interned]], notes["key_name"][interned]
        )
        known = {number: _AT.get(self._state.texts.text(number) or "", NONE)
                 for number in np.unique(names).tolist()}  # fmt: skip
        key = key.copy()
        key[interned] = [known[number] for number in names.tolist()]
        return key

    def _value(self, piece: Piece, notes: Rows, at: int, scope: Int) -> Scalar:
        """The value of one note, as JSON would hold it; None for what is no scalar."""
        kind, value = int(notes["value_kind"][at]), int(notes["value"][at])
        if kind == INTEGER:
            return value
        if kind == BOOLEAN:
            return bool(value)
        if kind == DOUBLE:
            return float(np.int64(value).view(np.float64))
        if kind == TEXT:
            text = piece.text(value, int(notes["size"][at])).decode("utf-8", "replace")
            # That is how torch writes null.
            return None if text == "null" else text
        if kind == TEXT_NAME:
            of = scope[notes["row"][at : at + 1]]
            number = self._state.look_up(NOTE_TEXTS, of, np.array([value], dtype=np.int64))
            return self._state.texts.text(int(number[0]))
        return None

    def _id(self, value: Scalar) -> int:
        """An id, -1 for none; one that is too large is none, and counted."""
        number = id_of(value)
        if number is None:
            self.left_out.too_large += 1
        return NONE if number is None else number

    def _kind_of(self, category: int) -> int:
        text = self._state.texts.text(category)
        return int(EventKind.NOTHING) if text is None else self._kinds[text]

    def _may_count(self, name: int) -> bool:
        """Whether a source frame has a role, or is a function in a file that tells places."""
        text = self._state.texts.text(name)
        if text is None:
            return False
        frame = frame_of(text)
        tells = frame is not None and (self._libraries or tells_places(frame))
        return tells or self._columns.met.has_role(text)


_LONGEST_US = 2**43  # longer than any duration that is used


def exported_in(annotations: bytes) -> tuple[Scalar, ...]:
    """What annotations, one after the other, say of a kernel, in the order of EXPORTED."""
    values: dict[str, Scalar] = {}
    for annotation in fields(annotations):
        if not annotation.is_of(4, BYTES):
            continue
        name = ""
        value: Scalar = None
        for field in fields(annotations, annotation.begin, annotation.end):
            text = annotations[field.begin : field.end] if field.wire == BYTES else b""
            if field.is_of(10, BYTES):
                name = text.decode("utf-8", "replace")
            elif field.is_of(2, VARINT):
                value = bool(field.value)
            elif field.wire == VARINT and field.number in {3, 4}:
                value = signed(field.value)
            elif field.is_of(5, FIXED64):
                value = float(np.array(field.value, dtype=np.uint64).view(np.float64))
            elif field.is_of(6, BYTES):
                # That is how torch writes null.
                value = None if text == b"null" else text.decode("utf-8", "replace")
        values[name] = value
    return tuple(values.get(name) for name in EXPORTED)


class _PerText:
    """Maps columns of numbers of texts, where `value` says once what becomes of each."""

    def __init__(self, value: Callable[[int], int]) -> None:
        self._value = value
        self._known: dict[int, int] = {}

    def __call__(self, column: Int) -> Int:
        if not len(column):
            return column
        # Few different texts stand in many rows: a table by number, -1 comes first.
        seen = np.flatnonzero(np.bincount(column + 1)) - 1
        table = np.zeros(int(seen[-1]) + 2, dtype=np.int64)
        for number in seen.tolist():
            if number not in self._known:
                self._known[number] = int(self._value(number))
            table[number + 1] = self._known[number]
        mapped: Int = table[column + 1]
        return mapped
