"""Which grids a generated call can launch: its sizes, divided by blocks that are powers of two.

    triton_poi_fused_add_0.run(buf0, buf1, 32768, stream=stream0)       # xnumel
    triton_poi_fused_clone_1.run(buf1, buf2, 16, 2048, stream=stream0)  # ynumel, xnumel

Inductor launches `cdiv(xnumel, XBLOCK)` blocks, and for kernels of two dimensions as many times
`cdiv(ynumel, YBLOCK)`. Which blocks the autotuner chose the code does not say, but Triton takes
only powers of two. So most grids are impossible, also for the code of the same function for other
sizes, whose kernels bear the same names. Source of the rule: `Grid1D` and `Grid2D` in
torch/_inductor/runtime/triton_heuristics.py, and `grid()` there up to torch 2.6.

Of other kernels (templates, combo kernels, user kernels, cooperative reductions, sizes that are
symbols) nothing is known: every grid is possible.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.model import Backend, CompiledGraph, WrapperCall

Sizes = tuple[int, int]
"""xnumel and ynumel; the latter is 1 for kernels of one dimension."""

_TYPES = (None, "Grid1D", "Grid2D")
_HEURISTICS = ("pointwise", "reduction", "persistent_reduction")
_DIMENSIONS = (("xnumel",), ("ynumel", "xnumel"))


def sizes_of(graph: CompiledGraph, call: WrapperCall) -> Sizes | None:
    """The sizes that decide the grid of a call, None where the code does not state them."""
    kernel = graph.kernel_of(call)
    if kernel is None or call.backend is not Backend.TRITON or call.numels is None:
        return None
    if kernel.heuristic not in _HEURISTICS or kernel.meta.get("grid_type") not in _TYPES:
        return None
    names = [name for name, _ in kernel.signature or () if name.endswith("numel")]
    outer = tuple(name for name in names if not name.startswith("r"))
    if outer not in _DIMENSIONS or len(names) != len(call.numels):
        return None
    size = dict(zip(names, call.numels, strict=True))
    return size["xnumel"], size.get("ynumel", 1)


def may_launch(sizes: Sizes | None, grid: Sequence[int]) -> bool:
    """Whether a call of these sizes can launch `grid`; yes where either is not known.

    >>> [may_launch((1000, 1), grid) for grid in ([8, 1, 1], [9, 1, 1], [8, 2, 1], [-1, -1, -1])]
    [True, False, False, True]
    """
    if sizes is None or grid[0] < 0:
        return True
    width, height, depth = grid
    return (
        depth == 1
        and _is_power_of_two_division(sizes[0], width)
        and _is_power_of_two_division(sizes[1], height)
    )


def _is_power_of_two_division(size: int, blocks: int) -> bool:
    """Whether there is a power of two that goes `blocks` times into `size`, rounded up."""
    # From the smallest block up: the number of blocks falls, until it is `blocks` or less.
    block = 1
    while block < size and -(-size // block) > blocks:
        block *= 2
    return -(-size // block) == blocks
