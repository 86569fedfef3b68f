"""What every strategy is given: the program, the trace, and what the host side says of each range.

`Decisions` holds, per host range, the calls that the range stands for; they come from aligning each
group with the graph that it ran (matching/sequence.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kernelmap.matching.host import Group, Host, climb
from kernelmap.matching.identify import Candidate, Identity
from kernelmap.matching.sequence import AUTOTUNE, GLUE, Placement, align
from kernelmap.model import NONE, CompiledProgram, Confidence, Method, Reason, Trace
from kernelmap.model.trace import Bool, Int

_REPLAYS = ("GraphLaunch",)
_OPEN = Confidence.UNKNOWN  # beside a lost statement, what looks like glue may be that statement


@dataclass(frozen=True, slots=True)
class Decision:
    """What one host range stands for; `calls` are positions in `CompiledProgram.calls`."""

    calls: tuple[int, ...]
    confidence: Confidence
    method: Method
    reason: Reason
    invocation: int


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
    decisions: Mapping[int, Decision]

    @cached_property
    def decided(self) -> Bool:
        """Mask of the ranges with a decision; shape (ranges,)."""
        mask = np.zeros(len(self.trace.ranges), dtype=bool)
        mask[list(self.decisions)] = True
        return mask

    @cached_property
    def by_mark(self) -> Mapping[int, Invocation]:
        """Invocations by the row of their graph range."""
        return {i.group.mark: i for i in self.invocations if i.group.mark >= 0}

    @cached_property
    def replayed(self) -> Bool:
        """Mask of launches that a graph launch replayed: their host side is the launcher's."""
        launches, apis = self.trace.launches, self.trace.apis
        replays = np.array([any(w in n for w in _REPLAYS) for n in apis.names], dtype=bool)
        mask = np.zeros(len(launches), dtype=bool)
        linked = launches.api >= 0
        if len(replays):
            mask[linked] = replays[apis.name_id[launches.api[linked]]]
        return mask | (launches.graph_node > 0)

    @cached_property
    def host_range(self) -> Int:
        """The innermost range around each launch's host side, -1 without one; shape (launches,)."""
        launches, apis = self.trace.launches, self.trace.apis
        found = launches.range.copy()
        linked = launches.api >= 0
        found[linked] = apis.range[launches.api[linked]]
        found[self.replayed] = NONE
        return found

    @cached_property
    def top(self) -> Int:
        """The nearest range with a decision, or the graph range; -1 without; shape (launches,)."""
        return climb(self.trace.ranges.parent, self.decided | self.host.is_mark, self.host_range)

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
) -> tuple[tuple[Invocation, ...], dict[int, Decision]]:
    """Number the invocations and decide their ranges; groups come in host order."""
    counters: dict[tuple[int, int], int] = defaultdict(int)
    invocations: list[Invocation] = []
    decisions: dict[int, Decision] = {}
    for group, identity in zip(groups, identities, strict=True):
        number = NONE
        if len(identity.graphs) == 1 and identity.confidence <= Confidence.INFERRED:
            slot = (group.process, identity.graphs[0])
            number = counters[slot]
            counters[slot] += 1
        first = number <= 0
        complete = False
        for graph in identity.graphs:
            placed = align(known[graph].spell(group.symbols), known[graph].steps, first=first)
            complete = placed.complete
            offset = program.first_call[graph]
            for row, placement in zip(group.rows, placed.placements, strict=True):
                earlier = decisions.get(row)
                decided = _decide(placement, identity, offset, number, earlier)
                lost = decided.reason == Reason.GLUE and not placed.complete
                decisions[row] = replace(decided, confidence=_OPEN) if lost else decided
        invocations.append(Invocation(group, identity, number, complete))
    return tuple(invocations), decisions


def _decide(
    placement: Placement, identity: Identity, offset: int, number: int, earlier: Decision | None
) -> Decision:
    """One range's decision; `earlier` is what another graph that fits as well made of it."""
    calls = tuple(offset + call for call in placement.calls)
    if earlier is not None:
        calls = earlier.calls + calls
    if not calls:
        sure = identity.confidence <= Confidence.INFERRED
        confidence = Confidence.OUTSIDE if sure else Confidence.UNKNOWN
        return Decision((), confidence, Method.RANGE, placement.reason, number)
    confidence = max(placement.confidence, identity.confidence)
    if placement in (GLUE, AUTOTUNE) or len(calls) > 1:
        confidence = Confidence.AMBIGUOUS
    reason = placement.reason or identity.reason
    return Decision(calls, confidence, identity.method, Reason(reason), number)
