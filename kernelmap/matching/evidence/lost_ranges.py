"""Launches whose own range was lost: found by the ranges before and after them.

One thread runs the statements of a graph one after the other. So what was launched between two
ranges that stand for statements belongs to the statements between these two, of which the profiler
lost the ranges, or whose ranges alone could be either's. Takes invocations in which something is
missing; where as much was launched as is missing, and each piece is of its statement's kind, every
statement has its own piece. Never more than inferred.

Stays apart from the model of launch order: these launches have a host side. Which invocation they
are of, and between which statements, is known from the times of their api calls on one thread, and
an operator's range that lost its outer one still says which launches are of one statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.invocations import captured_numbers
from kernelmap.matching.context.match_context import Invocation, MatchContext
from kernelmap.matching.host_side.columns import stretches
from kernelmap.matching.names.families import (
    RESTORED,
    Family,
    kernel_family,
    may_launch,
    operator_family,
)
from kernelmap.matching.names.symbols import is_kernel_symbol, names_of_call, steps_of
from kernelmap.model import (
    NONE,
    Activity,
    CompiledGraph,
    Confidence,
    Method,
    Occurrence,
    Reason,
    WrapperCall,
)
from kernelmap.model.trace import Int, distinct

_EVER = 10**15
"""Nanoseconds in which every recording fits."""


def by_place(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide open launches between the ranges of an invocation that lacks some."""
    lacking = [
        each
        for each in context.invocations
        if not (each.complete or each.span.replays or each.number < 0)
    ]
    if not lacking:
        return
    threads = _threads(context, matched)
    placed: list[tuple[int, int, int, int]] = []
    for invocation in lacking:
        graph = context.program.graphs[invocation.assignment.graphs[0]]
        if any(call.occurrence is not Occurrence.ONCE for call in graph.calls):
            continue
        first = context.program.first_call[invocation.assignment.graphs[0]]
        for gap in _gaps(context, invocation, graph, threads):
            for piece, statement in _shared(context, gap, graph):
                position = first + statement.index
                placed += [(row, position, invocation.number, piece.range) for row in piece.rows]
    rows, call, number, around = np.array(placed, dtype=np.int64).reshape(-1, 4).T
    replayed = context.host.replayed[rows]
    # Of what was captured, the number is that of the capture.
    number[replayed] = captured_numbers(
        context, matched, rows[replayed], call[replayed], number[replayed]
    )
    yield Decided(
        rows,
        Confidence.INFERRED,
        call=call,
        invocation=number,
        method=Method.ALIGNMENT,
        call_range=around,
    )


@dataclass(slots=True)
class _Piece:
    """Launches in a row below one range that stands for nothing, or below none (-1)."""

    range: int
    rows: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Gap:
    """What was launched between two statements, and the statements that are missing there."""

    pieces: list[_Piece]
    calls: list[WrapperCall]


_Threads = dict[tuple[int, int], tuple[Int, Int]]
"""By process and thread: open launches in launch order, and when they were launched or captured."""


def _threads(context: MatchContext, matched: Matched) -> _Threads:
    launches, apis = context.trace.launches, context.trace.apis
    rows = np.flatnonzero(
        matched.open & (context.host.side >= 0) & ~(context.host.replayed & (launches.origin < 0))
    )
    rows = rows[np.argsort(apis.start_ns[context.host.side[rows]], kind="stable")]
    api = context.host.side[rows]
    return {
        (int(apis.process[api[at[0]]]), int(apis.thread[api[at[0]]])): (
            rows[at],
            apis.start_ns[api[at]],
        )
        for at in stretches(apis.thread[api], apis.process[api])
    }


def _gaps(
    context: MatchContext, invocation: Invocation, graph: CompiledGraph, threads: _Threads
) -> Iterator[_Gap]:
    """The gaps of one invocation in which statements are missing."""
    span, decisions, ranges = invocation.span, context.decisions, context.trace.ranges
    first = context.program.first_call[invocation.assignment.graphs[0]]
    placed = [
        (int(ranges.start_ns[row]), int(ranges.start_ns[row] + ranges.dur_ns[row]), call - first)
        for row in span.rows
        if (call := int(decisions.call[row])) >= 0
    ]
    nothing = np.empty(0, dtype=np.int64)
    launched, time = threads.get((span.process, span.thread), (nothing, nothing))
    steps = {step.call for step in steps_of(graph, cpp=context.host.shows_cpp)}
    opens, closes = _bounds(context, invocation)
    part = span.part
    marks = list(placed)
    if opens is not None and closes is not None and placed:
        marks.insert(0, (opens, opens, placed[0][2] - 2 if part and part.is_end else -1))
        after = placed[-1][2] + 2 if part and not part.is_end else len(graph.calls)
        marks.append((closes, closes, after))
    for (_, start, before), (end, _, after) in pairwise(marks):
        missing = [
            graph.calls[at] for at in range(max(0, before + 1), min(after, len(graph.calls)))
        ]
        missing = [call for call in missing if call.index in steps]
        if not missing:
            continue
        pieces = _pieces(context, launched[slice(*np.searchsorted(time, [start, end]))])
        if pieces:
            yield _Gap(pieces, missing)


def _bounds(context: MatchContext, invocation: Invocation) -> tuple[int | None, int | None]:
    """When the invocation began and ended, as far as that is known, or the recording did."""
    span, ranges = invocation.span, context.trace.ranges
    if span.part is None:
        if span.container < 0:
            return None, None
        start = int(ranges.start_ns[span.container])
        return start, start + int(ranges.dur_ns[span.container])
    # Before the first statement seen (or behind the last) only the one that was cut in two counts.
    first, last = span.rows[0], span.rows[-1]
    opens, closes = int(ranges.start_ns[first]), int(ranges.start_ns[last] + ranges.dur_ns[last])
    named = context.host.has_symbol & np.equal(ranges.process, span.process)
    named &= np.equal(ranges.thread, span.thread)
    if span.part.is_end and not named[ranges.start_ns < opens].any():
        opens = int(ranges.start_ns.min()) - _EVER
    if not span.part.is_end and not named[ranges.start_ns > ranges.start_ns[last]].any():
        closes = int(ranges.start_ns.max()) + _EVER
    return opens, closes


def _pieces(context: MatchContext, rows: Int) -> list[_Piece]:
    """Launches as pieces; what benchmarks clear and copy between them is none."""
    decisions, top, launches = context.decisions, context.top, context.trace.launches
    pieces: list[_Piece] = []
    fresh = tuned = False
    for row in rows.tolist():
        at = int(top[row])
        if at >= 0 and decisions.made[at]:
            if decisions.call[at] >= 0 or decisions.confidence[at] == Confidence.OUTSIDE:
                fresh, tuned = True, decisions.reason[at] == Reason.AUTOTUNE
                continue
        else:
            at = int(context.outer_op[row])
        name = launches.names[int(launches.name_id[row])]
        kind = kernel_family(name, Activity(int(launches.activity[row])))
        if tuned and at < 0 and kind in RESTORED:
            continue
        if fresh or not pieces or pieces[-1].range != at:
            pieces.append(_Piece(at))
        fresh = tuned = False
        pieces[-1].rows.append(row)
    return pieces


def _shared(
    context: MatchContext, gap: _Gap, graph: CompiledGraph
) -> Iterator[tuple[_Piece, WrapperCall]]:
    """The piece of each statement; nothing where they do not correspond one to one.

    A statement that is missing alone has all pieces: of an operator the inner ones may be there.
    """
    if len(gap.calls) == 1:
        whole = _Piece(NONE, [row for piece in gap.pieces for row in piece.rows])
        ranges = (piece.range for piece in gap.pieces)
        if all(_names(context, at, gap.calls[0]) for at in ranges) and _suits(
            context, whole, gap.calls[0], graph
        ):
            yield from ((piece, gap.calls[0]) for piece in gap.pieces)
        return
    if len(gap.pieces) != len(gap.calls):
        return
    pairs = list(zip(gap.pieces, gap.calls, strict=True))
    if all(
        _names(context, piece.range, call) and _suits(context, piece, call, graph)
        for piece, call in pairs
    ):
        yield from pairs


def _names(context: MatchContext, range_: int, call: WrapperCall) -> bool:
    """Whether the range around a piece names no other kernel."""
    symbol = context.host.symbol(range_) if range_ >= 0 else call.wrapper
    return symbol == call.wrapper or not is_kernel_symbol(symbol)


def _suits(context: MatchContext, piece: _Piece, call: WrapperCall, graph: CompiledGraph) -> bool:
    """Whether a statement may have launched a piece, by the names of what was launched."""
    launches = context.trace.launches
    names = [launches.names[number] for number in launches.name_id[piece.rows].tolist()]
    known = names_of_call(graph, call)
    if known:
        if len(distinct(context.host.side[piece.rows])) > 1:
            return False  # a statement launches its kernel once
        return known.issuperset(names)
    if call.target is None or context.runs_kernel[piece.rows].any():
        return False
    family = operator_family(call.target)
    activities = map(Activity, launches.activity[piece.rows].tolist())
    kinds = [kernel_family(*each) for each in zip(names, activities, strict=True)]
    # Helpers alone are no product: what is cleared may be somebody else's.
    suits = family in kinds or Family.OTHER in (family, *kinds)
    return suits and all(may_launch(family, kind) for kind in kinds)
