"""Graph spans → the graph that each ran: by cache key, content hash, or statements.

Spans with one FX cache key ran one graph, so their evidence is taken together. From strong to weak:
the key itself (a compile log names it), the kernels' content hashes, the only graph whose
statements fit. A graph fits when every kernel seen is one of its kernels; it fits *fully* when,
besides, every statement that had to run was seen as often as it had to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from kernelmap.matching.graphs.candidates import ENOUGH, GraphCandidate, SpanEvidence
from kernelmap.matching.host_side.host import GraphSpan, Host, bare_kernels
from kernelmap.model import Confidence, Method, Reason


class GraphAssignment(Struct, frozen=True, kw_only=True):
    """The graphs (positions in the program) that a span may have run, and what decided it.

    `alike` where several stand, and all statements of each of them were seen.
    """

    graphs: tuple[int, ...]
    confidence: Confidence
    method: Method = Method.RANGE
    reason: Reason = Reason.NONE
    why: str
    alike: bool = False

    def weakened(self, why: str) -> GraphAssignment:
        """The same, at best inferred."""
        confidence = max(self.confidence, Confidence.INFERRED)
        return replace(self, confidence=confidence, why=f"{self.why}; {why}")


NO_GRAPH = GraphAssignment(
    graphs=(),
    confidence=Confidence.UNKNOWN,
    reason=Reason.NO_CODE,
    why="no given code has the kernels of this range",
)

REPLAYED = GraphAssignment(
    graphs=(),
    confidence=Confidence.UNKNOWN,
    reason=Reason.GRAPH_REPLAY,
    why="a graph launch replayed it, and its statements were never seen to run",
)


def assign_graphs(
    candidates: Sequence[GraphCandidate], host: Host, spans: Sequence[GraphSpan]
) -> tuple[GraphAssignment, ...]:
    """The graph of each span, in the order of `spans`, each cache key by itself."""
    # Spans of one key are judged together, a span without a key by itself.
    buckets: dict[object, list[int]] = defaultdict(list)
    for number, span in enumerate(spans):
        buckets[span.key if span.key is not None else number].append(number)
    judge = _Judge(candidates, host)
    by_number: dict[int, GraphAssignment] = {}
    for numbers in buckets.values():
        assignment = judge.decide_graph([spans[number] for number in numbers])
        for number in numbers:
            sure = spans[number].sure
            by_number[number] = (
                assignment if sure else assignment.weakened("cut out by its order alone")
            )
    return tuple(by_number[number] for number in range(len(spans)))


class _Judge:
    """Decides bucket by bucket; what looks the same is decided once."""

    def __init__(self, candidates: Sequence[GraphCandidate], host: Host) -> None:
        self.candidates, self.host = candidates, host
        names = {name for candidate in candidates for name in candidate.device_names}
        self.bare = bare_kernels(host, names)
        self.decided: dict[object, GraphAssignment] = {}

    def decide_graph(self, spans: Sequence[GraphSpan]) -> GraphAssignment:
        """The graph that one bucket ran."""
        key, part = spans[0].key, spans[0].part
        # Which graph a cut-off stretch belongs to was settled when it was cut out.
        if part is not None:
            end = "end" if part.is_end else "beginning"
            return _assign_graphs((part.graph,), f"the {end} of an invocation that was cut off")
        if key is not None:
            # A log or a cache entry gives the graph this very key: nothing else is asked.
            named = tuple(c.position for c in self.candidates if c.graph.cache_key == key)
            if named:
                return _assign_graphs(named, f"the graph's FX cache key is {key}")
        shown = self._spans_with_statements(spans)
        if not shown:
            return REPLAYED
        evidence = SpanEvidence.gather(self.host, shown, self.bare)
        if key is None:
            return self._decide_single_span(shown[0], evidence)
        assignment = self._find_fitting_graph(evidence)
        # A graph of another key fits by its statements: a graph that was not given may have run.
        others = {c.position for c in self.candidates if c.graph.cache_key is not None}
        if not others.isdisjoint(assignment.graphs):
            return assignment.weakened("its log gives it another cache key")
        return assignment

    def _spans_with_statements(self, spans: Sequence[GraphSpan]) -> Sequence[GraphSpan]:
        """The spans that show statements: captures, in which nothing is benchmarked, or runs."""
        captures = [span for span in spans if span.captures]
        return captures or [span for span in spans if not span.replays]

    def _decide_single_span(self, span: GraphSpan, evidence: SpanEvidence) -> GraphAssignment:
        """The graph of a span that no key joins to others."""
        hashes = tuple(sorted(evidence.hashes.items()))
        may = evidence.may_benchmark
        looks = (span.symbols, hashes, evidence.working, evidence.bare, may)
        if looks not in self.decided:
            self.decided[looks] = self._find_fitting_graph(evidence)
        return self.decided[looks]

    def _find_fitting_graph(self, evidence: SpanEvidence) -> GraphAssignment:
        """The graph that the evidence speaks for; borrowed code is asked where no other fits."""
        assignment = _by_evidence([c for c in self.candidates if not c.graph.borrowed], evidence)
        if assignment.graphs:
            return assignment
        borrowed = _by_evidence([c for c in self.candidates if c.graph.borrowed], evidence)
        if not borrowed.graphs:
            return assignment
        return borrowed.weakened("its code is that of other runs")


def _by_evidence(candidates: Sequence[GraphCandidate], evidence: SpanEvidence) -> GraphAssignment:
    covering = [candidate for candidate in candidates if candidate.covers_evidence(evidence)]
    # Kernels that lost their range speak by device name, but only where some graph has them all.
    fitting = [candidate for candidate in covering if candidate.has_bare(evidence)] or covering
    proven = [candidate for candidate in fitting if candidate.proven_by(evidence)]
    if not proven:
        return _by_statements(fitting, evidence)
    why = f"kernel_hash equals `# kernel path` of the code ({len(evidence.hashes)} kernels)"
    assignment = _by_full_fit(proven, evidence, why, why)
    if assignment is None:
        assignment = _assign_graphs(tuple(c.position for c in proven), why)
        assignment = assignment.weakened("some statements were not seen")
    return replace(assignment, method=Method.KERNEL_HASH)


def _by_statements(fitting: Sequence[GraphCandidate], evidence: SpanEvidence) -> GraphAssignment:
    """Decide by the statements that were seen: names only, so only a full fit is certain."""
    single = "the only graph all of whose statements were seen"
    assignment = _by_full_fit(fitting, evidence, single, "several graphs fit alike")
    if assignment is not None:
        return assignment
    # Ranges of library calls may be lost or foreign, so kernels alone may tell the graph, less
    # surely.
    kernels = [candidate for candidate in fitting if candidate.fully_fits(evidence, kernels=True)]
    if len(kernels) == 1:
        assignment = _assign_graphs((kernels[0].position,), "all its kernels were seen")
        return assignment.weakened("not all its library calls")
    # So many invocations do not all lose the same events: code ran that was not given. Nor do
    # library calls alone name the graph of a key.
    keyed = evidence.spans[0].key is not None
    if not fitting or len(evidence.spans) >= ENOUGH or (keyed and not evidence.kernels):
        return NO_GRAPH
    return _in_part(fitting, evidence)


def _by_full_fit(
    fitting: Sequence[GraphCandidate], evidence: SpanEvidence, single: str, several: str
) -> GraphAssignment | None:
    """Decide by the graphs that fit fully, for the reason `single` or `several`; None without one.

    Where several fit, those whose order fits as well.
    """
    whole = [candidate for candidate in fitting if candidate.fully_fits(evidence)]
    if len(whole) > 1:
        whole = [candidate for candidate in whole if candidate.in_order(evidence)] or whole
    if len(whole) == 1:
        return _judge_only_fit(whole[0], fitting, evidence, single)
    if whole:
        return replace(_assign_graphs(tuple(c.position for c in whole), several), alike=True)
    return None


def _judge_only_fit(
    best: GraphCandidate, fitting: Sequence[GraphCandidate], evidence: SpanEvidence, why: str
) -> GraphAssignment:
    """The only graph that fully fits, as sure as its rivals and doubts leave it."""
    assignment = _assign_graphs((best.position,), why)
    if doubt := best.find_doubts(evidence):
        return assignment.weakened(doubt)
    # Of few spans, the other graph may be the one that ran, with events lost.
    if len(fitting) > 1 and len(evidence.spans) < ENOUGH:
        return assignment.weakened("another graph fits in part")
    return assignment


def _in_part(fitting: Sequence[GraphCandidate], evidence: SpanEvidence) -> GraphAssignment:
    """Decide where statements are missing: events were lost, or another graph ran."""
    close = [c for c in fitting if c.shares_most(evidence)]
    if len(close) == 1:
        assignment = _assign_graphs((close[0].position,), "most of its statements were seen")
        return assignment.weakened("some are missing")
    return GraphAssignment(
        graphs=tuple(c.position for c in close or fitting),
        confidence=Confidence.AMBIGUOUS,
        reason=Reason.SEVERAL_GRAPHS if len(close or fitting) > 1 else Reason.COUNT_DIFFERS,
        why="statements are missing; its code, or a graph that was not given, ran here",
    )


def _assign_graphs(graphs: tuple[int, ...], why: str) -> GraphAssignment:
    if len(graphs) == 1:
        return GraphAssignment(graphs=graphs, confidence=Confidence.EXACT, why=why)
    return GraphAssignment(
        graphs=graphs, confidence=Confidence.AMBIGUOUS, reason=Reason.SEVERAL_GRAPHS, why=why
    )
