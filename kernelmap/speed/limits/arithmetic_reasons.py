"""(products and functions of the code, the speeds of calls) → reasons why computing takes long."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kernelmap.model.notices import format_duration, join_some
from kernelmap.model.roofline import Bound, Slug
from kernelmap.model.work import CodeEvidence, CostlyFunctions, Product
from kernelmap.speed.limits.candidates import (
    SECOND,
    KnownSpeeds,
    ReasonCandidate,
    is_far,
)

_TILES = re.compile(r"(?<![0-9])(32|64|96|128|192|256|384|512)x(32|64|96|128|192|256|384|512)")
_SMALLEST_TILE = (64, 64)
"""Taken where no name of a kernel states a tile. Larger tiles waste at least as much, so what is
said is at least true."""
_WASTED = 0.2
"""Of what the tiles compute is no part of the result; less is what any size that is no multiple
wastes. Chosen."""
_LONGER = 0.1
"""Of a call's time: so much longer than its limit the instructions of functions have to take. What
they are is an estimate, and less is no reason that a change would show. Chosen."""
_PLAIN_FLOAT32 = ("sgemm", "f32f32_f32f32", "simt")  # in the names of kernels without tensor cores


def iter_arithmetic_reasons(
    known: KnownSpeeds, evidence: CodeEvidence
) -> Iterator[ReasonCandidate]:
    """Products without tensor cores, or of sizes that do not suit these, and costly functions."""
    for functions in evidence.functions:
        yield from _costly_functions(known, functions)
    for product in evidence.products:
        yield from _float32_product(known, product)
        yield from _uneven_product(known, product)


def _costly_functions(known: KnownSpeeds, functions: CostlyFunctions) -> Iterator[ReasonCandidate]:
    """Functions whose instructions take longer than the bytes and the operations of the call."""
    speed = known.speeds.get(functions.call)
    peak = known.limits.peaks.get("float32") if known.limits else None
    if speed is None or not peak or speed.headroom_ns is None or not speed.executions:
        return
    # A multiply-add is one instruction and two operations of the peak.
    instructions = functions.instructions * speed.executions
    issued_ns = instructions * SECOND * 2 // peak
    beyond_ns = issued_ns - (speed.limit_ns or 0)
    if beyond_ns < _LONGER * speed.time_ns:
        return
    said = [f"{name} {often:,} times" for name, often in functions.functions]
    yield ReasonCandidate(
        slug=Slug.COSTLY_FUNCTIONS,
        savings={speed.call: min(speed.headroom_ns, beyond_ns)},
        bytes=None,
        evidence=f"{known.name_of_call(speed.call)} computes {join_some(said)}: about "
        f"{functions.instructions:,} instructions, which take "
        f"{format_duration(issued_ns // speed.executions)} to issue where each element computes "
        f"them for itself; its bytes need "
        f"{format_duration((speed.memory_ns or 0) // speed.executions)}",
    )


def _float32_product(known: KnownSpeeds, product: Product) -> Iterator[ReasonCandidate]:
    """A product that runs at the peak of float32 where TensorFloat32 has a higher one."""
    speed = known.speeds.get(product.call)
    if speed is None or speed.dtype != "float32" or speed.bound is not Bound.COMPUTE:
        return
    # A kernel's name says that it multiplies without tensor cores; of a template its source
    # does.
    plain = [name for name, _ in speed.ran if any(word in name for word in _PLAIN_FLOAT32)]
    peak = known.limits.peak_of("float32", on_tensor_cores=True) if known.limits else None
    if not peak or not speed.flops or not (plain or product.is_plain):
        return
    shown = f"by {join_some(plain)}" if plain else "by a template with ALLOW_TF32 = False"
    # The limit that the product would have on tensor cores: its memory traffic stays the same.
    limit_ns = max(speed.memory_ns or 0, speed.flops * SECOND // peak)
    if limit_ns >= (speed.limit_ns or 0):
        return
    yield ReasonCandidate(
        slug=Slug.FLOAT32_PRODUCT,
        savings={speed.call: max(0, speed.time_ns - limit_ns)},
        bytes=None,
        evidence=f"{known.name_of_call(speed.call)} multiplies {_say_sizes(product)} in "
        f"float32, {shown}; tensor cores would take TensorFloat32 "
        "(torch.set_float32_matmul_precision('high')) or bfloat16",
    )


def _uneven_product(known: KnownSpeeds, product: Product) -> Iterator[ReasonCandidate]:
    """Headroom of a product whose sizes do not suit tensor cores."""
    speed = known.speeds.get(product.call)
    if speed is None or speed.headroom_ns is None or speed.dtype == "float32":
        return  # without tensor cores neither matters
    # Rows that begin unevenly are a reason by themselves. Tiles are looked at only without
    # them.
    if product.uneven and is_far(speed):
        said = [f"rows of {name} lie {apart:,} elements apart" for name, apart in product.uneven]
        yield ReasonCandidate(
            slug=Slug.UNEVEN_PRODUCT,
            savings={speed.call: speed.headroom_ns},
            bytes=None,
            evidence=f"{known.name_of_call(speed.call)} multiplies {_say_sizes(product)} in "
            f"{product.dtype}: {join_some(said)}, which is no multiple of 16 bytes, so that "
            "tensor cores' kernels load them in parts. Pad that dimension",
        )
        return
    # A name such as `128x256` does not say which of both is the rows': the better fit counts.
    tile = _tile_of_result([name for name, _ in speed.ran])
    waste, spelled = min(
        (_wasted_part(product, sizes), f"{sizes[0]} x {sizes[1]}") for sizes in (tile, tile[::-1])
    )
    # What all of the tiles would take at the peak. Below the time for memory the waste costs
    # nothing.
    padded_ns = round((speed.compute_ns or 0) / (1 - waste))
    if waste < _WASTED or padded_ns <= (speed.memory_ns or 0):
        return
    # Only what the waste adds to the limit, not all headroom.
    lost_ns = padded_ns - (speed.limit_ns or 0)
    yield ReasonCandidate(
        slug=Slug.UNEVEN_PRODUCT,
        savings={speed.call: min(speed.headroom_ns, lost_ns)},
        bytes=None,
        evidence=f"{known.name_of_call(speed.call)} multiplies {_say_sizes(product)} in tiles "
        f"of {spelled}: {waste:.0%} of what they compute is no part of the result",
    )


def _say_sizes(product: Product) -> str:
    """`2 x 64 x 128 by 128 x 32`."""
    batch = f"{product.batch:,} x " if product.batch > 1 else ""
    return f"{batch}{product.rows:,} x {product.inner:,} by {product.inner:,} x {product.columns:,}"


def _tile_of_result(kernels: Iterable[str]) -> tuple[int, int]:
    """The tile of the result that the names of kernels state; else the smallest usual one."""
    # A name has its tile in its first pair of sizes. Of several kernels the smallest tile counts,
    # which wastes least.
    tiles = [(int(a), int(b)) for name in kernels for a, b in _TILES.findall(name)[:1]]
    return min(tiles, key=lambda tile: tile[0] * tile[1], default=_SMALLEST_TILE)


def _wasted_part(product: Product, tile: tuple[int, int]) -> float:
    """The part of what whole tiles compute that is no part of the result.

    >>> _wasted_part(Product(call=0, batch=1, rows=96, inner=8, columns=128, dtype=None), (64, 128))
    0.25
    """
    rows, columns = -(-product.rows // tile[0]) * tile[0], -(-product.columns // tile[1]) * tile[1]
    whole = rows * columns
    return 1 - product.rows * product.columns / whole if whole else 0.0
