"""Why a launch was paired as it was, in sentences that a person can check in the trace."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

import numpy as np
from msgspec import Struct

from kernelmap.matching.context.match_context import Invocation
from kernelmap.matching.context.notices import REASONS
from kernelmap.matching.match import Match
from kernelmap.matching.references.comparison import reference_evidence
from kernelmap.model import Activity, Confidence, Method, RangeDetail, Reason
from kernelmap.model.columns import distinct_values
from kernelmap.model.notices import format_count, format_duration
from kernelmap.model.program import CompiledGraph, WrapperCall
from kernelmap.model.trace import Int, Launches

WHY_BY_METHOD = {
    Method.RANGE: "a host range names the call",
    Method.KERNEL_HASH: "a host range names the call, a content hash the graph",
    Method.MARK: "a mark that was recorded around it names graph and call",
    Method.CAPTURE: "its graph node was captured inside a host range that names the call",
    Method.DEVICE_NAME: "only this call runs under the launch's device name",
    Method.CANDIDATES: "the device name leaves several calls",
    Method.ALIGNMENT: "its place among the other launches fits this call best",
    Method.RECORDED_NODE: "the driver told, during capture, that this call made its graph node",
    Method.RECORDED_ORDER: "its graph node stands where the recorded capture has this call",
    Method.TRANSFER: "a run of this code that shows its calls launched it here, in the same order",
}


class Explanation(Struct, frozen=True, kw_only=True):
    """`verdict` in one line, then the `evidence`, then the ids of the calls that also stand.

    `steps` is what the kernel of a call does in order, as far as its source says it, `memory` what
    the call does to memory. `launch` is the number of the launch that is explained, None for a
    call.
    """

    title: str
    verdict: str
    evidence: tuple[str, ...]
    candidates: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    memory: str | None = None
    launch: int | None = None


def explain_launch(match: Match, row: int) -> Explanation:
    """The evidence for launch `row`; IndexError where there is no such launch."""
    matching, launches = match.matching, match.context.trace.launches
    confidence = Confidence(int(matching.confidence[row]))
    call = int(matching.call[row])
    owner = match.program.call_id(call) if call >= 0 else None
    activity = Activity(int(launches.activity[row])).word
    method = Method(int(matching.method[row]))
    reason = Reason(int(matching.reason[row]))
    if owner:
        why = f"call {owner}, because {WHY_BY_METHOD.get(method, 'nothing else fits')}"
    elif method is Method.TRANSFER:
        why = "its graph was captured from eager code here, as a run that shows it tells"
    else:
        why = REASONS.get(reason, "nothing fits")
    verdict = f"{confidence.name.lower()}: {why}"
    return Explanation(
        title=f"launch {row}: {activity} {launches.names[int(launches.name_id[row])]}",
        verdict=verdict,
        evidence=tuple(_say_evidence(match, row)),
        candidates=tuple(
            match.program.call_id(candidate) for candidate in matching.candidates_of(row)
        ),
        launch=row,
    )


def explain_call(match: Match, position: int) -> Explanation:
    """What was seen of the call at `position` of the program."""
    graph, call = match.program.calls[position]
    matching = match.matching
    rows = np.flatnonzero(np.equal(matching.call, position))
    # How many launches have each confidence, strongest first.
    counts = np.bincount(matching.confidence[rows], minlength=len(Confidence)).tolist()
    numbers = {Confidence(at).name.lower(): count for at, count in enumerate(counts) if count}
    also = sum(
        position in matching.candidates_of(row)
        for row in np.flatnonzero(matching.with_confidence(Confidence.AMBIGUOUS)).tolist()
    )
    seen = ", ".join(f"{number} {word}" for word, number in numbers.items()) or "no launch"
    evidence = list(_say_statement(graph, call))
    evidence.append(
        f"{graph.id} {_say_how_often_it_ran(match, position)}; launches of this call: {seen}"
    )
    if also:
        names = "name" if also > 1 else "names"
        evidence.append(f"{format_count(also, 'ambiguous launch')} {names} it as a candidate")
    if len(rows):
        example = find_typical_launch(match, rows)
        evidence.append(f"for example launch {example}:")
        evidence.extend(_say_evidence(match, example))
    return Explanation(
        title=f"call {graph.call_id(call)}: {call.wrapper}",
        verdict=seen,
        evidence=tuple(evidence),
    )


def find_typical_launch(match: Match, rows: Int) -> int:
    """The launch of median duration among those of `rows` with their most common confidence.

    Of equally common confidences it is the strongest; `rows` must not be empty.
    """
    # Confidences are numbered from the strongest, and the first of equal counts is taken.
    confidence = match.matching.confidence[rows]
    values, counts = np.unique(confidence, return_counts=True)
    usual = rows[confidence == values[counts.argmax()]]
    by_duration = np.argsort(match.context.trace.launches.dur_ns[usual], kind="stable")
    return int(usual[by_duration[(len(usual) - 1) // 2]])


def _say_how_often_it_ran(match: Match, position: int) -> str:
    """How often the graph of a call was seen to run: by its ranges, or by its launches."""
    graph = int(match.program.graph_of_call[position])
    matching, process = match.matching, match.context.trace.launches.process
    around = [
        invocation
        for invocation in match.context.invocations
        if graph in invocation.assignment.graphs
    ]
    # An invocation counts once, whether its range, its launches or both were seen.
    runs = {
        (invocation.span.process, invocation.number)
        for invocation in around
        if invocation.number >= 0
    }
    in_graph = np.equal(match.program.graph_of_call[matching.call], graph) & (
        matching.invocation >= 0
    )
    # Thousands of launches are of one run: each pair of process and invocation is taken once, as
    # one number.
    most = int(matching.invocation.max(initial=0)) + 1
    pairs = distinct_values(process[in_graph] * most + matching.invocation[in_graph])
    runs.update(divmod(pair, most) for pair in pairs.tolist())
    doubtful = sum(invocation.number < 0 for invocation in around)
    if not runs and not doubtful:
        return "was not seen to run"
    seen = f"ran {format_count(len(runs), 'time')}" if runs else ""
    may = (
        f"may have run {format_count(doubtful, 'more time' if runs else 'time')}"
        if doubtful
        else ""
    )
    return ", and ".join(filter(None, (seen, may)))


def _say_statement(graph: CompiledGraph, call: WrapperCall) -> Iterator[str]:
    if graph.code is None:
        yield "known from the trace only: no code was given for this graph"
    else:
        yield f"statement at {graph.code}:{call.line}"
    kernel = graph.kernel_of(call)
    facts = {
        "heuristic": kernel.heuristic if kernel else None,
        "size hints": kernel.size_hints if kernel else None,
        "sizes": call.numels,
    }
    stated = [f"{name} {_join_fact(fact)}" for name, fact in facts.items() if fact]
    if stated:
        yield f"the code states {', '.join(stated)}"
    if call.handle is not None:
        yield f"provenance handle {call.wrapper}:{call.handle}"
    if call.origins is not None:
        yield f"original ops {', '.join(call.origins.aten) or '(none listed)'}"


def _say_evidence(match: Match, row: int) -> Iterator[str]:
    """What the trace shows around one launch, from the GPU up to the graph."""
    context = match.context
    trace, matching = context.trace, match.matching
    launches, apis, ranges = trace.launches, trace.apis, trace.ranges
    # A table of sums has neither times nor places.
    if trace.without_times[row]:
        alike = int(np.count_nonzero(launches.name_id == launches.name_id[row]))
        yield (
            f"{format_duration(int(launches.dur_ns[row]))} is the mean of "
            f"{format_count(alike, 'launch')} of this"
            " name in a table of sums, which does not say when and where one ran"
        )
        yield from _runner_up(match, row)
        return
    start = (int(launches.start_ns[row]) - trace.origin_ns) / 1e6
    yield (
        f"ran {format_duration(int(launches.dur_ns[row]))} at {start:.6f} "
        f"ms{_say_device_and_stream(launches, row)}"
        f"{_say_extent('grid', launches.grid[row])}{_say_extent('block', launches.block[row])}"
    )
    api = int(launches.api[row])
    if api >= 0:
        yield (
            f"launched by {apis.names[int(apis.name_id[api])]} (event {int(apis.event[api])}, "
            f"correlation {int(launches.correlation[row])})"
        )
    origin = int(launches.origin[row])
    if origin >= 0:
        when = (int(apis.start_ns[origin]) - trace.origin_ns) / 1e6
        yield (
            f"graph node {int(launches.graph_node[row])} goes back to "
            f"{apis.names[int(apis.name_id[origin])]} at {when:.6f} ms (event "
            f"{int(apis.event[origin])})"
        )
    if launches.graph_node[row] > 0:
        yield f"node {int(launches.graph_node[row])} of a CUDA graph"
    yield from reference_evidence(context, match.references, row)
    if matching.call[row] >= 0 and matching.method[row] in (Method.ALIGNMENT, Method.TRANSFER):
        yield from _say_neighbors(match, row)
    yield from _runner_up(match, row)
    # From the innermost range outwards, each with the calls that it stands for.
    at = int(context.host.host_range[row])
    while at >= 0:
        invocation = context.by_graph_range.get(at)
        stands = ""
        if context.decisions.made[at]:
            calls = [match.program.call_id(call) for call in context.decisions.calls_of_range(at)]
            stands = f"; it stands for {' or '.join(calls) or 'no call'}"
        sequence = int(ranges.sequence[at])
        place = f"event {int(ranges.event[at])}" + (f", sequence {sequence}" * (sequence >= 0))
        yield (
            f"inside range {ranges.name_of(at)!r} "
            f"({place}){_say_how_launched(ranges.detail_of(at))}{stands}"
        )
        if invocation is not None:
            yield from _graph_evidence(match, invocation)
        at = int(ranges.parent[at])


def _say_neighbors(match: Match, row: int) -> Iterator[str]:
    """The launches of the same invocation around one that was placed by its order."""
    matching, launches = match.matching, match.context.trace.launches
    graph, _ = match.program.calls[int(matching.call[row])]
    number = int(matching.invocation[row])
    owner = match.program.graph_of_call[matching.call]
    # Launches of the same graph, invocation and process, in the order of their calls.
    in_invocation = np.equal(owner, owner[row]) & np.equal(matching.invocation, number)
    in_invocation &= np.equal(launches.process, launches.process[row])
    rows = np.flatnonzero(in_invocation)
    rows = rows[np.argsort(matching.call[rows], kind="stable")].tolist()
    at = rows.index(row)
    seen = len(set(matching.call[rows].tolist()))
    yield f"in invocation {number} of {graph.id}: {seen} of its {len(graph.calls)} calls were found"
    for word, other in (("after", at - 1), ("before", at + 1)):
        if 0 <= other < len(rows):
            call = match.program.call_id(int(matching.call[rows[other]]))
            yield f"there it stands {word} launch {rows[other]} of call {call}"


def _runner_up(match: Match, row: int) -> Iterator[str]:
    """What else a launch under a known name could be by its order, and how far behind that is."""
    second = match.matching.runner_up
    if second is None or second.margin[row] < 0:
        return
    call, margin = int(second.call[row]), int(second.margin[row])
    other = f"call {match.program.call_id(call)}" if call >= 0 else "no call at all"
    yield f"second best by its order is {other}, {_less_likely(margin)}"


_CERTAIN = 100
"""A margin of the model from which its odds are not worth a number: e to the ten to one. It decides
words of `explain` alone."""
_LIKELY = 2
"""Odds below which the second best is as likely. It decides words of `explain` alone."""


def _less_likely(margin: int) -> str:
    """How far behind the model's second best is; `margin` is ten times the log of the odds."""
    if margin >= _CERTAIN:
        return "more than ten thousand times less likely"
    odds = exp(margin / 10)
    return f"{odds:.0f} times less likely" if odds >= _LIKELY else "about as likely"


def _say_device_and_stream(launches: Launches, row: int) -> str:
    """The device and the stream of a launch, as far as the trace has them."""
    if launches.activity[row] == Activity.OPERATOR:
        return " on the CPU, without what it calls"
    if launches.on_cpu[row]:
        return " on the CPU"
    ids = {"device": int(launches.device[row]), "stream": int(launches.stream[row])}
    stated = ", ".join(f"{name} {number}" for name, number in ids.items() if number >= 0)
    return f" on {stated}" if stated else ""


def _say_extent(name: str, sizes: Int) -> str:
    """The grid or the block of a launch, where the trace has it."""
    return f", {name} {' x '.join(map(str, sizes.tolist()))}" if (sizes >= 0).all() else ""


def _say_how_launched(detail: RangeDetail | None) -> str:
    """How the range says that its kernel was launched."""
    if detail is None:
        return ""
    facts = {"num_warps": detail.num_warps, "num_stages": detail.num_stages}
    stated = [f"{name}={fact}" for name, fact in facts.items() if fact is not None]
    stated = [detail.kernel_kwargs, *stated] if detail.kernel_kwargs else stated
    return f" with {', '.join(stated)}" if stated else ""


def _join_fact(fact: str | tuple[int, ...]) -> str:
    return fact if isinstance(fact, str) else " x ".join(map(str, fact))


def _graph_evidence(match: Match, invocation: Invocation) -> Iterator[str]:
    names = [match.program.graphs[g].id for g in invocation.assignment.graphs]
    number = f", invocation {invocation.number}" if invocation.number >= 0 else ""
    whole = "some statements are missing"
    if invocation.complete:
        whole = "all its statements were seen"
    elif invocation.span.replays:
        whole = "a graph launch ran the statements"
    yield f"which ran {' or '.join(names) or 'no known graph'}{number}: {invocation.assignment.why}"
    yield f"in this invocation {whole}"
