"""Replays whose capture was written down: exact by the driver's ids, inferred by order, or not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.matching import Match, match_launches
from kernelmap.model import Activity, CompiledGraph, Confidence, Method, RangeKind, Trace
from kernelmap.model.trace import CapturedCall, CapturedGraph, CapturedRun
from kernelmap.traces.assemble import assemble_trace
from tiny import graph, program
from trace_rows import ApiRow, LaunchRow, RangeRow, TraceRow, raw_trace

GEMM, COPY = "ampere_sgemm_64x64", "Memcpy DtoD"
A, B = "triton_poi_fused_a_0", "triton_red_fused_b_1"
FORWARD = replace(graph("0_forward", A, "aten.mm", B, "aten.mm", A), digest="f" * 16)
OTHER = replace(graph("1_inference", A, B), digest="e" * 16)
RAN = (A, GEMM, B, GEMM, A)
"""What a replay of FORWARD runs, in the order of capture."""
IDS = 12 << 32


def captured(*graphs: CompiledGraph, nodes: Sequence[Sequence[int]] | None = None) -> CapturedGraph:
    """A capture of one run of each graph; `nodes` are the numbers of each call's nodes."""
    left = None if nodes is None else iter(nodes)
    return CapturedGraph(
        process=0,
        source="cuda_graphs.json",
        runs=tuple(
            CapturedRun(
                digest=str(compiled.digest),
                calls=tuple(
                    CapturedCall(
                        index=call.index,
                        wrapper=call.wrapper,
                        nodes=None if left is None else tuple(IDS | n for n in next(left)),
                    )
                    for call in compiled.calls
                ),
            )
            for compiled in graphs
        ),
    )


def replays(
    *runs: Sequence[str], captures: Sequence[CapturedGraph], graph_id: int = 12, mark: str = ""
) -> Trace:
    """Replays one after the other; the nodes of a graph run in the reverse order of their ids."""
    rows: list[TraceRow] = []
    for number, names in enumerate(runs):
        now = 10_000 * (number + 1)
        if mark:
            rows.append(RangeRow(mark, now, now + 90, kind=RangeKind.ANNOTATION))
        rows.append(ApiRow("cudaGraphLaunch", now + 5, now + 50, correlation=number + 1))
        for node, name in reversed(list(enumerate(names, 1))):
            start = now + 100 * (len(names) - node + 1)
            copied = Activity.MEMCPY if name == COPY else Activity.KERNEL
            rows.append(
                LaunchRow(
                    name,
                    start,
                    start + 70,
                    correlation=number + 1,
                    activity=copied,
                    graph=graph_id,
                    graph_node=graph_id << 32 | node,
                )
            )
    return replace(assemble_trace(raw_trace(rows)), captured=tuple(captures))


def said(result: Match) -> list[tuple[str, str | None, int]]:
    """Confidence, call and invocation per launch, by replay and node."""
    launches, matching = result.context.trace.launches, result.matching
    rows = sorted(
        range(len(launches)),
        key=lambda row: (int(launches.correlation[row]), int(launches.graph_node[row])),
    )
    ids = [owner.call_id(call) for owner, call in result.program.calls]
    return [
        (
            Confidence(int(matching.confidence[row])).name.lower(),
            ids[matching.call[row]] if matching.call[row] >= 0 else None,
            int(matching.invocation[row]),
        )
        for row in rows
    ]


def slugs(result: Match) -> set[str]:
    return {notice.slug for notice in result.notices}


TOLD = captured(FORWARD, nodes=[[1], [2], [3], [4], [5]])
UNTOLD = captured(FORWARD)


def test_told_nodes_are_exact() -> None:
    """Each replay is one invocation, whatever the order on the GPU, and equal names do not mix."""
    result = match_launches(program(FORWARD), replays(RAN, RAN, captures=[TOLD]))

    assert said(result) == [
        ("exact", f"0_forward/{index}", number) for number in (0, 1) for index in range(5)
    ]
    assert set(result.matching.method.tolist()) == {Method.RECORDED_NODE}
    assert "cuda-graphs-differ" not in slugs(result)


def test_a_call_may_have_made_several_nodes() -> None:
    """All nodes that a call made are its; a node that no call made stays unknown."""
    ran = (COPY, A, "splitKreduce_kernel", GEMM, B, GEMM, A, "vectorized_elementwise_kernel")
    nodes = [[2], [3, 4], [5], [6], [7]]
    result = match_launches(
        program(FORWARD), replays(ran, captures=[captured(FORWARD, nodes=nodes)])
    )

    calls = [call for _, call, _ in said(result)]
    assert calls == [None, *(f"0_forward/{n}" for n in (0, 1, 1, 2, 3, 4)), None]
    assert [word for word, _, _ in said(result)][::7] == ["unknown", "unknown"]


def test_a_replay_inside_the_range_of_its_graph_is_that_invocation() -> None:
    """Inductor's own range around the graph launch has a number already."""
    mark = "## Call CompiledFxGraph fkey ##"
    keyed = replace(FORWARD, cache_key="fkey")
    result = match_launches(program(keyed), replays(RAN, RAN, captures=[TOLD], mark=mark))

    assert [number for _, _, number in said(result)] == [0] * 5 + [1] * 5
    assert {i.number for i in result.context.invocations} == {0, 1}


def test_one_wrong_node_takes_the_whole_graph_back() -> None:
    """A kernel with another call's name shows that the ids are of another graph."""
    result = match_launches(program(FORWARD), replays((B, *RAN[1:]), captures=[TOLD]))

    assert not any(word == "exact" for word, _, _ in said(result))
    assert Method.RECORDED_NODE not in result.matching.method
    assert "cuda-graphs-differ" in slugs(result)


def test_a_node_of_two_captures_is_disputed() -> None:
    """Of two calls for one node at most one is true, so neither is exact."""
    twisted = captured(FORWARD, nodes=[[5], [2], [3], [4], [1]])
    result = match_launches(program(FORWARD), replays(RAN, captures=[TOLD, twisted]))

    assert not any(word == "exact" for word, _, _ in said(result))
    assert "cuda-graphs-differ" in slugs(result)


def test_code_that_is_not_given_is_said() -> None:
    """A recorded node whose code is missing gets no call, not even one of another graph."""
    result = match_launches(program(OTHER), replays(RAN, captures=[TOLD]))

    assert {word for word, _, _ in said(result)} == {"unknown"}


def test_code_that_is_given_twice_leaves_both() -> None:
    """Two graphs of one digest: both calls are named."""
    twin = replace(FORWARD, id="2_forward")
    result = match_launches(program(FORWARD, twin), replays(RAN, captures=[TOLD]))

    assert {word for word, _, _ in said(result)} == {"ambiguous"}
    row = int(result.context.trace.launches.graph_node.argmin())
    assert result.matching.candidates_of(row) == (0, 5)


def test_the_order_of_capture_is_inferred() -> None:
    """Without ids, the nodes in ascending order are the calls of the one capture that fits."""
    result = match_launches(
        program(FORWARD, OTHER), replays(RAN, RAN, captures=[UNTOLD, captured(OTHER)])
    )

    assert said(result) == [
        ("inferred", f"0_forward/{index}", number) for number in (0, 1) for index in range(5)
    ]
    assert set(result.matching.method.tolist()) == {Method.RECORDED_ORDER}


@pytest.mark.parametrize(
    "ran",
    [
        (A, GEMM, B, GEMM),  # a kernel too few
        (A, GEMM, B, GEMM, B),  # another kernel
        (GEMM, GEMM),  # nothing that has a name of its own
    ],
)
def test_another_order_or_number_claims_nothing(ran: Sequence[str]) -> None:
    """What does not fit the capture is left to weaker evidence, and that is said."""
    result = match_launches(program(FORWARD), replays(ran, captures=[UNTOLD]))

    assert Method.RECORDED_ORDER not in result.matching.method
    assert "cuda-graphs-differ" in slugs(result)


def test_several_library_calls_with_other_counts_are_candidates() -> None:
    """Three kernels of two products between two named ones: which made which is not known."""
    twice = replace(graph("0_forward", A, "aten.mm", "aten.bmm", B), digest="f" * 16)
    ran = (A, GEMM, "splitKreduce_kernel", GEMM, B)
    result = match_launches(program(twice), replays(ran, captures=[captured(twice)]))

    words = [word for word, _, _ in said(result)]
    assert words == ["inferred", "ambiguous", "ambiguous", "ambiguous", "inferred"]


def test_captures_that_differ_decide_nothing() -> None:
    """Where two captures launch equal kernels by other calls, the order cannot decide."""
    twin = replace(FORWARD, id="2_forward", digest="d" * 16)
    result = match_launches(program(FORWARD, twin), replays(RAN, captures=[UNTOLD, captured(twin)]))

    assert Method.RECORDED_ORDER not in result.matching.method
    assert "cuda-graphs-differ" in slugs(result)


@given(
    ran=st.lists(st.sampled_from([A, B, GEMM, COPY]), min_size=2, max_size=8),
    with_nodes=st.booleans(),
)
def test_what_is_claimed_could_have_been_launched(ran: list[str], with_nodes: bool) -> None:
    """Whatever was replayed, a call is claimed only under its kernel's name, or is a library's."""
    capture = TOLD if with_nodes else UNTOLD
    result = match_launches(program(FORWARD), replays(ran, captures=[capture]))
    recorded = (Method.RECORDED_NODE, Method.RECORDED_ORDER)

    launches = result.context.trace.launches
    for row in range(len(launches)):
        if result.matching.method[row] in recorded:
            _, call = result.program.calls[int(result.matching.call[row])]
            name = launches.names[int(launches.name_id[row])]
            assert (
                call.kernel == name
                or (call.kernel is None and name in (GEMM, COPY))
                or (with_nodes and name == COPY)
            )
