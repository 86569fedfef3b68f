"""Bytes of packets → rows, as the scanner in C makes them: a field at a time, in Python.

It reads where no scanner was built, and is what the scanner is held to, cell by cell. The tables
and the rules are told in _packets.c.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from sys import byteorder

from kernelmap.traces.perfetto.wire import (
    BYTES,
    FIXED64,
    VARINT,
    Damaged,
    Field,
    fields,
    signed,
    varint,
)

SLICE_IDS, STAGE_IDS = 4, 8
"""So many of the first keys are names of ids, which have columns of their own."""
TABLES = (
    ("packets", ("time",)),
    ("stretches", ("packet", "sequence", "cleared", "clock", "payload", "state")),
    ("states", ("packet", "at", "size")),
    ("interned", ("packet", "kind", "iid", "at", "size")),
    ("tracks", ("uuid",)),
    ("details", ("at", "size")),
    (
        "slices",
        (
            *("packet", "event", "track", "name", "name_at", "name_size"),
            *("category", "category_at", "category_size"),
            *("duration_us", "detail"),
            *(f"id_{key}" for key in range(SLICE_IDS)),
        ),
    ),
    ("ends", ("packet", "track", "slices")),
    (
        "stages",
        (
            *("packet", "event", "duration", "gpu", "queue", "stage"),
            *("name", "name_at", "name_size", "kernel"),
            *("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"),
            *(f"id_{key}" for key in range(STAGE_IDS)),
        ),
    ),
    ("counters", ("packet", "gpu", "descriptor", "counter", "value_kind", "value")),
    ("notes", ("of", "row", "key", "key_name", "value_kind", "value", "size")),
)
"""The columns of each table, in the order of the scanner.

A stretch is packets in a row that agree in all but their time, by its first one. `track` is a row
of `tracks`, `detail` one of `details`, `slices` how many of them stand before an end, `event` how
many packets with events stand before.
"""

INTEGER, DOUBLE, TEXT, TEXT_NAME, BOOLEAN, OTHER = range(6)
"""What stands in a column `value`: a number, bits, the place of a text or its interned number."""
OF_SLICE, OF_STAGE = range(2)
WHOLE, CUT, NO_PACKET = range(3)
"""Why there are no more packets: all are taken, the last one is cut, or none begins there."""
ABSENT, NO_TIME = -1, -(2**63)
BROKEN = -1
"""What a packet that cannot be read has in its column `state`."""

CLOCK_SNAPSHOT, TIMESTAMP, SEQUENCE, TRACK_EVENT = 6, 8, 10, 11
INTERNED, FLAGS, CLEARED, COMPRESSED = 12, 13, 41, 50
GPU_COUNTERS, GPU_STAGE, CLOCK, DEFAULTS, TRACK, GPU_INFO, ZSTD = 52, 53, 58, 59, 60, 128, 133
_STATE = frozenset((CLOCK_SNAPSHOT, CLEARED, COMPRESSED, DEFAULTS, TRACK, GPU_INFO))
CATEGORIES, NAMES, NOTE_NAMES, NOTE_TEXTS, STAGES, KERNELS = 1, 2, 3, 29, 24, 1000
_TEXT_FIELD = {CATEGORIES: 2, NAMES: 2, NOTE_NAMES: 2, NOTE_TEXTS: 2, STAGES: 2, KERNELS: 3}
"""What is interned, by its field of InternedData: the field of an entry that holds the text."""
_IID = 1
DESCRIPTORS = 47

_PACKET_NUMBERS = {TIMESTAMP: "time", SEQUENCE: "sequence", FLAGS: "flags", CLOCK: "clock"}
_SHARED = ("sequence", "cleared", "clock", "payload", "state")
_IS_CLEARED = 1  # of the flags of a packet
_DESCRIBED = 1  # the field of counters that describes them
_TRACK_SLOTS, _SLOT_SHIFT = 64, 6
_DETAIL_SLOTS, _LOOKED_AT = 256, 24
_SLICE_NUMBERS = {9: "type", 11: "track", 10: "name"}
_SLICE_BEGIN, _SLICE_END = 1, 2
_PHASES = {ord("B"): _SLICE_BEGIN, ord("X"): _SLICE_BEGIN, ord("E"): _SLICE_END}
_COMPLETE = ord("X")
_STAGE_NUMBERS = {
    2: "duration",
    11: "gpu",
    13: "queue",
    14: "stage",
    20: "name",
    19: "kernel",
}
_COUNTER_NUMBERS = {3: "gpu", 4: "descriptor"}
_AXES = "xyz"
_PACKET_TAG = 1 << 3 | BYTES
_LONGEST_VARINT = 10
_MOST_DIGITS = 18
_UNNAMED = -2  # what does not begin with a name

Row = dict[str, int]
Table = tuple[int, tuple[bytes | None, ...]]
"""How many rows, and the bytes of each column, None where all of it is absent."""


def scan(
    data: bytes, keys: tuple[bytes, ...], first_detail: int, most: int
) -> tuple[int, int, tuple[Table, ...]]:
    """As the scanner's `scan`: bytes taken, why there are no more packets, and the tables."""
    return _Scan(data, keys, first_detail).tables(most)


class _Scan:
    """Reads one piece; rows are dicts of cells until they are given away."""

    def __init__(self, data: bytes, keys: tuple[bytes, ...], first_detail: int) -> None:
        self._data, self._first_detail = data, first_detail
        self._keys = {key: at for at, key in enumerate(keys)}
        self._rows: dict[str, list[Row]] = {table: [] for table, _ in TABLES}
        self._events = 0  # packets that hold any
        self._track_in: dict[int, tuple[int, int]] = {}
        self._detail_in: dict[int, tuple[bytes, int]] = {}

    def tables(self, most: int) -> tuple[int, int, tuple[Table, ...]]:
        at, end = 0, WHOLE
        while at < len(self._data) and len(self._rows["packets"]) < most:
            place = self._place(at)
            if isinstance(place, int):
                end = place
                break
            self._add_packet(*place)
            at = place[1]
        return at, end, tuple(_table(self._rows[table], columns) for table, columns in TABLES)

    def _place(self, at: int) -> tuple[int, int] | int:
        """Where the packet at `at` has its fields; CUT or NO_PACKET where there is none."""
        data, end = self._data, len(self._data)
        try:
            tag, begin = varint(data, at, end)
        except Damaged:
            return CUT if end - at < _LONGEST_VARINT else NO_PACKET
        if tag != _PACKET_TAG:
            return NO_PACKET
        try:
            size, begin_ = varint(data, begin, end)
        except Damaged:
            return CUT if end - begin < _LONGEST_VARINT else NO_PACKET
        return CUT if size > end - begin_ else (begin_, begin_ + size)

    def _add(self, table: str, cells: Row) -> None:
        self._rows[table].append(cells)

    def _add_packet(self, begin: int, end: int) -> None:
        """Rows of one packet; one that is damaged has none but its own."""
        used = {table: len(rows) for table, rows in self._rows.items()}
        packet = used["packets"]
        row = self._empty(packet)
        try:
            self._read_packet(begin, end, row, packet)
        except Damaged:
            for table, count in used.items():
                if table not in {"tracks", "details"}:  # whose rows are remembered
                    del self._rows[table][count:]
            row = self._empty(packet, state=BROKEN)
        if row["state"] == 1:
            self._add("states", _row(packet=packet, at=begin, size=end - begin))
        self._add("packets", row)
        self._events += any(len(self._rows[of]) > used[of] for of in ("slices", "stages"))
        row["cleared"] = row["flags"] & _IS_CLEARED
        # Neighbors that change nothing and agree in all but their time are one stretch.
        if packet and not row["state"] and not row["cleared"]:
            last = self._rows["stretches"][-1]
            if all(row[column] == last[column] for column in _SHARED):
                return
        self._add("stretches", row)

    def _empty(self, packet: int, state: int = 0) -> Row:
        return _row(packet=packet, sequence=0, flags=0, time=NO_TIME, state=state)

    def _read_packet(self, begin: int, end: int, row: Row, packet: int) -> None:
        readers = {
            TRACK_EVENT: self._read_slice,
            GPU_STAGE: self._read_stage,
            GPU_COUNTERS: self._read_counters,
            INTERNED: self._read_interned,
        }
        for field in fields(self._data, begin, end):
            if field.wire == BYTES:
                # What a packet is about is the last of its messages that is no state.
                if field.number not in {INTERNED, DEFAULTS}:
                    row["payload"] = field.number
                # Counters and what is interned may describe counters: that is read as state.
                if field.number in readers and readers[field.number](field, packet):
                    row["state"] = 1
            elif field.wire == VARINT and field.number in _PACKET_NUMBERS:
                row[_PACKET_NUMBERS[field.number]] = signed(field.value)
            if field.number in _STATE:
                row["state"] = 1

    def _read_interned(self, message: Field, packet: int) -> bool:
        """A row for each text, up to where it is damaged; whether counters are described."""
        is_described = False
        try:
            for entry in fields(self._data, message.begin, message.end):
                if entry.wire != BYTES:
                    continue
                is_described |= entry.number == DESCRIPTORS
                if entry.number in _TEXT_FIELD:
                    row = _row(packet=packet, kind=entry.number, iid=0)
                    for field in fields(self._data, entry.begin, entry.end):
                        if field.is_of(_IID, VARINT):
                            row["iid"] = signed(field.value)
                        elif field.is_of(_TEXT_FIELD[entry.number], BYTES):
                            row["at"], row["size"] = field.begin, field.end - field.begin
                    self._add("interned", row)
        except Damaged:
            pass  # what stands before it holds
        return is_described

    def _row_of_track(self, uuid: int) -> int:
        """The row of a track in its table; of tracks that share a slot the last is remembered."""
        bits = uuid & (2**64 - 1)
        slot = (bits + (bits >> _SLOT_SHIFT)) % _TRACK_SLOTS
        known = self._track_in.get(slot)
        if known is None or known[0] != uuid:
            self._track_in[slot] = known = (uuid, len(self._rows["tracks"]))
            self._add("tracks", _row(uuid=uuid))
        return known[1]

    def _row_of_detail(self, begin: int, end: int) -> int:
        """The row of details in their table: equal bytes say the same."""
        detail = self._data[begin:end]
        mixed = len(detail)
        for byte in detail[:: len(detail) // _LOOKED_AT + 1]:
            mixed = (mixed * 31 + byte) % 2**32
        known = self._detail_in.get(mixed % _DETAIL_SLOTS)
        if known is None or known[0] != detail:
            known = (detail, len(self._rows["details"]))
            self._detail_in[mixed % _DETAIL_SLOTS] = known
            self._add("details", _row(at=begin, size=end - begin))
        return known[1]

    def _read_slice(self, message: Field, packet: int) -> bool:  # noqa: C901, PLR0912 -- a field a branch, as in C
        """A row for a begin or an end; notes of what is no begin are taken back."""
        owner, notes = len(self._rows["slices"]), len(self._rows["notes"])
        row, begin = _row(packet=packet, event=self._events), message.begin
        detail: tuple[int, int] | None = None
        for field in fields(self._data, message.begin, message.end):
            if field.is_of(4, BYTES):
                # From the first detail to the end of the last one: equal bytes say the same.
                key = self._first_key_of(field, 10)
                is_detail = key >= self._first_detail
                if key != ABSENT and not is_detail:
                    is_detail = self._read_annotation(field, row, owner)
                if is_detail:
                    detail = (begin if detail is None else detail[0], field.end)
            elif field.wire == VARINT and field.number in _SLICE_NUMBERS:
                row[_SLICE_NUMBERS[field.number]] = signed(field.value)
            elif field.is_of(23, BYTES):
                _set_text(row, "name", field)
            # Of several categories the first one counts.
            elif field.is_of(3, VARINT) and row["category"] == ABSENT:
                row["category"] = signed(field.value)
            elif field.is_of(22, BYTES) and row["category_at"] == ABSENT:
                _set_text(row, "category", field)
            elif field.is_of(6, BYTES):
                self._read_numbers(field, row, {2: "phase", 3: "duration_us"})
            begin = field.after
        type_ = row["type"] if row["type"] > 0 else _PHASES.get(row["phase"], ABSENT)
        if row["phase"] != _COMPLETE:
            row["duration_us"] = ABSENT
        if type_ in {_SLICE_BEGIN, _SLICE_END}:
            row["track"] = self._row_of_track(row["track"])
        if type_ == _SLICE_BEGIN:
            if detail is not None:
                row["detail"] = self._row_of_detail(*detail)
            self._add("slices", row)
            return False
        del self._rows["notes"][notes:]
        if type_ == _SLICE_END:
            self._add("ends", row)
            row["slices"] = owner
        return False

    def _read_stage(self, message: Field, packet: int) -> bool:
        owner = len(self._rows["stages"])
        row = _row(packet=packet, event=self._events)
        for field in fields(self._data, message.begin, message.end):
            if field.wire == VARINT and field.number in _STAGE_NUMBERS:
                row[_STAGE_NUMBERS[field.number]] = signed(field.value)
            elif field.is_of(6, BYTES):
                self._read_extra(field, row, owner)
            elif field.is_of(21, BYTES):
                for launch in fields(self._data, field.begin, field.end):
                    if launch.wire == BYTES and launch.number in {1, 2}:
                        what = "grid" if launch.number == 1 else "block"
                        axes = {at: f"{what}_{axis}" for at, axis in enumerate(_AXES, 1)}
                        self._read_numbers(launch, row, axes)
            elif field.is_of(17, BYTES):
                _set_text(row, "name", field)
        self._add("stages", row)
        return False

    def _read_counters(self, message: Field, packet: int) -> bool:
        """A row for each sample; whether counters are described."""
        about = {"gpu": ABSENT, "descriptor": ABSENT}
        samples, is_described = [], False
        for field in fields(self._data, message.begin, message.end):
            if field.wire == VARINT and field.number in _COUNTER_NUMBERS:
                about[_COUNTER_NUMBERS[field.number]] = signed(field.value)
            elif field.is_of(_DESCRIBED, BYTES):
                is_described = True
            elif field.is_of(2, BYTES):
                samples.append(_row(packet=packet))
                self._read_sample(field, samples[-1])
        for row in samples:
            self._add("counters", row | about)
        return is_described

    def _read_sample(self, message: Field, row: Row) -> None:
        for field in fields(self._data, message.begin, message.end):
            if field.is_of(1, VARINT):
                row["counter"] = signed(field.value)
            elif field.is_of(2, VARINT):
                row.update(value_kind=INTEGER, value=signed(field.value))
            elif field.is_of(3, FIXED64):
                row.update(value_kind=DOUBLE, value=signed(field.value))

    def _read_numbers(self, message: Field, row: Row, columns: dict[int, str]) -> None:
        for field in fields(self._data, message.begin, message.end):
            if field.wire == VARINT and field.number in columns:
                row[columns[field.number]] = signed(field.value)

    def _read_annotation(self, message: Field, row: Row, owner: int) -> bool:
        """Put one annotation where it belongs; whether it is a detail, which stays where it is."""
        name: Field | None = None
        name_id, value = 0, (OTHER, ABSENT, ABSENT)
        for field in fields(self._data, message.begin, message.end):
            if field.is_of(10, BYTES):
                name = field
            elif field.is_of(1, VARINT):
                name_id = signed(field.value)
            elif field.is_of(2, VARINT):
                value = (BOOLEAN, int(field.value != 0), ABSENT)
            elif field.wire == VARINT and field.number in {3, 4}:
                value = (INTEGER, signed(field.value), ABSENT)
            elif field.is_of(5, FIXED64):
                value = (DOUBLE, signed(field.value), ABSENT)
            elif field.is_of(6, BYTES):
                value = (TEXT, field.begin, field.end - field.begin)
            elif field.is_of(17, VARINT):
                value = (TEXT_NAME, signed(field.value), ABSENT)
            # Of a list or an object the place of the whole annotation is kept.
            elif field.wire == BYTES and field.number in {11, 12}:
                value = (OTHER, message.begin, message.end - message.begin)
        return self._add_note(OF_SLICE, row, owner, name, name_id, value)

    def _read_extra(self, message: Field, row: Row, owner: int) -> None:
        name: Field | None = None
        value = (OTHER, ABSENT, ABSENT)
        key = self._first_key_of(message, 1)
        if key == ABSENT or key >= self._first_detail:
            return
        for field in fields(self._data, message.begin, message.end):
            if field.is_of(1, BYTES):
                name = field
            elif field.is_of(2, BYTES):
                number = _decimal(self._data[field.begin : field.end])
                value = (TEXT, field.begin, field.end - field.begin)
                if number is not None:
                    value = (INTEGER, number, ABSENT)
        self._add_note(OF_STAGE, row, owner, name, 0, value)

    def _first_key_of(self, message: Field, of_name: int) -> int:
        """The key of the name that a note begins with, ABSENT if that is no key; else _UNNAMED.

        The rest of a note is not looked at if its name is no key, or is that of a detail.
        """
        try:
            first = next(fields(self._data, message.begin, message.end), None)
        except Damaged:
            return _UNNAMED
        if first is None or not first.is_of(of_name, BYTES):
            return _UNNAMED
        return self._keys.get(self._data[first.begin : first.end], ABSENT)

    def _add_note(
        self, of: int, row: Row, owner: int, name: Field | None, name_id: int, value: Sequence[int]
    ) -> bool:
        """The rules of the scanner's `add_note`; whether the note is a detail."""
        key = None if name is None else self._keys.get(self._data[name.begin : name.end])
        if key is None and (name is not None or not name_id):
            return False
        if key is not None and key >= self._first_detail:
            return True
        ids = SLICE_IDS if of == OF_SLICE else STAGE_IDS
        if key is not None and key < ids and value[0] == INTEGER:
            row[f"id_{key}"] = value[1]
            return False
        note = _row(of=of, row=owner, value_kind=value[0], value=value[1], size=value[2])
        note.update({"key_name": name_id} if key is None else {"key": key})
        self._add("notes", note)
        return False


def _row(**cells: int) -> Row:
    """A row of which all other cells are absent."""
    return defaultdict(lambda: ABSENT, cells)


def _set_text(row: Row, column: str, field: Field) -> None:
    row[f"{column}_at"], row[f"{column}_size"] = field.begin, field.end - field.begin


def _decimal(text: bytes) -> int | None:
    """A number as torch writes it: digits, without zeros before them, that fit easily."""
    plain = text.isdigit() and len(text) <= _MOST_DIGITS and (text[:1] != b"0" or text == b"0")
    return int(text) if plain else None


def _table(rows: Sequence[Row], columns: Sequence[str]) -> Table:
    return len(rows), tuple(_bytes([row[column] for row in rows]) for column in columns)


def _bytes(cells: Sequence[int]) -> bytes | None:
    """A column; None where all of it is absent."""
    if all(cell == ABSENT for cell in cells):
        return None
    return b"".join(cell.to_bytes(8, byteorder, signed=True) for cell in cells)
