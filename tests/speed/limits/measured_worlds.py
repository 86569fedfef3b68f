"""Worlds whose calls have any work, measured against a device with limits or without."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from attribution.random_worlds import worlds
from kernelmap.attribution import Attribution, attribute_time
from kernelmap.matching import match_launches
from kernelmap.matching.match import Match
from kernelmap.model import Trace
from kernelmap.model.roofline import Roofline
from kernelmap.model.work import Amount, Operand, Work
from kernelmap.options import Options
from kernelmap.speed.limits.measure import measure_roofline, with_exposed_times
from kernelmap.speed.wall.critical import exposed_ns
from kernelmap.speed.wall.measure import wall_time

numbers = st.integers(0, 300) | st.integers(0, 10**12)  # a launch of 100 ns, or of up to a second
amounts = st.tuples(numbers, numbers).map(lambda pair: Amount(min(pair), max(pair)))
operands = st.builds(Operand, name=st.just("buf0"), written=st.booleans(), bytes=amounts)
works = st.builds(
    Work,
    operands=st.none() | st.lists(operands, max_size=3).map(tuple),
    flops=st.none() | st.integers(0, 10**13),
    model_flops=st.none() | st.just(0) | st.integers(0, 10**13),
    dtype=st.sampled_from(["float32", "bfloat16", "int16", None]),
    reason=st.just("why"),
)
ANY_DEVICE = Path(__file__).parent / "any_device.toml"


@dataclass(frozen=True)
class Measured:
    """A world and its roofline; `works` are parallel to the calls."""

    trace: Trace
    match: Match
    attribution: Attribution
    works: tuple[Work, ...]
    roofline: Roofline


@st.composite
def measured(draw: st.DrawFn) -> Measured:
    """A world whose calls have any work, on a device with limits or without."""
    given, trace = draw(worlds())
    result = match_launches(given, trace)
    attribution = attribute_time(result.program, trace, result.matching, Options())
    count = len(result.program.calls)
    of_calls = tuple(draw(st.lists(works, min_size=count, max_size=count)))
    path = ANY_DEVICE if draw(st.integers(0, 3)) else None
    wall = wall_time(trace, attribution.counted, attribution.step)
    roof = measure_roofline(
        *(result.program, trace, result.matching, attribution),
        of_calls,
        path,
        idle=lambda: wall.idle,
    )
    if wall.steps:
        waited_ns = exposed_ns(wall, trace)
        roof = with_exposed_times(roof, result.program, attribution, result.matching, waited_ns)
    return Measured(trace, result, attribution, of_calls, roof)
