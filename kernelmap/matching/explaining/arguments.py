"""Which tensors an operator outside of compiled code was handed, where shapes were recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from kernelmap.errors import KernelmapError
from kernelmap.matching.match import Match
from kernelmap.model.names import operator_of_range
from kernelmap.model.trace import Int, Trace
from kernelmap.model.work import Arguments

ReadArguments = Callable[[Trace, Int], Mapping[int, Arguments]]
"""What the files state of the arguments of some ranges, by their rows."""


def say_arguments(match: Match, row: int, read: ReadArguments) -> Iterator[str]:
    """The sizes of the tensors of each operator around a launch without a call, outermost last.

    Operators of serving engines and of their kernels' libraries (`vllm::unified_attention`) launch
    kernels of which no code is given: their sizes are what can be known of the work. `read` looks
    into the file once more for them. Nothing where none were recorded, or the file is gone.
    """
    if match.matching.call[row] >= 0:
        return
    ranges = match.context.trace.ranges
    # The operators around the launch, from the innermost outwards.
    around: list[int] = []
    at = int(match.context.host.host_range[row])
    while at >= 0:
        if operator_of_range(ranges.name_of(at)) is not None:
            around.append(at)
        at = int(ranges.parent[at])
    if not around:
        return
    try:
        stated = read(match.context.trace, np.array(around, dtype=np.int64))
    except (KernelmapError, OSError):
        return  # the file has been moved or cut since: all else is known without it
    for at in around:
        tensors = stated[at].tensors if at in stated else None
        if tensors is not None:
            yield f"{ranges.name_of(at)} was handed tensors of {tensors}"
