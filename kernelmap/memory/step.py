"""The graphs in the order in which they ran → the bytes over a step, graph after graph.

A graph starts with what the graphs before it left. It leaves its results, and a backward gives back
what its forward saved. What the caller holds all the time (parameters, optimizer state, inputs of
the model) lies below: bytes are counted above it. Results stay until the step ends, since no code
says when a program drops them; so where eager code frees some, this is an upper bound. What eager
code allocates is not in it. What a CUDA graph replays lies in a pool of its own all the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from kernelmap.attribution.records import Attribution
from kernelmap.facts.api_calls import is_graph_launch
from kernelmap.matching.host_side.recording import named_apis
from kernelmap.model import CompiledProgram, Matching, Trace
from kernelmap.model.memory import GraphMemory, GraphRun, StepMemory
from kernelmap.model.trace import Int


def memory_of_step(
    memories: Sequence[GraphMemory],
    program: CompiledProgram,
    order: Sequence[str] = (),
    replayed: Collection[str] = (),
) -> StepMemory:
    """The bytes over a step that runs the graphs of `order`, by their ids.

    Without an order that of forwards, then of their backwards from the last one on. `replayed` are
    the graphs that CUDA graphs replay.
    """
    growths = {memory.graph: growth_of_graph(memory.bytes_after) for memory in memories}
    runs = add_up_runs(order or _assumed_order(program), growths, replayed)
    unknown = tuple(dict.fromkeys(graph for graph in order if graph not in growths))
    return StepMemory(runs=runs, is_recorded=bool(order), unknown=unknown)


def growth_of_graph(bytes_after: Int) -> tuple[int, int]:
    """By how much the bytes alive grow from the start of a graph to their peak, and to its end."""
    above = bytes_after - bytes_after[0]
    return int(above.max(initial=0)), int(above[-1])


def add_up_runs(
    order: Iterable[str], growths: Mapping[str, tuple[int, int]], replayed: Collection[str] = ()
) -> tuple[GraphRun, ...]:
    """Runs of graphs one after the other; those of which no growth is known are passed over."""
    runs: list[GraphRun] = []
    level = 0
    for graph in order:
        if graph not in growths:
            continue
        growth, rest = growths[graph]
        if graph in replayed:
            run = GraphRun(graph=graph, before=level, peak=level, after=level, pool=growth)
        else:
            run = GraphRun(graph=graph, before=level, peak=level + growth, after=level + rest)
        runs.append(run)
        level = run.after
    return tuple(runs)


def _assumed_order(program: CompiledProgram) -> list[str]:
    """Each graph once: all but backwards as the program has them, then backwards, last one first.

    Of graphs that were compiled more than once, for other shapes, all are in it.
    """
    backward = [graph.id for graph in program.graphs if graph.kind == "backward"]
    return [*(graph.id for graph in program.graphs if graph.kind != "backward"), *backward[::-1]]


def order_of_step(
    program: CompiledProgram, trace: Trace, matching: Matching, attribution: Attribution
) -> tuple[str, ...]:
    """The ids of the graphs that ran in one counted step, in the order of their first launches.

    It is the step of one process in which most graphs ran, of equal ones the first; of a trace
    without steps all of the window. Empty where no launch has a call.
    """
    rows = np.flatnonzero(attribution.counted & (matching.call >= 0) & (matching.invocation >= 0))
    rows = rows[np.argsort(trace.launches.start_ns[rows], kind="stable")]
    # Process, step, graph and number of the run that each launch belongs to, (launches, 4).
    keys = np.stack(
        [
            trace.launches.process[rows],
            attribution.step[rows],
            np.searchsorted(program.first_call, matching.call[rows], side="right") - 1,
            matching.invocation[rows],
        ],
        axis=1,
    )
    # Each run once, where its first launch is.
    _, first = np.unique(keys, axis=0, return_index=True)
    runs = [tuple(run) for run in keys[np.sort(first)].tolist()]
    return _order_of_fullest(runs, program)


def _order_of_fullest(runs: Iterable[tuple[int, ...]], program: CompiledProgram) -> tuple[str, ...]:
    """The graphs of the step with most runs; a run has process, step, graph and number."""
    listed = list(runs)
    if not listed:
        return ()
    (fullest, _), *_ = Counter(run[:2] for run in listed).most_common(1)
    return tuple(program.graphs[run[2]].id for run in listed if run[:2] == fullest)


def find_replayed(program: CompiledProgram, trace: Trace, matching: Matching) -> frozenset[str]:
    """The ids of the graphs of which all launches are of CUDA graphs."""
    rows = np.flatnonzero(matching.call >= 0)
    # The graph of each launch, by the position of its call; (rows,).
    graph = np.searchsorted(program.first_call, matching.call[rows], side="right") - 1
    # Not every profile numbers CUDA graphs, but the api call that launched one has its name.
    by_name = np.append(named_apis(trace.apis, is_graph_launch), False)[trace.launches.api[rows]]
    outside = graph[~by_name & (trace.launches.graph[rows] < 0)]
    return frozenset(program.graphs[at].id for at in {*graph.tolist()} - {*outside.tolist()})
