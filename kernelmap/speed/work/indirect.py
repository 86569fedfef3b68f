"""The accesses of Triton kernels whose addresses come from data → how many of them there are.

An index from data may lead each element to memory of its own, or all to one place: the code does
not say. Where it reads an element at a time, each may need a piece of memory of its own. Rows that
are gathered as a whole (`x0 + 512*tmp3`) lie together and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernelmap.facts.dtypes import ITEMSIZE
from kernelmap.model.work import PIECE, Indirect
from kernelmap.speed.work.index_space import Affine, Extents, count_points
from kernelmap.speed.work.triton import KernelLaunch
from kernelmap.speed.work.triton_source import AccessKind
from kernelmap.speed.work.triton_values import Data


def find_indirect_accesses(launches: Iterable[KernelLaunch], first: int) -> Iterator[Indirect]:
    """Loads, stores and atomic additions of single elements at places that data give.

    `first` is the position of the graph's first call in the program.
    """
    for launch in launches:
        for access in launch.body.accesses:
            dtype = launch.dtypes.get(access.argument)
            if dtype is None or not isinstance(access.index, Data) or access.regular is None:
                continue
            if _is_in_runs(access.regular, access.extents, ITEMSIZE[dtype]):
                continue
            yield Indirect(
                call=first + launch.call.index,
                name=launch.names.get(access.argument, access.argument),
                elements=count_points(access.index.digits, access.extents),
                itemsize=ITEMSIZE[dtype],
                is_atomic=access.kind is AccessKind.ATOMIC,
            )


def _is_in_runs(regular: Affine, extents: Extents, itemsize: int) -> bool:
    """Whether neighbours along an axis lie in one piece of memory, wherever data lead them."""
    return any(
        abs(factor) * itemsize < PIECE and digit.extent(extents) > 1
        for digit, factor in regular.terms
    )
