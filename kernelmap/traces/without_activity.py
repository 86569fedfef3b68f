"""Why a trace holds nothing that ran, in the words of what it does hold: an error to raise.

What was recorded tells what cannot be the cause: a profile with calls of CUDA was made with
ProfilerActivity.CUDA, one whose host waited at its end needs no torch.cuda.synchronize(), and one
whose first step is not the profile's first had steps to warm up. Only what is left is advised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from kernelmap.commands import say_captures_teach
from kernelmap.errors import KernelmapError
from kernelmap.facts.api_calls import (
    begins_capture,
    ends_capture,
    launched_activity,
    waits_at_the_end,
)
from kernelmap.facts.engine_options import options_of_engine
from kernelmap.model import Activity
from kernelmap.model.columns import by_name
from kernelmap.model.names import is_step
from kernelmap.model.notices import format_count
from kernelmap.model.trace import ApiCalls, Bool, Trace

_DIGITS = 9  # of a step's number
_DAMAGED = ("trace-truncated", "trace-damaged")
_NSYS = "Record CUDA: nsys profile --trace=cuda,nvtx;"
_ROCPROF = "Record the GPU: rocprofv3 --kernel-trace --memory-copy-trace --hip-trace;"
_PROFILE = "Profile with ProfilerActivity.CUDA, or with nsys profile --trace=cuda,nvtx;"
_CPP = "for code compiled for the CPU set TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE=1."
_WITHOUT = 'mode="max-autotune-no-cudagraphs"'


def nothing_ran(trace: Trace) -> KernelmapError:
    """The error that a trace without any launch ends in."""
    gaps = "".join(f"; {notice.message}" for notice in trace.notices if notice.gap)
    damaged = [notice.hint for notice in trace.notices if notice.slug in _DAMAGED]
    what, hint = _find_cause(trace)
    # What is lost may be the GPU's part: then other options bring nothing.
    hint = next(filter(None, damaged), None) or hint
    return KernelmapError("no-gpu-activity", f"{', '.join(trace.sources)}: {what}{gaps}", hint)


def _find_cause(trace: Trace) -> tuple[str, str]:
    """What was recorded, and what to do about it."""
    apis, options = trace.apis, options_of_engine(trace)
    launching = _mask_launching(apis)
    ranges = f"{len(trace.ranges):,} host ranges"
    if launching.any():
        captured = _mask_captured(apis)
        if captured[launching].all():
            number = format_count(int(launching.sum()), "launch")
            what = f"all of {number} were captured into graphs, and no replay of one was recorded"
            without = _WITHOUT if options is None else options.without_graphs
            return what, (
                f"Record steps that replay the graphs as well, or some without graphs ({without})."
                f" {say_captures_teach(trace.sources)}"
            )
        advice = " ".join(_iter_advice(trace))
        # Where operators were recorded, it may as well be a capture without its begin and end.
        if not captured.any() and not waits_at_the_end(apis) and len(trace.ranges):
            advice += f" {say_captures_teach(trace.sources, may_be=True)}"
        return _say_launches(trace, launching & ~captured), advice
    if len(apis):
        number = format_count(len(apis), "api call")
        what = f"{number} of the device and none that launches, in {ranges}: nothing ran on the GPU"
        return what, "Record the steps that do: the profiler's window may have missed them."
    others = [notice for notice in trace.notices if notice.slug == "device-not-read"]
    what = f"no GPU activity and no C++ kernel in {ranges}"
    if others:
        return what, others[0].hint or ""
    if options is not None and not all(trace.by_nsys) and not all(trace.by_rocprof):
        return what, f"Record the engine's workers: {options.recording}."
    record = _ROCPROF if all(trace.by_rocprof) else _NSYS if all(trace.by_nsys) else _PROFILE
    return what, f"{record} {_CPP}"


def _mask_launching(apis: ApiCalls) -> Bool:
    """Calls that put work on a device; of Intel's two calls for a launch the outer one."""
    launches = [launched_activity(name) is not None for name in apis.names]
    runtime = any(
        launches[at] and name.startswith(("ur", "pi")) for at, name in enumerate(apis.names)
    )
    counted = [
        launches[at] and not (runtime and name.startswith("ze"))
        for at, name in enumerate(apis.names)
    ]
    return by_name(apis.name_id, counted)


def _mask_captured(apis: ApiCalls) -> Bool:
    """Calls between the beginning and the end of a capture on their thread: they run nothing."""
    captured = np.zeros(len(apis), dtype=np.bool_)
    begins = by_name(apis.name_id, [begins_capture(name) for name in apis.names])
    ends = by_name(apis.name_id, [ends_capture(name) for name in apis.names])
    for row in np.flatnonzero(begins).tolist():
        same = (apis.thread == apis.thread[row]) & (apis.process == apis.process[row])
        after = same & (apis.start_ns >= apis.start_ns[row])
        # A capture whose end was not recorded goes on to the last call.
        end = apis.start_ns[after & ends].min(initial=np.iinfo(np.int64).max)
        captured |= after & (apis.start_ns <= end)
    return captured


def _say_launches(trace: Trace, rows: Bool) -> str:
    names = Counter(trace.apis.names[at] for at in trace.apis.name_id[rows].tolist())
    kinds = Counter[Activity]()
    for name, times in names.items():
        kinds[launched_activity(name) or Activity.KERNEL] += times
    parts = ", ".join(format_count(kinds[kind], _NOUNS[kind]) for kind in _NOUNS if kinds[kind])
    table = " no table of kernels" if all(trace.by_nsys) else " no activity of the GPU"
    return (
        f"the host launched {parts} ({', '.join(name for name, _ in names.most_common(3))}), "
        f"and{table} was recorded"
    )


_NOUNS = {
    Activity.KERNEL: "kernel",
    Activity.GRAPH: "graph",
    Activity.MEMCPY: "copy",
    Activity.MEMSET: "fill",
}


def _iter_advice(trace: Trace) -> Iterator[str]:
    """What may be the cause, without what was done already."""
    names = trace.apis.names
    intel = any(name.startswith(("ur", "ze", "pi")) for name in names)
    amd = any(name.startswith("hip") for name in names)
    nsys, rocprof = all(trace.by_nsys), all(trace.by_rocprof)
    if rocprof:
        yield "Record what runs on the GPU, too: rocprofv3 --kernel-trace --memory-copy-trace."
    options = options_of_engine(trace)
    if not waits_at_the_end(trace.apis) and options is not None:
        yield "Stop the profile when no request runs any more."
    elif not waits_at_the_end(trace.apis):
        yield (
            "Let the GPU finish before the profiler stops or exports: "
            f"torch.{'xpu' if intel else 'cuda'}.synchronize()."
        )
    if not nsys and not rocprof and options is not None:
        yield f"Record later, when the engine serves: {options.whole_steps}."
    elif not nsys and not rocprof and not _had_warm_up(trace):
        yield (
            "Give the profiler a step to warm up, for what it starts late is lost: "
            "schedule=schedule(wait=1, warmup=1, active=3)."
        )
    if nsys:
        yield "Use an nsys as new as the driver; `nsys status -e` says what it may record."
    tool = (
        "Intel's PTI"
        if intel
        else "rocprofiler-sdk"
        if rocprof
        else "roctracer"
        if amd
        else "CUPTI"
    )
    others = "rocprof" if amd else "unitrace" if intel else "ncu or DCGM"
    others = (
        "torch.profiler"
        if rocprof
        else f"torch.profiler, {others}"
        if nsys
        else f"nsys, {others}"
        if not intel
        else others
    )
    yield (
        f"Only one profiler can use {tool} at a time: end any other ({others}); and the process "
        f"needs the permission to use it: look for errors of {tool} in what it printed."
    )


def _had_warm_up(trace: Trace) -> bool:
    """Whether steps went before those that were recorded: the first one bears a higher number."""
    numbers = [
        int(digits)
        for name in trace.ranges.names
        if is_step(name)
        and (digits := name.rpartition("#")[2]).isdecimal()
        and len(digits) <= _DIGITS
    ]
    return bool(numbers) and min(numbers) > 0
