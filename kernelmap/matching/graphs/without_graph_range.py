"""Host kernels without a graph range → invocations, by the order of each graph's kernels.

Old torch writes no `## Call CompiledFxGraph …` range, and a profiler may lose one. What is left is
the order: an invocation runs all kernels of one graph, one after the other, on one thread. Takes a
span without one, gives one span per invocation found; kernels that fit no graph are left over.
Only an invocation that has its container for itself is sure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.matching.graphs.candidates import GraphCandidate
from kernelmap.matching.host_side.host import GraphSpan
from kernelmap.matching.names.symbols import is_kernel_symbol, may_be_benchmarked
from kernelmap.model import Occurrence

_PROOF = 2
"""Kernels in a row that a stray benchmark does not imitate: it runs one kernel again and again.
Arithmetic."""


class Pattern(Struct, frozen=True):
    """The kernels of one invocation, and the operators before the first and after the last.

    `runs` are the kernels, each with how often it comes in a row.
    """

    candidate: GraphCandidate
    kernels: tuple[str, ...]
    runs: tuple[tuple[str, int], ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


def cut_into_invocations(
    span: GraphSpan, candidates: Sequence[GraphCandidate], *, has_graph_ranges: bool, compiled: bool
) -> tuple[list[GraphSpan], list[int]]:
    """Invocations in `span`, and the rows of kernels that belong to none of them.

    `has_graph_ranges` says that this process has some: kernels beside them are benchmarks unless a
    whole graph's kernels are there. `compiled` says that the span's container is a compiled
    region: what it holds is compiled code even where events were lost.
    """
    # Beside graph ranges one kernel alone is more likely a benchmark than a graph of one kernel.
    fewest = _PROOF if has_graph_ranges else 1
    patterns = [p for p in map(_pattern_of_graph, candidates) if p and len(p.kernels) >= fewest]
    # Kernels alone are parsed; operators join the invocation whose kernels they stand beside.
    at = [i for i, symbol in enumerate(span.symbols) if is_kernel_symbol(symbol)]
    parsed, left = _parse_kernels(
        [span.symbols[i] for i in at], patterns, tolerant=not has_graph_ranges
    )
    # The container holds one whole invocation and nothing else.
    if span.container >= 0 and len(parsed) == 1 and not left:
        return [replace(span, sure=not has_graph_ranges)], []
    graphs = {pattern.candidate.position for _, _, pattern in parsed}
    # A compiled region in which at most one graph was recognized is that graph's as a whole:
    # kernels that are left over lie beside lost events.
    if compiled and not has_graph_ranges and len(graphs) <= 1:
        return [replace(span, sure=len(parsed) == 1)], []
    pieces = []
    floor = 0
    for begin, end, pattern in parsed:
        # Operators belong to an invocation no further than up to its neighbors' kernels, and none
        # is taken twice.
        ceiling = at[end] if end < len(at) else len(span.rows)
        first = _reach_of_operators(span, at[begin], floor, pattern, pattern.before[::-1])
        last = _reach_of_operators(span, at[end - 1], ceiling - 1, pattern, pattern.after)
        pieces.append(_slice_span(span, first, last + 1))
        floor = last + 1
    return pieces, [span.rows[at[i]] for i in left]


def _pattern_of_graph(candidate: GraphCandidate) -> Pattern | None:
    """The pattern of a graph whose order is fixed, None where branches or loops decide."""
    if any(step.occurrence is not Occurrence.ONCE for step in candidate.steps):
        return None
    symbols = [step.symbol for step in candidate.steps]
    at = [i for i, symbol in enumerate(symbols) if is_kernel_symbol(symbol)]
    if not at:
        return None
    kernels = tuple(symbols[i] for i in at)
    return Pattern(
        candidate=candidate,
        kernels=kernels,
        runs=tuple((name, len(list(same))) for name, same in groupby(kernels)),
        before=tuple(symbols[: at[0]]),
        after=tuple(symbols[at[-1] + 1 :]),
    )


def _parse_kernels(
    kernels: Sequence[str], patterns: Sequence[Pattern], *, tolerant: bool
) -> tuple[list[tuple[int, int, Pattern]], list[int]]:
    """Spans (begin, end, pattern) found from left to right, the longest first, and what is left."""
    parsed: list[tuple[int, int, Pattern]] = []
    left: list[int] = []
    # By its first kernel's name, so that few patterns are tried at each place.
    starts: dict[str, list[Pattern]] = {}
    for pattern in patterns:
        for name in {pattern.kernels[0], *_other_names(pattern)}:
            starts.setdefault(name, []).append(pattern)
    seen: set[int] = set()
    ends = _run_ends(kernels)
    begin = 0
    while begin < len(kernels):
        best: tuple[int, Pattern] | None = None
        for pattern in starts.get(kernels[begin], ()):
            # Only the first run of a graph benchmarks its kernels.
            fresh = tolerant and pattern.candidate.position not in seen
            end = _match_pattern(kernels, ends, begin, pattern, tolerant=fresh)
            if end is not None and (best is None or end > best[0]):
                best = (end, pattern)
        if best is None:
            left.append(begin)
            begin += 1
            continue
        parsed.append((begin, *best))
        seen.add(best[1].candidate.position)
        begin = best[0]
    return parsed, left


def _other_names(pattern: Pattern) -> Iterator[str]:
    for name, stands_for in pattern.candidate.alias.items():
        if stands_for == pattern.kernels[0]:
            yield name


def _run_ends(kernels: Sequence[str]) -> list[int]:
    """For each place where the run of the same kernel around it ends."""
    ends: list[int] = []
    for _, same in groupby(kernels):
        length = len(list(same))
        ends += [len(ends) + length] * length
    return ends


def _match_pattern(
    kernels: Sequence[str], ends: Sequence[int], begin: int, pattern: Pattern, *, tolerant: bool
) -> int | None:
    """Where one invocation that starts at `begin` ends; `tolerant` of repeats by the autotuner.

    Whole runs are taken at once: a kernel that was benchmarked a thousand times costs one step.
    """
    alias = pattern.candidate.alias
    # Repeats may be taken for benchmarks only where another kernel ends them; else they are the
    # next invocations.
    absorbs = tolerant and len(pattern.runs) > 1
    at = begin
    for wanted, count in pattern.runs:
        enough = at + count
        # The wanted kernel, whole runs at a time; members of a multi-kernel count as the kernel
        # itself.
        while at < len(kernels) and (absorbs or at < enough):
            if alias.get(kernels[at], kernels[at]) != wanted:
                break
            at = ends[at]
        if at < enough:
            return None
        at = at if absorbs else enough
    last = pattern.runs[-1][0]
    if absorbs and last == pattern.runs[0][0] and not may_be_benchmarked(last):
        # No library call is benchmarked: what comes after the last one begins the next invocation.
        return enough
    if not absorbs and len(pattern.runs) > 1 and pattern.runs[0][0] != last:
        # The same kernel again is no other invocation: it is benchmarked, and the call comes later.
        again = at < len(kernels) and alias.get(kernels[at], kernels[at]) == last
        return None if again else at
    return at


def _reach_of_operators(
    span: GraphSpan, start: int, limit: int, pattern: Pattern, wanted: Sequence[str]
) -> int:
    """The furthest item from `start` towards `limit` that the operators `wanted` account for."""
    direction = 1 if limit >= start else -1
    reached, at, taken = start, start + direction, 0
    while taken < len(wanted) and (limit - at) * direction >= 0:
        symbol = span.symbols[at]
        if symbol == wanted[taken]:
            reached, taken = at, taken + 1
        # An operator of this graph out of its turn belongs to a neighbor; foreign operators are
        # passed over.
        elif symbol in pattern.candidate.alphabet:
            break
        at += direction
    return reached


def _slice_span(span: GraphSpan, begin: int, end: int) -> GraphSpan:
    """The span of an invocation that its order alone shows; a cut before it may have shifted it."""
    return replace(span, rows=span.rows[begin:end], symbols=span.symbols[begin:end], sure=False)
