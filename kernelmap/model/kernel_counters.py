"""What Nsight Compute counted of one kernel, or of several taken together; any of it may be absent.

It runs a kernel several times, at clocks and with caches of its own: how long that takes is no time
of a profile. It weighs launches of a report against each other, and counts nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from kernelmap.model.matching import Confidence


class KernelCounters(Struct, frozen=True, kw_only=True):
    """One launch, or the mean over several.

    `time_ns` is what it took in ncu. `dram_bytes` are read from and written to the device's memory,
    `dram_written_bytes` the part of them that is written: what a kernel leaves in a cache is not
    among them. Shares are in % of what the part of the device can do. `local_bytes` went through
    local memory, where spilled registers lie, `atomic_percent` are cycles in which L2 takes
    atomics. `stalls` says by cause which part of the warps' time is spent so; what warps do when
    they are not stalled is none of it.
    """

    time_ns: float | None = None
    dram_bytes: float | None = None
    dram_written_bytes: float | None = None
    dram_percent: float | None = None
    l2_percent: float | None = None
    l2_hit_percent: float | None = None
    sm_percent: float | None = None
    tensor_percent: float | None = None
    occupancy_percent: float | None = None
    registers: float | None = None
    local_bytes: float | None = None
    atomic_percent: float | None = None
    stalls: Mapping[str, float] = {}

    @property
    def main_stalls(self) -> tuple[tuple[str, float], ...]:
        """The first three causes of stalls with their part of the warps' time, most first."""
        return tuple(Counter(self.stalls).most_common(_SHOWN_STALLS))


_SHOWN_STALLS = 3
_AMOUNTS = ("time_ns", "dram_bytes", "dram_written_bytes", "local_bytes")
"""What adds up over launches."""
_SHARES = (
    "dram_percent",
    "l2_percent",
    "l2_hit_percent",
    "sm_percent",
    "tensor_percent",
    "occupancy_percent",
    "atomic_percent",
)
"""What is a rate over the time of a launch."""


class CountedCall(Struct, frozen=True, kw_only=True):
    """What was counted of the launches of a call, or of a kernel, in the window.

    `launches` are those of the window of which a launch with counters is known, `missing` the
    other kernels: copies and fills are never counted. `time_share` is the part of the kernels' time
    that the launches with counters took. `dram_bytes`, `dram_written_bytes` and
    `local_bytes` are sums over all of them, None where one is missing.
    `confidence` is the weakest with which a launch of the report was given to the call.
    """

    counters: KernelCounters
    launches: int
    missing: int
    time_share: float
    dram_bytes: int | None
    dram_written_bytes: int | None
    local_bytes: int | None
    confidence: Confidence


def mean_counters(
    counters: Sequence[KernelCounters], times_ns: Sequence[float] | None = None
) -> KernelCounters:
    """The mean over launches; of what only some state, over those.

    Shares weigh by `times_ns`, by default what launches took in ncu, amounts all the same.
    """
    if times_ns is None:
        times_ns = [one.time_ns or 1.0 for one in counters]
    longest = max(zip(times_ns, counters, strict=True), key=lambda pair: pair[0])[1]
    with_stalls = [(one, time) for one, time in zip(counters, times_ns, strict=True) if one.stalls]
    causes = {cause for one, _ in with_stalls for cause in one.stalls}
    stalls = {
        cause: _mean([(one.stalls.get(cause, 0.0), time) for one, time in with_stalls])
        for cause in sorted(causes)
    }

    def mean_of(name: str, weights: Sequence[float]) -> float | None:
        values = [getattr(one, name) for one in counters]
        stated = [pair for pair in zip(values, weights, strict=True) if pair[0] is not None]
        return _mean(stated) if stated else None

    alike = [1.0] * len(counters)
    return KernelCounters(
        **{name: mean_of(name, alike) for name in _AMOUNTS},
        **{name: mean_of(name, times_ns) for name in _SHARES},
        # No kernel has a mean number of registers: those of the one that takes longest.
        registers=longest.registers,
        stalls=stalls,
    )


def _mean(weighted: Sequence[tuple[float, float]]) -> float:
    return sum(value * weight for value, weight in weighted) / sum(it for _, it in weighted)
