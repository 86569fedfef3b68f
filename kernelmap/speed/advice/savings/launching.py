"""Waits for a launch → what would shorten them, by who made the launch and where."""

from __future__ import annotations

import numpy as np

from kernelmap.facts.families import Family, kernel_family, operator_family
from kernelmap.matching import Match
from kernelmap.model import NONE, Activity, Reason, Trace
from kernelmap.model.columns import by_name, distinct_values, nearest_ancestor
from kernelmap.model.intervals import Spans, unite_intervals
from kernelmap.model.names import is_optimizer_step
from kernelmap.model.savings import Lever
from kernelmap.model.trace import Bool, Int
from kernelmap.speed.wall.host_events import HostEvents
from kernelmap.speed.wall.measure import Wall

LEVERS = tuple(Lever)
"""Columns hold the position of a lever in it."""

EAGER = (Lever.EAGER_OPERATORS, Lever.EAGER_OPTIMIZER, Lever.GRAPH_BREAK)
"""Levers of launches outside compiled code, whose kernels may be fused."""

_NOT_FUSED = frozenset(
    (
        *(Family.GEMM, Family.CONVOLUTION, Family.CONVOLUTION_BACKWARD, Family.ATTENTION),
        *(Family.ATTENTION_BACKWARD, Family.SORT, Family.TOPK, Family.SCAN, Family.COLLECTIVE),
    )
)
"""Library work that takes its time in compiled code, too: compiling it would not save that."""
_DEPTH = 8
"""Operators between a copy of inputs and its graph: two in the recordings of sample_traces, and the
climb has to end. Chosen."""


def levers_of_launches(trace: Trace, match: Match, events: HostEvents) -> Int:
    """The lever of each launch, a position in LEVERS; (launches,)."""
    launches, ranges, matching = trace.launches, trace.ranges, match.matching
    replayed = match.context.host.replayed
    # The innermost range around each launch; (launches,).
    around = _range_of_launches(trace)
    # Each line below overwrites the ones before it, so the last one that fits a launch counts.
    lever = np.full(len(launches), LEVERS.index(Lever.EAGER_OPERATORS), dtype=np.int64)
    steps = by_name(ranges.name_id, [is_optimizer_step(name) for name in ranges.names])
    in_step = np.append(nearest_ancestor(ranges.parent, steps) >= 0, False)[around]
    lever[in_step] = LEVERS.index(Lever.EAGER_OPTIMIZER)
    # What lies in a region that another one divides, and in no graph, a graph break has left there.
    region = np.append(events.region_of, NONE)[around]
    in_graph = np.append(events.in_graph, False)[around]
    left_there = np.append(events.broken, False)[region] & ~in_graph
    lever[left_there] = LEVERS.index(Lever.GRAPH_BREAK)
    # Launches of calls, and all that runs inside of a graph.
    lever[(matching.call >= 0) | in_graph] = LEVERS.index(Lever.LAUNCH_BOUND)
    # Where CUDA graphs were replayed, inputs are copied to where these expect them.
    if replayed.any():
        copies = np.equal(matching.reason, Reason.INPUTS)
        lever[copies] = LEVERS.index(Lever.STATIC_INPUTS)
        lever[replayed] = LEVERS.index(Lever.GRAPH_LAUNCHING)
    # Benchmarks of the autotuner, and what a compilation launches.
    for_compiler = nearest_ancestor(ranges.parent, events.compiling) >= 0
    tuned = np.equal(matching.reason, Reason.AUTOTUNE) | np.append(for_compiler, False)[around]
    lever[tuned] = LEVERS.index(Lever.COMPILING)
    return lever


def copying_inputs(trace: Trace, lever: Int, events: HostEvents) -> Spans:
    """When the host was in an operator that copies inputs to where a CUDA graph expects them."""
    ranges = trace.ranges
    # The operators that launched copies of inputs, each once.
    copies = np.equal(lever, LEVERS.index(Lever.STATIC_INPUTS))
    at = distinct_values(_range_of_launches(trace)[copies])
    at = at[at >= 0]
    # The outermost operator below the graph: a copy is several operators deep.
    inside = events.operators & ~events.graphs
    for _ in range(_DEPTH):
        parent = ranges.parent[at]
        at = np.where((parent >= 0) & inside[parent], parent, at)
    at = at[inside[at]]
    return unite_intervals(ranges.start_ns[at], ranges.start_ns[at] + ranges.dur_ns[at], at)


def could_be_fused(trace: Trace, outside_op: Int, names: tuple[str, ...]) -> Bool:
    """Launches of eager code that fusion could take into other kernels; (launches,).

    `outside_op` points into `names`, the operators of launches outside compiled code.
    """
    launches = trace.launches
    # By name: kernels that take their time in compiled code as well.
    library = [kernel_family(name, Activity.KERNEL) in _NOT_FUSED for name in launches.names]
    # By operator: the same, optimizers that are fused already, and what is no operator.
    operators = [
        not _is_operator(name) or "._fused_" in name or operator_family(name) in _NOT_FUSED
        for name in names
    ]
    of_operator = np.array([*operators, False], dtype=bool)[outside_op]
    return np.asarray(
        np.isin(launches.activity, (Activity.KERNEL, Activity.OPERATOR))
        & (outside_op >= 0)
        & ~by_name(launches.name_id, library)
        & ~of_operator
    )


def _is_operator(name: str) -> bool:
    """Whether it is written as tables write operators, and no range around some."""
    namespace, dot, rest = name.partition(".")
    return bool(dot and rest) and namespace.isidentifier()


def _range_of_launches(trace: Trace) -> Int:
    """The innermost range around each launch's api call, of an operator its own; (launches,)."""
    launches = trace.launches
    by_api = np.append(trace.apis.range, NONE)[launches.api]
    return np.where(launches.on_cpu, launches.range, by_api)


_WRAPPERS = ("CompiledFunction", "AOTDispatcher ", "Pregraph bytecode")
"""Ranges that Dynamo and AOTAutograd open around compiled code beside its guards."""


def levers_on_host(trace: Trace, wall: Wall, lever: Int, fused: Bool) -> Int:
    """The lever of each operator of the CPU, -1 where its time stays; (launches,)."""
    # Guards and regions by the range of each operator, False without one (-1).
    events, at = wall.host.events, trace.launches.range
    guards, regions = (np.append(mask, False)[at] for mask in (events.guards, events.regions))
    broken = np.append(events.broken, False)[at]
    names = trace.ranges.names
    wrappers = by_name(trace.ranges.name_id, [name.startswith(_WRAPPERS) for name in names])
    kinds = lever.copy()
    # What runs around compiled code: guards, and the wrappers of Dynamo and AOTAutograd.
    kinds[guards | np.append(wrappers, False)[at]] = LEVERS.index(Lever.GUARDS)
    kinds[broken] = LEVERS.index(Lever.GRAPH_BREAK)
    eager = np.isin(kinds, [LEVERS.index(it) for it in EAGER])
    # Nothing spares the time of calls, or of eager operators that fusion could not take; a region
    # is no operator and keeps its lever.
    kinds[np.equal(kinds, LEVERS.index(Lever.LAUNCH_BOUND)) | (eager & ~fused & ~regions)] = NONE
    return kinds
