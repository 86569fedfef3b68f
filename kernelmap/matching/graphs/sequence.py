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
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise, takewhile

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.matching.graphs.autotuning import Tuned, find_benchmarks
from kernelmap.matching.host_side.roles import input_copies
from kernelmap.matching.names.symbols import SymbolStep, is_kernel_symbol, may_be_benchmarked
from kernelmap.model import Confidence, Occurrence, Reason


class Placement(Struct, frozen=True):
    """The calls (indices within the graph) that one range may stand for."""

    calls: tuple[int, ...]
    confidence: Confidence
    reason: Reason = Reason.NONE


class RangeAlignment(Struct, frozen=True):
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


def align_ranges(
    seen: Sequence[str], steps: Sequence[SymbolStep], *, first: bool = False
) -> RangeAlignment:
    """Place each of `seen` on `steps`.

    `first` says that kernels may have been benchmarked here (autotuning.py): what was called after
    its benchmarks can only be inferred.
    """
    # Nearly all invocations are whole and in order: then nothing has to be worked out.
    if all(step.occurrence is Occurrence.ONCE for step in steps) and list(seen) == [
        step.symbol for step in steps
    ]:
        return RangeAlignment(
            tuple(_place_exactly(step) for step in steps), complete=True, ordered=True
        )
    return _Aligner(seen, steps, first=first).align_all()


class _Aligner:
    """The state of one alignment: ranges and steps by symbol, and what has been placed."""

    def __init__(self, seen: Sequence[str], steps: Sequence[SymbolStep], *, first: bool) -> None:
        self.seen, self.steps, self.first = seen, steps, first
        self.benchmarks = find_benchmarks(seen, steps) if first else Tuned()
        self.seen_at = _positions_by_symbol(seen, self.benchmarks.places)
        self.step_at = _positions_by_symbol([step.symbol for step in steps])
        self.placed = [GLUE] * len(seen)
        self._set_placements(
            sorted(self.benchmarks.places), [AUTOTUNE] * len(self.benchmarks.places)
        )

    def align_all(self) -> RangeAlignment:
        # Pairs of a place among the ranges and a place among the steps.
        anchors: list[tuple[int, int]] = []
        open_symbols, conditional = [], []
        for symbol, ranges in self.seen_at.items():
            places = self.step_at.get(symbol)
            # What the code does not run stays glue.
            if places is None:
                continue
            if any(self.steps[place].occurrence is not Occurrence.ONCE for place in places):
                conditional.append(symbol)
            # As many as the code runs: the k-th range is the k-th step.
            elif len(ranges) == len(places):
                anchors.extend(zip(ranges, places, strict=True))
            else:
                open_symbols.append(symbol)
        anchors.sort()
        # Anchors out of order bound no stretch; then a symbol is counted over the whole
        # invocation.
        bounds = anchors if _in_order(anchors) else []
        for symbol in conditional:
            anchors.extend(self._place_conditional(symbol, bounds))
        counted = [
            pair for symbol in open_symbols for pair in self._pair_between_anchors(symbol, bounds)
        ]
        # What was counted between anchors may contradict other such counts, so the order is asked
        # again over all pairs.
        pairs = sorted((*anchors, *counted))
        ordered = _in_order(pairs)
        for at, place in pairs:
            step = self.steps[place]
            if ordered:
                self.placed[at] = _place_exactly(step)
            else:
                # The ranges come in another order than the statements: no count proves anything.
                self._place_ambiguous([at], self.step_at[step.symbol], Reason.ORDER_DIFFERS)
        # Of what is left as glue, copies of inputs have a reason of their own.
        for at in input_copies(self.seen, self.step_at.keys()):
            if self.placed[at] is GLUE:
                self.placed[at] = INPUTS
        # Benchmarks are not among the positions here, so they cannot make up for a call that was
        # lost.
        complete = all(
            len(self.seen_at.get(symbol, ())) >= len(places)
            for symbol, places in self.step_at.items()
            if all(self.steps[place].occurrence is Occurrence.ONCE for place in places)
        )
        self._doubt_beside_benchmarks(broken_off=self.first and not complete)
        return RangeAlignment(tuple(self.placed), complete, ordered)

    def _place_conditional(
        self, symbol: str, anchors: list[tuple[int, int]]
    ) -> Iterator[tuple[int, int]]:
        """Place a symbol of which a branch or a loop decides how often it runs.

        Gives pairs of range and step where nothing decides between two anchors: of code a x b (x)
        the x that is seen before b is the first one. What is left may be any of the other steps.
        """
        left_ranges, left_places = list[int](), list[int]()
        for ranges, places in self._stretches_of(symbol, anchors):
            certain = all(self.steps[place].occurrence is Occurrence.ONCE for place in places)
            if places and certain and len(ranges) == len(places):
                yield from zip(ranges, places, strict=True)
            else:
                left_ranges += ranges
                left_places += places
        if left_ranges:
            self._place_in_branches(
                sorted(left_ranges), sorted(left_places) or self.step_at[symbol]
            )

    def _place_in_branches(self, ranges: list[int], places: list[int]) -> None:
        step = self.steps[places[0]]
        looped = step.occurrence is Occurrence.LOOP
        may_be_benchmarks = self.first and may_be_benchmarked(step.symbol)
        # A sole step in a loop may run often, but where benchmarks are possible several ranges
        # prove nothing.
        sole = len(places) == 1 == len(self.step_at[step.symbol])
        if sole and (len(ranges) == 1 or (looped and not may_be_benchmarks)):
            self._set_placements(ranges, [_place_exactly(step)] * len(ranges))
        else:
            self._place_ambiguous(ranges, places, Reason.CONDITIONAL)

    def _doubt_beside_benchmarks(self, *, broken_off: bool) -> None:
        """What may have been benchmarked, not called, is at best inferred.

        The call of a kernel that was benchmarked looks like its benchmarks; so do the operators of
        the code, since the autotuner copies and clears as well; and so does the last kernel where a
        first run breaks off.
        """
        doubted = set(self.benchmarks.last)
        if self.benchmarks.places:
            doubted.update(at for at, one in enumerate(self.seen) if not is_kernel_symbol(one))
        if broken_off:
            # The last kernel and its repeats right before it: the invocation may have broken off
            # while that kernel was still benchmarked.
            called = [at for at, one in enumerate(self.placed) if one.calls]
            same = takewhile(lambda at: self.seen[at] == self.seen[called[-1]], reversed(called))
            doubted.update(at for at in same if is_kernel_symbol(self.seen[at]))
        for at in doubted:
            if self.placed[at].confidence is Confidence.EXACT:
                self.placed[at] = replace(self.placed[at], confidence=Confidence.INFERRED)

    def _pair_between_anchors(
        self, symbol: str, anchors: list[tuple[int, int]]
    ) -> Iterator[tuple[int, int]]:
        """Pairs of range and step by the count rule, applied to each stretch between anchors."""
        for ranges, places in self._stretches_of(symbol, anchors):
            if len(ranges) == len(places):
                yield from zip(ranges, places, strict=True)
            else:
                # A range where the stretch has no such step may be any step of its symbol.
                self._place_ambiguous(ranges, places or self.step_at[symbol], Reason.COUNT_DIFFERS)

    def _stretches_of(
        self, symbol: str, anchors: list[tuple[int, int]]
    ) -> Iterator[tuple[list[int], list[int]]]:
        """The ranges and the steps of a symbol in each stretch between anchors, in order."""
        at_anchors = [at for at, _ in anchors]
        place_anchors = [place for _, place in anchors]
        # By the number of anchors before it, the ranges and the steps of each stretch. Code a x b
        # x, ranges a x b: between a and b stands one x on both sides, so this one is exact.
        stretches: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for at in self.seen_at[symbol]:
            stretches[bisect_left(at_anchors, at)][0].append(at)
        for place in self.step_at[symbol]:
            stretches[bisect_left(place_anchors, place)][1].append(place)
        yield from stretches.values()

    def _place_ambiguous(self, ranges: list[int], places: list[int], reason: Reason) -> None:
        calls = tuple(dict.fromkeys(self.steps[place].call for place in places))
        self._set_placements(ranges, [Placement(calls, Confidence.AMBIGUOUS, reason)] * len(ranges))

    def _set_placements(self, ranges: Sequence[int], placements: Sequence[Placement]) -> None:
        for at, placement in zip(ranges, placements, strict=True):
            self.placed[at] = placement


def _in_order(pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether ranges and steps that belong together, sorted by range, are sorted by step."""
    return all(before[1] < after[1] for before, after in pairwise(pairs))


def _place_exactly(step: SymbolStep) -> Placement:
    return Placement((step.call,), Confidence.EXACT)


def _positions_by_symbol(
    symbols: Sequence[str], without: Collection[int] = ()
) -> dict[str, list[int]]:
    at: dict[str, list[int]] = {}
    for position, symbol in enumerate(symbols):
        if position not in without:
            at.setdefault(symbol, []).append(position)
    return at
