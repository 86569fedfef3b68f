"""Whether the compiler works in a range of the host, and at what, by the range's name.

Only names count that torch itself writes, and never words: users call their ranges
`my_compile_step`. Torch times the parts of the compiler with `dynamo_timed`, which opens a range
`NAME (dynamo_timed)`. Torch 2.13 opens one more around the same time under a bare name
(`backend_compile`): it adds nothing, and could be a user's, so it does not count.
"""

from __future__ import annotations

from enum import IntEnum

from kernelmap.facts.autotuning import TIMED, is_benchmark

_LOOKUP = "TorchDynamo Cache Lookup"
# Timed as well, but they run with every call of compiled code: ranks agree on a guard's result.
_NOT_COMPILING = frozenset({"guard_collective"})
_RECORDING = ("CUDAGraphNode.record", "cudagraphify")


class CompilerWork(IntEnum):
    """What the compiler does in a range."""

    COMPILING = 0
    """It makes code, or loads what it made earlier."""
    AUTOTUNING = 1
    """It benchmarks kernels to choose one."""
    RECORDING_GRAPH = 2
    """It records a CUDA graph of code that it has."""


def compiler_work(name: str) -> CompilerWork | None:
    """What the compiler does in the range `name`, None where it does nothing.

    >>> compiler_work("_compile.compile_inner (dynamo_timed)").name
    'COMPILING'
    >>> compiler_work("CUDAGraphNode.record (dynamo_timed)").name
    'RECORDING_GRAPH'
    >>> compiler_work("my_compile_step"), compiler_work("Torch-Compiled Region: 0/0")
    (None, None)
    """
    if is_benchmark(name):
        return CompilerWork.AUTOTUNING
    key = name.removesuffix(TIMED)
    if key == name or key in _NOT_COMPILING:
        return None
    return CompilerWork.RECORDING_GRAPH if key.startswith(_RECORDING) else CompilerWork.COMPILING


def is_cache_lookup(name: str) -> bool:
    """Whether Dynamo looks for compiled code in the range `name`, and checks its guards.

    >>> is_cache_lookup("TorchDynamo Cache Lookup"), is_cache_lookup("lookup")
    (True, False)
    """
    return name == _LOOKUP
