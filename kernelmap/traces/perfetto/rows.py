"""Rows of packets → rows of events, as the scanners of Kineto's JSON make them.

So everything behind them is one path: names, threads, links and counts are those of kineto/, and a
run that was written in both forms gives the same tables. Launches go there piece by piece. Host
events wait until the file is read, because only then their ends and their tracks are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from kernelmap.model.trace import NONE, Int
from kernelmap.traces.columns import ColumnParts
from kernelmap.traces.kineto.columns import Columns
from kernelmap.traces.kineto.counters import SampledRows
from kernelmap.traces.kineto.frame_names import frame_of, tells_places
from kernelmap.traces.kineto.native_scan import TABLE_OF, Rows, Scanned
from kernelmap.traces.kineto.plain_scan import COLUMNS
from kernelmap.traces.kineto.values import OTHER_DEVICES, EventKind, Kinds, LeftOut
from kernelmap.traces.perfetto.notes import KERNEL, exported_in, ids_and_texts
from kernelmap.traces.perfetto.packets import Piece
from kernelmap.traces.perfetto.plain_packets import ABSENT, OF_SLICE
from kernelmap.traces.perfetto.slices import pair_slices
from kernelmap.traces.perfetto.stages import StageRows, samples
from kernelmap.traces.perfetto.state import CATEGORIES, NAMES, State
from kernelmap.traces.perfetto.texts import PerText, table_of

_AT_ONCE = 1 << 18  # rows that go on together
_DEEPEST = 32  # of tracks below one another; programs have three or four
_KEPT = ("event", "slice", "name", "kind", "external", "external_old", "sequence", "detail",
         "correlation", "kernel")  # fmt: skip
_HOST_TABLES = ("ranges", "apis", "frames")


class EventRows:
    """Takes pieces with `add`, and gives what it can to `columns`; the rest with `finish`."""

    def __init__(self, columns: Columns, state: State, *, libraries: bool = False) -> None:
        """`libraries`: frames of names that say nothing are kept for a second look, too."""
        self.categories: Counter[str] = Counter()
        self.left_out = LeftOut()
        self._columns, self._state, self._libraries = columns, state, libraries
        self._kinds = Kinds()
        self._stages = StageRows(state, self._kinds)
        self._kind_of_category = PerText(self._kind_of)
        self._counts_as_frame = PerText(self._may_count)
        self._edges, self._kept = ColumnParts(), ColumnParts()
        self._details: dict[bytes, int] = {}
        self._tracks: dict[int, int] = {}
        self._events, self._slices = 0, 0

    @property
    def stages_left_out(self) -> Counter[str]:
        """Stages that are no kernel, copy or fill, by name."""
        return self._stages.left_out

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
            launches = self._stages.launches(piece, scope, time, event, self.left_out)
            if launches is not None:
                self._give({"launches": launches})
        if len(counters := piece.tables["counters"]):
            self._give({}, sampled=samples(self._state, counters, scope, time))

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

    def _give(
        self, tables: dict[str, Rows], total: int = 0, sampled: SampledRows | None = None
    ) -> None:
        """Hand rows on; events of the file have their numbers already."""
        empty = {
            name: Rows(np.zeros((len(columns), 0), dtype=np.int64), columns)
            for name, columns in COLUMNS.items()
        }
        # The columns number events from the first one of a stretch.
        for rows in tables.values():
            rows.cells[rows.names.index("event")] -= self._columns.events
        scanned = Scanned(self._state.texts, total, empty | tables, self.left_out, sampled)
        self._columns.add(scanned)
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
        table = table_of(self._state, piece, "slices", scope)
        category = table.texts(CATEGORIES, "category")
        self._count_categories(category)
        kind = self._kind_of_category(category)
        kept = (kind > EventKind.NOTHING) & (kind <= EventKind.FRAME)
        name = table.texts(NAMES, "name", kept)
        is_frame = kept & (kind == EventKind.FRAME)
        self._columns.has_frames |= bool(is_frame.any())
        if is_frame.any():
            kept &= ~is_frame | (self._counts_as_frame(name) > 0)
        if not kept.any():
            return
        notes = ids_and_texts(table, OF_SLICE, kept, self.left_out)
        slices = slices.take(kept)
        self._kept.add(
            event=event[slices["packet"]],
            slice=number[kept],
            name=name[kept],
            kind=kind[kept],
            external=notes["external"],
            external_old=notes["external_old"],
            sequence=notes["sequence"],
            correlation=notes["correlation"],
            kernel=notes[KERNEL],
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
            scopes, where = np.unique(scope[absent], return_inverse=True)
            defaults = [self._state.default_track(each) for each in scopes.tolist()]
            uuid[absent] = np.array(defaults, dtype=np.int64)[where]
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
            # A track without a thread stands below one that has it, or is of its process alone.
            for _ in range(_DEEPEST):
                track = self._state.tracks.get(uuid)
                if track is None or pid is not None:
                    break
                pid, tid, uuid = track.pid, track.tid, track.parent  # noqa: PLW2901 -- climbs
            process.append(self._state.texts.number(str(pid).encode()))
            thread.append(NONE if tid is None else tid)
        return np.array(process, dtype=np.int64), np.array(thread, dtype=np.int64)

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
