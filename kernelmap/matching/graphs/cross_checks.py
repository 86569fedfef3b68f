"""Graph assignments held against one another: regions narrow them, contradictions weaken them.

A function that is compiled again (`0/1` after `0/0`) often runs the same statements. Where no cache
key names the graph, the region around it does: `Torch-Compiled Region: 1/0` has compile id 1/0, the
log states that of each graph. A backward runs outside of its region, on autograd's thread; the
sequence number that autograd gives to forward and backward leads back to it. Regions of torch
before 2.5 carry no compile id. A graph whose compile id nobody stated may be any of them.

Each span is assigned by itself (assignment.py). All spans together may contradict an assignment:
one graph is claimed from two places, or code ran that was not given. An assignment by names is then
at best inferred, because another graph may have the same names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from kernelmap.matching.graphs.assignment import GraphAssignment
from kernelmap.matching.graphs.candidates import GraphCandidate
from kernelmap.matching.host_side.host import GraphSpan, Host
from kernelmap.matching.host_side.roles import BACKWARD, FORWARD
from kernelmap.matching.names.symbols import is_kernel_symbol
from kernelmap.model import NONE, CompiledGraph, Confidence, Method, Reason
from kernelmap.model.columns import by_name, nearest_ancestor
from kernelmap.model.names import compile_id
from kernelmap.model.trace import Bool


def compile_ids(host: Host, spans: Sequence[GraphSpan]) -> tuple[str | None, ...]:
    """The compile id of the region that each span ran in, None where the trace tells none."""
    ranges = host.ranges
    ids = [compile_id(name) for name in ranges.names]
    named = by_name(ranges.name_id, [region is not None for region in ids])
    if not named.any():
        return (None,) * len(spans)
    # The nearest region with a compile id around each span, -1 where there is none; (spans,).
    containers = np.array([span.container for span in spans], dtype=np.int64)
    region = nearest_ancestor(ranges.parent, named, containers)
    # A backward has no region of its own around it: the sequence number of autograd's function
    # leads to that of the forward.
    backward = by_name(ranges.name_id, [name == BACKWARD for name in ranges.names])
    around = nearest_ancestor(ranges.parent, backward, containers)
    forward = _forward_regions(host, named)
    for number in np.flatnonzero((region == NONE) & (around != NONE)).tolist():
        behind = int(around[number])
        slot = (int(ranges.process[behind]), int(ranges.sequence[behind]))
        region[number] = forward.get(slot, NONE)
    return tuple(ids[int(ranges.name_id[row])] if row != NONE else None for row in region.tolist())


def _forward_regions(host: Host, named: Bool) -> Mapping[tuple[int, int], int]:
    """The row of a forward's region by process and sequence number."""
    ranges = host.ranges
    forward = by_name(ranges.name_id, [name == FORWARD for name in ranges.names])
    rows = np.flatnonzero(forward & (ranges.sequence >= 0))
    regions = nearest_ancestor(ranges.parent, named, rows)
    slots = zip(ranges.process[rows].tolist(), ranges.sequence[rows].tolist(), strict=True)
    return dict(zip(slots, regions.tolist(), strict=True))


def narrowed_by_region(
    candidates: Sequence[GraphCandidate],
    spans: Sequence[GraphSpan],
    assignments: Sequence[GraphAssignment],
    regions: Sequence[str | None],
) -> tuple[GraphAssignment, ...]:
    """`assignments`, with fewer graphs where `regions`, the compile ids around the spans, tell.

    Spans of one cache key ran one graph, so their regions have to agree on it.
    """
    # By bucket: the graphs that may have been compiled in every region around its spans, and
    # these regions.
    fitting: dict[object, set[int]] = {}
    around: dict[object, set[str]] = defaultdict(set)
    buckets = [span.key if span.key is not None else number for number, span in enumerate(spans)]
    for bucket, assignment, region in zip(buckets, assignments, regions, strict=True):
        if assignment.alike and region is not None:
            mine = {at for at in assignment.graphs if _may_be(candidates[at].graph, region)}
            fitting[bucket] = fitting.get(bucket, mine) & mine
            around[bucket].add(region)
    return tuple(
        _narrow_by_regions(assignment, fitting.get(bucket, set()), around[bucket])
        if assignment.alike
        else assignment
        for bucket, assignment in zip(buckets, assignments, strict=True)
    )


def _narrow_by_regions(
    assignment: GraphAssignment, graphs: set[int], regions: set[str]
) -> GraphAssignment:
    # Where no graph fits the regions, or all do, they tell nothing.
    kept = tuple(at for at in assignment.graphs if at in graphs)
    if not kept or kept == assignment.graphs:
        return assignment
    why = f"{assignment.why}; Dynamo's region has compile id {', '.join(sorted(regions))}"
    if len(kept) > 1:
        return replace(assignment, graphs=kept, why=why)
    return replace(
        assignment,
        graphs=kept,
        confidence=Confidence.EXACT,
        reason=Reason.NONE,
        why=why,
        alike=False,
    )


def _may_be(graph: CompiledGraph, region: str) -> bool:
    """Whether the graph was compiled in this region, for all that is known."""
    # Compile ids that are known of the graph, without the attempt.
    stated = {emitted.compilation.compile_id for emitted in graph.emitted}
    if graph.compile_id is not None:
        stated.add(graph.compile_id.partition("_")[0])
    return not stated or region in stated


def cross_checked(
    candidates: Sequence[GraphCandidate],
    host: Host,
    spans: Sequence[GraphSpan],
    assignments: Sequence[GraphAssignment],
    regions: Sequence[str | None],
) -> tuple[GraphAssignment, ...]:
    """`assignments`, weakened where the rest of the trace speaks against them.

    `regions` are the compile ids around the spans.
    """
    claims = _Claims(candidates)
    for span, assignment, region in zip(spans, assignments, regions, strict=True):
        claims.note_claim(span, assignment, region)
        claims.missing = claims.missing or (not assignment.graphs and _is_compiled_work(host, span))
    checked = []
    for span, assignment, region in zip(spans, assignments, regions, strict=True):
        doubt = claims.find_doubt(span, assignment, region)
        checked.append(assignment.weakened(doubt) if doubt else assignment)
    return tuple(checked)


class _Claims:
    """Under which cache keys, and in which regions, each graph was seen.

    `with_ids` are the processes in which regions bear compile ids; `missing` says that code ran
    which was not given.
    """

    def __init__(self, candidates: Sequence[GraphCandidate]) -> None:
        self.candidates = candidates
        self.missing = False
        self.with_ids: set[int] = set()
        self.keys: dict[int, set[str | None]] = defaultdict(set)
        self.regions: dict[tuple[int, int], set[str]] = defaultdict(set)

    def note_claim(self, span: GraphSpan, assignment: GraphAssignment, region: str | None) -> None:
        """Count what one span claims."""
        if region is not None:
            self.with_ids.add(span.process)
        if len(assignment.graphs) != 1:
            return
        graph = assignment.graphs[0]
        if span.graph_range != NONE:
            self.keys[graph].add(span.key)
        seen = self.regions[graph, span.process]
        stated = self.candidates[graph].graph.compile_id
        # `0/0_1` is a second attempt at `0/0`: the same compilation.
        seen.update(one.partition("_")[0] for one in (region, stated) if one is not None)

    def find_doubt(
        self, span: GraphSpan, assignment: GraphAssignment, region: str | None
    ) -> str | None:
        """What speaks against the claim of one span, None for nothing."""
        if len(assignment.graphs) != 1 or self._is_recorded_key(span, assignment.graphs[0]):
            return None
        graph = assignment.graphs[0]
        # One graph has one key, so one of these keys is that of a graph that was not given.
        if len(self.keys[graph]) > 1:
            return "several cache keys fit this graph"
        seen = self.regions[graph, span.process]
        by_names = assignment.method is not Method.KERNEL_HASH
        # Equal keys and equal hashes are one code, wherever it was compiled.
        if len(seen) > 1 and (by_names or span.key is None):
            return "it fits several compiled regions"
        # Others in this process bear compile ids: this span lost its region, or is none of
        # torch.compile's.
        if region is None and span.key is None and span.process in self.with_ids:
            return "the compiled region around it is not known"
        if by_names and self.missing:
            return "code is missing that may look the same"
        return None

    def _is_recorded_key(self, span: GraphSpan, graph: int) -> bool:
        return span.key is not None and span.key == self.candidates[graph].graph.cache_key


def _is_compiled_work(host: Host, span: GraphSpan) -> bool:
    """Whether a span shows that compiled code ran: kernels, or operators that launched something.

    On the bare thread it may be anybody's. A replay whose capture was seen adds nothing: the code
    ran where it was captured.
    """
    if span.graph_range == NONE and (span.container == NONE or not host.compiled[span.container]):
        return False
    if span.replays and not host.replays_unseen_capture(span):
        return False
    return any(
        is_kernel_symbol(symbol) or host.launched[row]
        for row, symbol in zip(span.rows, span.symbols, strict=True)
    )
