"""What Nsight Compute counted of one kernel, or of several taken together; any of it may be absent.

It runs a kernel several times, at clocks and with caches of its own: how long that takes is no time
of a profile, and is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from kernelmap.model.matching import Confidence


class KernelCounters(Struct, frozen=True, kw_only=True):
    """One launch, or the mean over several.

    `dram_bytes` are read from and written to the device's memory; shares are in % of what the part
    of the device can do. `theoretical_percent` is the occupancy that registers, shared memory and
    block size leave, `limited_by` which of them leaves the least. `local_bytes` went through local
    memory, where spilled registers lie. `stalls` says by cause which part of the warps' time is
    spent so; what warps do when they are not stalled is none of it.
    """

    dram_bytes: float | None = None
    dram_percent: float | None = None
    l2_percent: float | None = None
    l2_hit_percent: float | None = None
    sm_percent: float | None = None
    tensor_percent: float | None = None
    occupancy_percent: float | None = None
    theoretical_percent: float | None = None
    limited_by: str | None = None
    registers: float | None = None
    local_bytes: float | None = None
    atomic_percent: float | None = None
    stalls: Mapping[str, float] = {}

    @property
    def main_stalls(self) -> tuple[tuple[str, float], ...]:
        """The first three causes of stalls with their part of the warps' time, most first."""
        return tuple(Counter(self.stalls).most_common(_SHOWN_STALLS))


_SHOWN_STALLS = 3
_MEANS = (
    "dram_bytes",
    "dram_percent",
    "l2_percent",
    "l2_hit_percent",
    "sm_percent",
    "tensor_percent",
    "occupancy_percent",
    "theoretical_percent",
    "local_bytes",
    "atomic_percent",
)


class CountedCall(Struct, frozen=True, kw_only=True):
    """What was counted of the launches of a call, or of a kernel, in the window.

    `launches` are those of the window of which a launch with counters is known, `missing` the
    others. `dram_bytes` and `local_bytes` are sums over all of them, None where one is missing.
    `confidence` is the weakest with which a launch of the report was given to the call.
    """

    counters: KernelCounters
    launches: int
    missing: int
    dram_bytes: int | None
    local_bytes: int | None
    confidence: Confidence


def mean_counters(
    counters: Sequence[KernelCounters], weights: Sequence[float] | None = None
) -> KernelCounters:
    """The mean over launches, each with its weight; of what only some state, over those."""
    weights = [1.0] * len(counters) if weights is None else weights
    longest = max(zip(weights, counters, strict=True), key=lambda pair: pair[0])[1]
    causes = {cause for one in counters for cause in one.stalls}
    with_stalls = [
        (one, weight) for one, weight in zip(counters, weights, strict=True) if one.stalls
    ]

    def mean_of(name: str) -> float | None:
        return _mean((getattr(one, name) for one in counters), weights)

    return KernelCounters(
        **{name: mean_of(name) for name in _MEANS},
        # No kernel has a mean number of registers: those of the one that counts most.
        registers=longest.registers,
        limited_by=longest.limited_by,
        stalls={
            cause: _mean(
                (one.stalls.get(cause, 0.0) for one, _ in with_stalls),
                [weight for _, weight in with_stalls],
            )
            or 0.0
            for cause in sorted(causes)
        },
    )


def _mean(values: Iterable[float | None], weights: Sequence[float]) -> float | None:
    stated = [
        (value, weight) for value, weight in zip(values, weights, strict=True) if value is not None
    ]
    total = sum(weight for _, weight in stated)
    return sum(value * weight for value, weight in stated) / total if total else None
