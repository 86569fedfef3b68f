"""Which calls of one graph are which calls of another: the same, or fused otherwise.

Takes what the calls compute, gives groups. First the calls with equal fingerprints, along the order
of the code, then out of order. What is left is tied by what its nodes compute: node by node (target
and shape), then by op, then by name; along the order of the code first. Calls that are tied, also
over others, are one group: n calls became m. Left out: names that the compiler counted, and views,
which are part of every kernel that reads through them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from kernelmap.attribution.alias_ops import ALIAS_OPS

_ALIKE = 0.3  # of the calls of the larger graph; fewer shared ones are chance


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What one call computes; `fingerprint` is None where only a trace tells of it."""

    fingerprint: str | None
    name: str
    parts: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What equal calls share: the fingerprint without its count, else the name."""
        return self.name if self.fingerprint is None else self.fingerprint.partition("~")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Positions of calls that belong together; `same` where they have one fingerprint."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    same: bool = False


def pair_calls(before: Sequence[Piece], after: Sequence[Piece]) -> tuple[Group, ...]:
    """Groups that hold every call of both sides once, in the order of the code."""
    equal = _aligned([piece.key for piece in before], [piece.key for piece in after])
    left = sorted(set(range(len(before))) - {one for one, _ in equal})
    right = sorted(set(range(len(after))) - {other for _, other in equal})
    ties: list[tuple[int, int]] = []
    for level in (_parts, _ops, _name):
        ones = _open(left, [one for one, _ in ties])
        others = _open(right, [other for _, other in ties])
        ties += _tied(
            [(at, level(before[at])) for at in ones], [(at, level(after[at])) for at in others]
        )
    groups = [Group(before=(one,), after=(other,), same=True) for one, other in equal]
    groups += _components(left, right, ties)
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
    bags = [[_bag(graph) for graph in side] for side in (before, after)]
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


def work_only(parts: Iterable[str]) -> tuple[str, ...]:
    """The parts that do work; all of them where none does."""
    listed = tuple(parts)
    return tuple(part for part in listed if _op(part) not in ALIAS_OPS) or listed


def _op(part: str) -> str:
    """`aten.mul` of `aten.mul.Tensor f32[8]`."""
    return ".".join(part.partition(" ")[0].split(".")[:2])


def _parts(piece: Piece) -> tuple[str, ...]:
    return work_only(piece.parts)


def _ops(piece: Piece) -> tuple[str, ...]:
    return work_only(piece.ops or tuple(map(_op, piece.parts)))


def _name(piece: Piece) -> tuple[str, ...]:
    return (piece.name,)


def _open(positions: Sequence[int], tied: Iterable[int]) -> list[int]:
    known = set(tied)
    return [at for at in positions if at not in known]


_Listed = Sequence[tuple[int, tuple[str, ...]]]


def _tied(before: _Listed, after: _Listed) -> list[tuple[int, int]]:
    """The calls that share a part, each part of one side held against one of the other."""
    first = [(at, part) for at, parts in before for part in parts]
    second = [(at, part) for at, parts in after for part in parts]
    shared = _aligned([part for _, part in first], [part for _, part in second])
    return sorted({(first[one][0], second[other][0]) for one, other in shared})


def _aligned(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Positions of equal values: those that keep their order, then the others as they come."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    found = [
        (block.a + step, block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]
    left = set(range(len(before))) - {one for one, _ in found}
    right: dict[Hashable, list[int]] = defaultdict(list)
    for other in sorted(set(range(len(after))) - {other for _, other in found}):
        right[after[other]].append(other)
    found += [(one, right[before[one]].pop(0)) for one in sorted(left) if right[before[one]]]
    return sorted(found)


def _components(
    left: Sequence[int], right: Sequence[int], ties: Iterable[tuple[int, int]]
) -> list[Group]:
    """What hangs together through ties; a call without any is a group of its own."""
    of: dict[tuple[str, int], tuple[str, int]] = {}
    for side, positions in (("before", left), ("after", right)):
        of |= {(side, at): (side, at) for at in positions}

    def root(node: tuple[str, int]) -> tuple[str, int]:
        while of[node] != node:
            node = of[node]
        return node

    for one, other in ties:
        of[root(("before", one))] = root(("after", other))
    members: dict[tuple[str, int], dict[str, list[int]]] = defaultdict(
        lambda: {"before": [], "after": []}
    )
    for side, at in of:
        members[root((side, at))][side].append(at)
    return [
        Group(before=tuple(sorted(each["before"])), after=tuple(sorted(each["after"])))
        for each in members.values()
    ]


def _order(group: Group) -> tuple[int, bool]:
    """By the place in the newer code; what is gone stands where it stood."""
    return (group.after or group.before)[0], bool(group.after)


def _bag(graph: Sequence[Piece]) -> dict[str, int]:
    bag: dict[str, int] = defaultdict(int)
    for piece in graph:
        bag[piece.key] += 1
    return bag


def _likeness(one: dict[str, int], other: dict[str, int]) -> float:
    """Which part of the larger graph's calls the other has too, 0 to 1."""
    shared = sum(min(count, other.get(key, 0)) for key, count in one.items())
    return shared / max(sum(one.values()), sum(other.values()), 1)
