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
from kernelmap.traces.columns import ColumnParts, absent
from kernelmap.traces.kineto.columns import Columns
from kernelmap.traces.kineto.counters import SampledRows
from kernelmap.traces.kineto.frame_names import frame_of, tells_places
from kernelmap.traces.kineto.native_scan import TABLE_OF, Scanned, SparseRows
from kernelmap.traces.kineto.plain_scan import COLUMNS
from kernelmap.traces.kineto.values import OTHER_DEVICES, EventKind, Kinds, LeftOut
from kernelmap.traces.perfetto.notes import KERNEL, exported_in, ids_and_texts
from kernelmap.traces.perfetto.packets import Piece
from kernelmap.traces.perfetto.plain_packets import ABSENT, CATEGORIES, NAMES, OF_SLICE
from kernelmap.traces.perfetto.slices import Edges, durations
from kernelmap.traces.perfetto.stages import StageRows, rows_of, samples
from kernelmap.traces.perfetto.state import State
from kernelmap.traces.perfetto.texts import PerText, table_of

_AT_ONCE = 1 << 18  # rows that go on together
_DEEPEST = 32  # of tracks below one another; programs have three or four
_KEPT = ("event", "name", "external", "external_old", "sequence", "detail", "correlation", "kernel")
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
        self._begins, self._ends, self._kept = _Parts(), _Parts(), _Parts()
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
        first = self._events
        for rows in (slices, stages):
            if len(rows):
                self._events = max(self._events, first + int(rows["event"][-1]) + 1)
        if len(slices) or len(ends):
            self._add_edges(piece, scope, time)
        if len(slices):
            self._add_slices(piece, scope, first)
        if len(stages):
            launches = self._stages.launches(
                piece, scope, time, first - self._columns.events, self.left_out
            )
            if launches is not None:
                self._give({"launches": launches})
        if len(counters := piece.tables["counters"]):
            self._give({}, sampled=samples(self._state, counters, scope, time))

    def finish(self) -> None:
        """Give host events to the columns, now that all ends are known."""
        begins, ends = (
            Edges(parts.take("track"), parts.take("time")) for parts in (self._begins, self._ends)
        )
        dur_ns = self._durations(begins, ends)
        process, thread = self._places()
        # Columns that no row has are not there.
        rows = {name: column for name in _KEPT if len(column := self._kept.take(name))}
        kind, of_slice = self._kept.take("kind"), self._kept.take("slice")
        track, start_ns = begins.track, begins.time
        if len(of_slice) < len(start_ns):
            track, start_ns, dur_ns = track[of_slice], start_ns[of_slice], dur_ns[of_slice]
        rows |= {
            "kind": kind,
            "start_ns": start_ns,
            "dur_ns": dur_ns,
            "process": process[track],
            "thread": thread[track],
        }
        for begin in range(0, len(kind), _AT_ONCE):
            part = {name: column[begin : begin + _AT_ONCE] for name, column in rows.items()}
            self._give(dict(_host_tables(part)))
        # What was counted as an event, and is none that has a table, counts all the same.
        self._give({}, total=self._events - self._columns.events)

    def _durations(self, begins: Edges, ends: Edges) -> Int:
        """How long each slice took, -1 where it has no end; (begins,)."""
        before, own_ns = self._ends.take("slices"), self._begins.take("own_ns")
        in_blocks = self._state.clocks.counts_since_1970
        if not len(own_ns):
            return durations(begins, ends, before, in_blocks=in_blocks)
        # Complete events stand among the begins with a duration of their own, and have no end.
        begun = own_ns < 0
        of_begun = np.append(0, np.cumsum(begun))[before]
        own_ns[begun] = durations(
            Edges(begins.track[begun], begins.time[begun]), ends, of_begun, in_blocks=in_blocks
        )
        return own_ns

    def _give(
        self, tables: dict[str, SparseRows], total: int = 0, sampled: SampledRows | None = None
    ) -> None:
        """Hand rows on, whose events count from those that were handed on before."""
        empty = {name: SparseRows(0, dict.fromkeys(columns)) for name, columns in COLUMNS.items()}
        scanned = Scanned(self._state.texts, total, empty | tables, self.left_out, sampled)
        self._columns.add(scanned)
        self.left_out = LeftOut()

    # ------------------------------------------------------------------ slices of threads

    def _add_edges(self, piece: Piece, scope: Int, time: Int) -> None:
        """Begins and ends, each in the order of the file, for the pairing."""
        slices, ends = piece.tables["slices"], piece.tables["ends"]
        own = slices["duration_us"] if slices.has("duration_us") else None
        if own is not None:
            own = np.where((own >= 0) & (own < _LONGEST_US), own * 1000, NONE)
        tracks = self._track_numbers(piece)
        self._begins.add(
            len(slices),
            track=self._tracks_of(slices, tracks, scope),
            time=time.take(slices["packet"]),
            own_ns=own,
        )
        self._ends.add(
            len(ends),
            track=self._tracks_of(ends, tracks, scope),
            time=time.take(ends["packet"]),
            slices=ends["slices"] + self._slices,
        )

    def _add_slices(self, piece: Piece, scope: Int, first: int) -> None:
        slices = piece.tables["slices"]
        # The number of each slice of the file, for the rows that are kept.
        number = np.arange(self._slices, self._slices + len(slices))
        self._slices += len(slices)
        table = table_of(self._state, piece, "slices", scope)
        category = table.texts(CATEGORIES, "category")
        self._count_categories(category)
        kind = self._kind_of_category(category)
        kept = (kind > EventKind.NOTHING) & (kind <= EventKind.FRAME)
        name = table.texts(NAMES, "name", kept)
        is_frame = kept & (kind == EventKind.FRAME)
        if is_frame.any():
            self._columns.has_frames = True
            kept &= ~is_frame | (self._counts_as_frame(name) > 0)
        if not kept.any():
            return
        notes = ids_and_texts(table, OF_SLICE, kept, self.left_out)
        slices = slices.take(kept)
        if len(slices) < len(kept):
            number, name, kind = number[kept], name[kept], kind[kept]
        self._kept.add(
            len(slices),
            event=slices["event"] + first,
            slice=number,
            name=name,
            kind=kind,
            external=notes.get("external"),
            external_old=notes.get("external_old"),
            sequence=notes.get("sequence"),
            correlation=notes.get("correlation"),
            kernel=notes.get(KERNEL),
            detail=self._details_of(piece, slices, notes.get("detail")),
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

    def _track_numbers(self, piece: Piece) -> Int:
        """Tracks of a piece by a number of their own, in the order in which they are met; (n,).

        -1 for the track of those that name none.
        """
        numbers = [
            NONE if uuid == ABSENT else self._tracks.setdefault(uuid, len(self._tracks))
            for uuid in piece.tables["tracks"]["uuid"].tolist()
        ]
        return np.array(numbers, dtype=np.int64)

    def _tracks_of(self, rows: SparseRows, numbers: Int, scope: Int) -> Int:
        """The numbers of the tracks of rows, (n,)."""
        track: Int = numbers.take(rows["track"])
        if (numbers < 0).any() and (absent := track < 0).any():
            scopes, where = np.unique(scope[rows["packet"]][absent], return_inverse=True)
            defaults = [
                self._tracks.setdefault(self._state.default_track(each), len(self._tracks))
                for each in scopes.tolist()
            ]
            track[absent] = np.array(defaults, dtype=np.int64)[where]
        return track

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

    def _details_of(self, piece: Piece, slices: SparseRows, interned: Int | None) -> Int | None:
        """Numbers of what Inductor exports with ranges of kernels, -1 for none; (slices,)."""
        if not slices.has("detail"):
            return interned
        details = piece.tables["details"]
        numbers = []
        for at, size in zip(details["at"].tolist(), details["size"].tolist(), strict=True):
            text = piece.text(at, size)
            # The same kernel exports the same each time it runs.
            if text not in self._details:
                self._details[text] = self._state.texts.number(exported_in(text))
            numbers.append(self._details[text])
        row = slices["detail"]
        return np.where(
            row >= 0, np.array(numbers, dtype=np.int64)[row], NONE if interned is None else interned
        )

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


class _Parts:
    """Columns that grow by a piece; one that no piece has takes no room, and is empty.

    They wait until the file is read, so each piece is kept as narrow as its values allow.
    """

    def __init__(self) -> None:
        self._parts, self._rows = ColumnParts(packed_at_once=1), 0
        self._has: set[str] = set()

    def add(self, count: int, **columns: Int | None) -> None:
        """Put columns behind what there is; None for one of which all is absent."""
        for name, column in columns.items():
            if column is None and name not in self._has:
                continue
            if name not in self._has and self._rows:
                self._parts.add(**{name: absent(self._rows)})
            self._has.add(name)
            self._parts.add(**{name: absent(count) if column is None else column})
        self._rows += count

    def take(self, name: str) -> Int:
        """The whole column; given away."""
        return self._parts.take(name)


# By the kind of an event the place of its table among those of the host, -1 for others.
_TABLE_OF_KIND = np.full(max(EventKind) + 1, NONE, dtype=np.int8)
for _kind, _table in TABLE_OF.items():
    if _table in _HOST_TABLES:
        _TABLE_OF_KIND[_kind] = _HOST_TABLES.index(_table)


def _host_tables(rows: dict[str, Int]) -> Iterator[tuple[str, SparseRows]]:
    table_of_row = _TABLE_OF_KIND[rows["kind"]]
    for place, name in enumerate(_HOST_TABLES):
        mine = np.flatnonzero(table_of_row == place)
        if len(mine):
            yield name, rows_of(name, rows, mine)


_LONGEST_US = 2**43  # longer than any duration that is used
