"""In how many blocks a Triton kernel is launched, as a rule over the sizes of its blocks.

Inductor states a type of grid beside its kernels, and how far each axis runs stands in the launch
or in the kernel's body.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from kernelmap.repro.kernel_text import TritonKernel

_AXES = {"Grid1D": "x", "Grid2D": "xy", "Grid3D": "xyz"}
_COMBO = "SequentialComboKernelGrid"


class GridRule(Struct, frozen=True):
    """How many blocks there are along each axis: `sizes` over the block of each name.

    None in the place of a name is a block of one. `summed`: the blocks of all follow one another.
    """

    sizes: tuple[int, ...]
    blocks: tuple[str | None, ...]
    summed: bool = False

    def blocks_with(self, blocks: Mapping[str, int]) -> tuple[int, int, int]:
        """The grid, with blocks of these sizes."""
        counts = [
            -(-size // blocks.get(name or "", 1))
            for size, name in zip(self.sizes, self.blocks, strict=True)
        ]
        x, y, z = ([sum(counts), 1, 1] if self.summed else [*counts, 1, 1])[:3]
        return x, y, z

    @property
    def text(self) -> str:
        """The grid as an expression of the script, over the blocks in `config`."""
        counts = [
            f"{size}" if name is None else f'triton.cdiv({size}, config["{name}"])'
            for size, name in zip(self.sizes, self.blocks, strict=True)
        ]
        if self.summed:
            counts = [" + ".join(counts)]
        return f"({', '.join([*counts, '1', '1'][:3])})"


def find_grid(kernel: TritonKernel, sizes: Mapping[str, int]) -> GridRule | None:
    """The rule of a kernel; `sizes` are the whole numbers that it is handed. None is unknown."""
    inductor = kernel.meta.get("inductor_meta", {})
    kind, combo = inductor.get("grid_type"), inductor.get("combo_grid_meta")
    if kind == _COMBO and isinstance(combo, dict):
        return _combo_grid(kernel, combo)
    axes = _AXES.get(str(kind))
    if kind is None:  # before torch 2.7 the numels of the kernel say it
        axes = "".join(axis for axis in "xyz" if f"{axis}numel" in kernel.parameters)
    numels = [numel_of(kernel, axis, sizes) for axis in axes or ""]
    known = tuple(numel for numel in numels if numel is not None)
    if not known or len(known) < len(numels):
        return None
    names = (f"{axis.upper()}BLOCK" for axis in axes or "")
    return GridRule(known, tuple(name if name in kernel.blocks else None for name in names))


def _combo_grid(kernel: TritonKernel, combo: Mapping[object, object]) -> GridRule | None:
    """Kernels side by side: the blocks of the second follow those of the first."""
    count = whole_or_none(combo.get("num_kernels")) or 0
    found = [whole_or_none(combo.get(f"xnumel_{at}")) for at in range(count)]
    sizes = [size for size in found if size is not None]
    if not sizes or len(sizes) < count:
        return None
    if "XBLOCK" in kernel.blocks:
        names = tuple(None if combo.get(f"no_x_dim_{at}") else "XBLOCK" for at in range(count))
        return GridRule(tuple(sizes), names, summed=True)
    # All kernels have one block, which the body states.
    stated = re.search(r"^ +XBLOCK: tl\.constexpr = (\d{1,9})$", kernel.body, re.MULTILINE)
    block = int(stated[1]) if stated is not None else 1
    return GridRule(tuple(-(-size // block) for size in sizes), (None,) * count, summed=True)


def numel_of(kernel: TritonKernel, axis: str, sizes: Mapping[str, int]) -> int | None:
    """How far an axis runs: what the launch says, or the kernel's body."""
    handed = sizes.get(f"{axis}numel")
    if handed is not None:
        return handed
    constant = whole_or_none(kernel.constants.get(f"{axis}numel"))
    stated = re.search(rf"^ +{axis}numel = (\d{{1,15}})$", kernel.body, re.MULTILINE)
    return constant or (int(stated[1]) if stated else None)


def whole_or_none(value: object) -> int | None:
    """A number above zero that a literal is, and no other value."""
    return value if type(value) is int and value > 0 else None
