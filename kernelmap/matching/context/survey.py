"""(CompiledProgram, Trace) → MatchContext: which graph ran where, which calls a range stands for.

Graph spans are cut into invocations, the graph of each is identified, and graphs that only the
trace knows are added to the program.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np
from msgspec import structs
from msgspec.structs import replace

from kernelmap.matching.context.invocations import invocations_of
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.context.reference_runs import free_name
from kernelmap.matching.graphs.alignment_copies import with_copied_inputs
from kernelmap.matching.graphs.assignment import assign_graphs
from kernelmap.matching.graphs.autotuning import find_benchmarks, kernels_in_row
from kernelmap.matching.graphs.candidates import GraphCandidate, candidates_of
from kernelmap.matching.graphs.cross_checks import compile_ids, cross_checked, narrowed_by_region
from kernelmap.matching.graphs.cut_off import part_cut_invocations
from kernelmap.matching.graphs.observed import observe_graphs, tagged_graphs
from kernelmap.matching.graphs.without_graph_range import cut_into_invocations
from kernelmap.matching.host_side.host import GraphSpan, Host
from kernelmap.matching.host_side.recording import RecordedExtent
from kernelmap.matching.names.symbols import is_kernel_symbol
from kernelmap.model import CompiledGraph, CompiledProgram, Reason, Trace


def survey_host_side(program: CompiledProgram, trace: Trace) -> MatchContext:
    """Work out the host side: invocations, their graphs, and the calls of their ranges."""
    host = Host(trace, _kernel_names(program))
    # Which graph each span ran: by its own evidence, then narrowed by compiled regions, then
    # weakened where spans contradict one another.
    candidates = candidates_of(program.graphs, host)
    spans, strays = _find_invocation_spans(host, candidates)
    regions = compile_ids(host, spans)
    assignments = narrowed_by_region(
        candidates, spans, assign_graphs(candidates, host, spans), regions
    )
    assignments = cross_checked(candidates, host, spans, assignments, regions)
    # Spans that no given graph fits get graphs made from the trace, behind the given ones.
    new, assignments = observe_graphs(
        host, spans, assignments, regions, first=len(candidates), kernels=program.kernels
    )
    extended = structs.replace(program, graphs=(*program.graphs, *_rename_taken_ids(program, new)))
    candidates = candidates_of(extended.graphs, host)
    extended = structs.replace(
        extended, graphs=(*extended.graphs, *tagged_graphs(extended, trace.ranges.names))
    )
    # Ranges that look like calls and are none, by reason: no span holds them.
    outside = {
        reason: np.flatnonzero(host.why_no_call == reason).tolist()
        for reason in (Reason.INPUTS, Reason.AUTOTUNE, Reason.GLUE)
    }
    outside[Reason.AUTOTUNE] += strays
    assigned = tuple(zip(spans, assignments, strict=True))
    extended = with_copied_inputs(extended, candidates, assigned)
    invocations, decisions = invocations_of(
        candidates,
        extended,
        assigned,
        len(trace.ranges),
        outside,
    )
    return MatchContext(
        program=extended,
        trace=trace,
        host=host,
        invocations=invocations,
        decisions=decisions,
    )


def _kernel_names(program: CompiledProgram) -> set[str]:
    return {
        name
        for graph in program.graphs
        if graph.calls  # A kernel without a call says nothing about what ran it.
        for kernel in graph.kernels
        for name in (kernel.name, *kernel.members)
    }


def _find_invocation_spans(
    host: Host, candidates: Sequence[GraphCandidate]
) -> tuple[list[GraphSpan], list[int]]:
    """Spans that are one invocation each, and ranges of kernels that were only benchmarked."""
    with_graph_ranges = {span.process for span in host.spans if span.graph_range >= 0}
    window = RecordedExtent.read_from(host.trace, host.is_graph_range | host.compiled)
    spans: list[GraphSpan] = []
    strays: list[int] = []
    for span in host.spans:
        if span.graph_range >= 0:
            spans.append(span)
            continue
        compiled = span.container >= 0 and bool(host.compiled[span.container])
        # First what the ends of the recording cut off, then whole invocations in what is left.
        parts, rest = part_cut_invocations(span, candidates, host, window)
        spans.extend(parts)
        if not rest.rows:
            continue
        # A compiled region without a graph range in a process that has some lost it, so it is
        # read as if there were none.
        lost = compiled and not host.holds_graph_range[span.container]
        beside = span.process in with_graph_ranges and not lost
        pieces, left = cut_into_invocations(
            rest, candidates, has_graph_ranges=beside, compiled=compiled
        )
        if span.process in with_graph_ranges:  # so this one has lost its graph range
            pieces = [replace(piece, sure=False) for piece in pieces]
        spans.extend(pieces)
        if beside:
            # Beside graph ranges, what fits no invocation was benchmarked; without any, it may be
            # code that was not given.
            strays.extend(_find_benchmarked_kernels(host, rest, left, candidates, window))
            continue
        # Only a kernel that comes twice in a row can have been benchmarked.
        if any(host.symbol(one) == host.symbol(other) for one, other in pairwise(left)):
            strays.extend(_tuned_alone(rest, candidates))
        if unknown := [row for row in left if host.symbol(row) not in host.known]:
            spans.append(_remaining_span(host, rest, unknown))
    return sorted(spans, key=lambda g: (g.start_ns, g.process, g.thread)), strays


def _find_benchmarked_kernels(
    host: Host,
    span: GraphSpan,
    left: Sequence[int],
    candidates: Sequence[GraphCandidate],
    window: RecordedExtent,
) -> Iterator[int]:
    """Kernels that come at least twice in a row: one alone may be a call of a lost graph range.

    At the ends of a thread the last ones may be calls of an invocation that was cut off, where
    there are signs that something was.
    """
    recorded = window.compiled.get((span.process, span.thread))
    # Nothing says that an invocation was cut off here, so all of a row are benchmarks.
    whole = recorded is None or span.container >= 0 or span.process not in window.broken_off
    for symbol, same in groupby(left, key=host.symbol):
        rows = list(same)
        start = int(host.ranges.start_ns[rows[-1]])
        if len(rows) == 1:
            continue
        if whole or recorded is None or recorded[0] <= start < recorded[1]:
            yield from rows
        else:
            # As many as some graph calls in a row, at the row's end, may be calls.
            calls = [kernels_in_row(candidate.steps).get(symbol, 1) for candidate in candidates]
            yield from rows[: -max(calls, default=1)]


def _tuned_alone(span: GraphSpan, candidates: Sequence[GraphCandidate]) -> set[int]:
    """Benchmarks outside of graph ranges: series of one kernel, with memory cleared in between.

    Of a kernel of several graphs, what none of them calls.
    """
    # How many graphs take each place for a benchmark's or its clearing's.
    times: Counter[int] = Counter()
    for candidate in candidates:
        times.update(find_benchmarks(candidate.spell_symbols(span.symbols), candidate.steps).places)
    kernels = [at for at, symbol in enumerate(span.symbols) if is_kernel_symbol(symbol)]
    benchmarks: set[int] = set()
    for at in times.keys() & kernels:
        symbol = span.symbols[at]
        # All graphs that have the kernel have to agree.
        of = [c for c in candidates if c.alias.get(symbol, symbol) in c.alphabet]
        if times[at] == len(of):
            benchmarks.add(at)
    rows: set[int] = set()
    # An operator counts where the kernel before or behind it is a benchmark, and only beside such
    # an operator does the benchmark itself count.
    for cleared in times.keys() - kernels:
        after = bisect_left(kernels, cleared)
        if beside := benchmarks.intersection(kernels[max(0, after - 1) : after + 1]):
            rows.update(span.rows[at] for at in (cleared, *beside))
    return rows


def _remaining_span(host: Host, span: GraphSpan, left: Sequence[int]) -> GraphSpan:
    """Kernels in host order that fit no given graph."""
    return replace(span, rows=tuple(left), symbols=tuple(host.symbol(row) for row in left))


def _rename_taken_ids(
    program: CompiledProgram, new: Sequence[CompiledGraph]
) -> tuple[CompiledGraph, ...]:
    """The new graphs, renamed where a given one has the id."""
    taken = {graph.id for graph in program.graphs}
    renamed = []
    for graph in new:
        name = free_name(graph.id, taken)
        taken.add(name)
        renamed.append(structs.replace(graph, id=name))
    return tuple(renamed)
