"""The index expressions of Triton kernels → tensors whose rows begin off multiples of 16 bytes.

A thread moves 16 bytes at once where the compiler can prove that they lie together and begin at a
multiple of 16. Rows of 4,095 elements prove nothing, so each element is an instruction of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernelmap.facts.dtypes import ITEMSIZE
from kernelmap.model.work import UnevenRows, Work
from kernelmap.speed.work.index_space import Affine
from kernelmap.speed.work.triton import KernelLaunch
from kernelmap.speed.work.triton_source import Access

_AT_ONCE = 16  # bytes that a thread of a GPU moves at most with one instruction
_MOST = 0.5  # of the bytes of a kernel lie in such rows: fewer do not decide its time. Chosen.


def find_uneven_rows(
    launches: Iterable[KernelLaunch], works: Sequence[Work], first: int
) -> Iterator[UnevenRows]:
    """The calls that read or write most of their bytes in rows that begin unevenly.

    `works` is parallel to the graph's calls, `first` the position of its first call in the program.
    """
    for launch in launches:
        work = works[launch.call.index]
        # By tensor how far its uneven rows lie apart; accesses have the parameters of the kernel.
        apart: dict[str, int] = {}
        for access in launch.body.accesses:
            distance = _distance_of_rows(access, launch)
            if distance is not None:
                apart[launch.names.get(access.argument, access.argument)] = distance
        if not apart or work.bytes is None:
            continue
        uneven = sum(one.bytes.most for one in work.operands or () if one.name in apart)
        if uneven >= _MOST * work.bytes.most > 0:
            yield UnevenRows(call=first + launch.call.index, rows=tuple(apart.items()))


def _distance_of_rows(access: Access, launch: KernelLaunch) -> int | None:
    """How many bytes the rows of an access lie apart; None where they begin evenly, or are none."""
    itemsize = ITEMSIZE[launch.dtypes[access.argument]] if access.argument in launch.dtypes else 0
    if not isinstance(access.index, Affine) or not itemsize:
        return None
    distances = [
        abs(factor) * itemsize
        for digit, factor in access.index.terms
        if digit.axis in access.extents and digit.extent(access.extents) > 1
    ]
    # Elements lie side by side along one axis, and the step of another one is uneven.
    odd = [distance for distance in distances if distance % _AT_ONCE and distance > itemsize]
    return odd[0] if odd and itemsize in distances else None
