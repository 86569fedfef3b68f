"""Invocations that the recording cut off: only their end or their beginning is there.

A range that was open when the recording began or ended is missing, and so are those around it: what
ran in it lies on the bare thread, before the thread's first compiled range or after its last. Takes
such a stretch of ranges, gives the graph whose last (or first) statements they are, and the
statement of each.

Never more than inferred. A stretch in which nothing ran but what the autotuner runs is no part of
an invocation: it may have been benchmarked while it was compiled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress

from kernelmap.matching.graphs.candidates import Candidate
from kernelmap.matching.graphs.part_order import fit
from kernelmap.matching.graphs.tuning import tuned
from kernelmap.matching.host_side.groups import Group, Part
from kernelmap.matching.host_side.host import Host
from kernelmap.matching.host_side.window import Window
from kernelmap.matching.names.families import RESTORED, operator_family
from kernelmap.matching.names.symbols import is_kernel_symbol

_AHEAD = 2.0
"""How much better one graph has to fit than every other: more than a lost event."""
_MOST_CELLS = 400_000
"""Ranges times statements; a longer stretch is none that one invocation was cut off from."""


def parted(
    group: Group, known: Sequence[Candidate], host: Host, window: Window
) -> tuple[list[Group], Group]:
    """Parts of invocations at the ends of the bare thread `group`, and what is left of it."""
    span = window.compiled.get((group.process, group.thread))
    if span is None or group.container >= 0:
        return [], group
    start = [int(host.ranges.start_ns[row]) for row in group.rows]
    first = sum(each < span[0] for each in start)
    last = sum(each < span[1] for each in start)
    parts = []
    left = [True] * len(start)
    for begin, end, is_end in ((0, first, True), (last, len(start), False)):
        found = _part(group.symbols[begin:end], known, is_end=is_end)
        if found is None:
            continue
        own = [number for number, place in enumerate(found.calls, begin) if place is not None]
        for number in own:
            left[number] = False
        part = Part(found.graph, tuple(call for call in found.calls if call is not None), is_end)
        parts.append(
            replace(
                group,
                start_ns=start[own[0]],
                rows=tuple(group.rows[number] for number in own),
                symbols=tuple(group.symbols[number] for number in own),
                sure=False,
                part=part,
            )
        )
    rest = replace(
        group,
        rows=tuple(compress(group.rows, left)),
        symbols=tuple(compress(group.symbols, left)),
    )
    return parts, rest


@dataclass(frozen=True, slots=True)
class _Found:
    """The graph that a stretch is a part of; per range its calls, () a benchmark, None neither."""

    graph: int
    cost: float
    calls: tuple[tuple[int, ...] | None, ...]
    proven: bool


def _part(symbols: Sequence[str], known: Sequence[Candidate], *, is_end: bool) -> _Found | None:
    fits = sorted(_fits(symbols, known, is_end=is_end), key=lambda each: each.cost)
    if not fits or not fits[0].proven:
        return None
    return None if len(fits) > 1 and fits[1].cost - fits[0].cost < _AHEAD else fits[0]


def _fits(symbols: Sequence[str], known: Sequence[Candidate], *, is_end: bool) -> Iterator[_Found]:
    """How each graph fits that has one of the kernels."""
    for candidate in known:
        seen = candidate.spell(symbols)
        if not any(is_kernel_symbol(each) and each in candidate.alphabet for each in seen):
            continue
        benchmarks = tuned(seen, candidate.steps)
        places = [at for at in range(len(seen)) if at not in benchmarks.places]
        if len(places) * len(candidate.steps) > _MOST_CELLS:
            continue
        found = fit([seen[at] for at in places], candidate.steps, is_end=is_end)
        if found is None:
            continue
        calls: list[tuple[int, ...] | None] = [None] * len(seen)
        for at, own in zip(places, found.calls, strict=True):
            calls[at] = own or None
        proven = _ran(seen, calls, benchmarks.last)
        for at in benchmarks.places:
            calls[at] = ()
        if not is_end:
            _forget_last(seen, calls, benchmarks.last)
        yield _Found(candidate.position, found.cost, tuple(calls), proven)


def _ran(
    seen: Sequence[str], calls: Sequence[tuple[int, ...] | None], benchmarked: Collection[int]
) -> bool:
    """Whether something ran that no benchmark runs: a kernel once, or a library's work after one.

    Where kernels are benchmarked as they are compiled, the compiled code runs next, in its range.
    """
    kernels = [at for at, own in enumerate(calls) if own and is_kernel_symbol(seen[at])]
    return any(
        at not in benchmarked
        if is_kernel_symbol(seen[at])
        else kernels[0] < at and operator_family(seen[at]) not in RESTORED
        for at, own in enumerate(calls)
        if own and kernels
    )


def _forget_last(
    seen: Sequence[str], calls: list[tuple[int, ...] | None], benchmarked: Collection[int]
) -> None:
    """The recording may have ended among benchmarks: then the last of them is no call."""
    last = None
    for at in range(len(seen) - 1, -1, -1):
        if not is_kernel_symbol(seen[at]):
            continue
        last = last or seen[at]
        if at not in benchmarked or seen[at] != last:
            return
        calls[at] = None
