# What the decoder in C offers to Python; _decoder.c explains it.

from kernelmap.matching.aligner.states import Float
from kernelmap.model.trace import Int

VERSION: int

def run(
    integers: tuple[Int, ...],
    floats: tuple[Float, ...],
    numbers: tuple[float, ...],
    counts: tuple[Float, ...] | None,
    notes: bool,
    /,
) -> tuple[bytes, bytes, bytes, bytes]: ...
