"""Which calls of one graph are which calls of another: the same, or fused otherwise.

Takes what the calls compute, gives groups. First the calls with equal fingerprints: those that
stand for the same source lines, then along the order of the code, then out of order. What is left
is tied by what it shares (ties.py). Every group says what paired it. Left out: names that the
compiler counted, and numbers of source lines, which move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from kernelmap.compare.aligned import aligned
from kernelmap.compare.pieces import Group, Piece, Witness
from kernelmap.compare.ties import tied

_ALIKE = 0.3  # of the calls of the larger graph; fewer shared ones are chance


def pair_calls(before: Sequence[Piece], after: Sequence[Piece]) -> tuple[Group, ...]:
    """Groups that hold every call of both sides once, in the order of the code."""
    equal = _equal(before, after)
    told = _told(before, after, equal)
    left = sorted(set(range(len(before))) - {one for one, _ in equal})
    right = sorted(set(range(len(after))) - {other for _, other in equal})
    groups = [
        Group(before=(one,), after=(other,), same=True, witness=told[one, other])
        for one, other in equal
    ]
    groups += [_named(group, before, after, told) for group in tied(before, after, left, right)]
    return tuple(sorted(groups, key=_order))


def pair_graphs(
    before: Sequence[Sequence[Piece]],
    after: Sequence[Sequence[Piece]],
    names: tuple[Sequence[str], Sequence[str]],
) -> list[tuple[int, int]]:
    """Positions of the graphs that are the same, or the nearest to it.

    `names` are the graphs' ids; they decide between equal graphs, and pair what shares an id where
    nothing is alike (other shapes change every fingerprint).
    """
    bags = [[Counter(piece.key for piece in graph) for graph in side] for side in (before, after)]
    scored = sorted(
        (-_likeness(bags[0][one], bags[1][other]), names[0][one] != names[1][other], one, other)
        for one in range(len(before))
        for other in range(len(after))
    )
    found: dict[int, int] = {}
    for score, differs, one, other in scored:
        alike = -score >= _ALIKE or not differs
        if alike and one not in found and other not in found.values():
            found[one] = other
    return sorted(found.items())


def _equal(before: Sequence[Piece], after: Sequence[Piece]) -> list[tuple[int, int]]:
    """The calls that compute the same; those at the same source lines hold the others in place."""
    keys: list[list[Hashable]] = [[piece.key for piece in side] for side in (before, after)]
    placed = [[at for at, piece in enumerate(side) if piece.lines] for side in (before, after)]
    anchors = aligned(
        *(
            [(side[at].key, side[at].lines) for at in known]
            for side, known in zip((before, after), placed, strict=True)
        )
    )
    for number, (one, other) in enumerate(anchors):
        keys[0][placed[0][one]] = keys[1][placed[1][other]] = number
    return aligned(*keys)


def _told(
    before: Sequence[Piece], after: Sequence[Piece], equal: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], Witness]:
    """What told each pair from other calls that compute the same."""
    same = [Counter(piece.key for piece in side) for side in (before, after)]
    placed = [Counter((piece.key, piece.lines) for piece in side) for side in (before, after)]
    found = {}
    for one, other in equal:
        piece, place = before[one], (before[one].key, before[one].lines)
        counts = [each[piece.key] for each in same]
        if piece.fingerprint is None:
            found[one, other] = Witness.NAME
        elif counts == [1, 1]:
            found[one, other] = Witness.FINGERPRINT
        elif piece.lines == after[other].lines and [each[place] for each in placed] == [1, 1]:
            found[one, other] = Witness.LINE
        else:
            found[one, other] = Witness.ORDER if counts[0] == counts[1] else Witness.AMONG
    return found


def _named(
    group: Group,
    before: Sequence[Piece],
    after: Sequence[Piece],
    told: dict[tuple[int, int], Witness],
) -> Group:
    """A call on one side only says what told it from its equals, where it has any."""
    if group.witness is not None:
        return group
    key = (after[group.after[0]] if group.after else before[group.before[0]]).key
    equals = [witness for (one, _), witness in told.items() if before[one].key == key]
    return replace(group, witness=max(equals, key=lambda each: each.weakness)) if equals else group


def _order(group: Group) -> tuple[int, bool]:
    """By the place in the newer code; what is gone stands where it stood."""
    return (group.after or group.before)[0], bool(group.after)


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """Which part of the larger graph's calls the other has too, 0 to 1."""
    return (one & other).total() / max(one.total(), other.total(), 1)
