"""The graphs that a graph span may have run, and the evidence that each is held against."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from kernelmap.matching.graphs.sequence import align_ranges
from kernelmap.matching.host_side.host import GraphSpan, Host
from kernelmap.matching.host_side.roles import input_copies
from kernelmap.matching.names.symbols import (
    SymbolStep,
    aliases_of_graph,
    is_kernel_symbol,
    may_be_benchmarked,
    names_of_graph,
    steps_of,
)
from kernelmap.model import CompiledGraph, Occurrence

ENOUGH = 3
"""So many spans of one cache key outweigh events that the profiler lost: with one or two, a graph
of which one statement was lost would be ruled out, or another taken for it. Chosen; recordings that
begin or end amid a step are the same at 1 and 6."""


class GraphCandidate(Struct, frozen=True, kw_only=True, dict=True):
    """A graph with what identification asks of it."""

    position: int
    graph: CompiledGraph
    cpp: bool

    @cached_property
    def steps(self) -> tuple[SymbolStep, ...]:
        """What one invocation leaves on the host."""
        return steps_of(self.graph, cpp=self.cpp)

    @cached_property
    def silent(self) -> bool:
        """Whether calls run without a range, so that what was seen is never all."""
        return any(call.recorded is False for call in self.graph.calls)

    @cached_property
    def whole(self) -> tuple[str, ...] | None:
        """The symbols of a complete invocation, None where branches or loops decide on them."""
        once = all(step.occurrence is Occurrence.ONCE for step in self.steps)
        # Each call leaves exactly one symbol: only then can whole invocations be compared symbol
        # by symbol and paired by place.
        single = len({step.call for step in self.steps}) == len(self.steps) == len(self.graph.calls)
        return tuple(step.symbol for step in self.steps) if once and single else None

    @cached_property
    def alias(self) -> dict[str, str]:
        """Range names that stand for another wrapper of this graph."""
        return aliases_of_graph(self.graph)

    @cached_property
    def alphabet(self) -> frozenset[str]:
        """Every symbol that the graph may leave."""
        return frozenset(step.symbol for step in self.steps)

    @cached_property
    def certain(self) -> Counter[str]:
        """How often each symbol has to be seen in one invocation."""
        return Counter(s.symbol for s in self.steps if s.occurrence is Occurrence.ONCE)

    @cached_property
    def device_names(self) -> frozenset[str]:
        """Every name that the graph's kernels may show on the device."""
        return frozenset(names_of_graph(self.graph))

    @cached_property
    def hashes(self) -> dict[str, str]:
        """Content hash by wrapper, where the code names its kernel path."""
        return {kernel.name: kernel.hash for kernel in self.graph.kernels if kernel.hash}

    def spell_symbols(self, symbols: Sequence[str]) -> list[str]:
        """`symbols` as this graph writes them."""
        return [self.alias.get(symbol, symbol) for symbol in symbols]

    def covers_evidence(self, evidence: SpanEvidence) -> bool:
        """Whether every kernel seen is one of this graph's, with no other content hash."""
        return all(
            self.alias.get(name, name) in self.alphabet for name in evidence.kernels
        ) and all(self.hashes.get(name, seen) == seen for name, seen in evidence.hashes.items())

    def has_bare(self, evidence: SpanEvidence) -> bool:
        """Whether the kernels that ran here without a range of their own are this graph's, too."""
        return evidence.bare <= self.device_names

    def proven_by(self, evidence: SpanEvidence) -> bool:
        """Whether a content hash that was seen stands in this graph's code."""
        return any(self.hashes.get(name) == seen for name, seen in evidence.hashes.items())

    def fully_fits(self, evidence: SpanEvidence, *, kernels: bool = False) -> bool:
        """Whether every statement that had to run was seen as often as it had to.

        `kernels` asks about kernels alone, of which there must be some.
        """
        certain = {s: n for s, n in self.certain.items() if is_kernel_symbol(s) or not kernels}
        seen = self._count_seen(evidence)
        return bool(certain) and all(
            # More of a kernel than the code runs may be benchmarks, where nothing keeps them out.
            seen[symbol] == count
            or (evidence.may_benchmark and may_be_benchmarked(symbol) and seen[symbol] > count)
            for symbol, count in certain.items()
        )

    def find_doubts(self, evidence: SpanEvidence) -> str | None:
        """What speaks against this graph although it fully fits, None for nothing.

        Surplus kernels may be benchmarks or another graph's calls; an operator that worked here and
        that the code does not run may be a call of a graph that was not given.
        """
        if any(
            self._count_seen(evidence)[symbol] != count for symbol, count in self.certain.items()
        ):
            return "more kernels were seen than it runs"
        if evidence.working - self.alphabet:
            return "operators worked here that it does not run"
        if not self.has_bare(evidence):
            return "a kernel without a range ran here that it does not have"
        return None

    def _count_seen(self, evidence: SpanEvidence) -> Mapping[str, int]:
        """How often each of this graph's symbols was typically seen, however it was spelled."""
        if self.alias.keys().isdisjoint(evidence.kernels):
            return evidence.typical
        return _typical_counts([self._spell_counts(count) for count in evidence.counts])

    def _spell_counts(self, count: Mapping[str, int]) -> Counter[str]:
        spelled: Counter[str] = Counter()
        for symbol, number in count.items():
            spelled[self.alias.get(symbol, symbol)] += number
        return spelled

    def shares_most(self, evidence: SpanEvidence) -> bool:
        """Whether kernels were seen, and at least half of those that had to run."""
        # Lost events are few, so a graph that ran shows at least half of its kernels.
        certain = sum(is_kernel_symbol(symbol) for symbol in self.certain)
        return 0 < certain <= 2 * len(evidence.kernels)

    def in_order(self, evidence: SpanEvidence) -> bool:
        """Whether most spans show this graph's statements in the order of its code."""
        alike = Counter(span.symbols for span in evidence.spans)
        ordered = sum(
            number
            for symbols, number in alike.items()
            if align_ranges(self.spell_symbols(symbols), self.steps).ordered
        )
        return 2 * ordered > len(evidence.spans)


class SpanEvidence(Struct, frozen=True, kw_only=True):
    """What the spans of one bucket show together.

    `counts` is how often each symbol was seen in each span, `typical` the most common of these
    numbers: lost events don't change it. `working` are the operators among them that launched
    something and copied no input, `bare` the device names of kernels whose own range is missing.
    """

    spans: Sequence[GraphSpan]
    kernels: frozenset[str]
    hashes: dict[str, str]
    counts: Sequence[Counter[str]]
    typical: Counter[str]
    working: frozenset[str]
    bare: frozenset[str]
    may_benchmark: bool

    @classmethod
    def gather(
        cls, host: Host, spans: Sequence[GraphSpan], bare: Mapping[int, frozenset[str]]
    ) -> SpanEvidence:
        """Gather it; of several spans the first may hold benchmarks and is not `typical`."""
        settled = spans[1:] if len(spans) >= ENOUGH else spans
        # Most spans of a graph show the same symbols, so each kind of span is counted once.
        count_of = {symbols: Counter(symbols) for symbols in {span.symbols for span in settled}}
        counts = [count_of[span.symbols] for span in settled]
        typical = _typical_counts(counts)
        symbols = frozenset().union(*{span.symbols for span in spans})
        return cls(
            spans=spans,
            working=frozenset(
                symbol for symbol in _iter_working_operators(host, settled) if typical[symbol]
            ),
            bare=frozenset().union(*(bare.get(span.container, ()) for span in spans)),
            kernels=frozenset(filter(is_kernel_symbol, symbols)),
            hashes=_hash_by_wrapper(host, spans),
            counts=counts,
            typical=typical,
            # Benchmarks may be in the evidence where the first span could not be left out; during
            # a capture nothing is benchmarked.
            may_benchmark=settled is spans and not all(span.captures for span in spans),
        )


def _iter_working_operators(host: Host, spans: Sequence[GraphSpan]) -> Iterator[str]:
    """The operators that launched something and copied no input; like spans are one array."""
    alike: dict[tuple[tuple[str, ...], bool], list[tuple[int, ...]]] = defaultdict(list)
    for span in spans:
        alike[span.symbols, span.captures].append(span.rows)
    for (symbols, captures), rows in alike.items():
        mask = host.captured if captures else host.launched
        copies = input_copies(symbols, None)
        # Rows of spans that look alike, as (spans, symbols): a place works if its range launched
        # something in any of them.
        for at in np.flatnonzero(mask[np.array(rows, dtype=np.int64)].any(axis=0)).tolist():
            if at not in copies and not is_kernel_symbol(symbols[at]):
                yield symbols[at]


def _typical_counts(counts: Sequence[Counter[str]]) -> Counter[str]:
    """The most common number of each symbol, the larger of equals."""
    symbols = {symbol for count in counts for symbol in count}
    return Counter(
        {symbol: _most_common([count[symbol] for count in counts]) for symbol in symbols}
    )


def _most_common(numbers: Sequence[int]) -> int:
    """The most common number, the larger of equals."""
    ranked = Counter(numbers)
    return max(ranked, key=lambda number: (ranked[number], number))


def candidates_of(graphs: Sequence[CompiledGraph], host: Host) -> tuple[GraphCandidate, ...]:
    """All graphs, ready to be asked about what `host` recorded."""
    return tuple(
        GraphCandidate(position=i, graph=graph, cpp=host.shows_cpp)
        for i, graph in enumerate(graphs)
    )


def _hash_by_wrapper(host: Host, spans: Sequence[GraphSpan]) -> dict[str, str]:
    """Content hash by wrapper, as the ranges of `spans` export it."""
    rows = np.array([row for span in spans for row in span.rows], dtype=np.int64)
    exported = rows[host.ranges.detail_id[rows] >= 0] if len(rows) else rows
    # One number per name and exported detail: millions of ranges share few pairs, and each is
    # read once.
    pairs = host.ranges.name_id[exported] * len(host.ranges.details)
    first = np.unique(pairs + host.ranges.detail_id[exported], return_index=True)[1]
    hashes: dict[str, str] = {}
    for row in exported[first].tolist():
        detail = host.ranges.detail_of(row)
        if detail and detail.kernel_hash:
            hashes.setdefault(host.symbol(row), detail.kernel_hash)
    return hashes
