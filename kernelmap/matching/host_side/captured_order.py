"""The calls of a capture in order, the nodes of a replayed graph in order → which made which.

Generated kernels are one node each, under a name that the code gives them, and must agree one by
one; without any the order proves nothing. Between two of them a single library call made all nodes
that its library may run, as many calls as nodes made one each, and otherwise each may have made
any. What no call may have made, such as a copy of an input, is nobody's.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernelmap.matching.host_side.captured_calls import Calls, Launched
from kernelmap.matching.names.families import kernel_family, misfit, operator_family

Share = tuple[int, ...]
"""Places in the list of calls: one, several that all may be it, or none."""


def in_order(
    made: Sequence[int], launched: Sequence[Launched], calls: Calls
) -> tuple[Share, ...] | None:
    """The share of each of `launched`; None where they are not what `made`, the calls, launch.

    `made` are positions in `program.calls`.
    """
    kernels = [at for at, call in enumerate(made) if call in calls.generated]
    spots = [at for at, each in enumerate(launched) if calls.is_generated(each)]
    if not kernels or len(kernels) != len(spots):
        return None
    pairs = list(zip(kernels, spots, strict=True))
    if not all(calls.may_run([made[kernel]], launched[spot]) for kernel, spot in pairs):
        return None
    shares: list[Share] = []
    for (kernel, spot), (next_kernel, next_spot) in zip(
        [(-1, -1), *pairs], [*pairs, (len(made), len(launched))], strict=True
    ):
        between = range(kernel + 1, next_kernel)
        shares += _between(between, launched[spot + 1 : next_spot], made, calls)
        if next_spot < len(launched):
            shares.append((next_kernel,))
    return tuple(shares)


def _between(
    library: Sequence[int], launched: Sequence[Launched], made: Sequence[int], calls: Calls
) -> list[Share]:
    """The shares of what ran between two generated kernels."""
    if len(library) == len(launched):
        pairs = list(zip(library, launched, strict=True))
        if all(may_launch(made[at], each, calls) for at, each in pairs):
            return [(at,) for at, _ in pairs]
    return [tuple(at for at in library if may_launch(made[at], each, calls)) for each in launched]


def may_launch(call: int, launched: Launched, calls: Calls) -> bool:
    """Whether a library call may launch something of this name, by their families."""
    target = calls.program.calls[call][1].target or ""
    kernel = kernel_family(launched.name, launched.activity)
    return misfit(operator_family(target), kernel) is not None
