"""Numbers of one call, worked out by hand: how often it ran, what bounds it, what it could win.

The device moves 1,000 bytes and makes 20,000 float32 operations in a nanosecond; every launch of a
tiny world takes 100 ns.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from kernelmap.attribution import attribute_time
from kernelmap.matching import match_launches
from kernelmap.model import CompiledGraph, Matching, Occurrence
from kernelmap.model.roofline import Bound, CallSpeed
from kernelmap.model.work import Amount, Operand, Work
from kernelmap.options import Options
from kernelmap.speed.limits.measure import measure_roofline
from tiny import Timeline, graph, program

ANY_DEVICE = Path(__file__).parent / "any_device.toml"
ADD, OTHER = "triton_poi_fused_add_0", "triton_poi_fused_mul_1"
BYTES_PER_NS, FLOPS_PER_NS = 1000, 20_000


def work(most: int, *, least: int | None = None, flops: int | None = None) -> Work:
    amount = Amount(most if least is None else least, most)
    operand = Operand(name="buf0", written=False, bytes=amount)
    return Work(operands=(operand,), flops=flops, dtype="float32")


def speed(
    of_call: Work,
    symbol: str = ADD,
    *,
    occurrence: Occurrence = Occurrence.ONCE,
    invocations: tuple[int, ...] | None = None,
    name: str | None = None,
) -> CallSpeed:
    """The speed of the first call of a graph that ran three times, a launch of 100 ns each."""
    both: CompiledGraph = graph("0_forward", symbol, OTHER, occurrence={symbol: occurrence})
    line = Timeline()
    for _ in range(3):
        line.invoke(both)
    trace = line.trace()
    if name is not None:
        names = tuple(name if old == symbol else old for old in trace.launches.names)
        trace = replace(trace, launches=replace(trace.launches, names=names))
    matched = match_launches(program(both), trace)
    matching: Matching = matched.matching
    if invocations is not None:
        of_first = matching.invocation.copy()
        of_first[matching.call == 0] = invocations
        matching = replace(matching, invocation=of_first)
    attribution = attribute_time(matched.program, trace, matching, Options())
    works = [of_call] + [Work(reason="not asked for")] * (len(matched.program.calls) - 1)
    speeds = measure_roofline(
        matched.program, trace, matching, attribution, works, ANY_DEVICE
    ).calls
    (first,) = (speed for speed in speeds if speed.call == 0)
    return first


def test_a_kernel_runs_once_per_launch() -> None:
    """Three launches whose bytes need 60 ns each: they would need 180 of their 300 ns."""
    of_call = speed(work(60 * BYTES_PER_NS), invocations=(0, 0, 1))

    assert of_call.executions == 3
    assert of_call.bytes == Amount.exactly(180 * BYTES_PER_NS)
    assert (of_call.time_ns, of_call.memory_ns, of_call.headroom_ns) == (300, 180, 120)


def test_a_library_call_runs_once_per_invocation() -> None:
    """Two launches of one invocation are one product; in a loop every host range is one."""
    product = work(60 * BYTES_PER_NS)

    assert speed(product, "aten.mm", invocations=(0, 0, 1)).executions == 2
    looped = speed(product, "aten.mm", occurrence=Occurrence.LOOP, invocations=(0, 0, 0))
    assert looped.executions == 3


def test_the_longer_limit_bounds() -> None:
    """Bytes that need 60 ns and operations that need 80: compute, and the other way round."""
    compute = speed(work(60 * BYTES_PER_NS, flops=80 * FLOPS_PER_NS))
    memory = speed(work(60 * BYTES_PER_NS, flops=40 * FLOPS_PER_NS))

    assert (compute.limit_ns, compute.headroom_ns) == (240, 60)
    assert (memory.limit_ns, memory.headroom_ns) == (180, 120)
    assert compute.bound is memory.bound is Bound.LATENCY  # all of it is less than a microsecond


@pytest.mark.parametrize(
    ("of_call", "bound"),
    [
        (work(999 * BYTES_PER_NS), Bound.LATENCY),
        (work(1000 * BYTES_PER_NS), Bound.MEMORY),
        (work(999 * BYTES_PER_NS, flops=1000 * FLOPS_PER_NS), Bound.COMPUTE),
    ],
)
def test_less_than_a_microsecond_is_latency(of_call: Work, bound: Bound) -> None:
    """The need of one execution decides, not the number of runs; it may be all of the time."""
    speed_ = speed(of_call)

    assert speed_.bound is bound
    assert speed_.headroom_ns == 0


def test_an_upper_bound_of_bytes_makes_headroom_the_smaller() -> None:
    """A gather that needs up to 60 ns is taken to need them."""
    speed_ = speed(work(60 * BYTES_PER_NS, least=0))

    assert (speed_.memory_ns, speed_.headroom_ns) == (180, 120)


def test_operations_without_a_peak_have_no_limit() -> None:
    """A device whose float64 peak is not stated gives no share, and says so."""
    speed_ = speed(replace(work(60_000, flops=100), dtype="float64"))

    assert speed_.limit_ns is None
    assert speed_.bytes is not None
    assert speed_.reason == "the device's limit for float64 is not known"


def test_a_copy_over_a_link_has_no_limit() -> None:
    """The bus between host and device bounds it, not the device's memory."""
    speed_ = speed(work(60_000), name="Memcpy HtoD (Pinned -> Device)")

    assert speed_.limit_ns is None
    assert speed_.reason == "a copy over a link has no limit here"
