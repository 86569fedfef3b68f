"""Reasons in the code that was given: none, not all, too much, or of a kind that says little."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from kernelmap.commands import name_option
from kernelmap.facts.engine_options import options_of_engine
from kernelmap.model import NONE, CompiledGraph, Confidence, Method, Reason, WrapperCall
from kernelmap.model.advice import Claim, Lack, Weight
from kernelmap.model.compilations import UNCHANGING, find_recompilations
from kernelmap.model.notices import format_count, join_some
from kernelmap.model.trace import Bool
from kernelmap.speed.advice.case import Case, ProfiledRun

_DETAILS = (Lack.OP, Lack.NODE, Lack.LINE, Lack.MODULE)
_LOG = "TORCH_TRACE=torch_trace INDUCTOR_PROVENANCE=1"
_CACHE = "a cache that other runs share"


def code_missing(case: Case) -> Iterator[Claim]:
    """Compiled code ran that was not given: no code at all, or not that of every graph."""
    run = case.run
    if run is None:
        return
    # Graphs that ran without their code, and launches of compiled code that was not given.
    unknown = [graph for graph in case.program.graphs if graph.code is None]
    foreign = case.counted & run.mask_reasons(Reason.NO_CODE)
    if not unknown and not foreign.any() and (case.given or not run.is_compiled):
        return
    # Launches in graphs without code lack all details; those that may be theirs lack their call.
    details = case.of_graphs(unknown)
    calls = run.unsure & (details | foreign | (_by_names(run) & bool(case.given)))
    rows = {Lack.CALL: calls, **dict.fromkeys(_DETAILS, details)}
    options = options_of_engine(run.trace)
    like = name_option("like")
    if not case.given and run.match.references.sources:
        yield Claim(
            slug="code-missing",
            what=f"neither the inputs nor the runs of {like} hold the code: calls are named by the "
            "profiles of both",
            do=f"Give the log of this run or of that of {like} ({_LOG} python train.py)."
            if options is None
            else f"Give the code of this run or of that of {like}: {options.code}.",
            then="calls with their ops, nodes and source lines",
            rows=rows,
        )
        return
    if not case.given:
        yield Claim(
            slug="trace-alone",
            what="no code was given: calls are named from the profile alone",
            do=f"Give the log of this run ({_LOG} python train.py), its torch_compile_debug or "
            "output_code.py; if none was kept, --cache-dir names Inductor's cache."
            if options is None
            else f"Give the code: {options.code}. {options.compiles}.",
            then="calls with their ops, nodes and source lines",
            rows=rows,
        )
        return
    names = f": {join_some([graph.id for graph in unknown])}" if unknown else ""
    yield Claim(
        slug="code-missing",
        what=f"code ran that was not given ({format_count(len(unknown), 'graph')}{names}); what "
        "was given may look like it",
        do="Give the whole TORCH_TRACE or torch_compile_debug folder: forward and backward are "
        "separate files."
        if options is None
        else f"Give the code of all graphs: {options.code}.",
        then="exact, and lines for these calls",
        rows=rows,
    )


def borrowed_code(case: Case) -> Iterator[Claim]:
    """Code was taken from a cache or a like-run: another run may have left it there."""
    if case.run is None:
        return
    borrowed = [graph for graph in case.given if graph.borrowed]
    rows = case.run.unsure & case.of_graphs(borrowed)
    if rows.any():
        yield Claim(
            slug="cache-borrowed",
            what=f"the code of {join_some([graph.id for graph in borrowed])} is from "
            + ("another run" if case.run.match.references.sources else _CACHE),
            do=f"Give the log of this run: {_LOG} python train.py."
            if (options := options_of_engine(case.run.trace)) is None
            else f"Give the log of this run: {options.code}.",
            then="exact: a log says which code ran",
            rows={Lack.CALL: rows},
        )


def several_runs(case: Case) -> Iterator[Claim]:
    """Several given graphs are called the same and differ."""
    # Graphs that are called the same, by AOT id and kind.
    groups: dict[tuple[str, str | None], list[CompiledGraph]] = defaultdict(list)
    for graph in case.given:
        if graph.aot_id is not None and not graph.borrowed:
            groups[graph.aot_id, graph.kind].append(graph)
    twice = [graphs for graphs in groups.values() if len(graphs) > 1 and not _of_ranks(graphs)]
    if not twice:
        return
    several = case.mask_lacking(Lack.CALL)
    if case.run is not None:
        several = several & case.run.mask_reasons(Reason.SEVERAL_GRAPHS)
        if not several.any():
            return
    yield Claim(
        slug="several-runs",
        what=f"the code is of several runs or processes: {len(twice[0])} graphs are called "
        f"{twice[0][0].aot_id}",
        do="Give the code of one run only: one run_… folder of torch_compile_debug, one log per "
        "rank; or its TORCH_TRACE log, whose cache keys tell runs apart.",
        then="exact where one graph is left",
        weight=Weight.NOTE if case.run is None else Weight.CHANGE,
        rows={Lack.CALL: several},
    )


def graph_not_run(case: Case) -> Iterator[Claim]:
    """Code was given that was not seen to run."""
    run = case.run
    for notice in case.notices:
        if notice.slug != "graph-not-run" or run is None:
            continue
        # The graphs that were seen to run: by their invocations, and by the calls of launches.
        ran = {graph for invocation in run.invocations for graph in invocation.assignment.graphs}
        ran |= set(case.program.graph_of_call[np.unique(case.call)].tolist()) - {NONE}
        if any(case.program.graphs[graph].code is not None for graph in ran):
            do = "Nothing, if it ran before the window; else give the code of this very run."
            yield Claim.of_notice(notice, do, "nothing else", Weight.NOTE)
        else:
            do = "Give the code of the run that was profiled: nothing of this code ran."
            yield Claim.of_notice(notice, do, "calls with their ops, nodes and source lines")


def calls_without_ranges(case: Case) -> Iterator[Claim]:
    """A C++ wrapper opens no range around its calls."""
    silent = [g for g in case.given if any(map(_is_silent_cpp, g.calls))]
    if not silent:
        return
    rows: dict[Lack, Bool] = {}
    if case.run is not None:
        # A call without a range may be among launches of silent graphs, and where counts differ.
        unrecorded = case.of_graphs(silent) | case.run.mask_reasons(Reason.COUNT_DIFFERS)
        rows[Lack.CALL] = case.run.unsure & unrecorded
    calls = sum(_is_silent_cpp(call) for graph in silent for call in graph.calls)
    yield Claim(
        slug="calls-without-ranges",
        what=f"calls of C++ wrappers open no range when they run: {format_count(calls, 'call')}",
        do="Compile with TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE=1, and with "
        "torch._inductor.config.profiler_mark_wrapper_call = True.",
        then="exact: a range names each call",
        rows=rows,
    )


def _is_silent_cpp(call: WrapperCall) -> bool:
    """Whether a call of a C++ wrapper opens no range; other launchers never do."""
    return call.recorded is False and call.operands is not None


def input_misaligned(case: Case) -> Iterator[Claim]:
    """An input is copied in each run because its memory is not aligned."""
    for notice in case.notices:
        if notice.slug == "input-misaligned":
            yield Claim.of_notice(notice, notice.hint or "", "no copy of the input in a run")


def claim_recompiled(case: Case) -> Iterator[Claim]:
    """A function is compiled again and again, so that no step stays warm."""
    for again in find_recompilations(case.program.compilations):
        # A mere note where a profile was given and nothing was compiled within it.
        inside = case.run is None or any(
            notice.slug == "bundle-compiled-inside" for notice in case.notices
        )
        yield Claim(
            slug="recompiles",
            what=again.words,
            do=UNCHANGING,
            then="steps in which nothing is compiled, which a capture waits for",
            weight=Weight.CHANGE if inside else Weight.NOTE,
        )


def _by_names(run: ProfiledRun) -> Bool:
    """Launches whose graph is not certain, because only names identify it."""
    doubtful = [
        position
        for position, invocation in enumerate(run.invocations)
        if invocation.assignment.graphs
        and invocation.assignment.confidence is not Confidence.EXACT
        and invocation.assignment.method is not Method.KERNEL_HASH
    ]
    return np.asarray(run.of_invocations(doubtful))


def _of_ranks(graphs: list[CompiledGraph]) -> bool:
    """Whether the graphs are those of different ranks, as their logs say."""
    ranks = [{emitted.compilation.rank for emitted in graph.emitted} for graph in graphs]
    return all(ranks) and len(set().union(*ranks)) >= len(graphs)
