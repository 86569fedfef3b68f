"""The invocations of a trace: numbered, and their ranges given to calls.

Takes groups with their identities, in host order; gives the `RangeDecisions`. Where several graphs
fit a group alike, each of its ranges stands for a call of every one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kernelmap.matching.context.match_context import Invocation, RangeDecisions
from kernelmap.matching.graphs.candidates import Candidate
from kernelmap.matching.graphs.identify import Identity
from kernelmap.matching.graphs.input_copies import input_copies
from kernelmap.matching.graphs.sequence import AUTOTUNE, GLUE, INPUTS, Placement, align
from kernelmap.matching.host_side.groups import Group
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

    def whole(self, rows: Sequence[int], first_call: int, identity: Identity, number: int) -> None:
        """Decide an invocation whose ranges are its calls one by one."""
        at = np.array(rows, dtype=np.int64)
        self._call[at] = np.arange(first_call, first_call + len(rows))
        self._note(at, identity.confidence, identity.method, identity.reason, number)

    def outside(self, rows: Sequence[int], reason: Reason) -> None:
        """Decide ranges that stand for no call."""
        at = np.array(rows, dtype=np.int64)
        self._note(at, Confidence.OUTSIDE, Method.RANGE, reason, NONE)

    def place(self, row: int, placement: Placement, identity: Identity, number: int) -> None:
        """Decide one range; the calls of `placement` are positions in `CompiledProgram.calls`."""
        calls, confidence = placement.calls, placement.confidence
        if confidence is Confidence.AMBIGUOUS:
            self._several[row] = calls
        self._call[row] = calls[0] if calls and confidence <= Confidence.INFERRED else NONE
        self._note(np.array([row]), confidence, identity.method, placement.reason, number)

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
    known: Sequence[Candidate],
    program: CompiledProgram,
    groups: Sequence[tuple[Group, Identity]],
    ranges: int,
    outside: Mapping[Reason, Sequence[int]],
) -> tuple[tuple[Invocation, ...], RangeDecisions]:
    """Number the invocations and decide the `ranges` of a trace; groups come in host order.

    `outside` are the ranges beside all groups that stand for no call, by reason.
    """
    decisions = _Deciding(ranges)
    for reason, rows in outside.items():
        decisions.outside(rows, reason)
    counters: dict[tuple[int, int], int] = defaultdict(int)
    invocations: list[Invocation] = []
    placed: dict[object, Placed] = {}
    for group, identity in groups:
        number = NONE
        if not identity.graphs:
            if group.replays:
                _beside(known, decisions, group, identity)
            invocations.append(_invocation(known, group, identity, number, complete=False))
            continue
        if len(identity.graphs) == 1 and identity.confidence <= Confidence.INFERRED:
            slot = (group.process, identity.graphs[0])
            number = counters[slot]
            counters[slot] += 1
            if known[identity.graphs[0]].whole == group.symbols:
                decisions.whole(group.rows, program.first_call[slot[1]], identity, number)
                invocations.append(_invocation(known, group, identity, number, complete=True))
                continue
        if group.part is not None or group.replays:
            _decide_some(known, program, decisions, (group, identity, number))
            invocations.append(_invocation(known, group, identity, number, complete=False))
            continue
        first = number <= 0 and not group.captures
        looks = (identity, group.symbols, first)
        if looks not in placed:
            placed[looks] = _place(known, program, identity, group.symbols, first=first)
        placements, complete = placed[looks]
        for row, placement in zip(group.rows, placements, strict=True):
            decisions.place(row, placement, identity, number)
        invocations.append(_invocation(known, group, identity, number, complete=complete))
    return tuple(invocations), decisions.finished()


def _decide_some(
    known: Sequence[Candidate],
    program: CompiledProgram,
    decisions: _Deciding,
    one: tuple[Group, Identity, int],
) -> None:
    """What is certain of an invocation that the recording cut off, or that a replay stands for."""
    group, identity, number = one
    if group.part is not None:
        for row, calls in zip(group.rows, group.part.calls, strict=True):
            decisions.place(row, _of_part(program, identity, calls), identity, number)
    else:
        _beside(known, decisions, group, identity)


def _of_part(program: CompiledProgram, identity: Identity, calls: tuple[int, ...]) -> Placement:
    """A range of a cut-off invocation; without calls it is a benchmark."""
    if not calls:
        return AUTOTUNE
    first = program.first_call[identity.graphs[0]]
    reason = Reason.NONE if len(calls) == 1 else Reason.COUNT_DIFFERS
    confidence = Confidence.INFERRED if len(calls) == 1 else Confidence.AMBIGUOUS
    return Placement(tuple(first + call for call in calls), confidence, reason)


def _invocation(
    known: Sequence[Candidate], group: Group, identity: Identity, number: int, *, complete: bool
) -> Invocation:
    closed = complete and _is_certain(known, identity)
    return Invocation(group, identity, number, complete=complete, closed=closed)


def _is_certain(known: Sequence[Candidate], identity: Identity) -> bool:
    """Whether it is certain whose code ran; what only the trace knows may run more."""
    given = all(known[graph].graph.code is not None for graph in identity.graphs)
    return given and identity.confidence is Confidence.EXACT


def _beside(
    known: Sequence[Candidate], decisions: _Deciding, group: Group, identity: Identity
) -> None:
    """Ranges beside a replay that are none of its graph's statements, such as copies of inputs."""
    own = frozenset().union(*(known[graph].alphabet for graph in identity.graphs))
    certain = _is_certain(known, identity)
    copies = input_copies(group.symbols, own if certain else None)
    decisions.outside([group.rows[at] for at in copies], Reason.INPUTS)
    if certain:
        pairs = enumerate(zip(group.rows, group.symbols, strict=True))
        rest = [row for at, (row, name) in pairs if name not in own and at not in copies]
        decisions.outside(rest, Reason.GLUE)


def _place(
    known: Sequence[Candidate],
    program: CompiledProgram,
    identity: Identity,
    symbols: Sequence[str],
    *,
    first: bool,
) -> Placed:
    """The calls of one invocation, one placement per symbol, and whether all had their range."""
    alignments = [
        align(known[graph].spell(symbols), known[graph].steps, first=first)
        for graph in identity.graphs
    ]
    offsets = [program.first_call[graph] for graph in identity.graphs]
    silent = any(known[graph].silent for graph in identity.graphs)
    complete = all(alignment.complete for alignment in alignments) and not silent
    closed = complete and _is_certain(known, identity)
    placements = []
    for number in range(len(symbols)):
        each = [alignment.placements[number] for alignment in alignments]
        calls = tuple(
            offset + call for offset, one in zip(offsets, each, strict=True) for call in one.calls
        )
        if calls:
            placements.append(_stands_for(calls, each, identity))
        elif identity.confidence > Confidence.INFERRED:
            placements.append(replace(_OPEN, reason=identity.reason))
        elif each[0] is GLUE and not closed:
            placements.append(_BESIDE if complete else _OPEN)
        elif each[0] is INPUTS and not complete:
            placements.append(_OPEN)
        else:
            placements.append(each[0])
    return tuple(placements), complete


def _stands_for(calls: tuple[int, ...], each: Sequence[Placement], identity: Identity) -> Placement:
    """A range that stands for `calls`, as the graphs that fit place `each` of them."""
    reason = each[-1].reason or identity.reason
    if len(calls) > 1 or len(each) > 1:
        return Placement(calls, Confidence.AMBIGUOUS, reason)
    return Placement(calls, max(each[0].confidence, identity.confidence), reason)
