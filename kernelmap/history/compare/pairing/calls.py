"""Which calls of one graph are which calls of another: the same, or fused otherwise.

Takes what the calls compute, gives groups. First the calls with equal fingerprints: those that
stand for the same source lines, then along the order of the code, then out of order. What is left
is tied by what it shares, else by its place between others, else by the operators of what is next
to it. Every group says what paired it. Left
out: names that the compiler counted, and numbers of source lines, which move.

A tie is a node (target and shape), an op, or a name that both calls have; within each of these one
at the same source line goes first, then the order of the code. Calls that are tied, also over
others, are one group. Views tie nothing: every kernel that reads through one has them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import product

from msgspec.structs import replace

from kernelmap.attribution.alias_ops import ALIAS_OPS
from kernelmap.history.compare.sides.pieces import Group, Piece, Witness, result_type

_ALIKE = 0.3
"""Of the calls of the larger graph; graphs that share fewer are no pair unless they share their id.
With less, any two graphs with some pointwise kernels in common are one; with more, a model whose
layer was rewritten is gone and new. Chosen."""
_Tie = tuple[int, int, Witness]
"""A position before, one after, and what ties them."""


def pair_calls(before: Sequence[Piece], after: Sequence[Piece]) -> tuple[Group, ...]:
    """Groups that hold every call of both sides once, in the order of the code."""
    # Calls with equal fingerprints are pairs before anything else is asked.
    equal = _pair_equal(before, after)
    witnesses = _witnesses_of_pairs(before, after, equal)
    # The positions of the calls without an equal on the other side.
    left = sorted(set(range(len(before))) - {one for one, _ in equal})
    right = sorted(set(range(len(after))) - {other for _, other in equal})
    groups = [
        Group(before=(one,), after=(other,), same=True, witness=witnesses[one, other])
        for one, other in equal
    ]
    # Three passes over what is left: what calls share, then their place between others, then what
    # stands beside calls that became others.
    groups += tie_calls(before, after, left, right)
    groups = _with_others_beside(_by_place(groups, before, after), before, after)
    placed = [_with_witness(group, before, after, witnesses) for group in groups]
    return tuple(sorted(placed, key=_order_of_group))


def pair_graphs(
    before: Sequence[Sequence[Piece]],
    after: Sequence[Sequence[Piece]],
    names: tuple[Sequence[str], Sequence[str]],
) -> list[tuple[int, int]]:
    """Positions of the graphs that are the same, or the nearest to it.

    `names` are the graphs' ids; they decide between equal graphs, and pair what shares an id where
    nothing is alike (other shapes change every fingerprint).
    """
    # How often each graph computes what: one multiset of keys per graph, for both sides.
    bags = [[Counter(piece.key for piece in graph) for graph in side] for side in (before, after)]
    # All pairs of graphs, the most alike first; among equals, those that share their id.
    scored = sorted(
        (
            -_likeness_of_graphs(bags[0][one], bags[1][other]),
            names[0][one] != names[1][other],
            one,
            other,
        )
        for one in range(len(before))
        for other in range(len(after))
    )
    pairs: dict[int, int] = {}
    # Each graph is taken once. Graphs with little in common are a pair only if they share their id.
    for score, differs, one, other in scored:
        alike = -score >= _ALIKE or not differs
        if alike and one not in pairs and other not in pairs.values():
            pairs[one] = other
    return sorted(pairs.items())


def _by_place(
    groups: Sequence[Group], before: Sequence[Piece], after: Sequence[Piece]
) -> list[Group]:
    """The groups; two calls on one side each are one where they stand in one place.

    That is between the same calls, and what they give has one type: `relu` that became `gelu`.
    """
    # The group of each call, by its position: one dict per side.
    sides = (
        {at: group for group in groups for at in group.before},
        {at: group for group in groups for at in group.after},
    )
    # The calls that have nothing on the other side.
    lone = [
        [at for at, group in side.items() if not (group.before and group.after)] for side in sides
    ]
    # What surrounds each lone call of the older side.
    places = {_place_of_call(at, sides[0], before): at for at in lone[0]}
    merged = list(groups)
    # A gone call and a new one in one place are one group: `a relu b` became `a gelu b`.
    for other in lone[1]:
        place = _place_of_call(other, sides[1], after)
        one = places.get(place) if place is not None else None
        if one is not None:
            merged = [group for group in merged if group not in (sides[0][one], sides[1][other])]
            merged.append(Group(before=(one,), after=(other,), witness=Witness.PLACE))
    return merged


def _with_others_beside(
    groups: Sequence[Group], before: Sequence[Piece], after: Sequence[Piece]
) -> list[Group]:
    """The groups; what came or went next to calls that became others is of them where it fits.

    That is where it works for an operator of what they replaced: a kernel that became two is one
    group, also where the code says of both no more than that they are a part of `layer_norm`.
    """
    sides = (before, after)
    of: tuple[dict[int, Group], dict[int, Group]] = ({}, {})
    for group in groups:
        _place_group(group, of)
    # With step -1 a call may join the group right before it, with step 1 the one right behind it.
    for side, step in product((0, 1), (-1, 1)):
        # In the direction of `step`, so that what was just joined takes in what lies behind it.
        for at in sorted(of[side], reverse=step > 0):
            alone, beside = of[side][at], of[side].get(at + step)
            if beside is not None and _does_work_of_other(alone, beside, side, sides):
                _place_group(_join_groups(alone, beside), of)
    return list(dict.fromkeys([*of[0].values(), *of[1].values()]))


def _place_group(group: Group, of: tuple[dict[int, Group], dict[int, Group]]) -> None:
    """Note at each of its positions that this group stands there."""
    for side, positions in enumerate(_positions_of_group(group)):
        of[side].update(dict.fromkeys(positions, group))


def _does_work_of_other(
    alone: Group, beside: Group, side: int, sides: tuple[Sequence[Piece], ...]
) -> bool:
    """Whether a call on one side only did, or does, the work of the other side of a group."""
    # A call joins only a group that replaces something (calls on both sides, not equal ones), and
    # only if it stands on one side only itself.
    if beside.same or not (beside.before and beside.after) or (alone.before and alone.after):
        return False
    # The operators of a new call are held against those that the group had before; those of a gone
    # call against those that the group has now.
    its = _worked_for(_positions_of_group(alone)[side], sides[side])
    theirs = _worked_for(_positions_of_group(beside)[1 - side], sides[1 - side])
    return not its.isdisjoint(theirs)


def _positions_of_group(group: Group) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return group.before, group.after


def _worked_for(positions: Iterable[int], pieces: Sequence[Piece]) -> set[str]:
    """The operators of calls, without views."""
    return {op for at in positions for op in _ops_of_piece(pieces[at])} - ALIAS_OPS


def _join_groups(alone: Group, beside: Group) -> Group:
    # The joined call is known by its operators, so the group is at most as sure as that.
    weakest = max((Witness.OPS, beside.witness or Witness.OPS), key=lambda pair: pair.weakness)
    return Group(
        before=tuple(sorted((*alone.before, *beside.before))),
        after=tuple(sorted((*alone.after, *beside.after))),
        witness=weakest,
    )


_Place = tuple[Group | None, Group | None, tuple[str, str]]


def _place_of_call(at: int, side: Mapping[int, Group], pieces: Sequence[Piece]) -> _Place | None:
    """The groups of the calls beside this one, and its result's type; None where either is open."""
    # The groups in front and behind, None at the ends of the graph. Beside a call that has no
    # counterpart itself the place says nothing, and neither does it in a graph of one call.
    beside = [side.get(at - 1), side.get(at + 1)]
    paired = all(group is None or (group.before and group.after) for group in beside)
    gives = result_type(pieces[at])
    if not paired or gives is None or beside == [None, None]:
        return None
    return beside[0], beside[1], gives


def _pair_equal(before: Sequence[Piece], after: Sequence[Piece]) -> list[tuple[int, int]]:
    """The calls that compute the same; those at the same source lines hold the others in place."""
    keys: list[list[Hashable]] = [[piece.key for piece in side] for side in (before, after)]
    # The positions of the calls whose source lines are known.
    placed = [[at for at, piece in enumerate(side) if piece.lines] for side in (before, after)]
    # Calls at known lines come first: one more of four equal products must not take the place of
    # another. Each such pair then gets a key of its own, its number, so that the alignment of all
    # calls below cannot tie one of them to an equal call elsewhere.
    anchors = align_equal(
        *(
            [(side[at].key, side[at].lines) for at in positions]
            for side, positions in zip((before, after), placed, strict=True)
        )
    )
    for number, (one, other) in enumerate(anchors):
        keys[0][placed[0][one]] = keys[1][placed[1][other]] = number
    return align_equal(*keys)


def _witnesses_of_pairs(
    before: Sequence[Piece], after: Sequence[Piece], equal: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], Witness]:
    """What separates each pair from other calls that compute the same."""
    # How often each side has this computation, and how often at these source lines.
    same = [Counter(piece.key for piece in side) for side in (before, after)]
    placed = [Counter((piece.key, piece.lines) for piece in side) for side in (before, after)]
    witnesses = {}
    for one, other in equal:
        piece, place = before[one], (before[one].key, before[one].lines)
        counts = [count[piece.key] for count in same]
        # Without code only the name is left to pair by.
        if piece.fingerprint is None:
            witnesses[one, other] = Witness.NAME
        # Both sides have it once: no other call could be meant.
        elif counts == [1, 1]:
            witnesses[one, other] = Witness.FINGERPRINT
        elif piece.lines == after[other].lines and [count[place] for count in placed] == [1, 1]:
            witnesses[one, other] = Witness.LINE
        # Lines do not tell them apart: the k-th was taken for the k-th. Where one side has more of
        # them, it is not certain which one is the new one.
        else:
            witnesses[one, other] = Witness.ORDER if counts[0] == counts[1] else Witness.AMONG
    return witnesses


def _with_witness(
    group: Group,
    before: Sequence[Piece],
    after: Sequence[Piece],
    witnesses: dict[tuple[int, int], Witness],
) -> Group:
    """A call on one side only gets the witness that separates it from its equals, if it has any."""
    if group.witness is not None:
        return group
    # Which of several equal calls came or went is as sure as the weakest pair among them.
    key = (after[group.after[0]] if group.after else before[group.before[0]]).key
    equals = [witness for (one, _), witness in witnesses.items() if before[one].key == key]
    return replace(group, witness=max(equals, key=lambda pair: pair.weakness)) if equals else group


def _order_of_group(group: Group) -> tuple[int, bool]:
    """By the place in the newer code; what is gone stands where it stood."""
    return (group.after or group.before)[0], bool(group.after)


def _likeness_of_graphs(one: Counter[str], other: Counter[str]) -> float:
    """Which part of the larger graph's calls the other has too, 0 to 1."""
    return (one & other).total() / max(one.total(), other.total(), 1)


def tie_calls(
    before: Sequence[Piece], after: Sequence[Piece], left: Sequence[int], right: Sequence[int]
) -> list[Group]:
    """Groups of the calls at `left` and `right`; what nothing ties is a group of its own."""
    ties: list[_Tie] = []
    # From strong to weak: nodes, operators, names. What a stronger level tied is left out below it.
    for level, at_line, alone in _LEVELS:
        ones = _open_positions(left, [one for one, _, _ in ties])
        others = _open_positions(right, [other for _, other, _ in ties])
        by_line, rest = _pairs_sharing(
            _list_parts(before, ones, level), _list_parts(after, others, level)
        )
        ties += [(one, other, at_line) for one, other in by_line]
        ties += [(one, other, alone) for one, other in rest]
    return _connected_groups(left, right, ties)


def _work_only(parts: Iterable[str]) -> tuple[str, ...]:
    """The parts that do work; all of them where none does."""
    listed = tuple(parts)
    return tuple(part for part in listed if _op_of_part(part) not in ALIAS_OPS) or listed


def _op_of_part(part: str) -> str:
    """`aten.mul` of `aten.mul.Tensor f32[8]`."""
    return ".".join(part.partition(" ")[0].split(".")[:2])


def _parts_of_piece(piece: Piece) -> tuple[str, ...]:
    return _work_only(piece.parts)


def _ops_of_piece(piece: Piece) -> tuple[str, ...]:
    return _work_only(piece.ops or tuple(map(_op_of_part, piece.parts)))


def _name_of_piece(piece: Piece) -> tuple[str, ...]:
    return (piece.name,)


_LEVELS = (
    (_parts_of_piece, Witness.NODES_LINE, Witness.NODES),
    (_ops_of_piece, Witness.OPS_LINE, Witness.OPS),
    (_name_of_piece, Witness.NAME_LINE, Witness.NAME),
)


def _open_positions(positions: Sequence[int], tied: Iterable[int]) -> list[int]:
    taken = set(tied)
    return [at for at in positions if at not in taken]


_Listed = Sequence[tuple[int, str, tuple[str, ...]]]
"""Of each part of each open call: the call's position, the part, the call's source lines."""


def _list_parts(
    side: Sequence[Piece], positions: Iterable[int], level: Callable[[Piece], tuple[str, ...]]
) -> _Listed:
    return [(at, part, side[at].lines) for at in positions for part in level(side[at])]


def _pairs_sharing(
    before: _Listed, after: _Listed
) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The calls that share a part at a source line, and those that share one of the other parts.

    Each part of one side is held against one of the other.
    """
    # Per side, each part of a call with each of its source lines, and its place in the listing.
    lined = [
        [(at, (part, line)) for at, (_, part, lines) in enumerate(side) for line in lines]
        for side in (before, after)
    ]
    shared = align_equal([place for _, place in lined[0]], [place for _, place in lined[1]])
    # A set, because a part that shares several lines gives the same pair several times.
    pairs = {(lined[0][one][0], lined[1][other][0]) for one, other in shared}
    # What no line tied is aligned by the part alone.
    first = _open_positions(range(len(before)), [one for one, _ in pairs])
    second = _open_positions(range(len(after)), [other for _, other in pairs])
    rest = align_equal([before[at][1] for at in first], [after[at][1] for at in second])
    # From places in the listing back to the positions of the calls.
    by_line = {(before[one][0], after[other][0]) for one, other in pairs}
    return by_line, {(before[first[one]][0], after[second[other]][0]) for one, other in rest}


def _connected_groups(
    left: Sequence[int], right: Sequence[int], ties: Iterable[_Tie]
) -> list[Group]:
    """Groups of calls that ties connect; a call without a tie is a group of its own.

    Stronger ties go first, so that a weak one counts only where nothing else holds the calls.
    """
    # Union-find over the calls of both sides; each begins as its own root.
    of = {("before", at): ("before", at) for at in left}
    of |= {("after", at): ("after", at) for at in right}
    # By root, the weakest tie that holds the component together.
    weakest: dict[tuple[str, int], Witness] = {}

    def root(node: tuple[str, int]) -> tuple[str, int]:
        while of[node] != node:
            node = of[node]
        return node

    # Strong ties come first, so the tie that joins two components is the weakest of the new one.
    for one, other, witness in sorted(ties, key=lambda tie: (tie[2].weakness, tie)):
        first, second = root(("before", one)), root(("after", other))
        if first != second:
            of[first] = second
            weakest[second] = witness
    # The calls of each component, by its root and by side.
    members: dict[tuple[str, int], dict[str, list[int]]] = defaultdict(
        lambda: {"before": [], "after": []}
    )
    for side, at in of:
        members[root((side, at))][side].append(at)
    return [
        Group(
            before=tuple(sorted(sides["before"])),
            after=tuple(sorted(sides["after"])),
            witness=weakest.get(node),
        )
        for node, sides in members.items()
    ]


def align_equal(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Positions of equal values: those that keep their order, then the others as they come."""
    # The longest common runs keep their order: `a b c` and `a x b c` share a, b and c. Without
    # autojunk=False, frequent keys of long graphs would be ignored, such as those of equal layers.
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    pairs = [
        (block.a + step, block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]
    # Equal values that moved: the first that is left is tied to the first on the other side.
    left = set(range(len(before))) - {one for one, _ in pairs}
    right: dict[Hashable, list[int]] = defaultdict(list)
    for other in sorted(set(range(len(after))) - {other for _, other in pairs}):
        right[after[other]].append(other)
    pairs += [(one, right[before[one]].pop(0)) for one in sorted(left) if right[before[one]]]
    return sorted(pairs)
