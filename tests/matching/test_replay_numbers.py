"""The numbers of replayed invocations: one per replay, whatever decided its launches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from kernelmap.matching import STRATEGIES, Match, match_launches
from kernelmap.matching.match import amid_decided
from kernelmap.model import Confidence, Method, RangeKind, Trace
from kernelmap.model.marks import MarkedCall, MarkedGraph, encode_mark
from kernelmap.model.trace import CapturedCall, CapturedGraph, CapturedRun
from kernelmap.traces.assemble import assemble_trace
from tiny import graph, program
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

A, B = "triton_poi_fused_a_0", "triton_red_fused_b_1"
ONE = graph("0_forward", A, B, cache_key="f1")


def captured(
    rows: list[TraceRow], number: int, names: Sequence[str] = (A, B), *, lost: int | None = None
) -> list[int]:
    """Capture kernels; the range of number `lost` is missing. Gives the events of the launches."""
    start = 1_000 * number
    rows.append(RangeRow("## Call CompiledFxGraph f1 ##", start, start + 100))
    made = []
    for place, name in enumerate(names):
        begin = start + 10 + 40 * place
        if place != lost:
            rows.append(RangeRow(name, begin, begin + 30))
        made.append(len(rows))
        rows.append(ApiRow("cudaLaunchKernel", begin + 5, begin + 10))
    return made


def replayed(
    rows: list[TraceRow], number: int, cuda_graph: int, names: Sequence[str] = (A, B)
) -> None:
    """Launch a CUDA graph of some kernels, under the correlation id `number`."""
    start = 100_000 + 1_000 * number
    rows.append(ApiRow("cudaGraphLaunch", start, start + 50, correlation=number))
    for node, name in enumerate(names, 1):
        begin = start + 100 * node
        rows.append(
            LaunchRow(
                name,
                begin,
                begin + 70,
                correlation=number,
                graph=cuda_graph,
                graph_node=cuda_graph << 32 | node,
            )
        )


def traced(rows: list[TraceRow], made: dict[int, list[int]]) -> Trace:
    """The trace of `rows`; `made` are the events that made the nodes of each CUDA graph."""
    trace = assemble_trace(raw_trace(rows))
    launches = trace.launches
    at = {event: row for row, event in enumerate(trace.apis.event.tolist())}
    pairs = zip(launches.graph.tolist(), (launches.graph_node & 7).tolist(), strict=True)
    origin = [
        at[made[cuda_graph][node - 1]] if cuda_graph in made else -1 for cuda_graph, node in pairs
    ]
    return replace(trace, launches=replace(launches, origin=np.array(origin, dtype=np.int64)))


def numbers(result: Match) -> list[set[int]]:
    """The invocations of each graph launch, in the order of their correlation ids."""
    by_replay: defaultdict[int, set[int]] = defaultdict(set)
    correlation = result.context.trace.launches.correlation.tolist()
    for one, number in zip(correlation, result.matching.invocation.tolist(), strict=True):
        by_replay[one].add(number)
    return [by_replay[one] for one in sorted(by_replay)]


def test_a_replay_has_one_number_whatever_decided_its_launches() -> None:
    """One call of the second capture is decided by its place, and still has the replay's number."""
    rows: list[TraceRow] = []
    made = {3: captured(rows, 0), 4: captured(rows, 1, lost=1), 5: captured(rows, 2)}
    for number, cuda_graph in enumerate((4, 3, 4, 5), 1):
        replayed(rows, number, cuda_graph)
    result = match_launches(program(ONE), traced(rows, made))

    assert set(result.matching.confidence.tolist()) <= {Confidence.EXACT, Confidence.INFERRED}
    assert numbers(result) == [{3}, {4}, {5}, {6}]


def test_an_ambiguous_replay_has_not_the_number_of_its_capture() -> None:
    """A lost range leaves two calls of one kernel ambiguous; the capture was another invocation."""
    twice = graph("0_forward", A, A, cache_key="f1")
    rows: list[TraceRow] = []
    made = {3: captured(rows, 0, (A, A), lost=1)}
    replayed(rows, 1, 3, (A, A))
    result = match_launches(program(twice), traced(rows, made))

    assert result.matching.candidates_of(0) == (0, 1)
    assert numbers(result) == [{-1}]


def test_a_call_that_its_name_tells_has_the_number_of_its_replay() -> None:
    """Only its own range was lost when it was captured."""
    rows: list[TraceRow] = []
    made = {3: captured(rows, 0, lost=0), 4: captured(rows, 1)}
    replayed(rows, 1, 3)
    replayed(rows, 2, 4)
    strategies = tuple(strategy for strategy in STRATEGIES if strategy is not amid_decided)
    result = match_launches(program(ONE), traced(rows, made), strategies)

    assert Method.DEVICE_NAME in result.matching.method
    assert numbers(result) == [{2}, {3}]


@pytest.mark.parametrize("names", [(A, B), (A,)])
def test_recorded_replays_follow_what_marks_count(names: tuple[str, ...]) -> None:
    """The first execution was marked and ran directly; its number is not given again."""
    digest = "f" * 16
    marked = replace(graph("0_forward", *names), digest=digest)
    rows: list[TraceRow] = [
        RangeRow(encode_mark(MarkedGraph(digest=digest)), 0, 100, kind=RangeKind.ANNOTATION)
    ]
    calls = []
    for call in marked.calls:
        begin = 10 + 40 * call.index
        mark = MarkedCall(digest=digest, index=call.index, wrapper=call.wrapper)
        rows.append(RangeRow(encode_mark(mark), begin, begin + 30, kind=RangeKind.ANNOTATION))
        rows.append(ApiRow("cudaLaunchKernel", begin + 5, begin + 10, correlation=1 + call.index))
        rows.append(LaunchRow(call.wrapper, 200 + begin, 220 + begin, correlation=1 + call.index))
        nodes = (3 << 32 | (call.index + 1),)
        calls.append(CapturedCall(index=call.index, wrapper=call.wrapper, nodes=nodes))
    replayed(rows, 3, 3, names)
    replayed(rows, 4, 3, names)
    run = CapturedRun(digest=digest, calls=tuple(calls))
    recorded = CapturedGraph(process=0, source="cuda_graphs.json", runs=(run,))
    result = match_launches(program(marked), replace(traced(rows, {}), captured=(recorded,)))

    assert set(result.matching.confidence.tolist()) == {Confidence.EXACT}
    assert numbers(result) == [*[{0}] * len(names), {1}, {2}]
