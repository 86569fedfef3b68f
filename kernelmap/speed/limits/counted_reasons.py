"""(the speeds of calls with what Nsight Compute counted) → reasons that counters show.

Each function states one reason, as those of code_reasons.py do: what shows it, and what it saves at
most. There is a reason for what the recordings of an H100 show (sample_traces/cuda_reason_pairs,
cuda_wide_llama, cuda_wide_conv), and for nothing else that a counter may say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernelmap.model import CompiledProgram
from kernelmap.model.kernel_counters import CountedCall
from kernelmap.model.notices import format_count
from kernelmap.model.roofline import (
    Bound,
    CallSpeed,
    DeviceLimits,
    Slug,
)
from kernelmap.speed.limits.candidates import ReasonCandidate

_SECOND = 10**9  # ns
_MORE = 1.5
"""Times the bytes of the code: kernels that read what they need once move up to 1.04 times as many
in the recordings, a gather of scattered rows 2.3, one element of every cache line 8.5."""
_MANY_BYTES = 20_000_000
"""Of one execution. Of fewer the L2 of an H100 (50 MB) keeps most, and products that are split
move partial results besides: 2.2 times 6 MB in cuda_memory_graphs."""
_ATOMICS_PERCENT = 1.0
"""Of the cycles L2 takes atomics. With many to one address it shows 1.0, with scattered ones 14, a
kernel without any 0.02 at most."""


def iter_counted_candidates(
    program: CompiledProgram,
    speeds: Mapping[int, CallSpeed],
    limits: DeviceLimits | None,
) -> Iterator[ReasonCandidate]:
    """All reasons that counters show, of the calls of which there are any."""
    for speed in speeds.values():
        counted = speed.counted
        if counted is None or not speed.headroom_ns:
            continue
        graph, call = program.calls[speed.call]
        name = f"{graph.call_id(call)} ({call.wrapper})"
        if speed.measured_bound is Bound.MEMORY:
            yield from _excess_traffic(name, speed, limits)
        elif speed.measured_bound is Bound.COMPUTE and speed.bound_of_limit is Bound.MEMORY:
            yield _candidate(Slug.BUSY_SMS, speed, _say_busy(name, counted))
        elif speed.measured_bound is Bound.LATENCY:
            yield from _waiting_atomics(name, speed, counted)


def _excess_traffic(
    name: str, speed: CallSpeed, limits: DeviceLimits | None
) -> Iterator[ReasonCandidate]:
    """More bytes come from the device's memory than the operands have."""
    measured, executions = speed.measured_bytes, speed.executions
    if measured is None or speed.bytes is None or not executions or limits is None:
        return
    excess = measured - speed.bytes.most
    kernels = (speed.counted.launches if speed.counted else 0) // executions
    if measured < _MORE * speed.bytes.most or measured < _MANY_BYTES * executions:
        return
    saves_ns = min(excess * _SECOND // limits.bandwidth, speed.headroom_ns or 0)
    yield ReasonCandidate(
        slug=Slug.EXCESS_TRAFFIC,
        savings={speed.call: saves_ns},
        bytes=excess,
        evidence=f"{name} moves {measured // executions:,} bytes of DRAM each time, "
        f"{measured / max(speed.bytes.most, 1):.1f} times the {speed.bytes.most // executions:,} of"
        f" its operands{f', in {kernels} kernels' if kernels > 1 else ''};"
        f" {format_count(executions, 'time')}",
    )


def _waiting_atomics(
    name: str, speed: CallSpeed, counted: CountedCall
) -> Iterator[ReasonCandidate]:
    """Nothing is busy, as atomics wait for each other."""
    percent = counted.counters.atomic_percent or 0
    if percent >= _ATOMICS_PERCENT:
        evidence = f"{name}: L2 takes atomics in {percent:.1f} % of its cycles, while"
        yield _candidate(Slug.L2_ATOMICS, speed, f"{evidence} {_say_counters(counted)}")


def _candidate(slug: Slug, speed: CallSpeed, evidence: str) -> ReasonCandidate:
    return ReasonCandidate(
        slug=slug, savings={speed.call: speed.headroom_ns}, bytes=None, evidence=evidence
    )


def _say_busy(name: str, counted: CountedCall) -> str:
    return f"{name}: instructions take its time and not bytes: {_say_counters(counted)}"


def _say_counters(counted: CountedCall) -> str:
    counters = counted.counters
    stalls = [f"{cause} {100 * share:.0f} %" for cause, share in counters.main_stalls]
    return (
        f"DRAM is at {counters.dram_percent or 0:.0f} % of its peak and the SMs at"
        f" {counters.sm_percent or 0:.0f} %"
        + (f"; warps stall: {', '.join(stalls)}" if stalls else "")
    )
