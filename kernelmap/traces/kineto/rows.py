"""Rows of events → columns, whether the scanner in C made them or plain_scan.py did.

Texts come as numbers that the scanner gave them; each is looked at once, in the order of the file,
and gets a number that does not depend on who read which stretch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from kernelmap.model.trace import NONE, Int
from kernelmap.traces.columns import Numbers, are_times, places
from kernelmap.traces.kineto.events import Scalar
from kernelmap.traces.kineto.frame_names import frame_of, tells_places
from kernelmap.traces.kineto.native_scan import Rows, Scanned, SparseRows, Texts
from kernelmap.traces.kineto.notes import BARE_NAMES, name_of_note, read_note
from kernelmap.traces.kineto.values import ACTIVITY, TABLES, Met, bounded, range_kinds

AnyRows = Rows | SparseRows
_HALF_BITS = 32
_HALF = 1 << _HALF_BITS
# No number that is ever given out.
_UNSEEN = -(2**63)
_FIRST_ROWS = 1 << 12  # that are put in order first, for the texts that they name
# The index is the kind of an event, the value the activity of its launch; 0 where it is no launch.
_ACTIVITIES = np.array([ACTIVITY.get(kind, 0) for kind in range(max(ACTIVITY) + 1)])


class RowColumns:
    """Turns what a scanner gave into columns; what they number and count goes into `met`."""

    def __init__(self, met: Met, scan: Texts, *, libraries: bool = False) -> None:
        """`libraries`: functions of libraries are kept, too."""
        self.met, self._libraries = met, libraries
        self._scan = scan
        self._names = {table: self._renumbered(met.names[table]) for table in TABLES}
        self._device_names = self._renumbered(met.device_names, absent=NONE)
        self._pids = self._renumbered(met.pids, absent=NONE)
        self._frame_pids = self._renumbered(met.frame_pids)
        self._threads = _Renumbering(lambda text: met.thread(str(scan.text(text))))
        self._details = _Renumbering(self._detail)
        self._notes = _Renumbering(self._note)
        self._bare = _Renumbering(lambda text: int(scan.text(text) in BARE_NAMES))
        self._spells = _Renumbering(self._spells_name)
        self._launch_names = _Renumbering(self._launch_name)
        self._roles = _Renumbering(lambda text: int(met.has_role(scan.text(text))))
        self._function_names = _Renumbering(self._function_name)

    def tables(self, scanned: Scanned, first: int) -> dict[str, dict[str, Int]]:
        """Columns by table; `first` is the number of the stretch's first event in the file."""
        make = {
            "ranges": self._ranges,
            "apis": self._apis,
            "launches": self._launches,
            "frames": self._frames,
        }
        tables = {}
        for table, rows in scanned.tables.items():
            # Source frames go into two tables: those of functions in files, for places of launches,
            # and those with a role. A frame may be in both.
            if table == "frames" and len(rows):
                tables["functions"] = self._functions(rows)
                rows = rows.take(self._roles(rows["name"]) > 0)  # noqa: PLW2901 -- a part of them
            if not len(rows):
                continue
            # Events without a usable time are counted here and dropped; frames
            # without a role are not counted.
            rows = rows.take(self.met.timed(rows["start_ns"], rows["dur_ns"]))  # noqa: PLW2901 -- as above
            if not len(rows):
                continue
            tables[table] = {
                "start_ns": rows["start_ns"],
                "dur_ns": rows["dur_ns"],
                # The scanner counts events within its stretch.
                "event": rows["event"] + first,
                "name_id": self._name_ids(table, rows),
                **make[table](rows),
            }
        return tables

    def _name_ids(self, table: str, rows: AnyRows) -> Int:
        """The numbers of names; what is noted of a copy or a fill says more than its own."""
        name = rows["name"]
        if table != "launches":
            return self._names[table](name)
        # Even numbers stand for notes, odd ones for names, -1 for none: so all names of the table
        # are numbered in the order of the file, however it was cut into stretches.
        note = np.where(self._bare(name) > 0, rows["note"], NONE)
        spells = self._spells(note) > 0
        return self._launch_names(np.where(spells, 2 * (note + 1), 2 * (name + 1) - 1))

    def _launch_name(self, number: int) -> int:
        """The number of a launch's name: its own, or what a note makes of it."""
        text = (number + 1) // 2 - 1
        is_note = number >= 0 and number % 2 == 0
        name = name_of_note(self._scan.noted(text)) if is_note else self._scan.text(text)
        return self.met.names["launches"][name]

    def _spells_name(self, note: int) -> int:
        return int(note != NONE and name_of_note(self._scan.noted(note)) is not None)

    def _note(self, pair: int) -> int:
        """The number of a note, and whether it stands beside a launch of a CUDA graph."""
        if pair == NONE:
            return NONE
        note = read_note(self._scan.noted(pair >> 1), in_graph=bool(pair & 1))
        return NONE if note is None else self.met.notes[note]

    def _ranges(self, rows: AnyRows) -> dict[str, Int]:
        return {
            **self._places(rows, self._pids),
            "external": _external(rows),
            "kind": range_kinds(rows["kind"]),
            "sequence": bounded(rows["sequence"], lowest=0),
            "detail_id": self._details(rows["detail"]),
        }

    def _apis(self, rows: AnyRows) -> dict[str, Int]:
        return {
            **self._places(rows, self._pids),
            "external": _external(rows),
            "correlation": bounded(rows["correlation"]),
            "device_name_id": self._device_names(rows["kernel"]),
            "capture": bounded(rows["capture"]),
        }

    def _launches(self, rows: AnyRows) -> dict[str, Int]:
        # 0 is a device and a stream, but no correlation id.
        device, large = places(bounded(rows["device"], lowest=0))
        self.met.left_out.too_large += large
        stream = bounded(rows["stream"], lowest=0)
        # Where a profiler shows a graph's nodes on streams of its own making, this is the real one.
        original = bounded(rows["original_stream"], lowest=0)
        graph, node = bounded(rows["graph"]), _whole_nodes(rows["graph"], rows["graph_node"])
        note = rows["note"]
        return {
            "activity": _ACTIVITIES[rows["kind"]],
            # In older files only the track tells: `pid` is the device there, and `tid` the stream.
            "device": places(_filled(device, rows["pid"]))[0],
            # Only files that we wrote say whose an activity is; elsewhere this
            # is -1 and found by correlation.
            "process": self._pids(rows["owner"]),
            "stream": _filled(np.where(original >= 0, original, stream), rows["tid"]),
            "correlation": bounded(rows["correlation"]),
            "external": _external(rows),
            "graph": graph,
            "graph_node": node,
            "note": self._notes(np.where(note >= 0, 2 * note + (node > 0), NONE)),
            "capture": bounded(rows["capture"]),
            "grid": _extents(rows, "grid"),
            "block": _extents(rows, "block"),
        }

    def _frames(self, rows: AnyRows) -> dict[str, Int]:
        return self._places(rows, self._frame_pids)

    def _functions(self, rows: AnyRows) -> dict[str, Int]:
        """Frames that tell places and when, of threads that have a number."""
        rows = rows.take(are_times(rows["start_ns"], rows["dur_ns"]))
        name = self._function_names(rows["name"])
        # A thread that is named by text cannot be joined with the threads of launches by number.
        kept = (name >= 0) & (rows["thread_name"] < 0)
        rows = rows.take(kept)
        return {
            "start_ns": rows["start_ns"],
            "dur_ns": rows["dur_ns"],
            "name_id": name[kept],
            "process": self._frame_pids(rows["process"]),
            "thread": rows["thread"],
        }

    def _function_name(self, text: int) -> int:
        """The number of a function's name; -1 where it is none that tells places."""
        name = self._scan.text(text)
        frame = None if name is None else frame_of(name)
        # The scanner is told of a name that says nothing, and drops its frames unread from now on.
        # A name with a role has to stay for the other table.
        if frame is None or not (self._libraries or tells_places(frame)):
            if text != NONE and not self.met.has_role(name):
                self._scan.drop_frames(text)
            return NONE
        return self.met.names["functions"][name]

    def _places(self, rows: AnyRows, pids: _Renumbering) -> dict[str, Int]:
        """The process and the thread of host events."""
        # -1 where the thread is a number; else the text that names
        # it, which gets a number below -1.
        named = rows["thread_name"]
        thread = rows["thread"]
        if (named >= 0).any():
            thread = thread.copy()
            thread[named >= 0] = self._threads(named[named >= 0])
        return {"process": pids(rows["process"]), "thread": thread}

    def _renumbered(
        self, numbers: Numbers[Scalar] | Numbers[str], absent: int | None = None
    ) -> _Renumbering:
        """As `numbers` counts texts; -1 is `absent`, or counts like a text."""
        table = cast("Numbers[Scalar]", numbers)

        def number(text: int) -> int:
            if text == NONE and absent is not None:
                return absent
            return table[self._scan.text(text)]

        return _Renumbering(number)

    def _detail(self, text: int) -> int:
        """The number of a record that is a text; -1 for none."""
        if text == NONE:
            return NONE
        return self.met.details.number(self._scan.exported(text))


class _Renumbering:
    """Maps columns of the scanner's numbers, where `number` says once what becomes of each."""

    def __init__(self, number: Callable[[int], int]) -> None:
        self._number = number
        # The index is the scanner's number of a text, plus 1; the value is the number that the text
        # has got here. The table grows as texts are met.
        self._of = np.full(1 << 8, _UNSEEN, dtype=np.int64)

    def __call__(self, column: Int) -> Int:
        if len(column) > 1 and not column.strides[0]:  # one number in all rows: nothing is there
            return np.full(len(column), self(column[:1])[0])
        places = column + 1  # -1 comes first
        more = int(places.max(initial=0)) + 1 - len(self._of)
        if more > 0:
            rest = np.full(more + len(self._of), _UNSEEN, dtype=np.int64)
            self._of = np.concatenate([self._of, rest])
        numbers: Int = self._of.take(places)
        # New texts are numbered in the order of the column, which is that of the file. Most are met
        # in the first rows, so few rows are put in order, and more if that was not all.
        looked_at = _FIRST_ROWS
        while len(new := np.flatnonzero(numbers == _UNSEEN)):
            for text in _in_order(places[new[:looked_at]], len(self._of)):
                self._of[text + 1] = self._number(text)
            numbers = self._of.take(places)
            looked_at *= 8
        return numbers


def _in_order(places: Int, most: int) -> list[int]:
    """The different texts of a column by their places, in the order of the column."""
    # Of several rows that write to one place the last one stays: so rows go there backwards.
    first = np.full(most, NONE, dtype=np.int64)
    first[places[::-1]] = np.arange(len(places))[::-1]
    met = np.flatnonzero(first >= 0)
    ordered: list[int] = (met[np.argsort(first[met])] - 1).tolist()
    return ordered


def _external(rows: AnyRows) -> Int:
    # The newer spelling of the key goes before the older one.
    column = bounded(rows["external"])
    return np.where(column >= 0, column, bounded(rows["external_old"]))


def _whole_nodes(graph: Int, node: Int) -> Int:
    """The ids of graph nodes, as a capture writes them: the graph's id above 32 bits of the node's.

    `cupti_monitor` leaves the upper half out, as it writes the graph's id beside it. A node whose
    own half is 0 is one as well.
    """
    is_half = (graph > 0) & (graph < _HALF >> 1) & (node >= 0) & (node < _HALF)
    return bounded(np.where(is_half, (np.where(is_half, graph, 0) << _HALF_BITS) | node, node))


def _filled(column: Int, track: Int) -> Int:
    return np.where(column >= 0, column, np.maximum(track, NONE))


def _extents(rows: AnyRows, what: str) -> Int:
    return np.stack([rows[f"{what}_{axis}"] for axis in "xyz"], axis=1)
