"""The invocations of a trace: numbered, and their ranges given to calls.

Takes spans with their assignments, in host order; gives the `RangeDecisions`. Where several
graphs fit a span alike, each of its ranges stands for a call of every one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kernelmap.matching.context.match_context import Invocation, RangeDecisions
from kernelmap.matching.graphs.assignment import GraphAssignment
from kernelmap.matching.graphs.candidates import Candidate
from kernelmap.matching.graphs.sequence import AUTOTUNE, GLUE, INPUTS, Placement, align
from kernelmap.matching.host_side.host import GraphSpan
from kernelmap.matching.host_side.roles import input_copies
from kernelmap.model import NONE, CompiledProgram, Confidence, Method, Reason
from kernelmap.model.trace import Int

# What looks like glue may be a statement that is missing, or one of code that is.
_OPEN = Placement((), Confidence.UNKNOWN, Reason.COUNT_DIFFERS)
_BESIDE = Placement((), Confidence.UNKNOWN, Reason.BESIDE)

Placed = tuple[tuple[Placement, ...], bool]


class _Deciding:
    """The columns of `RangeDecisions` while ranges are decided; a later decision replaces one."""

    def __init__(self, ranges: int) -> None:
        self._made = np.zeros(ranges, dtype=bool)
        self._call = np.full(ranges, NONE, dtype=np.int64)
        self._invocation = np.full(ranges, NONE, dtype=np.int64)
        self._confidence = np.full(ranges, Confidence.UNKNOWN, dtype=np.int8)
        self._method = np.full(ranges, Method.NONE, dtype=np.int8)
        self._reason = np.full(ranges, Reason.NONE, dtype=np.int8)
        self._several: dict[int, tuple[int, ...]] = {}

    def whole(
        self, rows: Sequence[int], first_call: int, assignment: GraphAssignment, number: int
    ) -> None:
        """Decide an invocation whose ranges are its calls one by one."""
        at = np.array(rows, dtype=np.int64)
        self._call[at] = np.arange(first_call, first_call + len(rows))
        self._note(at, assignment.confidence, assignment.method, assignment.reason, number)

    def outside(self, rows: Sequence[int], reason: Reason) -> None:
        """Decide ranges that stand for no call."""
        at = np.array(rows, dtype=np.int64)
        self._note(at, Confidence.OUTSIDE, Method.RANGE, reason, NONE)

    def place(
        self, row: int, placement: Placement, assignment: GraphAssignment, number: int
    ) -> None:
        """Decide one range; the calls of `placement` are positions in `CompiledProgram.calls`."""
        calls, confidence = placement.calls, placement.confidence
        if confidence is Confidence.AMBIGUOUS:
            self._several[row] = calls
        self._call[row] = calls[0] if calls and confidence <= Confidence.INFERRED else NONE
        self._note(np.array([row]), confidence, assignment.method, placement.reason, number)

    def _note(self, rows: Int, confidence: int, method: int, reason: int, number: int) -> None:
        self._made[rows] = True
        self._confidence[rows] = confidence
        self._method[rows] = method
        self._reason[rows] = reason
        self._invocation[rows] = number

    def finished(self) -> RangeDecisions:
        """All decisions, as a value."""
        return RangeDecisions(
            made=self._made,
            call=self._call,
            invocation=self._invocation,
            confidence=self._confidence,
            method=self._method,
            reason=self._reason,
            several=self._several,
        )


def invocations_of(
    candidates: Sequence[Candidate],
    program: CompiledProgram,
    spans: Sequence[tuple[GraphSpan, GraphAssignment]],
    ranges: int,
    outside: Mapping[Reason, Sequence[int]],
) -> tuple[tuple[Invocation, ...], RangeDecisions]:
    """Number the invocations and decide the `ranges` of a trace; spans come in host order.

    `outside` are the ranges beside all spans that stand for no call, by reason.
    """
    decisions = _Deciding(ranges)
    for reason, rows in outside.items():
        decisions.outside(rows, reason)
    counters: dict[tuple[int, int], int] = defaultdict(int)
    invocations: list[Invocation] = []
    placed: dict[object, Placed] = {}
    for span, assignment in spans:
        number = NONE
        if not assignment.graphs:
            if span.replays:
                _beside(candidates, decisions, span, assignment)
            invocations.append(_invocation(candidates, span, assignment, number, complete=False))
            continue
        if len(assignment.graphs) == 1 and assignment.confidence <= Confidence.INFERRED:
            slot = (span.process, assignment.graphs[0])
            number = counters[slot]
            counters[slot] += 1
            if candidates[assignment.graphs[0]].whole == span.symbols:
                decisions.whole(span.rows, program.first_call[slot[1]], assignment, number)
                invocations.append(_invocation(candidates, span, assignment, number, complete=True))
                continue
        if span.part is not None or span.replays:
            _decide_some(candidates, program, decisions, (span, assignment, number))
            invocations.append(_invocation(candidates, span, assignment, number, complete=False))
            continue
        first = number <= 0 and not span.captures
        looks = (assignment, span.symbols, first)
        if looks not in placed:
            placed[looks] = _place(candidates, program, assignment, span.symbols, first=first)
        placements, complete = placed[looks]
        for row, placement in zip(span.rows, placements, strict=True):
            decisions.place(row, placement, assignment, number)
        invocations.append(_invocation(candidates, span, assignment, number, complete=complete))
    return tuple(invocations), decisions.finished()


def _decide_some(
    candidates: Sequence[Candidate],
    program: CompiledProgram,
    decisions: _Deciding,
    one: tuple[GraphSpan, GraphAssignment, int],
) -> None:
    """What is certain of an invocation that the recording cut off, or that a replay stands for."""
    span, assignment, number = one
    if span.part is not None:
        for row, calls in zip(span.rows, span.part.calls, strict=True):
            decisions.place(row, _of_part(program, assignment, calls), assignment, number)
    else:
        _beside(candidates, decisions, span, assignment)


def _of_part(
    program: CompiledProgram, assignment: GraphAssignment, calls: tuple[int, ...]
) -> Placement:
    """A range of a cut-off invocation; without calls it is a benchmark."""
    if not calls:
        return AUTOTUNE
    first = program.first_call[assignment.graphs[0]]
    reason = Reason.NONE if len(calls) == 1 else Reason.COUNT_DIFFERS
    confidence = Confidence.INFERRED if len(calls) == 1 else Confidence.AMBIGUOUS
    return Placement(tuple(first + call for call in calls), confidence, reason)


def _invocation(
    candidates: Sequence[Candidate],
    span: GraphSpan,
    assignment: GraphAssignment,
    number: int,
    *,
    complete: bool,
) -> Invocation:
    closed = complete and _is_certain(candidates, assignment)
    return Invocation(span, assignment, number, complete=complete, closed=closed)


def _is_certain(candidates: Sequence[Candidate], assignment: GraphAssignment) -> bool:
    """Whether it is certain whose code ran; what only the trace knows may run more."""
    given = all(candidates[graph].graph.code is not None for graph in assignment.graphs)
    return given and assignment.confidence is Confidence.EXACT


def _beside(
    candidates: Sequence[Candidate],
    decisions: _Deciding,
    span: GraphSpan,
    assignment: GraphAssignment,
) -> None:
    """Ranges beside a replay that are none of its graph's statements, such as copies of inputs."""
    own = frozenset().union(*(candidates[graph].alphabet for graph in assignment.graphs))
    certain = _is_certain(candidates, assignment)
    copies = input_copies(span.symbols, own if certain else None)
    decisions.outside([span.rows[at] for at in copies], Reason.INPUTS)
    if certain:
        pairs = enumerate(zip(span.rows, span.symbols, strict=True))
        rest = [row for at, (row, name) in pairs if name not in own and at not in copies]
        decisions.outside(rest, Reason.GLUE)


def _place(
    candidates: Sequence[Candidate],
    program: CompiledProgram,
    assignment: GraphAssignment,
    symbols: Sequence[str],
    *,
    first: bool,
) -> Placed:
    """The calls of one invocation, one placement per symbol, and whether all had their range."""
    alignments = [
        align(candidates[graph].spell(symbols), candidates[graph].steps, first=first)
        for graph in assignment.graphs
    ]
    offsets = [program.first_call[graph] for graph in assignment.graphs]
    silent = any(candidates[graph].silent for graph in assignment.graphs)
    complete = all(alignment.complete for alignment in alignments) and not silent
    closed = complete and _is_certain(candidates, assignment)
    placements = []
    for number in range(len(symbols)):
        each = [alignment.placements[number] for alignment in alignments]
        calls = tuple(
            offset + call for offset, one in zip(offsets, each, strict=True) for call in one.calls
        )
        if calls:
            placements.append(_stands_for(calls, each, assignment))
        elif assignment.confidence > Confidence.INFERRED:
            placements.append(replace(_OPEN, reason=assignment.reason))
        elif each[0] is GLUE and not closed:
            placements.append(_BESIDE if complete else _OPEN)
        elif each[0] is INPUTS and not complete:
            placements.append(_OPEN)
        else:
            placements.append(each[0])
    return tuple(placements), complete


def _stands_for(
    calls: tuple[int, ...], each: Sequence[Placement], assignment: GraphAssignment
) -> Placement:
    """A range that stands for `calls`, as the graphs that fit place `each` of them."""
    reason = each[-1].reason or assignment.reason
    if len(calls) > 1 or len(each) > 1:
        return Placement(calls, Confidence.AMBIGUOUS, reason)
    return Placement(calls, max(each[0].confidence, assignment.confidence), reason)
