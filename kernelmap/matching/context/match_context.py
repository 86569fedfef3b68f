"""What every strategy is given: the program, the trace, and what the host side says of each range.

`RangeDecisions` holds, per host range, the calls that the range stands for; they come from aligning
each span with the graph that it ran (context/invocations.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from kernelmap.matching.graphs.assignment import GraphAssignment
from kernelmap.matching.host_side.host import GraphSpan, Host, runs_kernel
from kernelmap.matching.host_side.recorded_graphs import Recorded, read_recorded_graphs
from kernelmap.matching.host_side.recording import on_recorded_threads
from kernelmap.matching.names.symbols import calls_by_device_name, names_of_graph
from kernelmap.model import NONE, Activity, CompiledProgram, Confidence, Method, Reason, Trace
from kernelmap.model.columns import by_name, nearest_ancestor
from kernelmap.model.learnt import CapturedDetail
from kernelmap.model.marks import MarkedCall, MarkedGraph, decode_mark, is_mark
from kernelmap.model.trace import Bool, Int, Ranges, Small


class RangeDecisions(Struct, frozen=True, kw_only=True):
    """Per host range, the calls it stands for: columns (ranges,), of which rows in `made` count.

    `call` is a position in `CompiledProgram.calls`, -1 where none or several stand; `several` names
    those by row.
    """

    made: Bool
    call: Int
    invocation: Int
    confidence: Small
    method: Small
    reason: Small
    several: dict[int, tuple[int, ...]]

    @classmethod
    def empty(cls, ranges: int) -> RangeDecisions:
        """Columns for so many ranges, before any is decided."""
        return cls(
            made=np.zeros(ranges, dtype=bool),
            call=np.full(ranges, NONE, dtype=np.int64),
            invocation=np.full(ranges, NONE, dtype=np.int64),
            confidence=np.full(ranges, Confidence.UNKNOWN, dtype=np.int8),
            method=np.full(ranges, Method.NONE, dtype=np.int8),
            reason=np.full(ranges, Reason.NONE, dtype=np.int8),
            several={},
        )

    def calls_of_range(self, row: int) -> tuple[int, ...]:
        """Positions of the calls that one range stands for."""
        call = int(self.call[row])
        return (call,) if call >= 0 else self.several.get(row, ())


class PlacedCalls(Struct, frozen=True):
    """Decisions about the ranges of a span: columns, or one value for all; `several` by place."""

    call: Int | int
    confidence: Small | Confidence
    reason: Small | Reason
    several: Mapping[int, tuple[int, ...]]


class Placements:
    """Decisions about ranges, span after span; a later one replaces an earlier one."""

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._spans: list[tuple[int, int, int, int]] = []
        self._placed: dict[int, tuple[int, PlacedCalls]] = {}  # by identity: many spans share one
        self._several: dict[int, tuple[int, ...]] = {}

    def add_decisions(
        self,
        rows: Sequence[int],
        placed: PlacedCalls,
        method: Method = Method.RANGE,
        number: int = NONE,
    ) -> None:
        """Take over the decisions about `rows`, which `method` made in invocation `number`."""
        which, _ = self._placed.setdefault(id(placed), (len(self._placed), placed))
        self._rows.extend(rows)
        self._spans.append((len(rows), which, method, number))
        if placed.several:
            self._several.update((rows[at], calls) for at, calls in placed.several.items())

    def of_ranges(self, ranges: int) -> RangeDecisions:
        """All decisions as columns of that many ranges."""
        decisions = RangeDecisions.empty(ranges)
        decisions.several.update(self._several)
        # Ranges of all spans, one after another: `which` is the shared decision of each, `place`
        # its place in its span; (ranges in spans,).
        rows = np.array(self._rows, dtype=np.int64)
        length, which, method, number = np.array(self._spans, np.int64).reshape(-1, 4).T
        place = np.arange(len(rows)) - np.repeat(np.cumsum(length) - length, length)
        which = np.repeat(which, length)
        placed = [one for _, one in self._placed.values()]
        # Where a row comes twice, what is written last stands.
        decisions.made[rows] = True
        decisions.call[rows] = _value_at([one.call for one in placed], which, place)
        decisions.confidence[rows] = _value_at([one.confidence for one in placed], which, place)
        decisions.reason[rows] = _value_at([one.reason for one in placed], which, place)
        decisions.method[rows] = np.repeat(method, length)
        decisions.invocation[rows] = np.repeat(number, length)
        return decisions


def _value_at(columns: Sequence[Int | Small | int], which: Int, place: Int) -> Int:
    """The value at each `place` of the column `which`; a single value stands at every place."""
    # All columns in one, each from `begin` on; `step` is 0 where a single value stands for a
    # whole span.
    parts = [np.zeros(0, dtype=np.int64), *map(np.atleast_1d, columns)]
    begin = np.cumsum([len(part) for part in parts])[:-1]
    step = np.array([np.ndim(column) for column in columns], dtype=np.int64)
    return np.asarray(np.concatenate(parts)[begin[which] + step[which] * place])


class Invocation(Struct, frozen=True):
    """One execution of a graph.

    `number` counts per process and graph, -1 where it is not sure which graph it was; `complete`
    when every statement that had to run was seen; `closed` when, besides, it is certain whose code
    that is, so that nothing else can be a statement's.
    """

    span: GraphSpan
    assignment: GraphAssignment
    number: int
    complete: bool
    closed: bool


class CaptureTags(Struct, frozen=True):
    """What a capture wrote into the names of ranges, by name id; None for other ranges.

    `is_graph` and `is_call` are masks of the ranges that tag a graph or a call; shape (ranges,).
    """

    read: tuple[MarkedGraph | MarkedCall | None, ...]
    is_graph: Bool
    is_call: Bool

    @classmethod
    def read_from(cls, ranges: Ranges) -> CaptureTags:
        """Read the names of `ranges`."""
        read = tuple(decode_mark(n) if is_mark(n) else None for n in ranges.names)
        graphs, calls = (
            by_name(ranges.name_id, [isinstance(mark, kind) for mark in read])
            for kind in (MarkedGraph, MarkedCall)
        )
        return cls(read, graphs, calls)


class MatchContext(Struct, frozen=True, kw_only=True, dict=True):
    """Program and trace with the host side worked out.

    `details` is what a second look at the files said of captured launches, by their api call.
    """

    program: CompiledProgram
    trace: Trace
    host: Host
    invocations: tuple[Invocation, ...]
    decisions: RangeDecisions
    details: Mapping[int, CapturedDetail] = {}

    @cached_property
    def by_graph_range(self) -> Mapping[int, Invocation]:
        """Invocations by the row of their graph range."""
        return {i.span.graph_range: i for i in self.invocations if i.span.graph_range >= 0}

    @cached_property
    def capture_tags(self) -> CaptureTags:
        """What a capture wrote into the names of ranges."""
        return CaptureTags.read_from(self.trace.ranges)

    @cached_property
    def graph_tag(self) -> Int:
        """The graph's capture tag around each launch's host side, -1 without; (launches,)."""
        return nearest_ancestor(
            self.trace.ranges.parent, self.capture_tags.is_graph, self.host.host_range
        )

    @cached_property
    def calls_with_ranges(self) -> frozenset[tuple[int, int, int]]:
        """Process, invocation and call of every range that stands for one call."""
        decisions = self.decisions
        rows = np.flatnonzero(decisions.made & (decisions.call >= 0))
        columns = (self.trace.ranges.process, decisions.invocation, decisions.call)
        return frozenset(zip(*(column[rows].tolist() for column in columns), strict=True))

    @cached_property
    def calls_by_name(self) -> Mapping[str, tuple[int, ...]]:
        """Positions of the calls by every name that their kernels may show on the device."""
        return calls_by_device_name(self.program)

    @cached_property
    def recorded(self) -> Recorded:
        """What the captures that were written down say of replayed graphs."""
        captured = self.trace.captured
        return read_recorded_graphs(self.program, self.trace) if captured else Recorded()

    def why_several(self, row: int, calls: Sequence[int]) -> Reason:
        """Why a launch without a host side may belong to each of `calls`."""
        if self.host.replayed[row]:
            return Reason.GRAPH_REPLAY
        graphs = {self.program.calls[call][0].id for call in calls}
        return Reason.SEVERAL_GRAPHS if len(graphs) > 1 else Reason.SAME_NAME

    @cached_property
    def runs_kernel(self) -> Bool:
        """Mask of the launches whose names are generated kernels'; shape (launches,)."""
        names = {name for graph in self.program.graphs for name in names_of_graph(graph)}
        return runs_kernel(self.host, names)

    @cached_property
    def top(self) -> Int:
        """The nearest range with a decision, or the graph range; -1 without; shape (launches,)."""
        stop = self.decisions.made | self.host.is_graph_range
        return nearest_ancestor(self.trace.ranges.parent, stop, self.host.host_range)

    @cached_property
    def in_compiled(self) -> Bool:
        """Mask of the launches whose host side lies in a range that runs compiled code, or may."""
        around = nearest_ancestor(
            self.trace.ranges.parent, self.host.compiled, self.host.host_range
        )
        return (around >= 0) | (self.top >= 0)

    def is_in_unsolved_region(self, ranges: Int) -> Bool:
        """Mask of the `ranges` inside a compiled region whose calls could not all be found.

        Where the process has graph ranges they tell compiled code from what surrounds it; a region
        that holds none has lost it. A range of -1 is in no region.
        """
        host, every = self.host, self.trace.ranges
        with_graph_ranges = {i.span.process for i in self.invocations if i.span.graph_range >= 0}
        around = nearest_ancestor(every.parent, host.compiled, ranges)
        # Mask of the compiled regions in which nothing is left to explain; (ranges + 1,).
        solved = np.zeros(len(every) + 1, dtype=bool)  # the last is that of no region
        solved[[i.span.container for i in self.invocations if i.closed]] = True
        by_graph_ranges = np.isin(every.process, sorted(with_graph_ranges))
        solved[:-1] = np.where(by_graph_ranges, host.holds_graph_range, solved[:-1])
        solved[-1] = True
        return ~solved[around]

    def outermost_operators(self, ranges: Int) -> Int:
        """The outermost operator around each of `ranges`, or itself; -1 without."""
        parent, named = self.trace.ranges.parent, self.host.has_symbol
        outermost = named & (nearest_ancestor(parent, named, parent) < 0)
        return nearest_ancestor(parent, outermost, ranges)

    @cached_property
    def outer_op(self) -> Int:
        """The outermost operator around each launch's host side, -1 without; shape (launches,).

        Operators of a CPU profile are launches one by one: theirs is their own range.
        """
        launches = self.trace.launches
        operators = np.equal(launches.activity, Activity.OPERATOR)
        return np.where(operators, launches.range, self.outermost_operators(self.host.host_range))

    @cached_property
    def host_seen(self) -> Bool:
        """Mask of the launches whose host side the recording would show; shape (launches,)."""
        tagged = self.capture_tags.is_graph
        beside = on_recorded_threads(self.trace, self.host.issuing_call, tagged, self.graph_tag)
        return beside | (self.outer_op >= 0) | self.trace.launches.on_cpu
