"""Invocations that the recording cut off: only their end or their beginning is there.

A range that was open when the recording began or ended is missing, and so are those around it: what
ran in it lies on the bare thread, before the thread's first compiled range or after its last. Takes
such a stretch of ranges, gives the graph whose last (or first) statements they are, and the
statement of each, by the cheapest way to lay ranges and steps in order: a range stands for a step
of its symbol, or for none; a step was recorded, or lost. At the end of an invocation any steps may
be missing before the first one seen, and anything may follow the last; at its beginning vice versa.

Stays apart from the count rule for whole invocations (sequence.py): neither the graph nor where it
begins is known here, so ways to lay them have to be weighed, which takes a hundred times as long.

Never more than inferred. A stretch in which nothing ran but what the autotuner runs is no part of
an invocation: it may have been benchmarked while it was compiled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import compress

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.facts.families import RESTORED, operator_family
from kernelmap.matching.graphs.autotuning import find_benchmarks
from kernelmap.matching.graphs.candidates import GraphCandidate
from kernelmap.matching.host_side.host import GraphSpan, Host, SpanPart
from kernelmap.matching.host_side.recording import RecordedExtent
from kernelmap.matching.names.symbols import SymbolStep, is_kernel_symbol
from kernelmap.model import Occurrence

_MOST_CELLS = 400_000
"""Ranges times statements; a longer stretch is not the part of one invocation."""

_KERNEL, _OPERATOR = 3.0, 1.0
"""The score of a range that stands for a step.

A kernel that stands for none costs as much, since only generated code runs it; an operator nothing,
since eager code runs the same.
"""
_LOST = 1.5
"""What a step costs that was not seen: half of a kernel that is in the wrong place (_KERNEL), so
that a gap is likelier than other code. Chosen; recordings that begin or end amid a step are the
same at 0.75 and 3. What the rule as a whole gains stands in docs/rules.md (cut off). It is also
the measure of margins: one lost step never decides between two graphs, and half of one does between
two statements, since margins are differences of sums of such costs."""


def part_cut_invocations(
    span: GraphSpan, candidates: Sequence[GraphCandidate], host: Host, window: RecordedExtent
) -> tuple[list[GraphSpan], GraphSpan]:
    """Parts of invocations at the ends of the bare thread `span`, and what is left of it."""
    recorded = window.compiled.get((span.process, span.thread))
    if recorded is None or span.container >= 0:
        return [], span
    start = [int(host.ranges.start_ns[row]) for row in span.rows]
    # What ran before the thread's first compiled range may be the end of an invocation, what ran
    # behind its last one the beginning of another.
    first = sum(time < recorded[0] for time in start)
    last = sum(time < recorded[1] for time in start)
    parts = []
    # Per range, whether no part has taken it; (ranges,).
    left = [True] * len(start)
    for begin, end, is_end in ((0, first, True), (last, len(start), False)):
        best = _find_best_part(span.symbols[begin:end], candidates, is_end=is_end)
        if best is None:
            continue
        # Three kinds of ranges: with calls, benchmarks (an empty tuple) and strangers (None).
        # Strangers are left for others to explain.
        numbers = [number for number, place in enumerate(best.calls, begin) if place is not None]
        for number in numbers:
            left[number] = False
        part = SpanPart(best.graph, tuple(call for call in best.calls if call is not None), is_end)
        parts.append(
            replace(
                span,
                start_ns=start[numbers[0]],
                rows=tuple(span.rows[number] for number in numbers),
                symbols=tuple(span.symbols[number] for number in numbers),
                sure=False,
                part=part,
            )
        )
    rest = replace(
        span,
        rows=tuple(compress(span.rows, left)),
        symbols=tuple(compress(span.symbols, left)),
    )
    return parts, rest


class _PartOf(Struct, frozen=True):
    """A stretch as a part of one graph; `calls` by range: () for a benchmark, None for neither."""

    graph: int
    cost: float
    calls: tuple[tuple[int, ...] | None, ...]
    proven: bool


def _find_best_part(
    symbols: Sequence[str], candidates: Sequence[GraphCandidate], *, is_end: bool
) -> _PartOf | None:
    fits = sorted(_iter_fits(symbols, candidates, is_end=is_end), key=lambda part: part.cost)
    # A stretch without anything that only an invocation runs may be benchmarks alone.
    if not fits or not fits[0].proven:
        return None
    # Two graphs between which one lost step would decide leave no answer.
    return None if len(fits) > 1 and fits[1].cost - fits[0].cost <= _LOST else fits[0]


def _iter_fits(
    symbols: Sequence[str], candidates: Sequence[GraphCandidate], *, is_end: bool
) -> Iterator[_PartOf]:
    """How each graph fits that has one of the kernels."""
    for candidate in candidates:
        seen = candidate.spell_symbols(symbols)
        # Operators alone say nothing: eager code leaves the same.
        if not any(is_kernel_symbol(symbol) and symbol in candidate.alphabet for symbol in seen):
            continue
        # Benchmarks are taken out first, since no step of the graph explains them.
        benchmarks = find_benchmarks(seen, candidate.steps)
        places = [at for at in range(len(seen)) if at not in benchmarks.places]
        if len(places) * len(candidate.steps) > _MOST_CELLS:
            continue
        laid = fit_to_steps([seen[at] for at in places], candidate.steps, is_end=is_end)
        if laid is None:
            continue
        # Back from places among what was held against the steps to places in the whole stretch.
        calls: list[tuple[int, ...] | None] = [None] * len(seen)
        for at, close in zip(places, laid.calls, strict=True):
            calls[at] = close or None
        proven = _has_run(seen, calls, benchmarks.last)
        for at in benchmarks.places:
            calls[at] = ()
        if not is_end:
            _forget_last(seen, calls, benchmarks.last)
        yield _PartOf(candidate.position, laid.cost, tuple(calls), proven)


def _has_run(
    seen: Sequence[str], calls: Sequence[tuple[int, ...] | None], benchmarked: Collection[int]
) -> bool:
    """Whether something ran that no benchmark runs: a kernel once, or a library call behind one.

    Where kernels are benchmarked as they are compiled, the compiled code runs next, in its range.
    """
    kernels = [at for at, close in enumerate(calls) if close and is_kernel_symbol(seen[at])]
    return any(
        at not in benchmarked
        if is_kernel_symbol(seen[at])
        else kernels[0] < at and operator_family(seen[at]) not in RESTORED
        for at, close in enumerate(calls)
        if close and kernels
    )


def _forget_last(
    seen: Sequence[str], calls: list[tuple[int, ...] | None], benchmarked: Collection[int]
) -> None:
    """The recording may have ended among benchmarks: then the last of them is no call."""
    last = None
    for at in range(len(seen) - 1, -1, -1):
        if not is_kernel_symbol(seen[at]):
            continue
        # From the end over the last kernel's ranges that came after its benchmarks: the recording
        # may have ended before its call.
        last = last or seen[at]
        if at not in benchmarked or seen[at] != last:
            return
        calls[at] = None


class CutFit(Struct, frozen=True):
    """One way to read a stretch: its cost, and the calls that each range may stand for."""

    cost: float
    calls: tuple[tuple[int, ...], ...]


def fit_to_steps(
    seen: Sequence[str], steps: Sequence[SymbolStep], *, is_end: bool
) -> CutFit | None:
    """The cheapest way to read `seen` as the end (or the beginning) of `steps`.

    None where branches or loops decide what runs, or no kernel finds its place.
    """
    if any(step.occurrence is not Occurrence.ONCE for step in steps):
        return None
    if not is_end:
        back = _fit_end(seen[::-1], steps[::-1])
        return back and CutFit(back.cost, back.calls[::-1])
    return _fit_end(seen, steps)


def _fit_end(seen: Sequence[str], steps: Sequence[SymbolStep]) -> CutFit | None:
    """The same for the end of an invocation."""
    end = len(steps)
    # `ahead[i][j]` is the least cost of the first i ranges and the first j steps, `behind[i][j]`
    # that of the ranges and steps from there on; both (ranges + 1, steps + 1).
    ahead = _table_of_costs(seen, steps, is_end=True)
    behind = [row[::-1] for row in _table_of_costs(seen[::-1], steps[::-1], is_end=False)[::-1]]
    cost = min(before + after for before, after in zip(ahead[0], behind[0], strict=True))
    calls = []
    for at, symbol in enumerate(seen):
        # The cheapest way in which this range stands for no step, over all places in the code
        # where it may lie.
        none = min(
            ahead[at][place] + _cost_of_skipping(symbol, over=place == end) + behind[at + 1][place]
            for place in range(end + 1)
        )
        # For each step of its symbol, the cheapest way in which the range stands for it.
        ways = {
            step.call: ahead[at][place] - _score_symbol(symbol) + behind[at + 1][place + 1]
            for place, step in enumerate(steps)
            if step.symbol == symbol
        }
        # All statements stand that are about as cheap as the best way, unless it costs about the
        # same that the range is no step at all.
        close = {call for call, way in ways.items() if way < cost + _LOST / 2}
        calls.append(tuple(sorted(close)) if none >= cost + _LOST / 2 else ())
    placed = any(close and is_kernel_symbol(one) for one, close in zip(seen, calls, strict=True))
    return CutFit(cost, tuple(calls)) if placed else None


def _table_of_costs(
    seen: Sequence[str], steps: Sequence[SymbolStep], *, is_end: bool
) -> list[list[float]]:
    """What the first ranges and the first steps cost, by the number of both.

    Of an end of an invocation the steps before the first range are free, and the ranges behind the
    last step; else the ranges before the first step.
    """
    # Where the invocation is over, or has not begun: a kernel at this place is someone else's and
    # costs nothing.
    over = len(steps) if is_end else 0
    # Before any range was seen: the steps so far are cut off for free at an end, and lost at a
    # beginning.
    rows = [[0.0 if is_end else _LOST * place for place in range(len(steps) + 1)]]
    for symbol in seen:
        before = rows[-1]
        row = [before[0] + _cost_of_skipping(symbol, over=over == 0)]
        for place, step in enumerate(steps, 1):
            # Three ways to get here: the range is no step, the step was lost, or the range stands
            # for the step.
            best = min(
                before[place] + _cost_of_skipping(symbol, over=place == over), row[-1] + _LOST
            )
            if step.symbol == symbol:
                best = min(best, before[place - 1] - _score_symbol(symbol))
            row.append(best)
        rows.append(row)
    return rows


def _score_symbol(symbol: str) -> float:
    return _KERNEL if is_kernel_symbol(symbol) else _OPERATOR


def _cost_of_skipping(symbol: str, *, over: bool) -> float:
    """What it costs that a range is no step; nothing beside the invocation."""
    return _KERNEL if is_kernel_symbol(symbol) and not over else 0.0
