"""Host ranges of one invocation → its calls: by count and order, exact where both agree.

Takes the symbols that were seen, in host order, and the steps that the code runs, in program order.
The host runs a wrapper's statements one after the other, so the k-th range of a symbol is its k-th
step wherever as many were seen as had to run. Symbols for which the numbers agree are anchors;
between two anchors the rule is applied again, so that one lost event does not spoil the rest.
Left out: what a launch's device name or grid says; that is for launches without such ranges.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kernelmap.matching.host_side.roles import input_copies
from kernelmap.matching.names.symbols import Step, is_kernel_symbol, may_be_benchmarked
from kernelmap.model import Confidence, Occurrence, Reason


@dataclass(frozen=True, slots=True)
class Placement:
    """The calls (indices within the graph) that one range may stand for."""

    calls: tuple[int, ...]
    confidence: Confidence
    reason: Reason = Reason.NONE


@dataclass(frozen=True, slots=True)
class Alignment:
    """One placement per seen range.

    `complete` when every step that had to run was seen, `ordered` when nothing was seen in another
    order than the code's.
    """

    placements: tuple[Placement, ...]
    complete: bool
    ordered: bool


GLUE = Placement((), Confidence.OUTSIDE, Reason.GLUE)
AUTOTUNE = Placement((), Confidence.OUTSIDE, Reason.AUTOTUNE)
INPUTS = Placement((), Confidence.OUTSIDE, Reason.INPUTS)


def align(seen: Sequence[str], steps: Sequence[Step], *, first: bool = False) -> Alignment:
    """Place each of `seen` on `steps`.

    `first` says that kernels may have been benchmarked here: surplus ranges of a kernel are then
    autotuning, and the last ones are the calls, which can only be inferred.
    """
    if all(step.occurrence is Occurrence.ONCE for step in steps) and list(seen) == [
        step.symbol for step in steps
    ]:
        return Alignment(tuple(_exact(step) for step in steps), complete=True, ordered=True)
    return _Aligner(seen, steps, first=first).run()


class _Aligner:
    """The state of one alignment: ranges and steps by symbol, and what has been placed."""

    def __init__(self, seen: Sequence[str], steps: Sequence[Step], *, first: bool) -> None:
        self.steps = steps
        self.first = first
        self.seen_at = _positions(seen)
        self.step_at = _positions([step.symbol for step in steps])
        self.seen = seen
        self.placed = [GLUE] * len(seen)

    def run(self) -> Alignment:
        anchors: list[tuple[int, int]] = []
        open_symbols = []
        for symbol, ranges in self.seen_at.items():
            places = self.step_at.get(symbol)
            if places is None:
                continue
            if any(self.steps[place].occurrence is not Occurrence.ONCE for place in places):
                self._conditional(symbol, ranges, places)
            elif len(ranges) == len(places):
                anchors.extend(zip(ranges, places, strict=True))
            else:
                open_symbols.append(symbol)
        anchors.sort()
        ordered = all(before[1] < after[1] for before, after in pairwise(anchors))
        if not ordered:
            self._disordered(anchors)
            anchors = []
        for at, place in anchors:
            if self.placed[at] is GLUE:
                self.placed[at] = _exact(self.steps[place])
        for symbol in open_symbols:
            self._between(symbol, anchors)
        if AUTOTUNE in self.placed:
            self._doubt_operators()
        self._copies()
        complete = all(
            len(self.seen_at.get(symbol, ())) >= len(places)
            for symbol, places in self.step_at.items()
            if all(self.steps[place].occurrence is Occurrence.ONCE for place in places)
        )
        self._doubt_end(broken_off=self.first and not complete)
        return Alignment(tuple(self.placed), complete, ordered)

    def _conditional(self, symbol: str, ranges: list[int], places: list[int]) -> None:
        """A branch or a loop decides how often the symbol runs: only a sole step is certain."""
        sole = places[0] if len(places) == 1 else None
        looped = sole is not None and self.steps[sole].occurrence is Occurrence.LOOP
        if sole is not None and (len(ranges) == 1 or (looped and not self._benchmarked(symbol))):
            self._place(ranges, [_exact(self.steps[sole])] * len(ranges))
        elif sole is not None and not looped and self._benchmarked(symbol):
            self._surplus(ranges, places)
        else:
            self._ambiguous(ranges, places, Reason.CONDITIONAL)

    def _copies(self) -> None:
        """Note what copies inputs; what the autotuner copies is noted already."""
        for at in input_copies(self.seen, self.step_at.keys()):
            if self.placed[at] is GLUE:
                self.placed[at] = INPUTS

    def _doubt_operators(self) -> None:
        """The autotuner copies and clears as well: its operators and the code's look the same."""
        for at, placement in enumerate(self.placed):
            if placement.confidence is Confidence.EXACT and not is_kernel_symbol(self.seen[at]):
                self.placed[at] = Placement(placement.calls, Confidence.INFERRED)

    def _doubt_end(self, *, broken_off: bool) -> None:
        """Where a first run breaks off, its last kernel may have been benchmarked, not called."""
        if not broken_off:
            return
        last = None
        for at in reversed(range(len(self.placed))):
            if not self.placed[at].calls:
                continue
            last = last or self.seen[at]
            if self.seen[at] != last or not is_kernel_symbol(last):
                break
            if self.placed[at].confidence is Confidence.EXACT:
                self.placed[at] = Placement(self.placed[at].calls, Confidence.INFERRED)

    def _disordered(self, anchors: list[tuple[int, int]]) -> None:
        """The ranges come in another order than the code's statements: no count proves anything."""
        for at, place in anchors:
            places = self.step_at[self.steps[place].symbol]
            self._ambiguous([at], places, Reason.ORDER_DIFFERS)

    def _between(self, symbol: str, anchors: list[tuple[int, int]]) -> None:
        """Apply the count rule to each stretch between two anchors."""
        at_anchors = [at for at, _ in anchors]
        place_anchors = [place for _, place in anchors]
        stretches: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for at in self.seen_at[symbol]:
            stretches[bisect_left(at_anchors, at)][0].append(at)
        for place in self.step_at[symbol]:
            stretches[bisect_left(place_anchors, place)][1].append(place)
        for ranges, places in stretches.values():
            if not ranges:
                continue
            if len(ranges) == len(places):
                self._place(ranges, [_exact(self.steps[place]) for place in places])
            elif len(ranges) > len(places) > 0 and self._benchmarked(symbol):
                self._surplus(ranges, places)
            else:
                self._ambiguous(ranges, places or self.step_at[symbol], Reason.COUNT_DIFFERS)

    def _benchmarked(self, symbol: str) -> bool:
        return self.first and may_be_benchmarked(symbol)

    def _surplus(self, ranges: list[int], places: list[int]) -> None:
        """Take the last ranges: the autotuner benchmarks right before it runs the call."""
        real = len(ranges) - len(places)
        self._flushes(ranges[0], ranges[real])
        self._place(ranges[:real], [AUTOTUNE] * real)
        self._place(
            ranges[real:],
            [Placement((self.steps[place].call,), Confidence.INFERRED) for place in places],
        )

    def _flushes(self, first: int, last: int) -> None:
        """What runs between two benchmarks of a kernel is the autotuner's: it clears the cache.

        So is what comes right before the first benchmark, where it is the same operator.
        """
        between = [at for at in range(first, last) if self.placed[at] is GLUE]
        operators = {self.seen[at] for at in between} - self.step_at.keys()
        while first > 0 and self.seen[first - 1] in operators:
            first -= 1
            between.append(first)
        own = [at for at in between if self.seen[at] in operators]
        self._place(own, [AUTOTUNE] * len(own))

    def _ambiguous(self, ranges: list[int], places: list[int], reason: Reason) -> None:
        calls = tuple(dict.fromkeys(self.steps[place].call for place in places))
        self._place(ranges, [Placement(calls, Confidence.AMBIGUOUS, reason)] * len(ranges))

    def _place(self, ranges: list[int], placements: Sequence[Placement]) -> None:
        for at, placement in zip(ranges, placements, strict=True):
            self.placed[at] = placement


def _exact(step: Step) -> Placement:
    return Placement((step.call,), Confidence.EXACT)


def _positions(symbols: Sequence[str]) -> dict[str, list[int]]:
    at: dict[str, list[int]] = {}
    for position, symbol in enumerate(symbols):
        at.setdefault(symbol, []).append(position)
    return at
