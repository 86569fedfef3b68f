"""The configurations of a Triton kernel: the recorded one, and others to try.

A profile that was recorded with shapes states blocks, warps and stages. Any other states the grid
and the threads of a block: they leave few powers of two, which the script then measures. Without a
profile those are tried that Inductor would try first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct

from kernelmap.repro.kernel_text import TritonKernel
from kernelmap.repro.recorded import RecordedCall
from kernelmap.repro.refusal import NotInInputsError

_WARP_SIZE = re.compile(r"warp_size=(\d+)")
_WARP = 32
_LARGEST_BLOCK = 1 << 16
_MOST_ELEMENTS = 1 << 14  # of a block in all: above, kernels spill registers
_MOST_TRIED = 12
_USUAL = {"X": (1, 8, 32, 64, 128, 256, 512, 1024), "Y": (16, 32, 64, 128), "Z": (1, 8, 16)}
_REDUCED = (8, 64, 512, 1024, 2048, 4096)
"""Blocks that Inductor's heuristics begin with: pointwise, and along a reduction."""
_AXES = {"Grid1D": "x", "Grid2D": "xy", "Grid3D": "xyz"}
_COMBO = "SequentialComboKernelGrid"
_FIXED = ("FixedGrid", "PrecomputedGrid")


class KernelConfig(Struct, frozen=True, kw_only=True):
    """Block sizes by name, warps and stages."""

    blocks: tuple[tuple[str, int], ...]
    warps: int
    stages: int = 1

    @property
    def text(self) -> str:
        """As the script has it."""
        pairs = [*self.blocks, ("num_warps", self.warps), ("num_stages", self.stages)]
        return "{" + ", ".join(f'"{name}": {value}' for name, value in pairs) + "}"


class LaunchPlan(Struct, frozen=True, kw_only=True):
    """How a kernel is launched.

    `grid` is an expression of the script, over `config` where it has blocks. `configs` has the
    configuration that is known, or those that the recording leaves open. `others` are more to
    try. `says` tells where they come from.
    """

    grid: str
    configs: tuple[KernelConfig, ...]
    others: tuple[KernelConfig, ...]
    says: str


def plan_launch(
    kernel: TritonKernel,
    sizes: Mapping[str, int],
    extra: Sequence[int],
    recorded: RecordedCall,
    text: str,
) -> LaunchPlan:
    """How to launch a kernel as it was; `sizes` are the whole numbers that it is handed, by name.

    `extra` are numbers behind its parameters, which templates have for the grid; `text` is the code
    of the graph. Raises NotInInputsError where nothing says the grid.
    """
    inductor = kernel.meta.get("inductor_meta", {})
    kind = inductor.get("grid_type")
    stages = _whole(kernel.meta[""].get("num_stages")) or recorded.stages or 1
    warps = _warps_of(kernel, recorded, text)
    tuned = kernel.meta[""].get("configs")
    if isinstance(tuned, list) and tuned:
        return _plan_tuned(kernel, tuned, recorded, warps)
    if kind in _FIXED or (kind is None and extra):
        grid = tuple(extra) if len(extra) == len("xyz") else recorded.grid
        if grid is None or kernel.blocks:
            raise _unknown_grid()
        config = KernelConfig(blocks=(), warps=warps or 4, stages=stages)
        others = tuple(_others_than(config))
        return LaunchPlan(
            grid=f"{grid}", configs=(config,), others=others, says="as the code has it"
        )
    axes = _AXES.get(str(kind)) or _axes_of_older(kernel, kind)
    expression, count = _grid_of(kernel, inductor, kind, axes, sizes, recorded)
    configs, says = _recorded_configs(kernel, sizes, recorded, warps, stages, count)
    others = tuple(
        one for one in _others_than(configs[0]) if one not in configs and _fits(one, kernel, sizes)
    )
    return LaunchPlan(grid=expression, configs=configs, others=others[:_MOST_TRIED], says=says)


def _unknown_grid() -> NotInInputsError:
    return NotInInputsError(
        "runs a kernel of which nothing says the grid",
        "Give a profile of the same run as well: its launches state their grids.",
    )


def _axes_of_older(kernel: TritonKernel, kind: object) -> str | None:
    """Before torch 2.7 the kernel states no type of grid: its numels do."""
    if kind is not None:
        return None
    outer = [name for name in ("xnumel", "ynumel", "znumel") if name in kernel.parameters]
    return "".join(name[0] for name in outer) or None


class _Grid(Struct, frozen=True):
    """How many blocks a configuration makes along each axis."""

    sizes: tuple[int, ...]
    blocks: tuple[str | None, ...]
    summed: bool = False

    def blocks_with(self, blocks: Mapping[str, int]) -> tuple[int, ...]:
        counts = [
            -(-size // blocks.get(name or "", 1))
            for size, name in zip(self.sizes, self.blocks, strict=True)
        ]
        return (sum(counts),) if self.summed else tuple(counts)


def _grid_of(
    kernel: TritonKernel,
    inductor: Mapping[object, object],
    kind: object,
    axes: str | None,
    sizes: Mapping[str, int],
    recorded: RecordedCall,
) -> tuple[str, _Grid | None]:
    """The grid as an expression of the script, and as a rule that tells blocks from it."""
    if axes is not None:
        numels = tuple(_numel_of(kernel, axis, sizes) for axis in axes)
        names = tuple(
            name if (name := f"{axis.upper()}BLOCK") in kernel.blocks else None for axis in axes
        )
        if None in numels:
            raise _unknown_grid()
        rule = _Grid(tuple(one for one in numels if one is not None), names)
        parts = [_count_text(size, name) for size, name in zip(rule.sizes, names, strict=True)]
        return f"({', '.join([*parts, *['1'] * (3 - len(parts))])})", rule
    combo = inductor.get("combo_grid_meta")
    if kind == _COMBO and isinstance(combo, dict):
        summed = _combo_grid(kernel, combo)
        if summed is not None:
            parts = [_count_text(s, n) for s, n in zip(summed.sizes, summed.blocks, strict=True)]
            return f"({' + '.join(parts)}, 1, 1)", summed
    if recorded.grid is not None:
        return f"{recorded.grid}", None
    raise _unknown_grid()


def _combo_grid(kernel: TritonKernel, combo: Mapping[object, object]) -> _Grid | None:
    """Kernels side by side: the blocks of the second follow those of the first."""
    count = _whole(combo.get("num_kernels")) or 0
    sizes = [_whole(combo.get(f"xnumel_{at}")) for at in range(count)]
    if not sizes or None in sizes:
        return None
    names = tuple(None if combo.get(f"no_x_dim_{at}") else "XBLOCK" for at in range(count))
    stated = re.search(r"^ +XBLOCK: tl\.constexpr = (\d{1,9})$", kernel.body, re.MULTILINE)
    if "XBLOCK" not in kernel.blocks:  # then all kernels have one block, which the body states
        block = int(stated[1]) if stated is not None else 1
        sizes = [-(-(one or 0) // block) for one in sizes]
        names = (None,) * count
    return _Grid(tuple(one for one in sizes if one is not None), names, summed=True)


def _count_text(size: int, block: str | None) -> str:
    return f"{size}" if block is None else f'triton.cdiv({size}, config["{block}"])'


def _numel_of(kernel: TritonKernel, axis: str, sizes: Mapping[str, int]) -> int | None:
    """How far an axis runs: what the launch says, or the kernel's body."""
    handed = sizes.get(f"{axis}numel")
    if handed is not None:
        return handed
    constant = _whole(kernel.constants.get(f"{axis}numel"))
    stated = re.search(rf"^ +{axis}numel = (\d{{1,15}})$", kernel.body, re.MULTILINE)
    return constant or (int(stated[1]) if stated else None)


def _warps_of(kernel: TritonKernel, recorded: RecordedCall, text: str) -> int | None:
    stated = _whole(kernel.meta[""].get("num_warps")) or recorded.warps
    if stated is not None:
        return stated
    if recorded.block is None:
        return None
    size = _WARP_SIZE.search(text)
    threads = recorded.block[0] * recorded.block[1] * recorded.block[2]
    return threads // (int(size[1]) if size else _WARP) or None


def _recorded_configs(
    kernel: TritonKernel,
    sizes: Mapping[str, int],
    recorded: RecordedCall,
    warps: int | None,
    stages: int,
    grid: _Grid | None,
) -> tuple[tuple[KernelConfig, ...], str]:
    """The configurations that the launch may have had, the likeliest first."""
    if not kernel.blocks:
        config = KernelConfig(blocks=(), warps=warps or 4, stages=stages)
        known = warps is not None
        return (config,), "as recorded" if known else "not recorded: four warps are a guess"
    if all(name in recorded.blocks for name in kernel.blocks) and warps is not None:
        blocks = tuple((name, recorded.blocks[name]) for name in kernel.blocks)
        return (KernelConfig(blocks=blocks, warps=warps, stages=stages),), "as recorded"
    possible = [
        config
        for config in _all_configs(kernel, sizes, warps, stages, grid, recorded)
        if _fits(config, kernel, sizes)
    ]
    if not possible:
        raise NotInInputsError(
            "was launched with blocks that nothing states",
            "Record a profile with record_shapes=True: it states the blocks of each launch.",
        )
    is_known = recorded.grid is not None and warps is not None and grid is not None
    if len(possible) == 1 and is_known:
        return tuple(possible), "from the recorded grid and threads"
    if is_known:
        return (
            tuple(possible[:_MOST_TRIED]),
            "all that make the recorded grid with the recorded threads; the fastest counts",
        )
    return tuple(possible[:_MOST_TRIED]), "not recorded: some that Inductor may choose"


def _all_configs(
    kernel: TritonKernel,
    sizes: Mapping[str, int],
    warps: int | None,
    stages: int,
    grid: _Grid | None,
    recorded: RecordedCall,
) -> Iterator[KernelConfig]:
    choices = []
    for name in kernel.blocks:
        axis = name.removesuffix("BLOCK").rstrip("_").lower()
        numel = _numel_of(kernel, f"{axis}_" if axis.startswith("r") else axis, sizes)
        numel = numel or _numel_of(kernel, axis, sizes)
        largest = _power_of_two(numel) if numel else _LARGEST_BLOCK
        if axis.startswith("r"):
            usual: Sequence[int] = [one for one in _REDUCED if one <= largest] or [largest]
        elif recorded.grid is not None and grid is not None:
            usual = [1 << at for at in range(largest.bit_length())]
        else:
            usual = [one for one in _USUAL.get(name[0], _USUAL["X"]) if one <= largest][-4:]
            usual = usual or [largest]
        choices.append([(name, one) for one in usual])
    for blocks in product(*choices):
        counts = grid.blocks_with(dict(blocks)) if grid is not None else None
        is_other = counts is not None and (*counts, 1, 1)[: len("xyz")] != recorded.grid
        if recorded.grid is not None and is_other:
            continue
        yield KernelConfig(blocks=blocks, warps=warps or 4, stages=stages)


def _fits(config: KernelConfig, kernel: TritonKernel, sizes: Mapping[str, int]) -> bool:
    """Whether a block has a size that Inductor would choose: one that a block's registers hold."""
    elements = 1
    for _, size in config.blocks:
        elements *= size
    # A persistent reduction has all of the row in a block.
    for axis in ("r0_", "r1_", "r"):
        if f"{axis.upper()}BLOCK" not in kernel.blocks:
            elements *= _power_of_two(_numel_of(kernel, axis, sizes) or 1)
    return elements <= _MOST_ELEMENTS or len(config.blocks) == 0


def _others_than(config: KernelConfig) -> Iterator[KernelConfig]:
    """Configurations around one: half and twice of each block, of the warps, and more stages."""
    for at, (name, size) in enumerate(config.blocks):
        for other in (size * 2, size // 2, size * 4, size // 4):
            if other >= 1:
                blocks = (*config.blocks[:at], (name, other), *config.blocks[at + 1 :])
                yield KernelConfig(blocks=blocks, warps=config.warps, stages=config.stages)
    for warps in (config.warps * 2, config.warps // 2, config.warps * 4, config.warps // 4):
        if 1 <= warps <= 32:  # noqa: PLR2004 -- 1,024 threads, the most of a block
            yield KernelConfig(blocks=config.blocks, warps=warps, stages=config.stages)
    for stages in (config.stages + 1, config.stages + 2, config.stages - 1):
        if stages >= 1:
            yield KernelConfig(blocks=config.blocks, warps=config.warps, stages=stages)


def _plan_tuned(
    kernel: TritonKernel,
    tuned: Sequence[object],
    recorded: RecordedCall,
    warps: int | None,
) -> LaunchPlan:
    """A kernel of the user's: its configurations and the grid of each stand in the code."""
    grids = kernel.meta.get("inductor_meta", {}).get("precomputed_grids")
    listed: list[tuple[KernelConfig, tuple[int, ...] | None]] = []
    for at, one in enumerate(tuned):
        if not isinstance(one, dict):
            continue
        own = one.get("kwargs", one)
        numbers = own if isinstance(own, dict) else {}
        blocks = [
            (name, value)
            for name in kernel.blocks
            if (value := _whole(numbers.get(name))) is not None
        ]
        if len(blocks) != len(kernel.blocks):
            continue
        config = KernelConfig(
            blocks=tuple(blocks),
            warps=_whole(one.get("num_warps")) or 4,
            stages=_whole(one.get("num_stages")) or 1,
        )
        listed.append((config, _precomputed(grids, at)))
    fitting = [
        (config, grid)
        for config, grid in listed
        if (warps is None or config.warps == warps)
        and (recorded.grid is None or grid is None or grid == recorded.grid)
    ]
    chosen = fitting or listed
    if not chosen:
        raise _unknown_grid()
    config, grid = chosen[0]
    grid = grid or recorded.grid
    if grid is None:
        raise _unknown_grid()
    says = "as recorded" if len(chosen) == 1 and recorded.grid else "the first that the code lists"
    expression = f"{grid}"
    others: tuple[KernelConfig, ...] = tuple(
        _others_than(KernelConfig(blocks=(), warps=config.warps))
    )
    others = tuple(
        KernelConfig(blocks=config.blocks, warps=one.warps, stages=config.stages)
        for one in others
        if one.warps != config.warps
    )
    return LaunchPlan(grid=expression, configs=(config,), others=others, says=says)


def _precomputed(grids: object, at: int) -> tuple[int, ...] | None:
    """The grid of one configuration, where it is stated in numbers."""
    one = grids[at] if isinstance(grids, list) and at < len(grids) else None
    stated = one.get("python") if isinstance(one, dict) else None
    if not isinstance(stated, list) or not all(str(size).isdecimal() for size in stated):
        return None
    return tuple(int(size) for size in stated)


def _whole(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None


def _power_of_two(size: int) -> int:
    """The least power of two that is not smaller."""
    return 1 << max(size - 1, 0).bit_length()
