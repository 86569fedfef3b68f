"""Memory events → who each allocation was for: a call of a compiled graph, or an operator.

A wrapper makes room for the results of a call just before it (`buf3 = empty_strided_cuda(...)`), so
what is handed out in a run of a graph between two calls is for the later one. What is handed out
while a call runs is its own: the results of operators that make them themselves, and workspaces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from kernelmap.memory.measured.graph_runs import GraphRuns
from kernelmap.memory.measured.open_spans import find_open_spans
from kernelmap.model import NONE, Confidence, RangeKind, Trace
from kernelmap.model.allocations import MemoryEvents
from kernelmap.model.columns import by_name, nearest_ancestor
from kernelmap.model.matching import HostMoments
from kernelmap.model.measured_memory import MemoryOwner
from kernelmap.model.names import is_step, operator_of_range
from kernelmap.model.source import FunctionPlace
from kernelmap.model.trace import Bool, Int

PlacesAt = Callable[[HostMoments], Sequence[FunctionPlace | None]]
"""The functions of the user's code that were open at some moments."""


class EventOwners(Struct, frozen=True, kw_only=True):
    """Who each memory event was for, all (events,).

    `run` is the position in GraphRuns of the run around it, `call` a position in
    `CompiledProgram.calls`; -1 without. `number` points into `owners`, which say the same and more.
    """

    run: Int
    call: Int
    number: Int
    owners: tuple[MemoryOwner, ...]

    def owner_of(self, row: int) -> MemoryOwner:
        """The owner of one event."""
        return self.owners[int(self.number[row])]


def find_owners(
    trace: Trace, events: MemoryEvents, runs: GraphRuns, places_at: PlacesAt | None = None
) -> EventOwners:
    """The owners of all events; `places_at` names functions where Python frames were recorded."""
    moments = HostMoments(events.process, events.thread, events.time_ns)
    run, _ = find_open_spans(runs.spans, moments)
    during, following = find_open_spans(runs.call_spans, moments)
    # Between two calls it is the next one of the same run that room is made for.
    run_of_call = np.append(runs.run, NONE)
    is_during = (during >= 0) & (run_of_call[during] == run)
    is_before = ~is_during & (following >= 0) & (run_of_call[following] == run) & (run >= 0)
    number = np.where(is_during, during, np.where(is_before, following, NONE))
    call = np.append(runs.call, NONE)[number]
    is_exact = is_during & np.append(runs.is_exact, False)[number]

    ops = _ops_around(trace, np.where(run < 0, events.range, NONE))
    places = _places(events, run < 0, places_at)
    # Columns of what makes an owner; each distinct one gets a number.
    graph = np.append(runs.graph, NONE)[run]
    columns = (graph, call, is_during, is_exact)
    owners: dict[MemoryOwner, int] = {}
    numbers = [
        owners.setdefault(_make_owner(*numbers, op=op, place=place), len(owners))
        for numbers, op, place in zip(
            zip(*(column.tolist() for column in columns), strict=True), ops, places, strict=True
        )
    ]
    return EventOwners(
        run=run,
        call=call,
        number=np.array(numbers, dtype=np.int64),
        owners=tuple(owners),
    )


def _make_owner(
    graph: int, call: int, is_during: int, is_exact: int, *, op: str | None, place: str | None
) -> MemoryOwner:
    confidence = Confidence.EXACT if is_exact else Confidence.INFERRED
    return MemoryOwner(
        graph=None if graph < 0 else graph,
        call=None if call < 0 else call,
        is_during=bool(is_during),
        confidence=None if call < 0 else confidence,
        op=op,
        place=place,
    )


def _places(events: MemoryEvents, is_asked: Bool, places_at: PlacesAt | None) -> list[str | None]:
    """The user's function that was open at each event that is asked about; None elsewhere."""
    named: list[str | None] = [None] * len(events)
    rows = np.flatnonzero(is_asked & (events.process >= 0))
    if places_at is None or not len(rows):
        return named
    moments = HostMoments(events.process[rows], events.thread[rows], events.time_ns[rows])
    for row, place in zip(rows.tolist(), places_at(moments), strict=True):
        named[row] = None if place is None else place.name
    return named


def _ops_around(trace: Trace, rows: Int) -> list[str | None]:
    """What each range is called that stands for the work in `rows`; None for -1 and without one.

    It is the outermost operator, as for launches; else the innermost annotation that is no step,
    such as `Optimizer.step#SGD.step`.
    """
    ranges = trace.ranges
    operators = [operator_of_range(name) for name in ranges.names]
    is_op = by_name(ranges.name_id, [op is not None for op in operators])
    is_op &= np.equal(ranges.kind, RangeKind.OP)
    outermost = nearest_ancestor(ranges.parent, is_op, rows)
    # Climb from one operator to the next one around it, until there is none.
    while True:
        above = np.append(ranges.parent, NONE)[outermost]
        outer = nearest_ancestor(ranges.parent, is_op, above)
        if not (outer >= 0).any():
            break
        outermost = np.where(outer >= 0, outer, outermost)
    is_note = by_name(ranges.name_id, [not is_step(name) for name in ranges.names])
    is_note &= np.equal(ranges.kind, RangeKind.ANNOTATION)
    note = nearest_ancestor(ranges.parent, is_note, rows)
    found: list[str | None] = []
    for op, annotation in zip(outermost.tolist(), note.tolist(), strict=True):
        if op >= 0:
            found.append(operators[int(ranges.name_id[op])])
        else:
            found.append(ranges.name_of(annotation) if annotation >= 0 else None)
    return found
