"""Clones in an invocation → the statements `copy_if_misaligned(INPUT)` that made them.

Such a statement copies an input of its graph only where its memory is not aligned as the code wants
it, so it is no call of the graph. Where it ran, it becomes one: behind all others, so that these
keep their numbers. Torch clones inputs of its own before the first statement, and so does the
autotuner; so a statement is at best inferred, and none is named beside benchmarks, or where more
was cloned than the code says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from msgspec import structs

from kernelmap.matching.graphs.assignment import GraphAssignment
from kernelmap.matching.graphs.candidates import GraphCandidate
from kernelmap.matching.graphs.sequence import INPUTS, Placement, align_ranges
from kernelmap.matching.host_side.host import GraphSpan
from kernelmap.matching.names.symbols import is_kernel_symbol
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence, Reason
from kernelmap.model.program import AlignmentCopy, call_of_copy

_CLONE = "aten.clone"


def with_copied_inputs(
    program: CompiledProgram,
    candidates: Sequence[GraphCandidate],
    spans: Sequence[tuple[GraphSpan, GraphAssignment]],
) -> CompiledProgram:
    """The program with a call for each statement that may have copied an input in some span."""
    looks: set[tuple[int, tuple[str, ...]]] = set()
    for span, assignment in spans:
        if len(assignment.graphs) == 1 and span.part is None and not span.replays:
            graph = assignment.graphs[0]
            if _may_hold_copies(candidates[graph], span.symbols):
                looks.add((graph, span.symbols))
    ran: dict[int, set[AlignmentCopy]] = defaultdict(set)
    for graph, symbols in looks:
        candidate = candidates[graph]
        alignment = align_ranges(candidate.spell_symbols(symbols), candidate.steps)
        for copies in _find_copies(candidate, symbols, alignment.placements).values():
            ran[graph].update(copies)
    if not any(ran.values()):
        return program
    graphs = list(program.graphs)
    for number, found in ran.items():
        graphs[number] = _with_calls(graphs[number], found)
    return structs.replace(program, graphs=tuple(graphs))


def place_copies(
    candidate: GraphCandidate,
    graph: CompiledGraph,
    symbols: Sequence[str],
    placements: Sequence[Placement],
) -> Mapping[int, Placement]:
    """The calls of `graph`, made of copies, that ranges stand for which its code does not run."""
    if not _may_hold_copies(candidate, symbols):
        return {}
    # The calls that `with_copied_inputs` gave the graph, by the line of their statement.
    added = {call.line: call.index for call in graph.calls[len(candidate.graph.calls) :]}
    placed = {}
    for at, copies in _find_copies(candidate, symbols, placements).items():
        calls = tuple(added[copy.line] for copy in copies if copy.line in added)
        if len(calls) == 1:
            placed[at] = Placement(calls, Confidence.INFERRED)
        elif calls:
            placed[at] = Placement(calls, Confidence.AMBIGUOUS, Reason.CONDITIONAL)
    return placed


def _may_hold_copies(candidate: GraphCandidate, symbols: Sequence[str]) -> bool:
    return (
        bool(candidate.graph.alignment_copies)
        and _CLONE in symbols
        and _CLONE not in candidate.alphabet
    )


def _shows_benchmarks(candidate: GraphCandidate, symbols: Sequence[str]) -> bool:
    """Whether kernels ran more often than the code runs them: the autotuner clones, too."""
    seen = Counter(filter(is_kernel_symbol, candidate.spell_symbols(symbols)))
    written = Counter(step.symbol for step in candidate.steps)
    return any(number > written[symbol] for symbol, number in seen.items())


def _find_copies(
    candidate: GraphCandidate, symbols: Sequence[str], placements: Sequence[Placement]
) -> dict[int, tuple[AlignmentCopy, ...]]:
    """By place in `symbols`, the statements that each clone may be."""
    if _shows_benchmarks(candidate, symbols):
        return {}
    # Clones that stand between the same two calls are told apart by their order alone.
    stretches: dict[tuple[int, int], list[int]] = defaultdict(list)
    calls = [one.calls[0] if len(one.calls) == 1 else None for one in placements]
    for at, symbol in enumerate(symbols):
        if symbol == _CLONE and placements[at] is INPUTS:
            before = max((call for call in calls[:at] if call is not None), default=-1) + 1
            after = min(
                (call for call in calls[at:] if call is not None),
                default=len(candidate.graph.calls),
            )
            stretches[before, after].append(at)
    found: dict[int, tuple[AlignmentCopy, ...]] = {}
    for (before, after), clones in stretches.items():
        copies = tuple(
            copy for copy in candidate.graph.alignment_copies if before <= copy.before <= after
        )
        if len(copies) == len(clones):
            found |= {at: (copy,) for at, copy in zip(clones, copies, strict=True)}
        elif len(copies) > len(clones):
            found |= dict.fromkeys(clones, copies)
    return found


def _with_calls(graph: CompiledGraph, copies: set[AlignmentCopy]) -> CompiledGraph:
    first = len(graph.calls)
    in_order = sorted(copies, key=lambda copy: copy.line)
    added = (call_of_copy(copy, first + number) for number, copy in enumerate(in_order))
    return structs.replace(graph, calls=(*graph.calls, *added))
