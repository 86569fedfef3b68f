"""Generated code, played by a machine on which calls take a stated time.

The host launches as tests/worlds does. On the device a call takes a fourth longer than its limit,
and two microseconds, unless a test says how much slower it is; launches follow one another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from kernelmap.attribution import attribute_time
from kernelmap.compiler import load_compiled
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Trace
from kernelmap.model.roofline import DeviceLimits, Roofline
from kernelmap.model.trace import Int
from kernelmap.options import Options
from kernelmap.speed.limits.device_limits import limits_of
from kernelmap.speed.limits.measure import measure_roofline
from kernelmap.speed.wall.measure import wall_time
from kernelmap.speed.work import evidence_of_code, works_of_calls
from kernelmap.traces import load_trace
from worlds import World, simulate

LIMITS = """
[[device]]
names = ["*"]
bandwidth_gbps = 3352
tflops = { float32 = 66.9, tfloat32 = 494.7, bfloat16 = 989, float16 = 989 }
"""
_SECOND = 10**9
_START_NS, _BETWEEN_NS, _LAUNCH_NS = 2_000, 1_000, 1_500
_SLOWER = 1.25


def played(
    folder: Path, text: str, *, slower: Mapping[int, float], kernel: str | None = None
) -> Roofline:
    """The roofline of a program that ran four times.

    `slower` says by call how many times its limit it takes, `kernel` what library calls run.
    """
    code, limits = folder / "output_code.py", folder / "limits.toml"
    code.write_text(text)
    limits.write_text(LIMITS)
    program = load_compiled(code)
    profile = folder / "profile.json"
    world = World(seed=3, invocations=4, eager=0, autotune=False)
    simulate(program, world).write_kineto(profile)
    trace = load_trace(profile)
    matched = match_launches(program, trace)
    device = limits_of([None], limits)[None]
    trace = _timed(matched.program, trace, matched.matching.call, _times(program, device, slower))
    if kernel is not None:
        trace = _renamed(trace, matched.program, matched.matching.call, kernel)
    attribution = attribute_time(matched.program, trace, matched.matching, Options())
    of_calls = works_of_calls(matched.program)
    wall = wall_time(trace, attribution.counted, attribution.step, matched.matching.reason)
    return measure_roofline(
        matched.program,
        trace,
        matched.matching,
        attribution,
        of_calls,
        limits,
        idle=lambda: wall.idle,
        evidence=partial(evidence_of_code, matched.program, of_calls),
    )


def _times(
    program: CompiledProgram, limits: DeviceLimits, slower: Mapping[int, float]
) -> list[int]:
    """How long one execution of each call takes."""
    times = []
    for position, work in enumerate(works_of_calls(program)):
        assert work.bytes is not None, work.reason
        memory = work.bytes.most * _SECOND / limits.bandwidth
        peak = limits.peak_of(work.dtype or "float32")
        compute = (work.flops or 0) * _SECOND / peak if peak else 0
        times.append(_START_NS + round(max(memory, compute) * slower.get(position, _SLOWER)))
    return times


def _timed(program: CompiledProgram, trace: Trace, call: Int, times: list[int]) -> Trace:
    """The launches of a call share its time, and run one after the other as the host launches."""
    launches = trace.launches
    launches_of = Counter(call.tolist())
    runs = {position: len(trace.steps) for position in range(len(program.calls))}
    start, dur, free = launches.start_ns.copy(), launches.dur_ns.copy(), 0
    for row in np.argsort(launches.start_ns, kind="stable").tolist():
        position = int(call[row])
        assert position >= 0
        dur[row] = times[position] * runs[position] // launches_of[position]
        api = int(launches.api[row])
        launched = int(trace.apis.start_ns[api] + trace.apis.dur_ns[api])
        start[row] = max(launched + _LAUNCH_NS, free + _BETWEEN_NS)
        free = int(start[row] + dur[row])
    return replace(trace, launches=replace(launches, start_ns=start, dur_ns=dur))


def _renamed(trace: Trace, program: CompiledProgram, call: Int, kernel: str) -> Trace:
    """The launches of library calls under another name."""
    launches = trace.launches
    library = [graph.kernel_of(one) is None for graph, one in program.calls]
    of_library = np.array([*library, False])[call]
    names = (*launches.names, kernel)
    name_id = np.where(of_library, len(launches.names), launches.name_id)
    return replace(trace, launches=replace(launches, names=names, name_id=name_id))
