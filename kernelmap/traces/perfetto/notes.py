"""Notes of events in packets: which of them are read, and what they say.

Ids as torch writes them are columns already (plain_packets.py). Here are the others: texts, odd
spellings of ids, names and texts that are interned, lists and objects, and what Inductor exports
with the ranges of its kernels.
"""

from __future__ import annotations

import msgspec
import numpy as np

from kernelmap.model.trace import NONE, Bool, Int
from kernelmap.traces.columns import absent
from kernelmap.traces.kineto.events import Scalar
from kernelmap.traces.kineto.values import EXPORTED, NOTED, LeftOut, id_of
from kernelmap.traces.perfetto.packets import Keys
from kernelmap.traces.perfetto.plain_packets import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    NOTE_NAMES,
    NOTE_TEXTS,
    OF_SLICE,
    SLICE_IDS,
    STAGE_IDS,
    TEXT,
    TEXT_NAME,
)
from kernelmap.traces.perfetto.texts import PieceTable
from kernelmap.traces.perfetto.wire import BYTES, FIXED64, VARINT, Damaged, fields, signed

IDS = {
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
KERNEL = "kernel"
"""HIP's calls name the kernel that they launch."""
_NOTED = tuple(name.replace("_kind", " kind") for name in NOTED)
"""What torch's own tools write beside a launch, as packets spell it."""
_NAMES = (*IDS, KERNEL, *_NOTED, *EXPORTED)
_AT = {name: at for at, name in enumerate(_NAMES)}
_FIRST_NOTED, _DETAILS = _AT[_NOTED[0]], _AT[EXPORTED[0]]
KEYS = Keys(tuple(name.encode() for name in _NAMES), _DETAILS)
"""The names of notes that are read; what Inductor exports of a kernel are details."""
_COLUMN_OF = tuple(IDS.values())
_NULL = "null"  # how torch writes what JSON has as null
_DEEPEST = 32  # of lists in one another

Value = Scalar | list["Value"] | dict[str, "Value"]


class Notes:
    """The notes of slices or of stages of a piece that belong to some of its rows."""

    def __init__(self, table: PieceTable, of: int, keys: Keys, row_of: Int) -> None:
        """`row_of` are numbers of the table's rows, -1 for those that are not asked for."""
        self._state, self._piece = table.state, table.piece
        notes = table.piece.tables["notes"]
        mine = notes["of"] == of
        mine[mine] = row_of[notes["row"][mine]] >= 0
        self._notes = notes.take(mine)
        self.rows: Int = row_of[self._notes["row"]]
        self._scope: Int = table.scope[self._notes["row"]]
        self.keys = self._read_keys({name: at for at, name in enumerate(keys.names)})

    def _read_keys(self, known: dict[bytes, int]) -> Int:
        """Positions among the keys of the names of notes, -1 for others; (notes,)."""
        key = self._notes["key"]
        interned = key < 0
        if not interned.any():
            return key
        names = self._state.look_up(
            NOTE_NAMES, self._scope[interned], self._notes["key_name"][interned]
        )
        texts = self._state.texts
        of_name = {
            number: known.get((texts.text(number) or "").encode(), NONE)
            for number in np.unique(names).tolist()
        }
        key = key.copy()
        key[interned] = [of_name[number] for number in names.tolist()]
        return key

    def value(self, at: int) -> Value:
        """The value of one note, as JSON would hold it."""
        kind, value = int(self._notes["value_kind"][at]), int(self._notes["value"][at])
        size = int(self._notes["size"][at])
        if kind == INTEGER:
            return value
        if kind == BOOLEAN:
            return bool(value)
        if kind == DOUBLE:
            return float(np.int64(value).view(np.float64))
        if kind == TEXT:
            return _text(self._piece.text(value, size))
        if kind == TEXT_NAME:
            number = self._state.look_up(
                NOTE_TEXTS, self._scope[at : at + 1], np.array([value], dtype=np.int64)
            )
            return self._state.texts.text(int(number[0]))
        return value_in(self._piece.data, value, value + size) if value >= 0 else []


def ids_and_texts(table: PieceTable, of: int, kept: Bool, left_out: LeftOut) -> dict[str, Int]:
    """What notes say of the rows that are kept: ids, and numbers of texts; (kept rows,).

    Columns of which nothing is said are not there.
    """
    rows, texts = table.rows.take(kept), table.state.texts
    has = SLICE_IDS if of == OF_SLICE else STAGE_IDS
    said = {
        # Ids below -1 are none, as in Kineto's JSON.
        column: np.maximum(rows[f"id_{key}"], NONE)
        for key, column in enumerate(_COLUMN_OF[:has])
        if rows.has(f"id_{key}")
    }
    if not len(table.piece.tables["notes"]):
        return said
    for column in (*_COLUMN_OF[:has], KERNEL, "detail", "note"):
        said.setdefault(column, absent(len(rows)))
    # Notes name rows of the table; `row_of` is the row among those that are kept, -1 for others.
    notes = Notes(table, of, KEYS, np.where(kept, np.cumsum(kept) - 1, NONE))
    exported: dict[int, list[Value]] = {}
    noted: dict[int, list[Value]] = {}
    for at in np.flatnonzero(notes.keys >= 0).tolist():
        key, row, value = int(notes.keys[at]), int(notes.rows[at]), notes.value(at)
        if key < has:
            number = id_of(value) if not isinstance(value, list | dict) else NONE
            left_out.too_large += number is None
            said[_COLUMN_OF[key]][row] = NONE if number is None else number
        elif key == _AT[KERNEL] and isinstance(value, str) and value:
            said[KERNEL][row] = texts.number(value.encode())
        elif _FIRST_NOTED <= key < _DETAILS:
            noted.setdefault(row, [None] * len(_NOTED))[key - _FIRST_NOTED] = value
        elif key >= _DETAILS:
            exported.setdefault(row, [None] * len(EXPORTED))[key - _DETAILS] = value
    for row, values in exported.items():
        said["detail"][row] = texts.number(_scalars(values))
    for row, values in noted.items():
        said["note"][row] = texts.number(msgspec.json.encode(values))
    return said


def exported_in(annotations: bytes) -> tuple[Scalar, ...]:
    """What annotations, one after the other, say of a kernel, in the order of EXPORTED."""
    values: dict[str, Value] = {}
    for annotation in fields(annotations):
        if annotation.is_of(4, BYTES):
            name = ""
            # A note between details may have been passed over: where damaged, it says nothing.
            try:
                for field in fields(annotations, annotation.begin, annotation.end):
                    if field.is_of(10, BYTES):
                        name = annotations[field.begin : field.end].decode("utf-8", "replace")
            except Damaged:
                continue
            values[name] = value_in(annotations, annotation.begin, annotation.end)
    return _scalars([values.get(name) for name in EXPORTED])


def value_in(data: bytes, begin: int, end: int, depth: int = 0) -> Value:
    """The value of the annotation that stands there, as JSON would hold it.

    One without any is a list without items: of those torch writes nothing but the name.
    """
    value: Value = []
    several: list[Value] = []
    members: dict[str, Value] = {}
    if depth > _DEEPEST:
        return None
    try:
        for field in fields(data, begin, end):
            if field.is_of(2, VARINT):
                value = bool(field.value)
            elif field.is_of(3, VARINT) or field.is_of(4, VARINT):
                value = signed(field.value)
            elif field.is_of(5, FIXED64):
                value = float(np.array(field.value, dtype=np.uint64).view(np.float64))
            elif field.is_of(6, BYTES):
                value = _text(data[field.begin : field.end])
            elif field.is_of(12, BYTES):
                several.append(value_in(data, field.begin, field.end, depth + 1))
            elif field.is_of(11, BYTES):
                name = _name_in(data, field.begin, field.end)
                members[name] = value_in(data, field.begin, field.end, depth + 1)
    except Damaged:
        return None
    return several or members or value


def _name_in(data: bytes, begin: int, end: int) -> str:
    names = [data[f.begin : f.end] for f in fields(data, begin, end) if f.is_of(10, BYTES)]
    return names[-1].decode("utf-8", "replace") if names else ""


def _scalars(values: list[Value]) -> tuple[Scalar, ...]:
    return tuple(None if isinstance(value, list | dict) else value for value in values)


def _text(content: bytes) -> str | None:
    text = content.decode("utf-8", "replace")
    return None if text == _NULL else text
