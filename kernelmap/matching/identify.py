"""Which graph a stretch of host time ran.

Groups that carry one FX cache key ran one graph, so their evidence is taken together. From strong
to weak: the key itself (a compile log names it), the kernels' content hashes, the only graph whose
statements fit. A graph fits when every kernel seen is one of its kernels; it fits *fully* when,
besides, every statement that had to run was seen as often as it had to.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kernelmap.matching.host import Group, Host
from kernelmap.matching.sequence import align
from kernelmap.matching.symbols import Step, aliases, is_kernel_symbol, steps_of
from kernelmap.model import CompiledGraph, Confidence, Method, Occurrence, Reason

_ENOUGH = 3  # groups of one key whose agreement outweighs events that the profiler lost


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The graphs (positions in the program) that a group may have run, and what decided it."""

    graphs: tuple[int, ...]
    confidence: Confidence
    method: Method = Method.RANGE
    reason: Reason = Reason.NONE
    why: str


NOBODY = Identity(
    graphs=(),
    confidence=Confidence.UNKNOWN,
    reason=Reason.NO_CODE,
    why="no given code has the kernels of this range",
)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A graph with what identification asks of it."""

    position: int
    graph: CompiledGraph
    cpp: bool

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What one invocation leaves on the host."""
        return steps_of(self.graph, cpp=self.cpp)

    @cached_property
    def whole(self) -> tuple[str, ...] | None:
        """The symbols of a complete invocation, None where branches or loops decide on them."""
        once = all(step.occurrence is Occurrence.ONCE for step in self.steps)
        single = len({step.call for step in self.steps}) == len(self.steps) == len(self.graph.calls)
        return tuple(step.symbol for step in self.steps) if once and single else None

    @cached_property
    def alias(self) -> dict[str, str]:
        """Range names that stand for another wrapper of this graph."""
        return aliases(self.graph)

    @cached_property
    def alphabet(self) -> frozenset[str]:
        """Every symbol that the graph may leave."""
        return frozenset(step.symbol for step in self.steps)

    @cached_property
    def certain(self) -> Counter[str]:
        """How often each symbol has to be seen in one invocation."""
        return Counter(s.symbol for s in self.steps if s.occurrence is Occurrence.ONCE)

    @cached_property
    def hashes(self) -> dict[str, str]:
        """Content hash by wrapper, where the code names its kernel path."""
        return {kernel.name: kernel.hash for kernel in self.graph.kernels if kernel.hash}

    def spell(self, symbols: Sequence[str]) -> list[str]:
        """`symbols` as this graph writes them."""
        return [self.alias.get(symbol, symbol) for symbol in symbols]

    def covers(self, evidence: _Evidence) -> bool:
        """Whether every kernel seen is one of this graph's, with no other content hash."""
        return all(
            self.alias.get(name, name) in self.alphabet for name in evidence.kernels
        ) and all(self.hashes.get(name, seen) == seen for name, seen in evidence.hashes.items())

    def proven_by(self, evidence: _Evidence) -> bool:
        """Whether a content hash that was seen stands in this graph's code."""
        return any(self.hashes.get(name) == seen for name, seen in evidence.hashes.items())

    def fully_fits(self, evidence: _Evidence, *, kernels: bool = False) -> bool:
        """Whether every statement that had to run was seen as often as it had to.

        `kernels` asks about kernels alone, of which there must be some.
        """
        certain = {s: n for s, n in self.certain.items() if is_kernel_symbol(s) or not kernels}
        seen: Counter[str] = Counter()
        for symbol, count in evidence.typical.items():
            seen[self.alias.get(symbol, symbol)] += count
        return bool(certain) and all(
            seen[symbol] == count
            or (evidence.may_benchmark and is_kernel_symbol(symbol) and seen[symbol] > count)
            for symbol, count in certain.items()
        )

    def shares_most(self, evidence: _Evidence) -> bool:
        """Whether kernels were seen, and at least half of those that had to run."""
        certain = sum(is_kernel_symbol(symbol) for symbol in self.certain)
        return 0 < certain <= 2 * len(evidence.kernels)

    def in_order(self, evidence: _Evidence) -> bool:
        """Whether most groups show this graph's statements in the order of its code."""
        ordered = sum(align(self.spell(g.symbols), self.steps).ordered for g in evidence.groups)
        return 2 * ordered > len(evidence.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """What the groups of one bucket show together.

    `typical` is each symbol's most common number per group: lost events don't change it.
    """

    groups: Sequence[Group]
    kernels: frozenset[str]
    hashes: dict[str, str]
    typical: dict[str, int]
    may_benchmark: bool

    @classmethod
    def of(cls, host: Host, groups: Sequence[Group]) -> _Evidence:
        """Gather it; of several groups the first may hold benchmarks and is not `typical`."""
        settled = groups[1:] if len(groups) >= _ENOUGH else groups
        counts = [Counter(group.symbols) for group in settled]
        symbols = {symbol for group in groups for symbol in group.symbols}
        return cls(
            groups=groups,
            kernels=frozenset(filter(is_kernel_symbol, symbols)),
            hashes=_hashes(host, groups),
            typical={symbol: _mode([count[symbol] for count in counts]) for symbol in symbols},
            may_benchmark=settled is groups,
        )


def _mode(numbers: Sequence[int]) -> int:
    """The most common number, the larger of equals."""
    ranked = Counter(numbers)
    return max(ranked, key=lambda number: (ranked[number], number))


def candidates(graphs: Sequence[CompiledGraph], host: Host) -> tuple[Candidate, ...]:
    """All graphs, ready to be asked about what `host` recorded."""
    return tuple(
        Candidate(position=i, graph=graph, cpp=host.shows_cpp) for i, graph in enumerate(graphs)
    )


def identify(
    known: Sequence[Candidate], host: Host, groups: Sequence[Group]
) -> tuple[Identity, ...]:
    """The graph of each group, in the order of `groups`."""
    buckets: dict[object, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        buckets[group.key if group.key is not None else number].append(number)
    decided = {
        bucket: _decide(known, host, [groups[number] for number in numbers])
        for bucket, numbers in buckets.items()
    }
    claims: Counter[tuple[int, ...]] = Counter(
        identity.graphs
        for bucket, identity in decided.items()
        if isinstance(bucket, str) and len(identity.graphs) == 1
    )
    found: dict[int, Identity] = {}
    for bucket, numbers in buckets.items():
        identity = decided[bucket]
        recorded = any(candidate.graph.cache_key == bucket for candidate in known)
        if isinstance(bucket, str) and claims[identity.graphs] > 1 and not recorded:
            identity = _weakened(identity, "several cache keys fit this graph")
        for number in numbers:
            sure = groups[number].sure
            found[number] = identity if sure else _weakened(identity, "cut out by its order alone")
    return tuple(found[number] for number in range(len(groups)))


def _decide(known: Sequence[Candidate], host: Host, groups: Sequence[Group]) -> Identity:
    key = groups[0].key
    if key is not None:
        named = tuple(c.position for c in known if c.graph.cache_key == key)
        if named:
            return _identity(named, f"the graph's FX cache key is {key}")
    identity = _by_evidence(known, _Evidence.of(host, groups))
    others = {c.position for c in known if c.graph.cache_key is not None}
    if key is not None and not others.isdisjoint(identity.graphs):
        identity = _weakened(identity, "its log gives it another cache key")
    return identity


def _by_evidence(known: Sequence[Candidate], evidence: _Evidence) -> Identity:
    fitting = [candidate for candidate in known if candidate.covers(evidence)]
    proven = [candidate for candidate in fitting if candidate.proven_by(evidence)]
    if proven:
        return _by_hash(proven, evidence)
    return _by_statements(fitting, evidence)


def _by_hash(proven: Sequence[Candidate], evidence: _Evidence) -> Identity:
    """Decide among graphs that hold a kernel with a content hash that was seen."""
    whole = _whole(proven, evidence)
    why = f"kernel_hash equals `# kernel path` of the code ({len(evidence.hashes)} kernels)"
    identity = _identity(tuple(c.position for c in whole or proven), why)
    if not whole:
        identity = _weakened(identity, "some statements were not seen")
    return replace(identity, method=Method.KERNEL_HASH)


def _by_statements(fitting: Sequence[Candidate], evidence: _Evidence) -> Identity:
    """Decide by the statements that were seen: names only, so only a full fit is certain."""
    whole = _whole(fitting, evidence)
    if len(whole) == 1:
        why = "the only graph all of whose statements were seen"
        identity = _identity((whole[0].position,), why)
        lonely = len(fitting) > 1 and len(evidence.groups) < _ENOUGH
        return _weakened(identity, "another graph fits in part") if lonely else identity
    if whole:
        return _identity(tuple(c.position for c in whole), "several graphs fit alike")
    kernels = [candidate for candidate in fitting if candidate.fully_fits(evidence, kernels=True)]
    if len(kernels) == 1:
        identity = _identity((kernels[0].position,), "all its kernels were seen")
        return _weakened(identity, "not all its library calls")
    keyed = evidence.groups[0].key is not None
    if not fitting or len(evidence.groups) >= _ENOUGH or (keyed and not evidence.kernels):
        return NOBODY
    return _in_part(fitting, evidence)


def _in_part(fitting: Sequence[Candidate], evidence: _Evidence) -> Identity:
    """Decide where statements are missing: events were lost, or another graph ran."""
    close = [c for c in fitting if c.shares_most(evidence)]
    if len(close) == 1:
        identity = _identity((close[0].position,), "most of its statements were seen")
        return _weakened(identity, "some are missing")
    return Identity(
        graphs=tuple(c.position for c in close or fitting),
        confidence=Confidence.AMBIGUOUS,
        reason=Reason.SEVERAL_GRAPHS if len(close or fitting) > 1 else Reason.COUNT_DIFFERS,
        why="statements are missing; its code, or a graph that was not given, ran here",
    )


def _whole(fitting: Sequence[Candidate], evidence: _Evidence) -> list[Candidate]:
    """The graphs that fit fully; where several do, those whose order fits as well."""
    whole = [candidate for candidate in fitting if candidate.fully_fits(evidence)]
    if len(whole) > 1:
        return [candidate for candidate in whole if candidate.in_order(evidence)] or whole
    return whole


def _hashes(host: Host, groups: Sequence[Group]) -> dict[str, str]:
    """Content hash by wrapper, as the ranges of `groups` export it."""
    rows = np.array([row for group in groups for row in group.rows], dtype=np.int64)
    exported = rows[host.ranges.detail_id[rows] >= 0] if len(rows) else rows
    pairs = host.ranges.name_id[exported] * len(host.ranges.details)
    first = np.unique(pairs + host.ranges.detail_id[exported], return_index=True)[1]
    found: dict[str, str] = {}
    for row in exported[first].tolist():
        detail = host.ranges.detail(row)
        if detail and detail.kernel_hash:
            found.setdefault(host.symbol(row), detail.kernel_hash)
    return found


def _identity(graphs: tuple[int, ...], why: str) -> Identity:
    if len(graphs) == 1:
        return Identity(graphs=graphs, confidence=Confidence.EXACT, why=why)
    return Identity(
        graphs=graphs, confidence=Confidence.AMBIGUOUS, reason=Reason.SEVERAL_GRAPHS, why=why
    )


def _weakened(identity: Identity, why: str) -> Identity:
    """`identity`, at best inferred."""
    confidence = max(identity.confidence, Confidence.INFERRED)
    return replace(identity, confidence=confidence, why=f"{identity.why}; {why}")
