"""The accesses of a Triton kernel → the bytes that one launch moves.

Every operand counts once: of several loads of an argument the addresses that any of them reaches,
and the same for its stores. An argument that is loaded and stored (`in_out_ptr0`) counts twice, an
atomic addition reads and writes. What a kernel loads after it stored it itself is not counted:
it need not come from memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernelmap.model.work import Amount, Operand
from kernelmap.speed.work.index_space import Affine, count_points, count_reached
from kernelmap.speed.work.triton_source import Access, AccessKind
from kernelmap.speed.work.triton_values import Data


def bytes_moved(
    accesses: Sequence[Access], elements: Mapping[str, int | None], itemsize: Mapping[str, int]
) -> tuple[Operand, ...] | None:
    """What the accesses read and write of each argument; None where nothing bounds one of them.

    `elements` has how many elements the tensor behind an argument has, None where that is not
    known; `itemsize` the bytes of one.
    """
    operands = []
    # An argument that is both loaded and stored is two operands.
    for argument in dict.fromkeys(access.argument for access in accesses):
        of_argument = [access for access in accesses if access.argument == argument]
        for written, group in (
            (False, _loads_from_memory(of_argument)),
            (True, _stores_to_memory(of_argument)),
        ):
            if group:
                amount = count_union(group, elements.get(argument))
                if amount is None:
                    return None
                size = amount * itemsize[argument]
                operands.append(Operand(name=argument, written=written, bytes=size))
    return tuple(operands)


def _loads_from_memory(accesses: Sequence[Access]) -> list[Access]:
    """What is read from memory: the loads before the first store, and atomic operations."""
    first = next(
        (at for at, access in enumerate(accesses) if access.kind is AccessKind.STORE), len(accesses)
    )
    return [
        access
        for at, access in enumerate(accesses)
        if access.kind is AccessKind.ATOMIC or (access.kind is AccessKind.LOAD and at < first)
    ]


def _stores_to_memory(accesses: Sequence[Access]) -> list[Access]:
    return [access for access in accesses if access.kind is not AccessKind.LOAD]


def count_union(accesses: Sequence[Access], elements: int | None) -> Amount | None:
    """How many elements any of the accesses reaches, of a tensor with so many elements.

    None where neither the indices nor the tensor bound them.
    """
    different = list(dict.fromkeys(accesses))
    # Without the index of each access only the size of the tensor bounds what they reach.
    amounts = [amount for access in different if (amount := _count_reached(access)) is not None]
    if len(amounts) < len(different):
        return None if elements is None else Amount(0, elements)
    # At least what the largest of them reaches, at most what all of them reach one beside the
    # other.
    amount = _count_shifted(different) or Amount(
        max(amount.least for amount in amounts), sum(amount.most for amount in amounts)
    )
    if elements is None:
        return amount
    most = min(amount.most, elements)
    return Amount(min(amount.least, most), most)


def _count_reached(access: Access) -> Amount | None:
    """How many elements one access reaches; None where its index says nothing."""
    if isinstance(access.index, Affine):
        amount = count_reached(access.index, access.extents, access.mask.conditions)
    elif isinstance(access.index, Data):
        # Indices from data may all be one, or all be different.
        most = count_points(access.index.digits, access.extents)
        amount = Amount(min(1, most), most)
    else:
        return None
    return amount if access.mask.whole else Amount(0, amount.most)


def _count_shifted(accesses: Sequence[Access]) -> Amount | None:
    """The union of one index at regular offsets: their spacing is one more step of the index.

    None where the accesses differ in more than the offset.
    """
    # Such as the nine reads of a window: the same sum of digits, each at another offset.
    first = accesses[0]
    offsets = []
    if not isinstance(first.index, Affine):
        return None
    for access in accesses:
        index = access.index
        if not isinstance(index, Affine):
            return None
        if index.terms != first.index.terms or access.mask.conditions or not access.mask.whole:
            return None
        offsets.append(index.const)
    spacing = _spacing_of_offsets(sorted(set(offsets)))
    if spacing is None or any(access.extents != first.extents for access in accesses):
        return None
    return count_reached(first.index, first.extents, spacing=spacing)


def _spacing_of_offsets(offsets: Sequence[int]) -> list[tuple[int, int]] | None:
    """Rising offsets as steps: how far apart, and how often; None where they are irregular.

    >>> _spacing_of_offsets([0, 1, 57, 58]), _spacing_of_offsets([3, 5, 6])
    ([(1, 2), (57, 2)], None)
    """
    if len(offsets) == 1:
        return []
    # The first run of offsets at one distance.
    gap = offsets[1] - offsets[0]
    run = next(
        (at for at, offset in enumerate(offsets) if offset != offsets[0] + at * gap), len(offsets)
    )
    # All further runs have to be like it; how far apart these begin is spacing of its own.
    starts = offsets[::run]
    if list(offsets) != [start + at * gap for start in starts for at in range(run)]:
        return None
    above = _spacing_of_offsets(starts)
    return None if above is None else [(gap, run), *above]
