"""The index expressions of Triton kernels → how much of the memory's traffic their threads use.

Memory moves whole pieces. A block works on a tile of neighbouring indices of every axis. An access
uses a part of the pieces that its tile reaches; the rest moves for nothing, unless a cache keeps
it for another tile. The tiles assumed here are large: what they waste, the tiles that the autotuner
picks waste too.

Left out: indices that come from data, and digits of an axis that do not nest; nothing is said of
such an operand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from kernelmap.facts.dtypes import ITEMSIZE
from kernelmap.model.work import PIECE, Strided, StridedOperand, Work
from kernelmap.speed.work.index_space import Affine, count_distinct_sums, split_into_elementary
from kernelmap.speed.work.triton import KernelLaunch
from kernelmap.speed.work.triton_source import Access

_ALONE, _BESIDE = 1024, 64
"""Indices of a tile along the only axis, and along each of several. Larger than the tiles that the
autotuner picks, so that no waste is claimed that it avoids."""
_WASTE = 2
"""Times what is used has to move before a call is called strided: an operand that starts off a
piece moves a little more everywhere. Chosen."""


def find_strided_calls(
    launches: Iterable[KernelLaunch], works: Sequence[Work], first: int
) -> Iterator[Strided]:
    """The calls that move at least twice the bytes that they use.

    `works` is parallel to the graph's calls, `first` the position of its first call in the program.
    """
    for launch in launches:
        work = works[launch.call.index]
        operands = tuple(_iter_wasteful_operands(launch, work))
        # Waste of one operand matters only against all that the call moves.
        used = work.bytes.most if work.bytes else 0
        wasted = sum(operand.moved - operand.used for operand in operands)
        if used and used + wasted >= _WASTE * used:
            yield Strided(call=first + launch.call.index, operands=operands)


def _iter_wasteful_operands(launch: KernelLaunch, work: Work) -> Iterator[StridedOperand]:
    """The operands of whose pieces half is used at most."""
    # Operands have the wrapper's names, accesses the parameters of the kernel.
    arguments = {name: argument for argument, name in launch.names.items()}
    for operand in work.operands or ():
        argument = arguments.get(operand.name, operand.name)
        tile = _least_wasteful_tile(launch, argument)
        if tile is not None and tile.used * _WASTE <= tile.moved:
            yield StridedOperand(
                name=operand.name,
                written=operand.written,
                used=operand.bytes.most,
                moved=operand.bytes.most * tile.moved // tile.used,
                distance=tile.distance,
            )


class _Tile(Struct, frozen=True):
    """The bytes that a tile uses of an operand, and those of the pieces that hold them.

    `distance` is how many bytes lie between neighbours.
    """

    used: int
    moved: int
    distance: int


def _least_wasteful_tile(launch: KernelLaunch, argument: str) -> _Tile | None:
    """The tile of the access that wastes least: all of an operand together waste no more."""
    accesses = [access for access in launch.body.accesses if access.argument == argument]
    tiles = [_of_access(access, ITEMSIZE[launch.dtypes[argument]]) for access in accesses]
    readable = [tile for tile in tiles if tile is not None]
    # An access that cannot be judged may use the rest of the pieces.
    if len(readable) < len(accesses):
        return None
    return max(readable, key=lambda tile: Fraction(tile.used, tile.moved), default=None)


def _of_access(access: Access, itemsize: int) -> _Tile | None:
    """One access of one tile; None where its index is no sum of digits that nest."""
    if not isinstance(access.index, Affine):
        return None
    # Digits that vary freely, so that each is a step of the address with a number of values.
    split = split_into_elementary([access.index], access.extents)
    if split is None:
        return None
    (index,), extents_of = split
    # The tile has many indices where the kernel has one axis, fewer along each where it has
    # several.
    running = [axis for axis, extent in access.extents.items() if extent > 1]
    size = _ALONE if len(running) <= 1 else _BESIDE
    # In bytes: how far apart the values of each digit lie, and how many of them a tile reaches. Of
    # `x // 256` a tile of 1,024 indices reaches 4.
    steps = []
    for digit, factor in index.terms:
        values = min(extents_of[digit], -(-size // digit.divisor))
        if values > 1:
            steps.append((abs(factor) * itemsize, values))
    # An address that several combinations of values reach is used once.
    used = count_distinct_sums(steps).most * itemsize
    moved = _count_pieces(steps, itemsize) * PIECE
    return _Tile(
        used=used,
        moved=moved if moved > PIECE else used,  # one piece: other tiles need the rest of it
        distance=min((factor for factor, _ in steps), default=itemsize),
    )


def _count_pieces(steps: Iterable[tuple[int, int]], itemsize: int) -> int:
    """How many pieces hold the elements that steps of so many bytes reach; the first is aligned.

    >>> steps = ([(4, 64)], [(32, 64)], [(8, 16), (4096, 4)])
    >>> tuple(_count_pieces(each, 4) for each in steps)
    (4, 32, 8)
    """
    # From the shortest distance to the longest: `length` bytes lie together, `apart` times.
    apart, length = 1, itemsize
    for distance, often in sorted(steps):
        # Values no further apart than a piece, or than what lies together already, leave no piece
        # out.
        if distance <= max(length, PIECE):
            length += distance * (often - 1)
        else:
            apart *= often
    return apart * -(-length // PIECE)
