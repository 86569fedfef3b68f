"""What every strategy is given: the program, the trace, and what the host side says of each range.

`Decisions` holds, per host range, the calls that the range stands for; they come from aligning
each group with the graph that it ran (matching/sequence.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernelmap.matching.candidates import Candidate
from kernelmap.matching.host import REPLAY, Group, Host, climb
from kernelmap.matching.identify import Identity
from kernelmap.matching.sequence import GLUE, Placement, align
from kernelmap.model import NONE, CompiledProgram, Confidence, Method, Reason, Trace
from kernelmap.model.trace import Bool, Int

# Beside a lost statement, what looks like glue may be that statement.
_OPEN = Placement((), Confidence.UNKNOWN, Reason.COUNT_DIFFERS)


class Decisions:
    """Per host range, the calls it stands for: columns (ranges,), filled while groups are aligned.

    `call` is a position in `CompiledProgram.calls`, -1 where none or several stand; `several` names
    those by row. Only rows in `made` count.
    """

    def __init__(self, ranges: int) -> None:
        self.made = np.zeros(ranges, dtype=bool)
        self.call = np.full(ranges, NONE, dtype=np.int64)
        self.invocation = np.full(ranges, NONE, dtype=np.int64)
        self.confidence = np.full(ranges, Confidence.UNKNOWN, dtype=np.int8)
        self.method = np.full(ranges, Method.NONE, dtype=np.int8)
        self.reason = np.full(ranges, Reason.NONE, dtype=np.int8)
        self.several: dict[int, tuple[int, ...]] = {}

    def whole(self, rows: Sequence[int], first_call: int, identity: Identity, number: int) -> None:
        """Decide an invocation whose ranges are its calls one by one."""
        at = np.array(rows, dtype=np.int64)
        self.call[at] = np.arange(first_call, first_call + len(rows))
        self._note(at, identity.confidence, identity.method, identity.reason, number)

    def outside(self, rows: Sequence[int], reason: Reason) -> None:
        """Decide ranges that stand for no call."""
        at = np.array(rows, dtype=np.int64)
        self._note(at, Confidence.OUTSIDE, Method.RANGE, reason, NONE)

    def place(
        self, row: int, placement: Placement, identity: Identity, offset: int, number: int
    ) -> None:
        """Decide one range; a graph that fits as well may have decided it before."""
        calls = (*self.calls(row), *(offset + call for call in placement.calls))
        confidence = max(placement.confidence, identity.confidence)
        if not calls:
            sure = identity.confidence <= Confidence.INFERRED
            confidence = placement.confidence if sure else Confidence.UNKNOWN
        elif len(calls) > 1 or not placement.calls:
            confidence = Confidence.AMBIGUOUS
        if confidence == Confidence.AMBIGUOUS:
            self.several[row] = calls
        self.call[row] = calls[0] if calls and confidence <= Confidence.INFERRED else NONE
        reason = placement.reason or identity.reason
        self._note(np.array([row]), confidence, identity.method, reason, number)

    def calls(self, row: int) -> tuple[int, ...]:
        """Positions of the calls that one range stands for."""
        call = int(self.call[row])
        return (call,) if call >= 0 else self.several.get(row, ())

    def _note(self, rows: Int, confidence: int, method: int, reason: int, number: int) -> None:
        self.made[rows] = True
        self.confidence[rows] = confidence
        self.method[rows] = method
        self.reason[rows] = reason
        self.invocation[rows] = number


@dataclass(frozen=True, slots=True)
class Invocation:
    """One execution of a graph.

    `number` counts per process and graph, -1 where it is not sure which graph it was; `complete`
    when every statement that had to run was seen.
    """

    group: Group
    identity: Identity
    number: int
    complete: bool


@dataclass(frozen=True, kw_only=True)
class Situation:
    """Program and trace with the host side worked out."""

    program: CompiledProgram
    trace: Trace
    host: Host
    invocations: tuple[Invocation, ...]
    decisions: Decisions

    @cached_property
    def by_mark(self) -> Mapping[int, Invocation]:
        """Invocations by the row of their graph range."""
        return {i.group.mark: i for i in self.invocations if i.group.mark >= 0}

    @cached_property
    def replayed(self) -> Bool:
        """Mask of launches that a graph launch replayed: their host side is the launcher's."""
        launches, apis = self.trace.launches, self.trace.apis
        replays = np.array([REPLAY in name for name in apis.names], dtype=bool)
        mask = np.zeros(len(launches), dtype=bool)
        linked = launches.api >= 0
        if len(replays):
            mask[linked] = replays[apis.name_id[launches.api[linked]]]
        return mask | (launches.graph_node > 0)

    @cached_property
    def host_range(self) -> Int:
        """The innermost range around each launch's host side, -1 without one; shape (launches,).

        The host side of what was replayed is where it was captured.
        """
        launches, apis = self.trace.launches, self.trace.apis
        found = launches.range.copy()
        linked = launches.api >= 0
        found[linked] = apis.range[launches.api[linked]]
        found[self.replayed] = NONE
        captured = launches.origin >= 0
        found[captured] = apis.range[launches.origin[captured]]
        return found

    @cached_property
    def top(self) -> Int:
        """The nearest range with a decision, or the graph range; -1 without; shape (launches,)."""
        stop = self.decisions.made | self.host.is_mark
        return climb(self.trace.ranges.parent, stop, self.host_range)

    @cached_property
    def outer_op(self) -> Int:
        """The outermost operator around each launch's host side, -1 without; shape (launches,)."""
        at, best = self.host_range.copy(), np.full(len(self.host_range), NONE, dtype=np.int64)
        while (inside := at >= 0).any():
            named = inside & self.host.has_symbol[at]
            best[named] = at[named]
            at[inside] = self.trace.ranges.parent[at[inside]]
        return best


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
    for group, identity in zip(groups, identities, strict=True):
        number = NONE
        if len(identity.graphs) == 1 and identity.confidence <= Confidence.INFERRED:
            slot = (group.process, identity.graphs[0])
            number = counters[slot]
            counters[slot] += 1
            candidate = known[identity.graphs[0]]
            if candidate.whole == group.symbols:
                decisions.whole(group.rows, program.first_call[slot[1]], identity, number)
                invocations.append(Invocation(group, identity, number, complete=True))
                continue
        if group.replays:
            decisions.outside(_beside(group, [known[i] for i in identity.graphs]), Reason.GLUE)
            invocations.append(Invocation(group, identity, number, complete=False))
            continue
        complete = False
        for graph in identity.graphs:
            spelled = known[graph].spell(group.symbols)
            placed = align(spelled, known[graph].steps, first=number <= 0)
            complete = placed.complete
            for row, placement in zip(group.rows, placed.placements, strict=True):
                lost = placement is GLUE and not complete
                chosen = _OPEN if lost else placement
                decisions.place(row, chosen, identity, program.first_call[graph], number)
        invocations.append(Invocation(group, identity, number, complete))
    return tuple(invocations)


def _beside(group: Group, graphs: Sequence[Candidate]) -> list[int]:
    """Ranges beside a replay that are none of its graph's statements, such as copies of inputs."""
    if not graphs:
        return []
    own = frozenset().union(*(graph.alphabet for graph in graphs))
    return [row for row, name in zip(group.rows, group.symbols, strict=True) if name not in own]
