"""The functions that a Triton kernel computes → how many instructions they are.

Arithmetic counts a function as one operation (triton_source.py), and most kernels wait for memory
whatever they compute. A sine is no multiplication though: where each element takes many of them,
issuing their instructions takes longer than moving the bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kernelmap.model.work import CostlyFunctions, Work
from kernelmap.speed.work.triton import KernelLaunch

INSTRUCTIONS: Mapping[str, int] = {
    "tl_math.sin": 25,
    "tl_math.cos": 25,
    "libdevice.sin": 25,
    "libdevice.cos": 25,
    "libdevice.tan": 25,
    "libdevice.pow": 45,
    "libdevice.erf": 28,
    "libdevice.tanh": 17,
    "tl_math.exp": 5,
    "libdevice.exp": 9,
    "libdevice.expm1": 25,
    "tl.sigmoid": 11,
    "tl_math.log": 25,
    "libdevice.log": 25,
    "libdevice.log1p": 29,
    "libdevice.log2": 27,
    "libdevice.atan": 17,
    "libdevice.asin": 21,
    "libdevice.acos": 21,
    "libdevice.cosh": 19,
    "tl.rand": 48,
    "tl.randn": 80,
}
"""Instructions of functions on float32, counted in the machine code for sm_90 by Triton 3.9, which
were compiled once and twice in a kernel. Sines and cosines have a rare branch for large arguments,
which is left out: counters of an H100 (sample_traces/cuda_reason_pairs) leave 31 for a sine, those
of a rotary embedding (cuda_wide_llama) 22 for one that shares its reduction with a cosine.
Functions that are not here are one or two instructions, as the rounding of a square root."""


def find_costly_functions(
    launches: Iterable[KernelLaunch], works: Sequence[Work], first: int
) -> Iterator[CostlyFunctions]:
    """The calls whose functions are known, with the instructions of one execution.

    `works` is parallel to the graph's calls, `first` the position of its first call in the program.
    """
    for launch in launches:
        counted = {
            name.rpartition(".")[2]: often
            for name, often in launch.body.functions.items()
            if name in INSTRUCTIONS
        }
        if not counted:
            continue
        instructions = sum(
            often * INSTRUCTIONS[name]
            for name, often in launch.body.functions.items()
            if name in INSTRUCTIONS
        )
        # Operations count a function as one already, but only of data.
        others = max(0, (works[launch.call.index].flops or 0) - sum(counted.values()))
        yield CostlyFunctions(
            call=first + launch.call.index,
            functions=tuple(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))),
            instructions=instructions + others,
        )
