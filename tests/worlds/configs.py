"""How a Triton kernel is launched: its configs, grid, block and the name the device shows.

Takes a KernelDef and a call, gives numbers of a plausible size. Left out: what Inductor would
really choose; nothing that pairs launches with calls may depend on it.
"""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random

from msgspec import Struct

from kernelmap.model import KernelDef, WrapperCall


class Config(Struct, frozen=True, kw_only=True):
    """One autotuning choice; `blocks` are (name, size), as `kernel_kwargs` writes them."""

    blocks: tuple[tuple[str, int], ...]
    num_warps: int
    num_stages: int = 1

    @property
    def kwargs(self) -> str:
        """`XBLOCK=128,R0_BLOCK=64`."""
        return ",".join(f"{name}={size}" for name, size in self.blocks)


_BLOCKS: dict[str, tuple[tuple[str, tuple[int, ...]], ...]] = {
    "poi": (("XBLOCK", (128, 256, 512, 1024)),),
    "red": (("XBLOCK", (1, 8, 64)), ("R0_BLOCK", (64, 2048))),
    "per": (("XBLOCK", (1, 8, 32)),),
    "spl": (("XBLOCK", (1,)), ("R0_BLOCK", (1024, 2048))),
    "for": (("XBLOCK", (1024,)),),
    "tem": (("BLOCK_M", (64,)), ("BLOCK_N", (128,)), ("BLOCK_K", (32,))),
}
_USER = (("BLOCK", (256, 1024)),)
_TWO_DIMENSIONS = 2


def configs_of(kernel: KernelDef, rng: Random, *, autotune: bool) -> tuple[Config, ...]:
    """The configs that a run chooses from, two to four where there is a choice."""
    blocks = _BLOCKS.get(kernel.category or "", _USER)
    if kernel.category == "poi" and len(kernel.size_hints or ()) == _TWO_DIMENSIONS:
        blocks = (("YBLOCK", (16, 64)), ("XBLOCK", (16, 64)))
    names = [name for name, _ in blocks]
    choices = [
        Config(blocks=tuple(zip(names, sizes, strict=True)), num_warps=rng.choice((4, 8)))
        for sizes in product(*(sizes for _, sizes in blocks))
    ]
    rng.shuffle(choices)
    return tuple(choices[: rng.randint(2, 4)] if autotune else choices[:1])


def grid_of(kernel: KernelDef, call: WrapperCall, config: Config) -> tuple[int, int, int]:
    """Blocks of the launch: the numels over the block sizes where both are known.

    Kernels of two dimensions state ynumel before xnumel; the grid has them the other way round.
    """
    numels = call.numels or kernel.size_hints or (4096,)
    blocks = dict(config.blocks)
    height = numels[0] if "YBLOCK" in blocks else 1
    width = numels[1] if "YBLOCK" in blocks else numels[0]
    return (
        max(1, -(-width // blocks.get("XBLOCK", 1024))),
        max(1, -(-height // blocks.get("YBLOCK", 1))),
        1,
    )


def work_of(kernel: KernelDef, call: WrapperCall) -> int:
    """Elements that the kernel goes over; the scale of plausible durations."""
    return prod(kernel.size_hints or call.numels or (4096,))


def legacy_name(kernel: KernelDef) -> str:
    """The device name before Triton 3: `triton_` and a suffix of argument positions and flags.

    c: equal to 1, d: divisible by 16, e: divisible by 8; one group per entry of the signature.
    """
    special = kernel.specialization
    flags = (
        ("c", (special and special.equal_to_1) or ()),
        ("d", (special and special.divisible_by_16) or ()),
        ("e", (special and special.divisible_by_8) or ()),
    )
    groups = (
        str(position) + "".join(flag for flag, positions in flags if position in positions)
        for position in range(len(kernel.signature or ()))
    )
    return "triton__" + "".join(groups)
