"""Reads inputs, matches and attributes: what `correlate`, `which` and `doctor` run.

Advice on code that comes without a profile is imported where it is asked for.
"""

from __future__ import annotations

import ast
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path

from msgspec import structs

from kernelmap.attribution import attribute_time
from kernelmap.attribution.divide import divide_calls
from kernelmap.attribution.time_buckets import without_call
from kernelmap.attribution.torch_notes import note_calls, notices_of_lines
from kernelmap.attribution.where import describe_hits
from kernelmap.attribution.window import (
    apis_inside,
    find_unrecorded,
    incomplete_steps,
    missing_steps,
)
from kernelmap.bearing import Recorded, iter_refusals
from kernelmap.bundles import (
    bundle_notices,
    complete_steps,
    counted_memory,
    held_tensors,
    recorded_steps,
    unprofiled_steps,
)
from kernelmap.commands import ask_again
from kernelmap.compiler import InductorCache, read_compiled, sharing_trees
from kernelmap.correlation import Correlation
from kernelmap.counter_reports import read_reports
from kernelmap.errors import UsageError
from kernelmap.inputs import Inputs, has_trace_beside, sort
from kernelmap.likeness import captures_beside, details_of_captures, learnt_from, runs_in
from kernelmap.matching import match_launches, match_like
from kernelmap.matching.context.notices import of_launches
from kernelmap.matching.explaining.hits import Hit
from kernelmap.matching.explaining.which import find_kernels, known_names
from kernelmap.model import Notice, Trace
from kernelmap.model.advice import Advice
from kernelmap.model.learnt import Learnt
from kernelmap.model.matching import LaunchPlaces
from kernelmap.model.names import names_wanted
from kernelmap.model.paths import Source
from kernelmap.model.program import source_files
from kernelmap.options import Options, Side
from kernelmap.pages.memory_of_call import add_memory_to_hits
from kernelmap.pages.memory_result import MemoryResult
from kernelmap.suggestions import did_you_mean
from kernelmap.tables.memory import build_memory_tables
from kernelmap.tables.memory_measured_rows import build_measured_tables
from kernelmap.traces import launch_places, load_trace, with_captures
from kernelmap.traces.apart import split_by_process
from kernelmap.traces.ncu.reader import is_ncu_report
from kernelmap.traces.steps import with_recorded_steps

_LOG = logging.getLogger(__name__)


def correlate(
    *sources: Source, options: Options | None = None, like: Source | Sequence[Source] = ()
) -> Correlation:
    """Pair the GPU's work in the traces with the code among `sources`, and split its time.

    `sources` are files and folders in any order: generated code, and at least one trace; a bundle
    is both. Where no trace is named, it is the one that lies directly in a folder of code. `like`
    are other runs of the same code (see Options). Raises KernelmapError where an input cannot be
    used.
    """
    return _correlated(sort(sources), _with_like(options or Options(), like))


def correlate_apart(
    *sources: Source,
    options: Options | None = None,
    complete_steps: tuple[int, int] | None = None,
) -> Iterator[Correlation]:
    """As `correlate`, one for each process that Nsight Systems or rocprofv3 recorded.

    Anything else gives one. The traces are read once. `complete_steps` are the first and the last
    step that were recorded whole, as a manifest that is not among the sources says.
    """
    inputs = sort(sources)
    trace = _trace(inputs)
    if complete_steps is not None:
        by_process = dict.fromkeys(range(len(trace.processes)), complete_steps)
        trace = with_recorded_steps(trace, by_process)
    # Only reports of nsys and files of rocprofv3 hold several processes of one program.
    for trace_of_process in (trace,) if trace.by_torch.all() else split_by_process(trace):
        yield _paired(inputs, options or Options(), trace_of_process)


def _correlated(inputs: Inputs, options: Options) -> Correlation:
    return _paired(inputs, options, _trace(inputs))


def _trace(inputs: Inputs) -> Trace:
    trace = load_trace(*inputs.traces_meant)
    if inputs.bundles:
        # Which steps were recorded whole the bundle knows better than the trace shows.
        trace = with_recorded_steps(trace, complete_steps(inputs.bundles, trace))
    return with_captures(trace, inputs.captures) if inputs.captures else trace


def _paired(inputs: Inputs, options: Options, trace: Trace) -> Correlation:
    learnt = _taught(options, inputs) if options.like else ()
    if inputs.bundles:
        options = _of_recorded_steps(options, inputs.bundles, trace)
    cache = (
        InductorCache(options.cache_dir, names_wanted(trace))
        if options.cache_dir is not None
        else None
    )
    _LOG.debug("the traces hold %d launches", len(trace.launches))
    trees: dict[str, ast.Module] = {}
    # The work of calls is asked for later, and needs the syntax trees of the code once more.
    with sharing_trees(trees) if options.work else nullcontext():
        program = read_compiled(inputs.code, cache)
    _LOG.debug("the code holds %d graphs with %d calls", len(program.graphs), len(program.calls))
    details = details_of_captures(program, trace, with_inputs=options.operators)
    matched = (
        match_like(program, trace, learnt, details)
        if learnt
        else match_launches(program, trace, details=details)
    )
    _LOG.debug("%d launches have a call", (matched.matching.call >= 0).sum())
    # Calls get what torch's own tools wrote beside their launches, for where nothing else says it.
    noted = note_calls(matched.program, trace.launches, matched.matching)
    matched = structs.replace(matched, program=noted)
    counted = read_reports(matched.program, trace, matched.matching, _reports(inputs, trace))
    # Where Python frames were recorded, launches without a call get the function that launched
    # them.
    places = LaunchPlaces.empty(len(trace.launches))
    if any(base_ns is not None for base_ns in trace.frames_ns):
        files = source_files(matched.program)
        places = launch_places(trace, without_call(matched.matching), files)
    if matched.matching.learnt is not None:
        places = places.with_origins(matched.matching.learnt)
    attributed = attribute_time(matched.program, trace, matched.matching, options, places)
    steps = (*missing_steps(trace, options), *incomplete_steps(trace, options))
    # Api calls in the window whose activity is missing on the device.
    silent = find_unrecorded(trace, apis_inside(trace, options), attributed.counted)
    unpaired = of_launches(trace, matched.matching, attributed.counted)
    notices = (
        *_of_bundles(inputs),
        *_of_snapshots(inputs, options),
        *program.notices,
        *trace.notices,
        *captures_beside(trace, inputs, options),
        *(notice for run in learnt for notice in run.notices),
        *matched.notices,
        *steps,
        # The CPU's time lacks nothing where activities of a GPU are missing.
        *(silent.iter_notices(trace) if options.side is not Side.CPU else ()),
        *unpaired,
        *counted.notices,
        *notices_of_lines(attributed.torchs_word),
    )
    recorded = Recorded(
        program=matched.program,
        trace=trace,
        matching=matched.matching,
        attribution=attributed,
        unrecorded=silent,
        options=options,
    )
    return Correlation(
        inputs=(*inputs.paths, *options.like),
        options=options,
        trace=trace,
        match=matched,
        attribution=attributed,
        notices=(*iter_refusals(recorded, notices), *notices),
        unrecorded=silent,
        learnt=learnt,
        trees=trees,
        unprofiled=unprofiled_steps(inputs.bundles),
        snapshots=inputs.snapshots,
        counted=counted.counted,
    )


def _reports(inputs: Inputs, trace: Trace) -> list[Path]:
    """The reports with counters; one that lies alone in a folder is found as a trace only."""
    alone = [path for path in map(Path, trace.sources) if is_ncu_report(path)]
    return [*dict.fromkeys((*inputs.reports, *alone))]


def _with_like(options: Options, like: Source | Sequence[Source]) -> Options:
    """`options` with the runs of `like` among theirs."""
    more = (like,) if isinstance(like, str | PathLike) else tuple(like)
    return replace(options, like=(*options.like, *map(Path, more)))


def _taught(options: Options, inputs: Inputs) -> tuple[Learnt, ...]:
    """What the runs of `like` teach about the calls of this one."""
    return tuple(
        learnt_from(run, inputs.code, with_inputs=options.operators)
        for run in runs_in(options.like)
    )


def _of_bundles(inputs: Inputs) -> tuple[Notice, ...]:
    """What a person should know about the bundles among the inputs."""
    if not inputs.bundles:
        return ()

    return bundle_notices(inputs.bundles)


def _of_snapshots(inputs: Inputs, options: Options) -> Iterator[Notice]:
    """Whoever gives a memory snapshot to a question about time learns where it is read."""
    for path in inputs.snapshots:
        yield Notice(
            slug="snapshot-says-no-time",
            message=f"{path} is a memory snapshot, which says nothing of time",
            hint=f"`{ask_again(['memory'], inputs.paths, options)}` shows it.",
        )


def _of_recorded_steps(options: Options, bundles: Sequence[Path], trace: Trace) -> Options:
    """`options` with the steps that a bundle was recorded for, where it holds more and none are."""
    steps = recorded_steps(bundles) if options.steps is None else None
    # Only where the trace has such steps: without any, all of it counts.
    if steps is None or not any(steps[0] <= step.number <= steps[1] for step in trace.steps):
        return options
    return replace(options, steps=steps)


def which(
    name: str,
    *sources: Source,
    options: Options | None = None,
    like: Source | Sequence[Source] = (),
) -> tuple[Hit, ...]:
    """The kernels that `name` may stand for; a trace among `sources` adds how often they ran.

    As for `correlate`, a trace that lies in a folder of code is one of them.
    Raises KernelmapError `unknown-name`, with the nearest names, where nothing fits.
    """
    inputs, chosen = sort(sources), _with_like(options or Options(), like)
    names: tuple[str, ...] = ()
    # A trace that lies in a folder of code counts as given, as for a correlation.
    has_trace = bool(inputs.traces) or has_trace_beside(inputs.paths)
    if has_trace:
        correlation = _correlated(inputs, chosen)
        program, hits = correlation.program, correlation.which(name)
        names = correlation.trace.launches.names
    else:
        program = read_compiled(inputs.code)
        ops = [division.involved_ops for division in divide_calls(program)]
        from kernelmap.memory import memory_of_graph

        hits = describe_hits(find_kernels(name, program, ops=ops))
        hits = add_memory_to_hits(hits, program, partial(memory_of_graph, program))
    if not hits:
        known = {*names, *known_names(program)}
        # Ops that a kernel works for are no names of kernels, but may have been meant.
        known.update(op for division in divide_calls(program) for op in division.involved_ops)
        hint = did_you_mean(name, known, "No known name is near it.")
        if name in {graph.call_id(call) for graph, call in program.calls}:
            again = ask_again(["explain", name], inputs.paths, chosen)
            hint = f"It is the id of a call: `{again}` says what ran it."
        given = any(graph.code is not None for graph in program.graphs)
        what = "wrapper, function, legacy suffix, hash or operator of the code"
        raise UsageError(
            "unknown-name",
            f"{name!r} is no {what if given else 'wrapper or operator that ran'}"
            + (", and no launch bears it" if has_trace else ""),
            hint if given else f"{hint} Give the code as well: only code tells fused kernels' ops.",
        )
    return hits


def memory_of(
    *sources: Source,
    sizes: Mapping[str, int] | None = None,
    as_allocated: bool = False,
    options: Options | None = None,
) -> MemoryResult:
    """The memory of each graph by its code: who holds the bytes at the peak, and since when.

    `sources` are code and bundles in any mix; a profile among them tells the sizes that code of
    dynamic shapes leaves open, as does `sizes` (`{"s0": 128}`). What a profile with memory events
    shows, and what memory snapshots of torch do, stands beside. Raises KernelmapError where an
    input cannot be used.
    """
    inputs = sort(sources)
    if inputs.traces or has_trace_beside(inputs.paths):
        correlation = _correlated(inputs, options or Options())
        return correlation.memory(sizes, as_allocated=as_allocated)
    # A leaf: the core loads without it.
    from kernelmap.memory import (
        find_memory_savings,
        measure_snapshots,
        memory_of_program,
        memory_of_step,
    )

    trees: dict[str, ast.Module] = {}
    with sharing_trees(trees):
        program = read_compiled(inputs.code)
        memories = memory_of_program(program, sizes, as_allocated=as_allocated)
    step = memory_of_step(memories, program)
    savings = find_memory_savings(program, memories, step)
    return MemoryResult(
        tables=build_memory_tables(program, memories, step, savings),
        in_use=build_measured_tables(
            program,
            None,
            counted_memory(inputs.bundles),
            measure_snapshots(program, inputs.snapshots),
            held_tensors(inputs.bundles),
        ),
        inputs=inputs.paths,
        notices=program.notices,
    )


def doctor(
    *sources: Source, options: Options | None = None, like: Source | Sequence[Source] = ()
) -> Advice:
    """What is missing for a better answer, and how much time it concerns.

    `sources` are code, traces and bundles in any mix; code alone will do. Raises KernelmapError
    where an input cannot be used.
    """
    inputs = sort(sources)
    if inputs.traces or has_trace_beside(inputs.paths):
        return _correlated(inputs, _with_like(options or Options(), like)).advice
    from kernelmap.speed.answers import advise_on_code  # a leaf: the core loads without it

    program = read_compiled(inputs.code)
    return advise_on_code(program, (*_of_bundles(inputs), *program.notices))
