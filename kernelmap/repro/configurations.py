"""The configurations of a Triton kernel: the recorded one, and which others it can have.

A profile that was recorded with shapes states blocks, warps and stages. Any other states the grid
and the threads of a block: they leave few powers of two, which the script then measures. Without a
profile those are tried that Inductor would try first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.repro.grids import GridRule, find_grid, numel_of, whole_or_none
from kernelmap.repro.kernel_text import TritonKernel
from kernelmap.repro.recorded import RecordedCall
from kernelmap.repro.refusal import NotInInputsError

_WARP_SIZE = re.compile(r"warp_size=(\d{1,4})")
_PROCESSORS = re.compile(r"multi_processor_count=(\d{1,6})")
_WARP = 32
_MOST_WARPS = 32  # 1,024 threads, the most of a block
_LARGEST_BLOCK = 1 << 16
_MOST_ELEMENTS = 1 << 14  # of a block in all: above, kernels spill registers
_MOST_OPEN = 12  # configurations that a recording leaves open, and a script measures
_ELEMENTS_OF_A_WARP = 128  # of a reduction: Inductor gives a block as many warps, up to a limit
_USUAL = {"X": (1, 8, 32, 64, 128, 256, 512, 1024), "Y": (16, 32, 64, 128), "Z": (1, 8, 16)}
_REDUCED = (8, 64, 512, 1024, 2048, 4096)
"""Blocks that Inductor's heuristics begin with: pointwise, and along a reduction."""
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

    def with_blocks(self, changed: Mapping[str, int]) -> KernelConfig:
        """The same with other sizes of some blocks."""
        return replace(
            self, blocks=tuple((one, changed.get(one, size)) for one, size in self.blocks)
        )


class LaunchPlan(Struct, frozen=True, kw_only=True):
    """How a kernel is launched, and may be.

    `grid` is an expression of the script. `configs` has the configuration that is known, or those
    that the recording leaves open; `says` tells where they come from. `rule` is what the grid
    follows. `reach` has by name of a block the largest size that it can be given: none of one of
    which the grid does not follow. `rows` are the elements of a block that no size decides.
    `processors` are the multiprocessors of the GPU that the code was compiled for.
    """

    grid: str
    configs: tuple[KernelConfig, ...]
    says: str
    rule: GridRule | None = None
    reach: Mapping[str, int] = {}
    rows: int = 1
    processors: int | None = None

    def allows(self, config: KernelConfig) -> bool:
        """Whether a kernel can be launched so, with blocks that registers hold."""
        recorded = dict(self.configs[0].blocks)
        sizes = [size for _, size in config.blocks]
        are_whole = all(
            1 <= size <= self.reach.get(name, 0) or size == recorded[name]
            for name, size in config.blocks
        )
        has_room = not sizes or math.prod(sizes) * self.rows <= _MOST_ELEMENTS
        return are_whole and has_room and 1 <= config.warps <= _MOST_WARPS and config.stages >= 1


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
    kind = kernel.meta.get("inductor_meta", {}).get("grid_type")
    stages = whole_or_none(kernel.meta[""].get("num_stages")) or recorded.stages or 1
    warps = _warps_of(kernel, recorded, text)
    tuned = kernel.meta[""].get("configs")
    if isinstance(tuned, list) and tuned:
        return _plan_tuned(kernel, tuned, recorded, warps)
    if kind in _FIXED or (kind is None and extra):
        grid = tuple(extra) if len(extra) == len("xyz") else recorded.grid
        if grid is None or kernel.blocks:
            raise _unknown_grid()
        config = KernelConfig(blocks=(), warps=warps or 4, stages=stages)
        return LaunchPlan(grid=f"{grid}", configs=(config,), says="as the code has it")
    rule = find_grid(kernel, sizes)
    if rule is None and recorded.grid is None:
        raise _unknown_grid()
    blocks = _Blocks(kernel, sizes, rule, recorded)
    configs, says = _recorded_configs(kernel, recorded, warps, stages, blocks)
    return LaunchPlan(
        grid=rule.text if rule is not None else f"{recorded.grid}",
        configs=configs,
        says=says,
        rule=rule,
        # A grid that is a number fits the recorded blocks: only those along a row can be others.
        reach={
            name: blocks.reach(name)
            for name in kernel.blocks
            if name.endswith("BLOCK") and (rule is not None or name.startswith("R"))
        },
        rows=blocks.rows,
        processors=_number_in(_PROCESSORS, text),
    )


def _unknown_grid() -> NotInInputsError:
    return NotInInputsError(
        "runs a kernel of which nothing says the grid",
        "Give a profile of the same run as well: its launches state their grids.",
    )


def _warps_of(kernel: TritonKernel, recorded: RecordedCall, text: str) -> int | None:
    stated = whole_or_none(kernel.meta[""].get("num_warps")) or recorded.warps
    if stated is not None:
        return stated
    if recorded.block is None:
        return None
    return math.prod(recorded.block) // (_number_in(_WARP_SIZE, text) or _WARP) or None


def _number_in(pattern: re.Pattern[str], text: str) -> int | None:
    """A property of the device, which generated code states beside each kernel."""
    found = pattern.search(text)
    return int(found[1]) if found is not None else None


class _Blocks:
    """The sizes that the blocks of a kernel can have."""

    def __init__(
        self,
        kernel: TritonKernel,
        sizes: Mapping[str, int],
        rule: GridRule | None,
        recorded: RecordedCall,
    ) -> None:
        self._kernel, self._sizes, self.rule, self._recorded = kernel, sizes, rule, recorded
        # A persistent reduction has all of the row in a block.
        self.rows = math.prod(
            _power_of_two(numel_of(kernel, axis, sizes) or 1)
            for axis in ("r0_", "r1_", "r")
            if f"{axis.upper()}BLOCK" not in kernel.blocks
        )

    def reach(self, name: str) -> int:
        """The largest size of a block: a power of two that its axis fills."""
        numel = numel_of(self._kernel, name.removesuffix("BLOCK").lower(), self._sizes)
        return _power_of_two(numel) if numel else _LARGEST_BLOCK

    def iter_possible(self) -> Iterator[tuple[tuple[str, int], ...]]:
        """Sizes that make the recorded grid; without one those that are usual."""
        choices = [
            [(name, size) for size in self._choices_of(name)] for name in self._kernel.blocks
        ]
        grid = self._recorded.grid
        for blocks in product(*choices):
            is_recorded = (
                grid is None or self.rule is None or self.rule.blocks_with(dict(blocks)) == grid
            )
            elements = math.prod(size for _, size in blocks) * self.rows
            if is_recorded and elements <= _MOST_ELEMENTS:
                yield blocks

    def _choices_of(self, name: str) -> Sequence[int]:
        largest = self.reach(name)
        if name.startswith("R"):
            return [one for one in _REDUCED if one <= largest] or [largest]
        if self._recorded.grid is not None and self.rule is not None:
            return [1 << at for at in range(largest.bit_length())]
        usual = [one for one in _USUAL.get(name[0], _USUAL["X"]) if one <= largest]
        return usual[-4:] or [largest]


def _recorded_configs(
    kernel: TritonKernel,
    recorded: RecordedCall,
    warps: int | None,
    stages: int,
    blocks: _Blocks,
) -> tuple[tuple[KernelConfig, ...], str]:
    """The configurations that the launch may have had, the likeliest first."""
    stated = {name: recorded.blocks[name] for name in kernel.blocks if name in recorded.blocks}
    if len(stated) == len(kernel.blocks):
        config = KernelConfig(blocks=tuple(stated.items()), warps=warps or 4, stages=stages)
        if warps is not None:
            return (config,), "as recorded"
        if not kernel.blocks:
            return (config,), "not recorded: four warps are a guess"
    usual = math.log2(_ELEMENTS_OF_A_WARP * (warps or 4))
    likeliest = sorted(blocks.iter_possible(), key=lambda one: abs(_log_of_elements(one) - usual))
    possible = tuple(KernelConfig(blocks=one, warps=warps or 4, stages=stages) for one in likeliest)
    if not possible:
        raise NotInInputsError(
            "was launched with blocks that nothing states",
            "Record a profile with record_shapes=True: it states the blocks of each launch.",
        )
    if recorded.grid is None or warps is None or blocks.rule is None:
        return possible[:_MOST_OPEN], "not recorded: some that Inductor may choose"
    if len(possible) == 1:
        return possible, "from the recorded grid and threads"
    return (
        possible[:_MOST_OPEN],
        "all that make the recorded grid with the recorded threads; the fastest counts",
    )


def _log_of_elements(blocks: Sequence[tuple[str, int]]) -> float:
    return math.log2(math.prod(size for _, size in blocks))


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
            if (value := whole_or_none(numbers.get(name))) is not None
        ]
        if len(blocks) != len(kernel.blocks):
            continue
        config = KernelConfig(
            blocks=tuple(blocks),
            warps=whole_or_none(one.get("num_warps")) or 4,
            stages=whole_or_none(one.get("num_stages")) or 1,
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
    return LaunchPlan(grid=f"{grid}", configs=(config,), says=says)


def _precomputed(grids: object, at: int) -> tuple[int, ...] | None:
    """The grid of one configuration, where it is stated in numbers."""
    one = grids[at] if isinstance(grids, list) and at < len(grids) else None
    stated = one.get("python") if isinstance(one, dict) else None
    if not isinstance(stated, list) or not all(str(size).isdecimal() for size in stated):
        return None
    return tuple(int(size) for size in stated)


def _power_of_two(size: int) -> int:
    """The least power of two that is not smaller."""
    return 1 << max(size - 1, 0).bit_length()
