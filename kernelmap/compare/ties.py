"""Calls that compute something else, tied by what they share: n calls became m.

Takes two sides and the positions that are open, gives groups. A tie is a node (target and shape),
an op, or a name that both have; within each of these one at the same source line goes first, then
the order of the code. Calls that are tied, also over others, are one group. Left out: views, which
are part of every kernel that reads through them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.compare.aligned import aligned
from kernelmap.compare.pieces import Group, Piece, Witness

_Tie = tuple[int, int, Witness]
"""A position before, one after, and what ties them."""


def tied(
    before: Sequence[Piece], after: Sequence[Piece], left: Sequence[int], right: Sequence[int]
) -> list[Group]:
    """Groups of the calls at `left` and `right`; what nothing ties is a group of its own."""
    ties: list[_Tie] = []
    for level, at_line, alone in _LEVELS:
        ones = _open(left, [one for one, _, _ in ties])
        others = _open(right, [other for _, other, _ in ties])
        by_line, rest = _shared(_listed(before, ones, level), _listed(after, others, level))
        ties += [(one, other, at_line) for one, other in by_line]
        ties += [(one, other, alone) for one, other in rest]
    return _components(left, right, ties)


def _work_only(parts: Iterable[str]) -> tuple[str, ...]:
    """The parts that do work; all of them where none does."""
    listed = tuple(parts)
    return tuple(part for part in listed if _op(part) not in ALIAS_OPS) or listed


def _op(part: str) -> str:
    """`aten.mul` of `aten.mul.Tensor f32[8]`."""
    return ".".join(part.partition(" ")[0].split(".")[:2])


def _parts(piece: Piece) -> tuple[str, ...]:
    return _work_only(piece.parts)


def _ops(piece: Piece) -> tuple[str, ...]:
    return _work_only(piece.ops or tuple(map(_op, piece.parts)))


def _name(piece: Piece) -> tuple[str, ...]:
    return (piece.name,)


_LEVELS = (
    (_parts, Witness.NODES_LINE, Witness.NODES),
    (_ops, Witness.OPS_LINE, Witness.OPS),
    (_name, Witness.NAME_LINE, Witness.NAME),
)


def _open(positions: Sequence[int], tied: Iterable[int]) -> list[int]:
    known = set(tied)
    return [at for at in positions if at not in known]


_Listed = Sequence[tuple[int, str, tuple[str, ...]]]
"""Of each part of each open call: the call's position, the part, the call's source lines."""


def _listed(
    side: Sequence[Piece], positions: Iterable[int], level: Callable[[Piece], tuple[str, ...]]
) -> _Listed:
    return [(at, part, side[at].lines) for at in positions for part in level(side[at])]


def _shared(before: _Listed, after: _Listed) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The calls that share a part at a source line, and those that share one of the other parts.

    Each part of one side is held against one of the other.
    """
    lined = [
        [(at, (part, line)) for at, (_, part, lines) in enumerate(side) for line in lines]
        for side in (before, after)
    ]
    shared = aligned([place for _, place in lined[0]], [place for _, place in lined[1]])
    known = {(lined[0][one][0], lined[1][other][0]) for one, other in shared}
    first = _open(range(len(before)), [one for one, _ in known])
    second = _open(range(len(after)), [other for _, other in known])
    rest = aligned([before[at][1] for at in first], [after[at][1] for at in second])
    by_line = {(before[one][0], after[other][0]) for one, other in known}
    return by_line, {(before[first[one]][0], after[second[other]][0]) for one, other in rest}


def _components(left: Sequence[int], right: Sequence[int], ties: Iterable[_Tie]) -> list[Group]:
    """What hangs together through ties; a call without any is a group of its own.

    Stronger ties go first, so that a weak one counts only where nothing else holds the calls.
    """
    of = {("before", at): ("before", at) for at in left}
    of |= {("after", at): ("after", at) for at in right}
    weakest: dict[tuple[str, int], Witness] = {}

    def root(node: tuple[str, int]) -> tuple[str, int]:
        while of[node] != node:
            node = of[node]
        return node

    for one, other, witness in sorted(ties, key=lambda tie: (tie[2].weakness, tie)):
        first, second = root(("before", one)), root(("after", other))
        if first != second:
            of[first] = second
            weakest[second] = witness
    members: dict[tuple[str, int], dict[str, list[int]]] = defaultdict(
        lambda: {"before": [], "after": []}
    )
    for side, at in of:
        members[root((side, at))][side].append(at)
    return [
        Group(
            before=tuple(sorted(each["before"])),
            after=tuple(sorted(each["after"])),
            witness=weakest.get(node),
        )
        for node, each in members.items()
    ]
