"""The invocations of a trace: numbered, and their ranges given to calls.

Takes spans with their assignments, in host order; gives the `RangeDecisions`. Where several
graphs fit a span alike, each of its ranges stands for a call of every one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernelmap.matching.context.match_context import Invocation, RangeDecisions
from kernelmap.matching.graphs.assignment import GraphAssignment
from kernelmap.matching.graphs.candidates import Candidate
from kernelmap.matching.graphs.sequence import AUTOTUNE, GLUE, INPUTS, Placement, align
from kernelmap.matching.host_side.host import GraphSpan, Part
from kernelmap.matching.host_side.roles import input_copies
from kernelmap.model import NONE, CompiledProgram, Confidence, Method, Reason
from kernelmap.model.trace import Int, Small

# What looks like glue may be a statement that is missing, or one of code that is.
_OPEN = Placement((), Confidence.UNKNOWN, Reason.COUNT_DIFFERS)
_BESIDE = Placement((), Confidence.UNKNOWN, Reason.BESIDE)


@dataclass(frozen=True, slots=True)
class _Placed:
    """Decisions about ranges, parallel to these or one for all; `several` by position."""

    call: Int | int
    confidence: Small | Confidence
    reason: Small | Reason
    several: Mapping[int, tuple[int, ...]]

    @classmethod
    def of(cls, placements: Sequence[Placement]) -> _Placed:
        """The columns of `placements`, whose calls are positions in `CompiledProgram.calls`."""
        calls = [
            one.calls[0] if one.calls and one.confidence <= Confidence.INFERRED else NONE
            for one in placements
        ]
        return cls(
            call=np.array(calls, dtype=np.int64),
            confidence=np.array([one.confidence for one in placements], dtype=np.int8),
            reason=np.array([one.reason for one in placements], dtype=np.int8),
            several={
                at: one.calls
                for at, one in enumerate(placements)
                if one.confidence is Confidence.AMBIGUOUS
            },
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
    decisions = RangeDecisions.none(ranges)
    for reason, rows in outside.items():
        _decide(decisions, rows, _outside(reason))
    counters: dict[tuple[int, int], int] = defaultdict(int)
    invocations: list[Invocation] = []
    placed: dict[object, tuple[_Placed, bool]] = {}
    for span, assignment in spans:
        number, complete = NONE, False
        if len(assignment.graphs) == 1 and assignment.confidence <= Confidence.INFERRED:
            slot = (span.process, assignment.graphs[0])
            number = counters[slot]
            counters[slot] += 1
        if number >= 0 and candidates[assignment.graphs[0]].whole == span.symbols:
            first_call = program.first_call[assignment.graphs[0]]
            calls = np.arange(first_call, first_call + len(span.rows))
            own = _Placed(calls, assignment.confidence, assignment.reason, {})
            _decide(decisions, span.rows, own, assignment.method, number)
            complete = True
        elif span.part is not None:
            own = _Placed.of(list(_of_part(program, span.part)))
            _decide(decisions, span.rows, own, assignment.method, number)
        elif span.replays:
            _beside(candidates, decisions, span, assignment)
        elif assignment.graphs:
            first = number <= 0 and not span.captures
            looks = (assignment, span.symbols, first)
            if looks not in placed:
                placed[looks] = _place(candidates, program, assignment, span.symbols, first=first)
            own, complete = placed[looks]
            _decide(decisions, span.rows, own, assignment.method, number)
        closed = complete and _is_certain(candidates, assignment)
        invocations.append(Invocation(span, assignment, number, complete=complete, closed=closed))
    return tuple(invocations), decisions


def _decide(
    decisions: RangeDecisions,
    rows: Sequence[int],
    placed: _Placed,
    method: Method = Method.RANGE,
    number: int = NONE,
) -> None:
    """Write the decisions about `rows`; a later one replaces an earlier one."""
    at = np.array(rows, dtype=np.int64)
    decisions.made[at] = True
    decisions.call[at] = placed.call
    decisions.confidence[at] = placed.confidence
    decisions.method[at] = method
    decisions.reason[at] = placed.reason
    decisions.invocation[at] = number
    decisions.several.update((rows[place], calls) for place, calls in placed.several.items())


def _outside(reason: Reason) -> _Placed:
    return _Placed(NONE, Confidence.OUTSIDE, reason, {})


def _of_part(program: CompiledProgram, part: Part) -> Iterator[Placement]:
    """The ranges of a cut-off invocation; one without calls is a benchmark."""
    first = program.first_call[part.graph]
    for calls in part.calls:
        if not calls:
            yield AUTOTUNE
            continue
        one = len(calls) == 1
        yield Placement(
            tuple(first + call for call in calls),
            Confidence.INFERRED if one else Confidence.AMBIGUOUS,
            Reason.NONE if one else Reason.COUNT_DIFFERS,
        )


def _is_certain(candidates: Sequence[Candidate], assignment: GraphAssignment) -> bool:
    """Whether it is certain whose code ran; what only the trace knows may run more."""
    given = all(candidates[graph].graph.code is not None for graph in assignment.graphs)
    return given and assignment.confidence is Confidence.EXACT


def _beside(
    candidates: Sequence[Candidate],
    decisions: RangeDecisions,
    span: GraphSpan,
    assignment: GraphAssignment,
) -> None:
    """Ranges beside a replay that are none of its graph's statements, such as copies of inputs."""
    own = frozenset().union(*(candidates[graph].alphabet for graph in assignment.graphs))
    certain = _is_certain(candidates, assignment)
    copies = input_copies(span.symbols, own if certain else None)
    _decide(decisions, [span.rows[at] for at in copies], _outside(Reason.INPUTS))
    if certain:
        pairs = enumerate(zip(span.rows, span.symbols, strict=True))
        rest = [row for at, (row, name) in pairs if name not in own and at not in copies]
        _decide(decisions, rest, _outside(Reason.GLUE))


def _place(
    candidates: Sequence[Candidate],
    program: CompiledProgram,
    assignment: GraphAssignment,
    symbols: Sequence[str],
    *,
    first: bool,
) -> tuple[_Placed, bool]:
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
    return _Placed.of(placements), complete


def _stands_for(
    calls: tuple[int, ...], each: Sequence[Placement], assignment: GraphAssignment
) -> Placement:
    """A range that stands for `calls`, as the graphs that fit place `each` of them."""
    reason = each[-1].reason or assignment.reason
    if len(calls) > 1 or len(each) > 1:
        return Placement(calls, Confidence.AMBIGUOUS, reason)
    return Placement(calls, max(each[0].confidence, assignment.confidence), reason)
