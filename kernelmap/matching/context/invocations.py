"""The invocations of a trace: numbered, and their ranges given to calls.

Takes spans with their assignments, in host order; fills `Decisions`. Where several graphs fit a
span alike, each of its ranges stands for a call of every one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from kernelmap.matching.context.match_context import Decisions, Invocation
from kernelmap.matching.graphs.assignment import GraphAssignment
from kernelmap.matching.graphs.candidates import Candidate
from kernelmap.matching.graphs.sequence import AUTOTUNE, GLUE, INPUTS, Placement, align
from kernelmap.matching.host_side.host import GraphSpan
from kernelmap.matching.host_side.input_copies import input_copies
from kernelmap.model import NONE, CompiledProgram, Confidence, Reason

# What looks like glue may be a statement that is missing, or one of code that is.
_OPEN = Placement((), Confidence.UNKNOWN, Reason.COUNT_DIFFERS)
_BESIDE = Placement((), Confidence.UNKNOWN, Reason.BESIDE)

Placed = tuple[tuple[Placement, ...], bool]


def invocations_of(
    candidates: Sequence[Candidate],
    program: CompiledProgram,
    spans: Sequence[GraphSpan],
    assignments: Sequence[GraphAssignment],
    decisions: Decisions,
) -> tuple[Invocation, ...]:
    """Number the invocations and decide their ranges; spans come in host order."""
    counters: dict[tuple[int, int], int] = defaultdict(int)
    invocations: list[Invocation] = []
    placed: dict[object, Placed] = {}
    for span, assignment in zip(spans, assignments, strict=True):
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
    return tuple(invocations)


def _decide_some(
    candidates: Sequence[Candidate],
    program: CompiledProgram,
    decisions: Decisions,
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
    decisions: Decisions,
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
