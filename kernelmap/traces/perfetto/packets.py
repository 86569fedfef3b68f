"""Pieces of a file of Perfetto packets → rows of numbers, with the scanner in C where it was built.

Taken: blocks of bytes. Given: pieces of whole packets with their rows, in the order of the file;
what a packet holds packed (`compressed_packets`) comes in its place. Left out, and counted: packets
whose fields do not fill them. Where no packet begins the rest cannot be found, and reading ends.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import numpy as np
from msgspec import Struct

from kernelmap.model.paths import UNPACKED, unpacked_too_far
from kernelmap.model.trace import Int
from kernelmap.native import is_wanted, part
from kernelmap.traces.blocks import FileBlocks, is_packed
from kernelmap.traces.kineto.native_scan import SparseRows, thread_count
from kernelmap.traces.perfetto import plain_packets
from kernelmap.traces.perfetto.plain_packets import BROKEN, COMPRESSED, CUT, NO_PACKET, TABLES
from kernelmap.traces.perfetto.wire import BYTES, VARINT, Damaged, fields, varint

# The number has to be that of the C code, so that an older build is not used.
_scanner = part("kernelmap.traces.perfetto._packets", 3)  # as in _packets.c

_MOST_PACKETS = 1 << 18  # of a piece: so its rows take some 60 MB at most
LONGEST_PACKET = 1 << 28
"""Bytes; torch interns all names in one packet, which is some MB for the largest programs."""
_HEAD = 20  # bytes that the tag and the length of a packet take at most


def is_built() -> bool:
    """Whether there was a compiler when kernelmap was installed."""
    return _scanner is not None


class Keys(Struct, frozen=True):
    """The names of notes that are read; of those from `first_detail` on only the place is kept."""

    names: tuple[bytes, ...]
    first_detail: int


class Piece(Struct, frozen=True):
    """Whole packets: rows by the name of their table, and the bytes that they tell places in."""

    data: bytes
    tables: dict[str, SparseRows]

    def per_packet(self, of_stretches: Int) -> Int:
        """What is known of stretches, for each of their packets, (packets,)."""
        first = self.tables["stretches"]["packet"]
        if not len(first):
            return of_stretches
        if (of_stretches == of_stretches[0]).all():  # the rule; it takes no memory
            return np.broadcast_to(of_stretches[:1], (len(self.tables["packets"]),))
        packets: Int = np.repeat(of_stretches, np.diff(first, append=len(self.tables["packets"])))
        return packets

    def text(self, at: int, size: int) -> bytes:
        """The bytes of a text that a row names."""
        return self.data[at : at + size]


def scan(data: bytes, keys: Keys, most: int) -> tuple[int, int, dict[str, SparseRows]]:
    """Rows of at most `most` packets, how many bytes they take, and why there are no more."""
    native = _scanner is not None and is_wanted()
    read = _scanner.scan if native and _scanner is not None else plain_packets.scan
    taken, end, tables = read(data, keys.names, keys.first_detail, most)
    rows = {
        name: SparseRows(
            count,
            {
                column: None if of is None else np.frombuffer(of, dtype=np.int64)
                for column, of in zip(columns, cells, strict=True)
            },
        )
        for (name, columns), (count, cells) in zip(TABLES, tables, strict=True)
    }
    return taken, end, rows


class PacketStream:
    """Iterate over it once; then `cut` and `damage` say what is missing, None where nothing is."""

    def __init__(self, blocks: FileBlocks, keys: Keys) -> None:
        """Notes of packets are kept whose name is one of `keys`, or is interned."""
        self._blocks = blocks
        self._keys = keys
        self._read, self._unpacked = 0, 0
        self.cut: str | None = None
        self.damage: str | None = None
        self.broken = 0

    def ahead(self) -> Iterator[Piece]:
        """As the stream itself, of which one piece is scanned while the last is at work."""
        pieces = iter(self)
        if not thread_count():
            yield from pieces
            return
        with ThreadPoolExecutor(1, "kernelmap-packets") as pool:
            # Whoever watches how far files are read is known in the context of this thread.
            context = copy_context()
            coming = pool.submit(context.run, lambda: next(pieces, None))
            while (piece := coming.result()) is not None:
                coming = pool.submit(context.run, lambda: next(pieces, None))
                yield piece

    def __iter__(self) -> Iterator[Piece]:
        """The pieces; raises KernelmapError where the file cannot be read or unpacks too far."""
        rest, waiting, missing, is_again = b"", [], 0, False
        is_plain = not is_packed(self._blocks.path)
        for blocks in self._blocks_together(is_plain=is_plain):
            # A packet may be longer than many blocks: they are joined once it is there.
            waiting += blocks
            missing -= sum(map(len, blocks))
            if missing > 0:
                continue
            rest = b"".join(waiting if is_again or not rest else (rest, *waiting))
            waiting = []
            taken, end = 0, plain_packets.WHOLE
            while end == plain_packets.WHOLE and taken < len(rest):
                # A piece keeps what stands behind its packets: cutting it off would copy all.
                data = rest[taken:] if taken else rest
                used, end, tables = scan(data, self._keys, _MOST_PACKETS)
                yield from self._pieces(data, used, tables)
                taken += used
                self._read += used
            rest = rest[taken:]
            missing = _missing(rest) if end == CUT else 0
            # What the next block completes is read once more with it, and not copied.
            is_again = is_plain and missing <= self._blocks.size
            if is_again:
                self._blocks.give_again(len(rest))
            if end == NO_PACKET or missing > LONGEST_PACKET:
                self.damage = f"no packet begins at byte {self._read}, where one should"
                return
        rest = b"".join((rest, *waiting))
        if rest or self._blocks.cut:
            self.cut = self._blocks.cut or f"its last packet, at byte {self._read}, is not whole"
        self.damage = self._blocks.damage

    def _blocks_together(self, *, is_plain: bool) -> Iterator[list[bytes]]:
        """The blocks; small ones, as packed files have them, together: each piece has its price."""
        if is_plain:
            yield from ([block] for block in self._blocks.in_turn())
            return
        together, size = list[bytes](), 0
        for block in self._blocks.ahead():
            together.append(block)
            size += len(block)
            if size >= self._blocks.size:
                yield together
                together, size = [], 0
        if together:
            yield together

    def _pieces(self, data: bytes, used: int, tables: dict[str, SparseRows]) -> Iterator[Piece]:
        """The piece, or what it is made of where some of its packets are packed."""
        packets, stretches = tables["packets"], tables["stretches"]
        # Packets that are broken, or that change what others mean, are a stretch each.
        self.broken += int((stretches["state"] == BROKEN).sum())
        packed = stretches["packet"][stretches["payload"] == COMPRESSED].tolist()
        if not packed:
            yield Piece(data, tables)
            return
        states = tables["states"]
        begin = 0
        for at, end in _places(states, packed):
            # What stands before the packed packet is scanned once more, so that rows keep order.
            stretch = data[begin:at]
            taken, _, before = scan(stretch, self._keys, len(packets))
            if taken:
                yield Piece(stretch, before)
            begin = end
            yield from self._unpack(data, at, end)
        if rest := data[begin:used]:
            yield Piece(rest, scan(rest, self._keys, len(packets))[2])

    def _unpack(self, data: bytes, begin: int, end: int) -> Iterator[Piece]:
        """What a packet holds packed; packed packets in it are damage."""
        for field in fields(data, begin, end):
            if not field.is_of(COMPRESSED, BYTES):
                continue
            inflate, rest = zlib.decompressobj(), data[field.begin : field.end]
            whole, carry = True, b""
            while rest and whole and not inflate.eof:
                try:
                    block = inflate.decompress(rest, self._blocks.size)
                except zlib.error:
                    whole = False
                    break
                rest = inflate.unconsumed_tail
                self._unpacked += len(block)
                if unpacked_too_far(self._read + end, self._unpacked):
                    raise UNPACKED.make_error(self._blocks.path)
                carry += block
                taken, why = 0, plain_packets.WHOLE
                while why == plain_packets.WHOLE and taken < len(carry):
                    used, why, tables = scan(carry[taken:], self._keys, _MOST_PACKETS)
                    inside = carry[taken : taken + used]
                    stretches = tables["stretches"]
                    # Packing inside of packing is nothing that anyone writes.
                    lost = (stretches["state"] == BROKEN) | (stretches["payload"] == COMPRESSED)
                    self.broken += int(lost.sum())
                    yield Piece(inside, tables)
                    taken += used
                carry = carry[taken:]
                whole = why != NO_PACKET and len(carry) <= LONGEST_PACKET
            if carry or not whole or not inflate.eof:
                self.broken += 1


def _places(states: SparseRows, packets: list[int]) -> Iterator[tuple[int, int]]:
    """Where the fields of packets stand that are marked."""
    rows = np.searchsorted(states["packet"], packets)
    for at, size in zip(states["at"][rows].tolist(), states["size"][rows].tolist(), strict=True):
        yield at, at + size


def _missing(rest: bytes) -> int:
    """How many bytes the packet that begins here lacks; 0 where its length is not there."""
    head = rest[:_HEAD]
    try:
        _, at = varint(head, 0, len(head))
        size, at = varint(head, at, len(head))
    except Damaged:
        return 0
    return size - (len(rest) - at)


_TIMESTAMP, _SEQUENCE = 8, 10
_MESSAGES = frozenset(
    (1, 2, 6, 9, 11, 12, *range(33, 37), *range(43, 46), 50, 52, 53, 59, 60, 89, 128, 133)
)

"""Fields of packets that a trace may begin with: clocks, tracks, names, what was asked for."""
_LOOKED_AT = 3


def begins_packets(begin: bytes) -> bool:
    """Whether a file that begins so is a trace of packets: the first few of them are whole.

    One that is longer than `begin` is looked at as far as it goes.
    """
    at = 0
    for number in range(_LOOKED_AT):
        if at >= len(begin):
            return number > 0
        try:
            tag, at_ = varint(begin, at, len(begin))
            size, at_ = varint(begin, at_, len(begin))
        except Damaged:
            return number > 0 and len(begin) - at < _HEAD
        if tag != 1 << 3 | BYTES or size > LONGEST_PACKET:
            return False
        if not _is_packet(begin, at_, at_ + size, may_be_cut=number > 0):
            return False
        at = at_ + size
    return True


def _is_packet(begin: bytes, at: int, end: int, *, may_be_cut: bool) -> bool:
    """Whether fields of a packet stand there, one at least that is known."""
    is_known = False
    try:
        for field in fields(begin, at, min(end, len(begin))):
            is_known |= field.wire == BYTES and field.number in _MESSAGES
            is_known |= field.wire == VARINT and field.number in {_TIMESTAMP, _SEQUENCE}
    except Damaged:
        # The last field of a packet that goes on behind what was read is not whole.
        return may_be_cut and end > len(begin)
    return is_known
