"""Benchmarks in a stretch of ranges that nothing else names: kernels that come again and again.

The autotuner launches a kernel several times, with the same operators before each, and the call
comes last. Takes symbols in host order, gives which of them are benchmarks, so that what is left is
an invocation as if it had been tuned before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from kernelmap.matching.names.symbols import Step, may_be_benchmarked


@dataclass(frozen=True, slots=True)
class Tuned:
    """Places of benchmarks and of their operators, and the kernels' places that come after them."""

    places: frozenset[int]
    last: frozenset[int]


def tuned(seen: Sequence[str], steps: Sequence[Step]) -> Tuned:
    """The benchmarks among `seen`, of kernels that `steps` run."""
    most = in_row(steps)
    places: set[int] = set()
    last: set[int] = set()
    kernels = [at for at, symbol in enumerate(seen) if may_be_benchmarked(symbol)]
    for symbol, same in groupby(kernels, key=seen.__getitem__):
        own = list(same)
        calls = most.get(symbol, 0)
        if not calls or len(own) <= calls:
            continue
        called = own[-calls]
        round_ = seen[own[0] + 1 : own[1]]
        first = own[0]
        if round_ and tuple(seen[max(0, first - len(round_)) : first]) == tuple(round_):
            first -= len(round_)
        places.update(range(first, called))
        last.update(own[-calls:])
    return Tuned(frozenset(places), frozenset(last))


def in_row(steps: Sequence[Step]) -> dict[str, int]:
    """How often each kernel is called at most with no other kernel in between."""
    found: dict[str, int] = {}
    kernels = [step.symbol for step in steps if may_be_benchmarked(step.symbol)]
    for symbol, same in groupby(kernels):
        found[symbol] = max(found.get(symbol, 0), len(list(same)))
    return found
