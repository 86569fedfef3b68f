"""Protobuf's wire format: bytes of a message → its fields, checked against what is there.

Taken: bytes. Given: field numbers and values as they stand, whatever the message is. Errors:
Damaged where the fields do not fill the message exactly; the scanner in C has the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED = {FIXED64: 8, FIXED32: 4}
_LARGEST_FIELD = 2**29 - 1
_LONGEST_VARINT = 10
_MORE = 0x80  # another byte of the number follows
_CIRCLE = 2**64


class Damaged(ValueError):  # noqa: N818 -- says what the bytes are
    """Bytes that are no message."""


class Field(Struct, frozen=True, gc=False):
    """One field: `value` of numbers, unsigned; of bytes where they begin and end.

    `after` is where the next field begins.
    """

    number: int
    wire: int
    after: int
    value: int = 0
    begin: int = -1
    end: int = -1

    def is_of(self, number: int, wire: int) -> bool:
        """Whether it is the field of this number, and of the form that it should have."""
        return self.number == number and self.wire == wire


def fields(data: bytes, begin: int = 0, end: int | None = None) -> Iterator[Field]:
    """The fields of a message that fills `data` from `begin` to `end`; raises Damaged."""
    at, end = begin, len(data) if end is None else end
    while at < end:
        tag, at = varint(data, at, end)
        number, wire = tag >> 3, tag & 7
        if not 0 < number <= _LARGEST_FIELD:
            raise Damaged
        if wire == VARINT:
            value, at = varint(data, at, end)
            yield Field(number, wire, at, value)
        elif wire == BYTES:
            size, at = varint(data, at, end)
            if size > end - at:
                raise Damaged
            begin, at = at, at + size
            yield Field(number, wire, at, begin=begin, end=at)
        elif (size := _FIXED.get(wire, _CIRCLE)) <= end - at:
            begin, at = at, at + size
            yield Field(number, wire, at, int.from_bytes(data[begin:at], "little"))
        else:
            raise Damaged


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The number that begins at `at`, and where it ends; raises Damaged."""
    value = 0
    for place in range(min(_LONGEST_VARINT, end - at)):
        byte = data[at + place]
        value |= (byte & (_MORE - 1)) << (7 * place)
        if byte < _MORE:
            # The last of ten bytes has one bit of the sixty-four.
            if value >= _CIRCLE:
                raise Damaged
            return value, at + place + 1
    raise Damaged


def signed(value: int) -> int:
    """An unsigned number of 64 bits as the signed one of the same bits.

    >>> signed(2**64 - 1), signed(7)
    (-1, 7)
    """
    return value - _CIRCLE if value >= _CIRCLE >> 1 else value
