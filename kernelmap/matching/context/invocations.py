"""The invocations of a trace: numbered, and their ranges given to calls.

Takes groups with their identities, in host order; fills `Decisions`. Where several graphs fit a
group alike, each of its ranges stands for a call of every one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from kernelmap.matching.context.match_context import Decisions, Invocation
from kernelmap.matching.graphs.candidates import Candidate
from kernelmap.matching.graphs.identify import Identity
from kernelmap.matching.graphs.input_copies import input_copies
from kernelmap.matching.graphs.sequence import AUTOTUNE, GLUE, INPUTS, Placement, align
from kernelmap.matching.host_side.groups import Group
from kernelmap.model import NONE, CompiledProgram, Confidence, Reason

# What looks like glue may be a statement that is missing, or one of code that is.
_OPEN = Placement((), Confidence.UNKNOWN, Reason.COUNT_DIFFERS)
_BESIDE = Placement((), Confidence.UNKNOWN, Reason.BESIDE)

Placed = tuple[tuple[Placement, ...], bool]


def invocations_of(
    known: Sequence[Candidate],
    program: CompiledProgram,
    groups: Sequence[Group],
    identities: Sequence[Identity],
    decisions: Decisions,
) -> tuple[Invocation, ...]:
    """Number the invocations and decide their ranges; groups come in host order."""
    counters: dict[tuple[int, int], int] = defaultdict(int)
    invocations: list[Invocation] = []
    placed: dict[object, Placed] = {}
    for group, identity in zip(groups, identities, strict=True):
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
    return tuple(invocations)


def _decide_some(
    known: Sequence[Candidate],
    program: CompiledProgram,
    decisions: Decisions,
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
    known: Sequence[Candidate], decisions: Decisions, group: Group, identity: Identity
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
