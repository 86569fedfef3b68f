"""Damage in the packets of a Perfetto trace: what one of them says, with lengths that still fit.

Chance that flips bytes mostly breaks a length, and all that follows is lost. Here fields of
messages are changed, doubled, dropped, moved and put into one another, and stay readable.
"""

from __future__ import annotations

from random import Random

from kernelmap.traces.perfetto.wire import BYTES, VARINT, Damaged, fields
from worlds.pftrace import field

_ODD = (
    0,
    1,
    2,
    6,
    11,
    53,
    64,
    127,
    128,
    2**31,
    2**32 - 1,
    2**53,
    2**61,
    2**63 - 1,
    2**63,
    2**64 - 1,
)
_DEEPEST = 6
_Field = tuple[int, int, bytes]
"""Its number, its form, and its bytes: of a message without tag and length, of others with."""


def in_packets(data: bytes, chance: Random) -> bytes:
    """A trace with some of its packets changed; other bytes as they are."""
    packets = _split(data)
    if packets is None or not packets:
        return data[: chance.randrange(len(data))]
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        # The first packets say what the others mean, so they are chosen more often.
        most = chance.choice((len(packets), min(len(packets), 12)))
        at = chance.randrange(most)
        packets[at] = _changed(packets[at], chance, 0)
        if chance.random() < 0.1:
            other = chance.randrange(len(packets))
            packets[at], packets[other] = packets[other], packets[at]
        if chance.random() < 0.05:
            packets[at : at + 1] = [packets[at]] * chance.choice((0, 2, 300))
            if not packets:
                break
    return _joined(packets)


def _split(data: bytes) -> list[_Field] | None:
    """The fields of a message; None where it is none."""
    found: list[_Field] = []
    begin = 0
    try:
        for each in fields(data):
            kept = data[each.begin : each.end] if each.wire == BYTES else data[begin : each.after]
            found.append((each.number, each.wire, kept))
            begin = each.after
    except Damaged:
        return None
    return found


def _joined(parts: list[_Field]) -> bytes:
    return b"".join(
        field(number, content) if wire == BYTES else content for number, wire, content in parts
    )


def _changed(part: _Field, chance: Random, depth: int) -> _Field:
    """One field with another value, or with other fields inside."""
    number, wire, content = part
    if wire == VARINT:
        return number, wire, field(number, chance.choice(_ODD))
    inside = _split(content) if wire == BYTES and depth < _DEEPEST else None
    if not inside or chance.random() < 0.1:
        return number, BYTES, chance.choice((b"", b"\xff", content * 2, content[:-1], b"x" * 3000))
    at = chance.randrange(len(inside))
    way = chance.randrange(8)
    if way == 0:
        del inside[at]
    elif way == 1:
        inside.insert(at, inside[chance.randrange(len(inside))])
    elif way == 2:
        inside[at] = (chance.choice((1, 6, 9, 11, 12, 41, 50, 53, 59, 60, 1000)), *inside[at][1:])
    else:
        inside[at] = _changed(inside[at], chance, depth + 1)
    return number, wire, _joined(inside)
