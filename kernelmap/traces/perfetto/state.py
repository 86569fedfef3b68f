"""What packets say that others mean: interned texts, tracks, defaults, GPUs; by sequence.

A sequence of packets numbers its texts anew whenever it says that its state is cleared. Each such
stretch is a scope here, and within a scope a number never changes its meaning; so whole columns are
looked up at once, whatever the order of packets in it.
"""

from __future__ import annotations

import msgspec
import numpy as np
from msgspec import Struct

from kernelmap.model.trace import NONE, Int
from kernelmap.traces.kineto.events import Scalar
from kernelmap.traces.perfetto.clocks import Clocks
from kernelmap.traces.perfetto.packets import Piece
from kernelmap.traces.perfetto.plain_packets import (
    CLEARED,
    CLOCK_SNAPSHOT,
    DEFAULTS,
    DESCRIPTORS,
    GPU_COUNTERS,
    GPU_INFO,
    INTERNED,
    TRACK,
)
from kernelmap.traces.perfetto.wire import BYTES, VARINT, Damaged, Field, fields, signed

_IID = 1
_INTERNED = ("kind", "iid", "at", "size")
_DENSE = 4  # numbers of texts up to so many times their count are looked up by place
_FEW = 8  # scopes of a piece are looked up one by one; files of many threads have more


class FileTexts:
    """The texts of a file, numbered; what Kineto's columns know as a scanner."""

    def __init__(self) -> None:
        self._numbers: dict[bytes | tuple[Scalar, ...], int] = {}
        self._all: list[bytes | tuple[Scalar, ...]] = []

    def __len__(self) -> int:
        return len(self._all)

    def number(self, value: bytes | tuple[Scalar, ...]) -> int:
        """The number of a text, or of what Inductor exports of a kernel."""
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self._all)
            self._all.append(value)
        return number

    def text(self, number: int) -> str | None:
        """What a text says, by its number; None for -1."""
        value = None if number == NONE else self._all[number]
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else None

    def exported(self, number: int) -> tuple[Scalar, ...]:
        """What Inductor exports of a kernel, in the order of EXPORTED, by its number."""
        value = self._all[number]
        return value if isinstance(value, tuple) else ()

    def noted(self, number: int) -> bytes:
        """What a backend says of a launch, a JSON list, by its number."""
        value = self._all[number]
        return value if isinstance(value, bytes) else b"[]"

    def drop_frames(self, number: int) -> None:
        """Nothing to do: frames whose names say nothing are left out before they get here."""


class Track(Struct, frozen=True):
    """Where events stand: a thread, a process, or another track below one of these."""

    parent: int = 0
    pid: int | None = None
    tid: int | None = None
    name: str | None = None


class _Interned:
    """Numbers of the texts of one scope and kind, by interned number."""

    def __init__(self) -> None:
        self._of: dict[int, int] = {}
        self._sorted: tuple[Int, Int] | None = None
        self._by_place: Int | None = None

    def to_fill(self) -> dict[int, int]:
        """Numbers of texts by interned number, for more of them."""
        self._sorted = self._by_place = None
        return self._of

    def get(self, iid: int) -> int:
        return self._of.get(iid, NONE)

    def look_up(self, iids: Int) -> Int:
        """Numbers of texts, -1 for what is not interned; (n,)."""
        if not self._of:
            return np.full(len(iids), NONE, dtype=np.int64)
        if self._sorted is None:
            known = np.fromiter(self._of, dtype=np.int64, count=len(self._of))
            values = np.fromiter(self._of.values(), dtype=np.int64, count=len(self._of))
            order = np.argsort(known)
            self._sorted = known[order], values[order]
            self._by_place = self._placed()
        known, values = self._sorted
        if self._by_place is not None:
            # The last place is that of what is not interned; negative numbers are large without
            # their sign.
            last = np.uint64(len(self._by_place) - 1)
            return self._by_place.take(np.minimum(iids.view(np.uint64), last).view(np.int64))
        at = np.minimum(np.searchsorted(known, iids), len(known) - 1)
        return np.where(known[at] == iids, values[at], NONE)

    def _placed(self) -> Int | None:
        """Numbers of texts by interned number, and -1 behind them; None where they are sparse."""
        known, values = self._sorted or (np.zeros(0, dtype=np.int64),) * 2
        if known[0] < 0 or known[-1] > _DENSE * len(known) + 64:
            return None
        placed = np.full(int(known[-1]) + 2, NONE, dtype=np.int64)
        placed[known] = values
        return placed


class Descriptor(Struct, frozen=True):
    """What the counters of a GPU are called, by their numbers."""

    gpu: int | None
    names: dict[int, str]


class State:
    """Takes pieces in order with `read`; then looks up what their rows name."""

    def __init__(self) -> None:
        self.texts = FileTexts()
        self.tracks: dict[int, Track] = {}
        self.clocks = Clocks()
        self.gpus: list[str] = []
        self.descriptors: dict[tuple[int, int], Descriptor] = {}
        self._interned: dict[tuple[int, int], _Interned] = {}
        self._default_track: dict[int, int] = {}
        self._scope: dict[int, int] = {}
        self._scopes = 0

    def read(self, piece: Piece) -> Int:
        """Take what changes with this piece; the scope of each of its packets, (packets,)."""
        states, stretches = piece.tables["states"], piece.tables["stretches"]
        of_stretch = self._scopes_of(piece)
        scope = piece.per_packet(of_stretch)
        self._intern(piece, scope)
        rows = states["packet"]
        # A packet that is state is a stretch by itself.
        sequence = stretches["sequence"][np.searchsorted(stretches["packet"], rows)]
        columns = (rows, states["at"], states["size"], scope[rows], sequence)
        for row, begin, size, of, sequence in zip(*(c.tolist() for c in columns), strict=True):
            try:
                self._read_packet(
                    piece.data, begin, begin + size, row=row, scope=of, sequence=sequence
                )
            except Damaged:
                continue  # a message in it that only Python reads; the rest of the packet holds
        return scope

    def look_up(self, kind: int, scope: Int, iids: Int) -> Int:
        """Numbers of interned texts, -1 for those that are not there; (n,)."""
        if not len(iids):
            return iids
        if not scope.strides[0] or scope.min() == scope.max():
            return self._interned.get((int(scope[0]), kind), _Interned()).look_up(iids)
        scopes = np.flatnonzero(np.bincount(scope - scope.min())) + scope.min()
        if len(scopes) > _FEW:
            tables = {int(each): self._interned.get((int(each), kind)) for each in scopes}
            return np.array(
                [
                    NONE if (table := tables[of]) is None else table.get(iid)
                    for of, iid in zip(scope.tolist(), iids.tolist(), strict=True)
                ],
                dtype=np.int64,
            )
        found = np.full(len(iids), NONE, dtype=np.int64)
        for each in scopes.tolist():
            known = self._interned.get((each, kind))
            if known is not None:
                found[scope == each] = known.look_up(iids[scope == each])
        return found

    def default_track(self, scope: int) -> int:
        """The track of events that name none; 0 where the sequence has none either."""
        return self._default_track.get(scope, 0)

    def _scopes_of(self, piece: Piece) -> Int:
        """The scope of each stretch: one more whenever the state of its sequence is cleared."""
        stretches, states = piece.tables["stretches"], piece.tables["states"]
        sequence = stretches["sequence"]
        if not len(sequence):
            return sequence
        # Packets that clear it begin a stretch, as those do that are marked.
        cleared = stretches["cleared"] > 0
        # An older field says the same; only packets that are marked may have it.
        rows = np.searchsorted(stretches["packet"], states["packet"])
        columns = (rows, states["at"], states["size"])
        for row, begin, size in zip(*(column.tolist() for column in columns), strict=True):
            cleared[row] |= _says_cleared(piece.data, begin, begin + size)
        first_sequence = int(sequence[0])
        if (
            first_sequence in self._scope
            and not cleared.any()
            and (sequence == first_sequence).all()
        ):
            return np.full(len(sequence), self._scope[first_sequence], dtype=np.int64)
        # One group of stretches per sequence, in order; `of_group` counts the groups from 0.
        order = np.argsort(sequence, kind="stable")
        grouped = sequence[order]
        begins = np.append(True, grouped[1:] != grouped[:-1])
        of_group = np.cumsum(begins) - 1
        sequences = grouped[begins].tolist()
        # Scopes that stretches of this piece begin are numbered behind all others.
        number = self._scopes + len(sequences) + np.cumsum(cleared[order]) - 1
        for at, each in enumerate(sequences):
            self._scope.setdefault(each, self._scopes + at)
        held = np.array([self._scope[each] for each in sequences], dtype=np.int64)
        # The last stretch of the group up to here that cleared its state; -1 for none.
        place = np.where(cleared[order], np.arange(len(order)), NONE)
        last = np.maximum.accumulate(place)
        first = np.flatnonzero(begins)[of_group]
        of_order = np.where(last >= first, number[np.maximum(last, 0)], held[of_group])
        self._scopes += len(sequences) + int(cleared.sum())
        for group, end in enumerate(np.append(np.flatnonzero(begins)[1:], len(order)).tolist()):
            self._scope[sequences[group]] = int(of_order[end - 1])
        scope = np.empty(len(order), dtype=np.int64)
        scope[order] = of_order
        return scope

    def _read_packet(
        self, data: bytes, begin: int, end: int, *, row: int, scope: int, sequence: int
    ) -> None:
        for field in fields(data, begin, end):
            if field.wire != BYTES:
                continue
            if field.number == INTERNED:
                self._read_descriptors(data, field, scope)
            elif field.number == TRACK:
                self._read_track(data, field)
            elif field.number == CLOCK_SNAPSHOT:
                self.clocks.read_snapshot(data, field, row, sequence)
            elif field.number == DEFAULTS:
                self._read_defaults(data, field, row, scope, sequence)
            elif field.number == GPU_COUNTERS:
                self._read_described(data, field, scope)
            elif field.number == GPU_INFO:
                self.gpus += [
                    _text_of(data, gpu, 1) or ""
                    for gpu in fields(data, field.begin, field.end)
                    if gpu.is_of(1, BYTES)
                ]

    def _intern(self, piece: Piece, scope: Int) -> None:
        """Take the texts that packets of a piece intern, by the scopes of its packets."""
        interned = piece.tables["interned"]
        of_row = scope[interned["packet"]]
        columns = (of_row, *(interned[name] for name in _INTERNED))
        last, numbers, number, data = None, {}, self.texts.number, piece.data
        for of, kind, iid, at, size in zip(*(c.tolist() for c in columns), strict=True):
            if last != (of, kind):
                last = of, kind
                numbers = self._interned.setdefault(last, _Interned()).to_fill()
            # A number keeps its first meaning: the others are damage.
            if iid not in numbers:
                numbers[iid] = number(data[at : at + size] if size > 0 else b"")

    def _read_descriptors(self, data: bytes, message: Field, scope: int) -> None:
        for entry in fields(data, message.begin, message.end):
            if entry.is_of(DESCRIPTORS, BYTES):
                self._read_descriptor(data, entry, scope)

    def _read_descriptor(self, data: bytes, message: Field, scope: int) -> None:
        iid, gpu, names = 0, None, {}
        for field in fields(data, message.begin, message.end):
            if field.is_of(_IID, VARINT):
                iid = signed(field.value)
            elif field.is_of(3, VARINT):
                gpu = signed(field.value)
            elif field.is_of(2, BYTES):
                names = _counter_names(data, field)
        self.descriptors.setdefault((scope, iid), Descriptor(gpu, names))

    def _read_described(self, data: bytes, message: Field, scope: int) -> None:
        """Counters that are described with their samples; the number of such a description is 0."""
        for field in fields(data, message.begin, message.end):
            if field.is_of(1, BYTES):
                self.descriptors.setdefault(
                    (scope, NONE), Descriptor(None, _counter_names(data, field))
                )

    def _read_track(self, data: bytes, message: Field) -> None:
        uuid, track = 0, Track()
        for field in fields(data, message.begin, message.end):
            if field.is_of(1, VARINT):
                uuid = signed(field.value)
            elif field.is_of(5, VARINT):
                track = msgspec.structs.replace(track, parent=signed(field.value))
            elif field.wire == BYTES and field.number in {2, 10, 13}:
                name = data[field.begin : field.end].decode("utf-8", "replace")
                track = msgspec.structs.replace(track, name=name)
            elif field.is_of(3, BYTES):
                pid = _number_of(data, field, 1)
                track = msgspec.structs.replace(track, pid=pid)
            elif field.is_of(4, BYTES):
                pid, tid = _number_of(data, field, 1), _number_of(data, field, 2)
                track = msgspec.structs.replace(track, pid=pid, tid=tid)
        # A description that is sent again may say less than the first one.
        self.tracks.setdefault(uuid, track)

    def _read_defaults(
        self, data: bytes, message: Field, row: int, scope: int, sequence: int
    ) -> None:
        for field in fields(data, message.begin, message.end):
            if field.is_of(58, VARINT):
                self.clocks.set_default(row, sequence, signed(field.value))
            elif field.is_of(11, BYTES):
                track = _number_of(data, field, 11)
                if track is not None:
                    self._default_track[scope] = track


def _says_cleared(data: bytes, begin: int, end: int) -> bool:
    return any(
        field.is_of(CLEARED, VARINT) and field.value > 0 for field in fields(data, begin, end)
    )


def _number_of(data: bytes, message: Field, number: int) -> int | None:
    """The number that a field of a message holds; None where it has none."""
    found = None
    for field in fields(data, message.begin, message.end):
        if field.is_of(number, VARINT):
            found = signed(field.value)
    return found


def _text_of(data: bytes, message: Field, number: int) -> str | None:
    """The text that a field of a message holds; None where it has none."""
    found = None
    for field in fields(data, message.begin, message.end):
        if field.is_of(number, BYTES):
            found = data[field.begin : field.end].decode("utf-8", "replace")
    return found


def _counter_names(data: bytes, message: Field) -> dict[int, str]:
    """GpuCounterDescriptor → names by number."""
    names = {}
    for spec in fields(data, message.begin, message.end):
        if spec.is_of(1, BYTES):
            names[_number_of(data, spec, 1) or 0] = _text_of(data, spec, 2) or ""
    return names
