"""Which buffer of one graph is which of another: by the call that made it.

The wrapper's names are counted by the compiler, and shift. Takes the groups of calls that belong
together. Of equal calls the k-th results are a pair. Of calls that became others the results of one
type are, the last ones first: what the rest of the graph goes on with comes last, and what is new
in between has no counterpart. What a forward saved for its backward goes by the call that made it,
too. Inputs and the like are paired by names without numbers and by types, in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from msgspec import Struct

from kernelmap.history.compare.pairing.calls import align_equal
from kernelmap.history.compare.sides.held import HeldBuffer, HeldGraph

_NUMBER = re.compile(r"_?\d+$")


class CallGroup(Struct, frozen=True, kw_only=True):
    """Indices of calls of two graphs that belong together; `same` where they compute the same."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    same: bool


class BufferPair(Struct, frozen=True, kw_only=True):
    """A buffer of each side, None where the other has none; `group` is that of its calls."""

    before: HeldBuffer | None
    after: HeldBuffer | None
    group: CallGroup | None


Makers = Mapping[str, Hashable]
"""By the id of a call what it shares with the calls of the other side that it belongs to."""


def pair_buffers(
    before: HeldGraph,
    after: HeldGraph,
    groups: Sequence[CallGroup],
    makers: tuple[Makers, Makers] = ({}, {}),
) -> tuple[BufferPair, ...]:
    """Pairs that hold every buffer of both sides once; `makers` are of both sides' forwards."""
    pairs = _pair_saved(before, after, makers)
    saved = {id(one) for pair in pairs for one in (pair.before, pair.after)}
    pairs += _pair_by_keys(
        [one for one in before.buffers if one.call is None and id(one) not in saved],
        [one for one in after.buffers if one.call is None and id(one) not in saved],
        _OF_INPUTS,
        None,
    )
    for group in groups:
        ones = [one for one in before.buffers if one.call in group.before]
        others = [one for one in after.buffers if one.call in group.after]
        if group.same and len(ones) == len(others):
            pairs += [
                BufferPair(before=one, after=other, group=group)
                for one, other in zip(ones, others, strict=True)
            ]
        else:
            # From the last to the first.
            pairs += _pair_by_keys(ones[::-1], others[::-1], _OF_RESULTS, group)
    # Calls that stand in no group are of no pair of graphs, or of one side that states no code.
    known = {id(one) for pair in pairs for one in (pair.before, pair.after)}
    pairs += [
        BufferPair(before=one, after=None, group=None)
        for one in before.buffers
        if id(one) not in known
    ]
    pairs += [
        BufferPair(before=None, after=one, group=None)
        for one in after.buffers
        if id(one) not in known
    ]
    return tuple(pairs)


def _pair_saved(
    before: HeldGraph, after: HeldGraph, makers: tuple[Makers, Makers]
) -> list[BufferPair]:
    """What forwards saved by calls that belong together, as far as both sides have it."""
    sides = [
        [
            (one, (makers[side][one.origin], one.kind))
            for one in graph.buffers
            if one.origin is not None and one.origin in makers[side]
        ]
        for side, graph in enumerate((before, after))
    ]
    shared = align_equal([key for _, key in sides[0]], [key for _, key in sides[1]])
    return [
        BufferPair(before=sides[0][one][0], after=sides[1][other][0], group=None)
        for one, other in shared
    ]


_Key = Callable[[HeldBuffer], Hashable]


def _bare_name(buffer: HeldBuffer) -> str:
    """`primals` of `primals_3`."""
    return _NUMBER.sub("", buffer.name)


_OF_INPUTS: tuple[_Key, ...] = (
    lambda one: (one.name, one.kind, one.shape, one.dtype),
    lambda one: (_bare_name(one), one.kind, one.shape, one.dtype),
    lambda one: (one.name, one.kind),
    lambda one: (one.kind, one.shape, one.dtype),
    # A backward is handed `primals_1`, or a view of it under the name of a node.
    lambda one: (one.kind, one.nbytes, one.dtype),
)
_OF_RESULTS: tuple[_Key, ...] = (
    lambda one: (one.shape, one.stride, one.dtype),
    lambda one: (one.shape, one.dtype),
    lambda one: one.shape,
    lambda one: (one.op, one.kind),
)
"""What two buffers share that are a pair, from the strictest to the least: a step further is asked
only of what no step before has paired."""


def _pair_by_keys(
    before: Sequence[HeldBuffer],
    after: Sequence[HeldBuffer],
    keys: Iterable[_Key],
    group: CallGroup | None,
) -> list[BufferPair]:
    left, right = list(before), list(after)
    pairs = []
    for key in keys:
        shared = align_equal([key(one) for one in left], [key(other) for other in right])
        pairs += [
            BufferPair(before=left[one], after=right[other], group=group) for one, other in shared
        ]
        taken = ({one for one, _ in shared}, {other for _, other in shared})
        left = [buffer for at, buffer in enumerate(left) if at not in taken[0]]
        right = [buffer for at, buffer in enumerate(right) if at not in taken[1]]
    pairs += [BufferPair(before=one, after=None, group=group) for one in left]
    pairs += [BufferPair(before=None, after=other, group=group) for other in right]
    return pairs
