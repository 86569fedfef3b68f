"""The story of measured memory: events, runs and steps → the spans of a window with their peaks.

Taken: what a profile says of allocators, and a correlation. Given: MeasuredMemory. A span covers
what all threads did meanwhile: an allocator has one total. Whose the bytes are is told by thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.attribution.window import chosen_steps
from kernelmap.memory.measured.buffers import HOST, name_buffers
from kernelmap.memory.measured.graph_runs import GraphRuns, find_graph_runs
from kernelmap.memory.measured.held import find_held
from kernelmap.memory.measured.levels import measure_level
from kernelmap.memory.measured.owners import EventOwners, PlacesAt, find_owners
from kernelmap.model import CompiledProgram, Matching, Trace
from kernelmap.model.allocations import (
    Allocator,
    Blocks,
    MemoryEvents,
    find_unrecorded,
    pair_blocks,
)
from kernelmap.model.measured_memory import MeasuredMemory, MeasuredSpan, SpanKind
from kernelmap.model.memory import GraphMemory
from kernelmap.model.notices import Notice, format_count
from kernelmap.model.steps import step_positions
from kernelmap.model.trace import Int
from kernelmap.options import Options


class _Span(Struct, frozen=True, kw_only=True):
    """A stretch of time that is asked about; the fields are those of MeasuredSpan."""

    kind: SpanKind
    source: int
    start_ns: int
    end_ns: int
    process: int | None = None
    step: int | None = None
    graph: int | None = None
    invocation: int | None = None


class _Measured(Struct, frozen=True, kw_only=True):
    """The events of one allocator: its rows, and its blocks."""

    allocator: Allocator
    rows: Int
    blocks: Blocks


class RecordedMemory(Struct, frozen=True, kw_only=True):
    """What a profile shows of memory, and the calls that its launches belong to."""

    program: CompiledProgram
    trace: Trace
    matching: Matching
    events: MemoryEvents


def measure_memory(
    recorded: RecordedMemory,
    options: Options,
    memories: Sequence[GraphMemory] = (),
    places_at: PlacesAt | None = None,
) -> MeasuredMemory:
    """The recording, the steps and the runs of graphs of the window, on each allocator.

    `memories` are those of graphs as their code states them, in sizes that torch allocates.
    """
    program, trace, events = recorded.program, recorded.trace, recorded.events
    # Whose the bytes are: first by the host's side of calls, then by what the code asks for.
    runs = find_graph_runs(program, trace, recorded.matching)
    owners = find_owners(trace, events, runs, places_at)
    owners = name_buffers(program, memories, events, runs, owners)
    blocks = pair_blocks(events)
    allocators = tuple(_iter_measured(events, blocks))
    # What is asked about; each span is told on every allocator that has to do with it.
    spans = (
        *_recordings(events, allocators),
        *_steps(trace, options),
        *_runs(trace, runs, options),
    )
    growth = _growths(program, memories)
    found = (
        replace(
            _measure(span, of, events, owners),
            code_growth_bytes=growth.get((span.graph, of.allocator.is_host)),
        )
        for span in spans
        for of in _allocators_of(span, events, allocators)
    )
    return MeasuredMemory(
        spans=tuple(found), notices=tuple(_notices(events, allocators, trace.sources))
    )


def _growths(
    program: CompiledProgram, memories: Sequence[GraphMemory]
) -> dict[tuple[int | None, bool], int]:
    """How far the peak of a graph is above its start, as its code says.

    By position of the graph, and whether that is memory of the host. Of code of symbolic sizes it
    says that of one run alone, and nothing of the others.
    """
    sure = {
        memory.graph: memory
        for memory in memories
        if memory.steps and not memory.unsized and not memory.sizes
    }
    return {
        (at, memory.device == HOST): memory.peak_bytes - int(memory.bytes_after[0])
        for at, graph in enumerate(program.graphs)
        if (memory := sure.get(graph.id)) is not None
    }


def _iter_measured(events: MemoryEvents, blocks: Blocks) -> Iterator[_Measured]:
    """Each allocator with its blocks."""
    # A block is of the allocator of its first event: of both ends, as an address is in one.
    first = np.where(blocks.alloc >= 0, blocks.alloc, blocks.free)
    for allocator, rows in events.iter_allocators():
        own = (events.source[first] == allocator.source) & (
            events.device[first] == allocator.device
        )
        yield _Measured(allocator=allocator, rows=rows, blocks=blocks.take_rows(own))


def _measure(span: _Span, of: _Measured, events: MemoryEvents, owners: EventOwners) -> MeasuredSpan:
    level = measure_level(events, of.rows, span.start_ns, span.end_ns)
    sizes = events.bytes[level.rows]
    at_peak = level.peak_row >= 0
    return MeasuredSpan(
        kind=span.kind,
        allocator=of.allocator,
        process=span.process,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        before_bytes=level.before,
        peak_bytes=level.peak,
        after_bytes=level.after,
        reserved_bytes=level.reserved,
        allocations=int((sizes > 0).sum()),
        frees=int((sizes < 0).sum()),
        handed_out_bytes=int(sizes[sizes > 0].sum()),
        peak_ns=int(events.time_ns[level.peak_row]) if at_peak else span.start_ns,
        step=span.step,
        graph=span.graph,
        invocation=span.invocation,
        at_peak=owners.owner_of(level.peak_row) if at_peak else None,
        held=find_held(of.blocks, owners, level),
    )


def _allocators_of(
    span: _Span, events: MemoryEvents, allocators: Sequence[_Measured]
) -> Iterator[_Measured]:
    """The allocators that a span is told of: those with events in it, and the only GPU."""
    own = [of for of in allocators if of.allocator.source == span.source]
    gpus = [of for of in own if not of.allocator.is_host]
    for of in own:
        times = events.time_ns[of.rows]
        first, stop = np.searchsorted(times, [span.start_ns, span.end_ns], side="left").tolist()
        if stop > first or gpus == [of]:
            yield of


def _recordings(events: MemoryEvents, allocators: Sequence[_Measured]) -> Iterator[_Span]:
    """The recording of each source, from its first memory event to its last."""
    for source in sorted({of.allocator.source for of in allocators}):
        times = events.time_ns[events.source == source]
        yield _Span(
            kind=SpanKind.RECORDING,
            source=source,
            start_ns=int(times.min()),
            end_ns=int(times.max()) + 1,
        )


def _steps(trace: Trace, options: Options) -> Iterator[_Span]:
    """The chosen steps of each process."""
    chosen = chosen_steps(trace, options)
    for at, step in enumerate(trace.steps):
        if chosen.inside[at]:
            yield _Span(
                kind=SpanKind.STEP,
                source=trace.processes[step.process].trace,
                start_ns=step.start_ns,
                end_ns=step.end_ns,
                process=step.process,
                step=step.number,
            )


def _runs(trace: Trace, runs: GraphRuns, options: Options) -> Iterator[_Span]:
    """The runs of graphs that begin in the chosen steps, in the order of time."""
    chosen = chosen_steps(trace, options)
    spans = runs.spans
    position = step_positions(trace.steps, spans.process, spans.start_ns)
    order = np.lexsort((runs.graph, spans.start_ns, spans.process))
    for at in order.tolist():
        step = int(position[at])
        if chosen.inside[step]:
            process = int(spans.process[at])
            yield _Span(
                kind=SpanKind.GRAPH,
                source=trace.processes[process].trace,
                start_ns=int(spans.start_ns[at]),
                end_ns=int(spans.end_ns[at]),
                process=process,
                step=trace.steps[step].number if step >= 0 else None,
                graph=int(runs.graph[at]),
                invocation=int(runs.invocation[at]),
            )


def _notices(
    events: MemoryEvents, allocators: Sequence[_Measured], sources: Sequence[str]
) -> Iterator[Notice]:
    """What is missing among the events, as the allocator's own totals show."""
    for of in allocators:
        between = find_unrecorded(events, of.rows)
        if missing := int((between != 0).sum()):
            yield Notice(
                slug="memory-events-missing",
                message=f"{sources[of.allocator.source]}: {format_count(missing, 'change')} of what"
                " is allocated without an event, as threads make that the profiler did not record:"
                f" {int(np.abs(between).sum()):,} bytes",
                hint="Peaks are right at the events; who held those bytes is not known.",
                gap=True,
            )
