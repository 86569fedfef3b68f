"""Times of packets → nanoseconds of one clock, that of the trace.

Packets name a clock, or their sequence does in its defaults; without either it is the clock of
the trace, and the time is taken as it stands (so it is in all that torch writes). Snapshots say
what other clocks showed at one moment. A clock of a sequence may count from its last packet.
"""

from __future__ import annotations

from msgspec import Struct

from kernelmap.model.trace import Int
from kernelmap.traces.perfetto.packets import Piece
from kernelmap.traces.perfetto.plain_packets import NO_TIME
from kernelmap.traces.perfetto.wire import BYTES, VARINT, Field, fields, signed

_OF_TRACE = 6  # CLOCK_BOOTTIME
_REALTIME = 1
_OF_SEQUENCE = range(64, 128)
_LARGEST = 2**63 - 1


class _Shown(Struct, frozen=True):
    """What a clock showed at a snapshot, and what the clock of the trace did."""

    trace_ns: int
    shown: int
    unit_ns: int
    is_incremental: bool


class _Change(Struct, frozen=True):
    """At a packet of the piece: clocks that were looked at, or the default clock of a sequence."""

    row: int
    sequence: int
    shown: dict[int, _Shown]
    default: int | None = None


class Clocks:
    """Is told of snapshots and defaults while a piece is read; then gives its times."""

    def __init__(self) -> None:
        self.counts_since_1970 = False
        self._changes: list[_Change] = []
        self._default: dict[int, int] = {}
        self._shown: dict[tuple[int, int], _Shown] = {}
        self._now: dict[tuple[int, int], int] = {}

    def read_snapshot(self, data: bytes, message: Field, row: int, sequence: int) -> None:
        """Take a ClockSnapshot of a packet of the piece."""
        clocks: dict[int, tuple[int, int, bool]] = {}
        for field in fields(data, message.begin, message.end):
            if not field.is_of(1, BYTES):
                continue
            clock, shown, incremental, unit = 0, 0, False, 1
            for each in fields(data, field.begin, field.end):
                if each.is_of(1, VARINT):
                    clock = signed(each.value)
                elif each.is_of(2, VARINT):
                    shown = signed(each.value)
                elif each.is_of(3, VARINT):
                    incremental = bool(each.value)
                elif each.is_of(4, VARINT):
                    unit = signed(each.value) or 1
            clocks[clock] = (shown, unit, incremental)
        if _OF_TRACE not in clocks:
            return
        # torch writes one snapshot, in which the clock since the start shows the time of day.
        trace_ns = clocks[_OF_TRACE][0]
        if not self._shown and _REALTIME in clocks:
            self.counts_since_1970 = clocks[_REALTIME][0] == trace_ns
        known = {
            clock: _Shown(trace_ns, shown, unit, incremental)
            for clock, (shown, unit, incremental) in clocks.items()
        }
        self._changes.append(_Change(row, sequence, known))

    def set_default(self, row: int, sequence: int, clock: int) -> None:
        """Packets of a sequence count by this clock, from the row of a packet of the piece."""
        self._changes.append(_Change(row, sequence, {}, clock))

    def times(self, piece: Piece) -> Int:
        """The times of the packets of a piece; NO_TIME where there is none; (packets,)."""
        changes, self._changes = self._changes, []
        stretches = piece.tables["stretches"]
        time, clock = piece.tables["packets"]["time"], stretches["clock"]
        has_defaults = self._default or any(change.default is not None for change in changes)
        if not has_defaults and ((clock < 0) | (clock == _OF_TRACE)).all():
            for each in changes:
                self._apply(each)
            return time
        # Only files that torch did not write get here with many packets.
        given = time.copy()
        sequences = piece.per_packet(stretches["sequence"]).tolist()
        clocks = piece.per_packet(clock).tolist()
        waiting = iter([*changes, None])
        change = next(waiting)
        for row, (sequence, of, shown) in enumerate(
            zip(sequences, clocks, time.tolist(), strict=True)
        ):
            while change is not None and change.row <= row:
                self._apply(change)
                change = next(waiting)
            of = of if of >= 0 else self._default.get(sequence, _OF_TRACE)  # noqa: PLW2901
            if of != _OF_TRACE and shown != NO_TIME:
                given[row] = self._converted(sequence, of, shown)
        return given

    def _apply(self, change: _Change) -> None:
        if change.default is not None:
            self._default[change.sequence] = change.default
        for clock, shown in change.shown.items():
            key = _key(change.sequence, clock)
            self._shown[key] = shown
            self._now[key] = shown.shown

    def _converted(self, sequence: int, clock: int, time: int) -> int:
        """What a clock shows as a time of the trace; NO_TIME where no snapshot knows it."""
        key = _key(sequence, clock)
        shown = self._shown.get(key)
        if shown is None:
            return NO_TIME
        if shown.is_incremental:
            time = self._now[key] = self._now[key] + time
        ns = shown.trace_ns + (time - shown.shown) * shown.unit_ns
        return ns if -_LARGEST <= ns <= _LARGEST else NO_TIME


def _key(sequence: int, clock: int) -> tuple[int, int]:
    """A clock: some are of a sequence, the others of the whole trace."""
    return (sequence if clock in _OF_SEQUENCE else -1, clock)
