"""What an invocation of a graph launches, one after the other.

A generated kernel is launched once per statement, under a name that the code tells. What a library
call launches is seen in the invocations of the trace, where most of them agree; elsewhere the
call's family tells what it may be (families.py).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernelmap.matching.context.decided import Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.names.device_names import names_of_call
from kernelmap.matching.names.families import kernel_family, may_launch, operator_family
from kernelmap.model import Activity, CompiledGraph, Confidence, Occurrence
from kernelmap.model.trace import Int

Launched = tuple[str, int]
"""The name of a launch, and its activity."""

_SAMPLE = 24
"""Invocations of a graph that are asked what its calls launch."""
_AGREE = 0.6
"""The share of them that has to launch the same."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A launch of a call, by its position in `program.calls`; `names` None: as its family allows.

    Then it may be several launches.
    """

    call: int
    names: frozenset[str] | None
    target: str | None = None

    def takes(self, launched: Launched) -> bool:
        """Whether this may be it."""
        name, activity = launched
        if self.names is not None:
            return name in self.names
        kind = kernel_family(name, Activity(activity))
        return may_launch(operator_family(self.target or ""), kind)


class Expected:
    """The slots of every graph; None for graphs in which branches or loops decide."""

    def __init__(self, context: MatchContext, matched: Matched, order: Int) -> None:
        self._context, self._matched, self._order = context, matched, order
        self._slots: dict[int, tuple[Slot, ...] | None] = {}

    def of(self, graph: int) -> tuple[Slot, ...] | None:
        """The slots of the graph at a position in the program, in order."""
        if graph not in self._slots:
            owner = self._context.program.graphs[graph]
            fixed = all(call.occurrence is Occurrence.ONCE for call in owner.calls)
            self._slots[graph] = tuple(self._of(graph, owner)) if fixed else None
        return self._slots[graph]

    def _of(self, graph: int, owner: CompiledGraph) -> Iterator[Slot]:
        first = self._context.program.first_call[graph]
        for call in owner.calls:
            position = first + call.index
            names = names_of_call(owner, call)
            if names:
                yield Slot(position, names)
            elif (habit := self._habits.get(position)) is not None:
                for name in habit:
                    yield Slot(position, frozenset((name,)))
            elif call.target is not None:
                yield Slot(position, None, call.target)

    @cached_property
    def _habits(self) -> Mapping[int, Sequence[str]]:
        """The names that each library call launches, where most invocations agree."""
        matched, launches = self._matched, self._context.trace.launches
        sure = ~matched.open & (matched.call >= 0) & (matched.invocation >= 0)
        sure &= (matched.invocation < _SAMPLE) & (matched.confidence <= Confidence.INFERRED)
        sure &= ~self._context.runs_kernel
        rows = self._order[sure[self._order]]
        seen: defaultdict[tuple[int, int, int], list[str]] = defaultdict(list)
        columns = (launches.process, matched.call, matched.invocation, launches.name_id)
        for process, call, number, name in zip(*(c[rows].tolist() for c in columns), strict=True):
            seen[process, call, number].append(launches.names[name])
        ways: defaultdict[int, Counter[tuple[str, ...]]] = defaultdict(Counter)
        for (_, call, _), names in seen.items():
            ways[call][tuple(names)] += 1
        found: dict[int, Sequence[str]] = {}
        for call, counts in ways.items():
            usual, count = counts.most_common(1)[0]
            if count >= _AGREE * counts.total():
                found[call] = usual
        return found


def embedded(lost: Sequence[Launched], slots: Sequence[Slot]) -> list[int] | None:
    """The call of each of `lost`, which lie among `slots` in their order; None if not one way."""
    early = _greedy(lost, slots)
    late = _greedy(lost[::-1], slots[::-1])
    if early is None or late is None or early != late[::-1]:
        return None
    return early


def _greedy(lost: Sequence[Launched], slots: Sequence[Slot]) -> list[int] | None:
    found = []
    at = 0
    for launched in lost:
        while at < len(slots) and not slots[at].takes(launched):
            at += 1
        if at == len(slots):
            return None
        found.append(slots[at].call)
        at += slots[at].names is not None
    return found


def order_of(context: MatchContext) -> Int:
    """Rows of launches in the order in which each process launched them."""
    launches = context.trace.launches
    return np.lexsort((launches.start_ns, launches.correlation, launches.process))
