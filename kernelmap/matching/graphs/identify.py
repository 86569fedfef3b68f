"""Which graph a stretch of host time ran.

Groups that carry one FX cache key ran one graph, so their evidence is taken together. From strong
to weak: the key itself (a compile log names it), the kernels' content hashes, the only graph whose
statements fit. A graph fits when every kernel seen is one of its kernels; it fits *fully* when,
besides, every statement that had to run was seen as often as it had to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kernelmap.matching.graphs.candidates import ENOUGH, Candidate, Evidence
from kernelmap.matching.host_side.bare import bare_kernels
from kernelmap.matching.host_side.groups import Group
from kernelmap.matching.host_side.host import Host
from kernelmap.model import Confidence, Method, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The graphs (positions in the program) that a group may have run, and what decided it.

    `alike` where several stand, and all statements of each of them were seen.
    """

    graphs: tuple[int, ...]
    confidence: Confidence
    method: Method = Method.RANGE
    reason: Reason = Reason.NONE
    why: str
    alike: bool = False

    def weakened(self, why: str) -> Identity:
        """The same, at best inferred."""
        confidence = max(self.confidence, Confidence.INFERRED)
        return replace(self, confidence=confidence, why=f"{self.why}; {why}")


NOBODY = Identity(
    graphs=(),
    confidence=Confidence.UNKNOWN,
    reason=Reason.NO_CODE,
    why="no given code has the kernels of this range",
)

REPLAYED = Identity(
    graphs=(),
    confidence=Confidence.UNKNOWN,
    reason=Reason.GRAPH_REPLAY,
    why="a graph launch replayed it, and its statements were never seen to run",
)


def identify(
    known: Sequence[Candidate], host: Host, groups: Sequence[Group]
) -> tuple[Identity, ...]:
    """The graph of each group, in the order of `groups`, each cache key by itself."""
    buckets: dict[object, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        buckets[group.key if group.key is not None else number].append(number)
    judge = _Judge(known, host)
    found: dict[int, Identity] = {}
    for numbers in buckets.values():
        identity = judge.decide([groups[number] for number in numbers])
        for number in numbers:
            sure = groups[number].sure
            found[number] = identity if sure else identity.weakened("cut out by its order alone")
    return tuple(found[number] for number in range(len(groups)))


class _Judge:
    """Decides bucket by bucket; what looks the same is decided once."""

    def __init__(self, known: Sequence[Candidate], host: Host) -> None:
        self.known, self.host = known, host
        names = {name for candidate in known for name in candidate.device_names}
        self.bare = bare_kernels(host, names)
        self.decided: dict[object, Identity] = {}

    def decide(self, groups: Sequence[Group]) -> Identity:
        """The graph that one bucket ran."""
        key, part = groups[0].key, groups[0].part
        if part is not None:
            end = "end" if part.is_end else "beginning"
            return _identity((part.graph,), f"the {end} of an invocation that was cut off")
        if key is not None:
            named = tuple(c.position for c in self.known if c.graph.cache_key == key)
            if named:
                return _identity(named, f"the graph's FX cache key is {key}")
        shown = self._shown(groups)
        if not shown:
            return REPLAYED
        evidence = Evidence.of(self.host, shown, self.bare)
        if key is None:
            return self._alone(shown[0], evidence)
        identity = self._fitting(evidence)
        others = {c.position for c in self.known if c.graph.cache_key is not None}
        if not others.isdisjoint(identity.graphs):
            return identity.weakened("its log gives it another cache key")
        return identity

    def _shown(self, groups: Sequence[Group]) -> Sequence[Group]:
        """The groups that show statements: captures, in which nothing is benchmarked, or runs."""
        captures = [group for group in groups if group.captures]
        return captures or [group for group in groups if not group.replays]

    def _alone(self, group: Group, evidence: Evidence) -> Identity:
        """The graph of a group that no key joins to others."""
        hashes = tuple(sorted(evidence.hashes.items()))
        may = evidence.may_benchmark
        looks = (group.symbols, hashes, evidence.working, evidence.bare, may)
        if looks not in self.decided:
            self.decided[looks] = self._fitting(evidence)
        return self.decided[looks]

    def _fitting(self, evidence: Evidence) -> Identity:
        """The graph that the evidence speaks for; borrowed code is asked where no other fits."""
        identity = _by_evidence([c for c in self.known if not c.graph.borrowed], evidence)
        if identity.graphs:
            return identity
        borrowed = _by_evidence([c for c in self.known if c.graph.borrowed], evidence)
        if not borrowed.graphs:
            return identity
        return borrowed.weakened("its code is that of other runs")


def _by_evidence(known: Sequence[Candidate], evidence: Evidence) -> Identity:
    covering = [candidate for candidate in known if candidate.covers(evidence)]
    fitting = [candidate for candidate in covering if candidate.has_bare(evidence)] or covering
    proven = [candidate for candidate in fitting if candidate.proven_by(evidence)]
    if proven:
        return _by_hash(proven, evidence)
    return _by_statements(fitting, evidence)


def _by_hash(proven: Sequence[Candidate], evidence: Evidence) -> Identity:
    """Decide among graphs that hold a kernel with a content hash that was seen."""
    why = f"kernel_hash equals `# kernel path` of the code ({len(evidence.hashes)} kernels)"
    whole = _whole(proven, evidence)
    if len(whole) == 1:
        identity = _judged(whole[0], proven, evidence, why)
    else:
        identity = _identity(tuple(c.position for c in whole or proven), why)
        identity = replace(identity, alike=len(whole) > 1)
        if not whole:
            identity = identity.weakened("some statements were not seen")
    return replace(identity, method=Method.KERNEL_HASH)


def _by_statements(fitting: Sequence[Candidate], evidence: Evidence) -> Identity:
    """Decide by the statements that were seen: names only, so only a full fit is certain."""
    whole = _whole(fitting, evidence)
    if len(whole) == 1:
        return _judged(
            whole[0], fitting, evidence, "the only graph all of whose statements were seen"
        )
    if whole:
        identity = _identity(tuple(c.position for c in whole), "several graphs fit alike")
        return replace(identity, alike=True)
    kernels = [candidate for candidate in fitting if candidate.fully_fits(evidence, kernels=True)]
    if len(kernels) == 1:
        identity = _identity((kernels[0].position,), "all its kernels were seen")
        return identity.weakened("not all its library calls")
    keyed = evidence.groups[0].key is not None
    if not fitting or len(evidence.groups) >= ENOUGH or (keyed and not evidence.kernels):
        return NOBODY
    return _in_part(fitting, evidence)


def _judged(
    best: Candidate, fitting: Sequence[Candidate], evidence: Evidence, why: str
) -> Identity:
    """The identity of the only graph that fully fits, as sure as its rivals and doubts leave it."""
    identity = _identity((best.position,), why)
    if doubt := best.doubts(evidence):
        return identity.weakened(doubt)
    if len(fitting) > 1 and len(evidence.groups) < ENOUGH:
        return identity.weakened("another graph fits in part")
    return identity


def _in_part(fitting: Sequence[Candidate], evidence: Evidence) -> Identity:
    """Decide where statements are missing: events were lost, or another graph ran."""
    close = [c for c in fitting if c.shares_most(evidence)]
    if len(close) == 1:
        identity = _identity((close[0].position,), "most of its statements were seen")
        return identity.weakened("some are missing")
    return Identity(
        graphs=tuple(c.position for c in close or fitting),
        confidence=Confidence.AMBIGUOUS,
        reason=Reason.SEVERAL_GRAPHS if len(close or fitting) > 1 else Reason.COUNT_DIFFERS,
        why="statements are missing; its code, or a graph that was not given, ran here",
    )


def _whole(fitting: Sequence[Candidate], evidence: Evidence) -> list[Candidate]:
    """The graphs that fit fully; where several do, those whose order fits as well."""
    whole = [candidate for candidate in fitting if candidate.fully_fits(evidence)]
    if len(whole) > 1:
        return [candidate for candidate in whole if candidate.in_order(evidence)] or whole
    return whole


def _identity(graphs: tuple[int, ...], why: str) -> Identity:
    if len(graphs) == 1:
        return Identity(graphs=graphs, confidence=Confidence.EXACT, why=why)
    return Identity(
        graphs=graphs, confidence=Confidence.AMBIGUOUS, reason=Reason.SEVERAL_GRAPHS, why=why
    )
