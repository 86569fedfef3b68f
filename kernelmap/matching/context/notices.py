"""What a person should know about a matching: graphs without code, launches without a call."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import compress

import numpy as np

from kernelmap.commands import name_option
from kernelmap.facts.engine_options import options_of_engine
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.model import (
    Artifact,
    Backend,
    CompiledGraph,
    CompiledProgram,
    Confidence,
    Matching,
    Notice,
    Reason,
    Trace,
)
from kernelmap.model.columns import by_name, distinct_values
from kernelmap.model.marks import MarkedCall, shortened_wrapper
from kernelmap.model.notices import format_count, format_duration
from kernelmap.model.program import GPU_KERNELS, copied_input
from kernelmap.model.trace import Bool

_SHOWN = 0.1  # percent; less is written as less
_UNLAUNCHED = 0.1
"""So many ranges may be without what they launch: profilers lose a few events now and then, and a
notice of that helps nobody. Chosen."""
REASONS = {
    Reason.EAGER: "its host side lies under no call: eager code",
    Reason.AUTOTUNE: "the autotuner benchmarked the kernel here, before the call ran",
    Reason.GLUE: "it lies inside the compiled region, but no statement of the code launches it",
    Reason.INPUTS: "it copies the inputs of the graph before (or behind) its statements",
    Reason.GRAPH_REPLAY: "a graph launch replayed it: its host side tells of the replay only",
    Reason.NO_HOST_SIDE: "the trace holds no host side for it",
    Reason.NO_CODE: "the code of its graph was not given",
    Reason.COUNT_DIFFERS: "other numbers of ranges were seen than the code runs",
    Reason.CONDITIONAL: "a branch or loop decides which of the statements ran",
    Reason.SEVERAL_GRAPHS: "several graphs fit",
    Reason.SAME_NAME: "several calls run under this device name",
    Reason.ORDER_DIFFERS: "the ranges come in another order than the statements",
    Reason.NO_RANGE: "its api call was recorded, but no operator's range around it",
    Reason.RECORDING_END: "it was launched at an end of the recording, where the range of its call"
    " may be missing",
    Reason.BESIDE: "it was launched beside the statements of compiled code, and nothing says for"
    " certain that it is none of them",
    Reason.NO_PLACE: "its place among the other launches does not settle which call it is, or"
    " whether it is one",
}
"""Why a launch belongs to no call, or why several stand."""

_HINTS = {
    Reason.GRAPH_REPLAY: "Record some steps without CUDA or HIP graphs to see the calls by name;"
    " with nsys, record the capture as well; or name a run that shows them: {like}.",
    Reason.NO_HOST_SIDE: "Record the host side, and for whole steps: ProfilerActivity.CPU, or nsys"
    " --trace=cuda,nvtx; or name a run of the same code that has it: {like}.",
    Reason.NO_RANGE: "Record operators as well, those of all threads: ProfilerActivity.CPU with"
    " _ExperimentalConfig(profile_all_threads=True), or emit_nvtx() under nsys; or name a run of"
    " the same code that has them: {like}.",
    Reason.RECORDING_END: "Record whole steps; synchronize before the profiler starts and stops.",
    Reason.SAME_NAME: "Record the host side (ProfilerActivity.CPU, or emit_nvtx() under nsys), or"
    " set TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1.",
    Reason.SEVERAL_GRAPHS: "Give the code of one run only, and record the host side:"
    " record_shapes=True tells graphs apart.",
}


def _hint_against(reason: Reason, trace: Trace) -> str | None:
    """What helps against the reason; an engine's user has the engine record."""
    options = options_of_engine(trace)
    if options is None or reason not in _HINTS:
        hint = _HINTS.get(reason)
        return None if hint is None else hint.format(like=name_option("like"))
    like = f" ({options.own_capture})" if options.own_capture else ""
    shapes = f" {options.shapes} tells graphs apart." if options.shapes else ""
    host_side = f"Record whole steps with the host side: {options.recording}"
    return {
        Reason.GRAPH_REPLAY: f"Record some steps without graphs: {options.without_graphs}. Or name"
        f" a profile of the captures{like}: {name_option('like')}.",
        Reason.RECORDING_END: f"Record whole steps: {options.whole_steps}.",
        Reason.SAME_NAME: f"{host_side}; or set TORCHINDUCTOR_UNIQUE_KERNEL_NAMES=1.",
        Reason.SEVERAL_GRAPHS: f"Give the code of one run only.{shapes}",
    }.get(
        reason, f"{host_side}; or name a run of the same code that has it: {name_option('like')}."
    )


def of_graphs(
    given: CompiledProgram, context: MatchContext, matching: Matching, *, like: bool
) -> Iterator[Notice]:
    """Graphs that ran without code, and code that did not run; `like`: runs were named as such."""
    # Graphs that were made from the trace stand behind the given ones.
    new = len(context.program.graphs) - len(given.graphs)
    if new and given.graphs:
        yield Notice(
            slug="code-missing",
            message=f"{format_count(new, 'graph')} ran whose code was not given; its calls have "
            "no line",
            hint="Name the folder that holds the output_code.py of every graph.",
            gap=True,
        )
    elif new and like:
        yield Notice(
            slug="code-missing",
            message=f"neither the inputs nor the runs of {name_option('like')} hold generated code:"
            " calls are named by the profiles of both",
            hint="Name the folder that holds the output_code.py of every graph.",
        )
    elif new or (not given.graphs and context.host.compiled.any()):
        yield Notice(
            slug="trace-alone",
            message="no generated code was given: calls are named from the trace alone",
            hint="Record with TORCH_TRACE=FOLDER and add that folder, or add output_code.py or a"
            " torch_compile_debug folder, to see what calls compute."
            if (options := options_of_engine(context.trace)) is None
            else f"To see what calls compute, {options.code}.",
        )
    ran = {graph for i in context.invocations for graph in i.assignment.graphs}
    # A graph ran where a range, or a launch without one, says so.
    launched = set(context.program.graph_of_call[distinct_values(matching.call)].tolist())
    ran_ids = {given.graphs[at].compile_id for at in ran | launched if 0 <= at < len(given.graphs)}
    idle = [
        graph.id
        for position, graph in enumerate(given.graphs)
        if position not in ran | launched
        and graph.calls
        and not graph.borrowed
        and not _is_spare_backward(graph, ran_ids)
    ]
    if idle and context.invocations:
        yield Notice(
            slug="graph-not-run",
            message=f"{format_count(len(idle), 'given graph')} not seen to run: "
            f"{', '.join(idle[:5])}",
            hint="They may have run before the profile began, or belong to another run.",
        )

    unseen = [
        call
        for position in sorted(ran)
        for call in context.program.graphs[position].calls
        if call.backend is Backend.CPP
    ]
    yield from _notice_misaligned_inputs(context, matching)
    yield from _notice_calls_without_ranges(given)
    yield from _notice_unlaunched_kernels(context)
    if unseen and not context.host.shows_cpp:
        yield Notice(
            slug="cpp-kernels-unseen",
            message=f"{format_count(len(unseen), 'C++ call')} of graphs that ran left no range: "
            "no time",
            hint="Record with TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE=1.",
            gap=True,
        )


def _is_spare_backward(graph: CompiledGraph, ran_ids: Collection[str | None]) -> bool:
    """Whether a backward was compiled with its forward though no gradient was asked for.

    A backward that is compiled when it first runs has no node mapping.
    """
    return (
        graph.kind == "backward"
        and graph.compile_id is not None
        and graph.compile_id in ran_ids
        and Artifact.MAPPING in graph.artifacts
    )


def _notice_misaligned_inputs(context: MatchContext, matching: Matching) -> Iterator[Notice]:
    """Inputs that the code copies because they are not aligned as it was compiled for."""
    launches = context.trace.launches
    for number, graph in enumerate(context.program.graphs):
        inputs: list[str] = []
        spent = runs = 0
        for call in graph.calls[-len(graph.alignment_copies) :] if graph.alignment_copies else ():
            name = copied_input(call)
            rows = matching.call == context.program.first_call[number] + call.index
            if name is not None and rows.any():
                inputs.append(name)
                spent += int(launches.dur_ns[rows].sum())
                runs = max(runs, len(distinct_values(matching.invocation[rows])))
        if inputs:
            yield Notice(
                slug="input-misaligned",
                message=f"{format_count(len(inputs), 'misaligned input')} of {graph.id}, copied in "
                f"{format_count(runs, 'run')} for {format_duration(spent)}: "
                f"{', '.join(inputs[:5])}",
                hint="Give it memory that begins at a multiple of 16 bytes: clone a slice or view "
                "once, before the steps, instead of handing it over as it is.",
            )


def _notice_calls_without_ranges(given: CompiledProgram) -> Iterator[Notice]:
    silent = [call for graph in given.graphs for call in graph.calls if call.recorded is False]
    # What Python launches with another launcher than Triton's has no range in any setting.
    in_cpp = [call for call in silent if call.operands is not None]
    if len(in_cpp) < len(silent):
        others = [call for call in silent if call.operands is None]
        yield Notice(
            slug="launchers-without-ranges",
            message=f"{format_count(len(others), 'call')} of other launchers than Triton's open no "
            f"range when they run, first {others[0].wrapper}",
            hint="Their launches are placed by name and order, and never exact.",
        )
    silent = in_cpp
    if silent:
        yield Notice(
            slug="calls-without-ranges",
            message=f"{format_count(len(silent), 'call')} of C++ wrappers open no range when they "
            "run",
            hint="Compile with TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE=1 to see them by name.",
            gap=True,
        )


def _notice_unlaunched_kernels(context: MatchContext) -> Iterator[Notice]:
    """Kernels whose ranges were recorded, but not what they launched.

    A capture launches nothing, but its api calls are there. Where a range holds none, the profiler
    recorded the host and lost what went to the GPU: seen of an nsys that is older than the driver.
    """
    trace, decisions = context.trace, context.decisions
    calls = [call for _, call in context.program.calls]
    # Which calls launch kernels of their own; (calls,). Library calls may launch nothing, so they
    # are not asked.
    launching = [call.backend in GPU_KERNELS for call in calls]
    wrappers = {shortened_wrapper(call.wrapper) for call in compress(calls, launching)}
    tagged = [
        isinstance(tag, MarkedCall) and tag.wrapper in wrappers for tag in context.capture_tags.read
    ]
    # Mask of the ranges that stand for such a call, by a tag or by what was decided; (ranges,).
    stands = by_name(trace.ranges.name_id, tagged)
    called = decisions.made & (decisions.call >= 0)
    stands[called] = np.array(launching, dtype=bool)[decisions.call[called]]
    rows = np.flatnonzero(stands)
    if not len(rows) or not len(trace.apis):
        return
    # Mask of the ranges with an api call somewhere in them, marked upwards level by level;
    # (ranges,).
    has_api = np.zeros(len(trace.ranges), dtype=bool)
    above = distinct_values(trace.apis.range[trace.apis.range >= 0])
    while len(above):
        has_api[above] = True
        above = distinct_values(trace.ranges.parent[above])
        above = above[(above >= 0) & ~has_api[above]]
    silent = int((~has_api[rows]).sum())
    if silent > _UNLAUNCHED * len(rows):
        yield Notice(
            slug="ranges-without-launch",
            message=f"{silent:,} of {format_count(len(rows), 'range')} of generated kernels hold "
            "no api call: the profiler lost what went to the GPU",
            hint="Record with a profiler as new as the driver, and with --trace=cuda,nvtx in nsys.",
            gap=True,
        )


def of_launches(trace: Trace, matching: Matching, counted: Bool) -> Iterator[Notice]:
    """The most common reason why counted launches could not be given to one call."""
    open_rows = counted & np.isin(matching.confidence, [Confidence.AMBIGUOUS, Confidence.UNKNOWN])
    # Time without a single call, by the number of the reason.
    time_ns = np.zeros(len(Reason), dtype=np.int64)
    np.add.at(time_ns, matching.reason[open_rows], trace.launches.dur_ns[open_rows])
    total = int(trace.launches.dur_ns[counted].sum())
    if not time_ns.any():
        return
    # Only the reason with most of that time is told, with what helps against it.
    worst = Reason(int(time_ns.argmax()))
    percent = 100 * int(time_ns.sum()) / total
    share = f"{percent:.1f} %" if percent >= _SHOWN else f"<{_SHOWN} %"
    why = REASONS.get(worst, "nothing fits")
    # A table of sums was printed from a profile that may well have a host side.
    is_table = any(notice.slug == "sums-only" for notice in trace.notices)
    yield Notice(
        slug="unpaired-time",
        message=f"{share} of the time has no single call; mostly, {why}",
        hint=None if is_table else _hint_against(worst, trace),
        gap=True,
    )
