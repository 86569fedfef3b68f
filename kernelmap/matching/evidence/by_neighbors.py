"""Launches whose api call was lost, found by the launches before and after them.

Correlation ids count the launches of a process, and node ids those of a captured graph. So a launch
without a host side, amid others whose calls are known, belongs to the statements between them: to
the one that lacks it (expected.py). Takes rows in launch order, one sequence per process and one
per replayed graph. Inferred where there is one way to fill what is lacking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kernelmap.matching.context.decided import Decided, Matched
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.matching.evidence.expected import Expected, Launched, Slot, embedded, order_of
from kernelmap.matching.names.families import RESTORED, kernel_family
from kernelmap.model import NONE, Activity, Confidence, Method, Reason
from kernelmap.model.trace import Bool, Int, Launches


def by_neighbors(context: MatchContext, matched: Matched) -> Iterator[Decided]:
    """Decide open launches without a host side among launches that have one."""
    launches = context.trace.launches
    lost = matched.open & (launches.api < 0) & (launches.origin < 0) & (launches.range < 0)
    lost &= ~context.host.replayed & ~launches.on_cpu
    lost &= (launches.correlation > 0) & np.isin(launches.process, _sided(launches))
    if not lost.any():
        return
    order = order_of(context)
    order = order[~(context.host.replayed | launches.on_cpu)[order]]
    tuned = np.equal(matched.reason, Reason.AUTOTUNE) & ~matched.open
    call = np.where(matched.open, NONE, matched.call)[order]
    columns = Columns(order, call, matched.invocation[order], tuned[order], whole=False)
    line = Line(context, columns, Expected(context, matched, order))
    for begin, end in runs_of(lost[order]):
        for at, own, invocation in line.filled(begin, end):
            row = order[at : at + 1]
            if own < 0:
                yield Decided(row, Confidence.OUTSIDE, reason=Reason.AUTOTUNE)
                continue
            yield Decided(
                row,
                Confidence.INFERRED,
                call=own,
                invocation=invocation,
                method=Method.ALIGNMENT,
            )


def _sided(launches: Launches) -> Int:
    """Processes of whose GPU activities most have an api call: what lacks one lost it."""
    gpu = ~launches.on_cpu
    total = np.bincount(launches.process[gpu], minlength=1)
    linked = np.bincount(launches.process[gpu & (launches.api >= 0)], minlength=len(total))
    return np.flatnonzero(2 * linked > total)


def runs_of(lost: Bool) -> Iterator[tuple[int, int]]:
    """Where rows that were lost follow each other."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], lost.astype(np.int8), [0]])))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


@dataclass(frozen=True, slots=True)
class Columns:
    """Launches in launch order: `call` and `invocation` are -1 where not known; shapes (n,).

    `tuned` marks the autotuner's. `whole` says that graphs begin and end with the sequence.
    """

    rows: Int
    call: Int
    invocation: Int
    tuned: Bool
    whole: bool


class Line:
    """Launches in launch order, with the invocations that they belong to."""

    def __init__(self, context: MatchContext, columns: Columns, expected: Expected) -> None:
        self._launches = context.trace.launches
        self._columns, self._expected = columns, expected
        self._order, self._call = columns.rows, columns.call
        process = self._launches.process[self._order]
        keys = np.stack([process, context.program.graph_of_call[self._call], columns.invocation])
        known = (self._call >= 0) & (keys[2] >= 0)
        self._keys, code = np.unique(keys, axis=1, return_inverse=True)
        self._code = np.where(known, code.reshape(-1), NONE)
        self._sorted = np.argsort(self._code, kind="stable")
        self._codes = self._code[self._sorted]

    def filled(self, begin: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Place, call and invocation of launches [begin, end); call -1: a benchmark."""
        places = range(begin, end)
        lost = [self._launched(at) for at in range(begin, end)]
        if self._between_benchmarks(begin, end, lost):
            yield from ((at, NONE, NONE) for at in places)
            return
        slots, numbers = self._slots(begin, end)
        calls = embedded(lost, slots)
        for at, call in zip(places, calls or (), strict=False):
            yield at, call, numbers[call]

    def _launched(self, at: int) -> Launched:
        launches, row = self._launches, self._order[at]
        return launches.names[int(launches.name_id[row])], int(launches.activity[row])

    def _slots(self, begin: int, end: int) -> tuple[list[Slot], dict[int, int]]:
        """What is lacking around a run, and the invocation that each call then belongs to."""
        codes = []
        for at in (begin - 1, end):
            inside = 0 <= at < len(self._code) and self._process(at) == self._process(begin)
            if inside and (code := int(self._code[at])) >= 0 and code not in codes:
                codes.append(code)
        slots: list[Slot] = []
        numbers: dict[int, int] = {}
        for code in codes:
            _, graph, number = self._keys[:, code].tolist()
            own = self._lacking(code, graph, begin, end)
            slots += own
            numbers |= {slot.call: number for slot in own}
        if len({slot.call for slot in slots}) < len(numbers):
            return [], {}
        return slots, numbers

    def _lacking(self, code: int, graph: int, begin: int, end: int) -> Sequence[Slot]:
        """The slots of one invocation between what is known of it before and after a run."""
        slots = self._expected.of(graph)
        if slots is None:
            return ()
        low, high = np.searchsorted(self._codes, [code, code + 1]).tolist()
        own = self._sorted[low:high]
        split = int(np.searchsorted(own, begin))
        before, after = own[:split].tolist(), own[split:].tolist()
        first, last = 0, len(slots)
        if before:
            first = self._place(slots, before, backwards=False) + 1
        if after:
            last = self._place(slots, after, backwards=True)
        if not before and not self._columns.whole and self._is_first(begin):
            first = max(0, last - (end - begin))  # the recording began amid the invocation
        return slots[first:last]

    def _is_first(self, begin: int) -> bool:
        return begin == 0 or self._process(begin - 1) != self._process(begin)

    def _place(self, slots: Sequence[Slot], own: list[int], *, backwards: bool) -> int:
        """The slot of the known launch next to the run: the last of `own`, or the first of them."""
        at = own[0] if backwards else own[-1]
        call, launched = int(self._call[at]), self._launched(at)
        same = sum(int(self._call[it]) == call and self._launched(it) == launched for it in own)
        fitting = [n for n, slot in enumerate(slots) if slot.call == call and slot.takes(launched)]
        if not fitting:
            near = [n for n, slot in enumerate(slots) if (slot.call >= call) is backwards]
            return min(near, default=len(slots)) if backwards else max(near, default=-1)
        if slots[fitting[0]].names is None:
            return fitting[0] + (1 if backwards else -1)
        return (
            fitting[max(len(fitting) - same, 0)]
            if backwards
            else fitting[min(same, len(fitting)) - 1]
        )

    def _between_benchmarks(self, begin: int, end: int, lost: Sequence[Launched]) -> bool:
        """Whether a run lies before another launch of a kernel that is benchmarked there."""
        before = next((at for at in range(begin - 1, -1, -1) if not self._restores(at)), None)
        after = next((at for at in range(end, len(self._order)) if not self._restores(at)), None)
        if after is None:
            return False
        kernel, tuned = self._launched(after), self._columns.tuned
        behind = before is not None and tuned[before] and self._launched(before) == kernel
        # What is copied before the first benchmark may be a statement's.
        if not behind and not (tuned[after] and lost[0] == kernel):
            return False
        return all(each == kernel or _restores(each) for each in lost)

    def _restores(self, at: int) -> bool:
        return _restores(self._launched(at))

    def _process(self, at: int) -> int:
        return int(self._launches.process[self._order[at]])


def _restores(launched: Launched) -> bool:
    """Whether a launch clears or copies memory."""
    return kernel_family(launched[0], Activity(launched[1])) in RESTORED
