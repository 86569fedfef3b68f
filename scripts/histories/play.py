"""A program and what its calls cost → the tables of a recording of it, noise included.

No trace is written and none is matched: the pairing is known, so that hundreds of recordings take
seconds. Attribution and tables are the real ones. Times of a call vary from invocation to
invocation by `noise` (a ratio, log-normal), and from recording to recording by `drift`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from kernelmap.attribution import attribute_time
from kernelmap.model import (
    NONE,
    Activity,
    ApiCalls,
    CompiledProgram,
    Confidence,
    Device,
    Launches,
    Matching,
    Method,
    Process,
    RangeDetail,
    RangeKind,
    Ranges,
    Reason,
    Step,
    Trace,
)
from kernelmap.model.trace import Int
from kernelmap.options import Options
from kernelmap.tables.build import Tables, build_tables

_GAP = 2_000
_GPU = "Simulated GPU"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one launch of a call costs, under which name it runs, tuned how."""

    ns: int
    device_name: str
    config: str | None = None
    launches: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """How a recording goes: invocations, noise, drift of the whole, and the clock."""

    steps: int = 20
    noise: float = 0.02
    drift: float = 0.002
    clock: float = 1.0
    gpu: str = _GPU
    outside: Mapping[str, int] = field(default_factory=lambda: {"aten::_foreach_add_": 40_000})


def play(program: CompiledProgram, costs: Sequence[Cost], weather: Weather, seed: int) -> Tables:
    """The tables of one recording; `costs` are parallel to `program.calls`."""
    rng = np.random.default_rng(seed)
    names = list(dict.fromkeys([*(cost.device_name for cost in costs), *weather.outside]))
    calls = [at for at, cost in enumerate(costs) for _ in range(cost.launches)]
    outside = list(weather.outside)
    name_ids = [names.index(costs[at].device_name) for at in calls]
    name_ids += [names.index(name) for name in outside]
    means = np.array([costs[at].ns for at in calls] + list(weather.outside.values()), np.float64)
    factor = weather.clock * rng.lognormal(0.0, weather.drift)
    spread = rng.lognormal(0.0, weather.noise, size=(weather.steps, len(means)))
    durations = np.rint(means * factor * spread).astype(np.int64).reshape(-1)
    starts = np.cumsum(durations + _GAP) - durations
    per_step = len(means)
    owner = np.tile(np.array(calls + [NONE] * len(outside), np.int64), weather.steps)
    ranges = np.tile(
        np.array(calls + [len(costs) + at for at in range(len(outside))], np.int64), weather.steps
    )
    trace = _trace(
        _launches(np.tile(np.array(name_ids, np.int64), weather.steps), starts, durations, names),
        _ranges(program, costs, outside),
        weather,
        starts.reshape(weather.steps, per_step),
    )
    matching = _matching(owner, ranges, np.repeat(np.arange(weather.steps), per_step))
    return build_tables(
        program, trace, matching, attribute_time(program, trace, matching, Options())
    )


def _trace(launches: Launches, ranges: Ranges, weather: Weather, starts: Int) -> Trace:
    first, last = starts[:, 0], starts[:, -1]
    return Trace(
        launches=launches,
        apis=_no_apis(),
        ranges=ranges,
        processes=(Process(pid="1", trace=0),),
        devices=(Device(id=0, name=weather.gpu, trace=0),),
        steps=tuple(
            Step(number=number, start_ns=int(start), end_ns=int(end) + 1, process=0)
            for number, (start, end) in enumerate(zip(first, last, strict=True))
        ),
        sources=("simulated",),
    )


def _launches(name_id: Int, starts: Int, durations: Int, names: Sequence[str]) -> Launches:
    count = len(name_id)
    none, extents = np.full(count, NONE, np.int64), np.full((count, 3), NONE, np.int64)
    return Launches(
        name_id=name_id,
        activity=np.full(count, Activity.KERNEL, np.int8),
        start_ns=starts,
        dur_ns=durations,
        process=np.zeros(count, np.int64),
        device=np.zeros(count, np.int64),
        stream=np.full(count, 7, np.int64),
        correlation=np.arange(count, dtype=np.int64),
        external=none,
        graph=none,
        graph_node=none,
        grid=extents,
        block=extents,
        event=np.arange(count, dtype=np.int64),
        api=none,
        range=none,
        origin=none,
        names=tuple(names),
    )


def _ranges(program: CompiledProgram, costs: Sequence[Cost], outside: Sequence[str]) -> Ranges:
    """One range per call, which bears its configuration, and one per outside operator."""
    names = [call.wrapper for _, call in program.calls] + list(outside)
    details = [_detail(cost.config) for cost in costs]
    count = len(names)
    none = np.full(count, NONE, np.int64)
    return Ranges(
        name_id=np.arange(count, dtype=np.int64),
        kind=np.full(count, RangeKind.OP, np.int8),
        start_ns=np.zeros(count, np.int64),
        dur_ns=np.zeros(count, np.int64),
        process=np.zeros(count, np.int64),
        thread=np.zeros(count, np.int64),
        external=none,
        sequence=none,
        event=np.arange(count, dtype=np.int64),
        parent=none,
        detail_id=np.array([*range(len(costs)), *(NONE for _ in outside)], np.int64),
        names=tuple(names),
        details=tuple(details),
    )


def _detail(config: str | None) -> RangeDetail:
    """`XBLOCK=256 num_warps=4` as the profiler exports it."""
    detail = RangeDetail()
    for word in (config or "").split():
        name, _, value = word.partition("=")
        if name == "num_warps":
            detail = replace(detail, num_warps=int(value))
        elif name == "num_stages":
            detail = replace(detail, num_stages=int(value))
        else:
            before = f"{detail.kernel_kwargs}," if detail.kernel_kwargs else ""
            detail = replace(detail, kernel_kwargs=before + word)
    return detail


def _matching(owner: Int, ranges: Int, step: NDArray[np.int64]) -> Matching:
    """Calls are known exactly; what has none ran outside."""
    count, has_call = len(owner), owner >= 0
    return Matching(
        call=owner,
        invocation=np.where(has_call, step, NONE),
        method=np.where(has_call, int(Method.RANGE), int(Method.NONE)).astype(np.int8),
        confidence=np.where(has_call, int(Confidence.EXACT), int(Confidence.OUTSIDE)).astype(
            np.int8
        ),
        reason=np.where(has_call, int(Reason.NONE), int(Reason.EAGER)).astype(np.int8),
        call_range=ranges,
        candidate_start=np.zeros(count + 1, np.int64),
        candidates=np.zeros(0, np.int64),
    )


def _no_apis() -> ApiCalls:
    empty = np.zeros(0, np.int64)
    return ApiCalls(empty, empty, empty, empty, empty, empty, empty, empty, empty, empty)
