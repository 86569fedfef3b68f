"""Replays whose capture was written down: exact by the driver's ids, inferred by order, or not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.matching import Match, match
from kernelmap.model import Activity, CompiledGraph, Confidence, Method, RangeKind, Trace
from kernelmap.model.trace import CapturedCall, CapturedGraph, CapturedRun
from kernelmap.traces.assemble import assemble
from tiny import graph, program
from trace_rows import ApiRow, LaunchRow, RangeRow, Row, raw_trace

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
                digest=str(each.digest),
                calls=tuple(
                    CapturedCall(
                        index=call.index,
                        wrapper=call.wrapper,
                        nodes=None if left is None else tuple(IDS | n for n in next(left)),
                    )
                    for call in each.calls
                ),
            )
            for each in graphs
        ),
    )


def replays(
    *runs: Sequence[str], captures: Sequence[CapturedGraph], graph_id: int = 12, mark: str = ""
) -> Trace:
    """Replays one after the other; the nodes of a graph run in the reverse order of their ids."""
    rows: list[Row] = []
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
    return replace(assemble(raw_trace(rows)), captured=tuple(captures))


def said(found: Match) -> list[tuple[str, str | None, int]]:
    """Confidence, call and invocation per launch, by replay and node."""
    launches, matching = found.context.trace.launches, found.matching
    rows = sorted(
        range(len(launches)),
        key=lambda row: (int(launches.correlation[row]), int(launches.graph_node[row])),
    )
    ids = [owner.call_id(call) for owner, call in found.program.calls]
    return [
        (
            Confidence(int(matching.confidence[row])).name.lower(),
            ids[matching.call[row]] if matching.call[row] >= 0 else None,
            int(matching.invocation[row]),
        )
        for row in rows
    ]


def slugs(found: Match) -> set[str]:
    return {notice.slug for notice in found.notices}


TOLD = captured(FORWARD, nodes=[[1], [2], [3], [4], [5]])
UNTOLD = captured(FORWARD)


def test_told_nodes_are_exact() -> None:
    """Each replay is one invocation, whatever the order on the GPU, and equal names do not mix."""
    found = match(program(FORWARD), replays(RAN, RAN, captures=[TOLD]))

    assert said(found) == [
        ("exact", f"0_forward/{index}", number) for number in (0, 1) for index in range(5)
    ]
    assert set(found.matching.method.tolist()) == {Method.RECORDED_NODE}
    assert "cuda-graphs-differ" not in slugs(found)


def test_a_call_may_have_made_several_nodes() -> None:
    """All of them are its; what no call made stays unknown."""
    ran = (COPY, A, "splitKreduce_kernel", GEMM, B, GEMM, A, "vectorized_elementwise_kernel")
    nodes = [[2], [3, 4], [5], [6], [7]]
    found = match(program(FORWARD), replays(ran, captures=[captured(FORWARD, nodes=nodes)]))

    calls = [call for _, call, _ in said(found)]
    assert calls == [None, *(f"0_forward/{n}" for n in (0, 1, 1, 2, 3, 4)), None]
    assert [word for word, _, _ in said(found)][::7] == ["unknown", "unknown"]


def test_a_replay_inside_the_range_of_its_graph_is_that_invocation() -> None:
    """Inductor's own range around the graph launch has a number already."""
    mark = "## Call CompiledFxGraph fkey ##"
    keyed = replace(FORWARD, cache_key="fkey")
    found = match(program(keyed), replays(RAN, RAN, captures=[TOLD], mark=mark))

    assert [number for _, _, number in said(found)] == [0] * 5 + [1] * 5
    assert {i.number for i in found.context.invocations} == {0, 1}


def test_one_wrong_node_takes_the_whole_graph_back() -> None:
    """A kernel under another call's name: the ids are another graph's, and that is said."""
    found = match(program(FORWARD), replays((B, *RAN[1:]), captures=[TOLD]))

    assert not any(word == "exact" for word, _, _ in said(found))
    assert Method.RECORDED_NODE not in found.matching.method
    assert "cuda-graphs-differ" in slugs(found)


def test_a_node_of_two_captures_is_disputed() -> None:
    """Two calls for one node: at most one is true, so neither is told."""
    twisted = captured(FORWARD, nodes=[[5], [2], [3], [4], [1]])
    found = match(program(FORWARD), replays(RAN, captures=[TOLD, twisted]))

    assert not any(word == "exact" for word, _, _ in said(found))
    assert "cuda-graphs-differ" in slugs(found)


def test_code_that_is_not_given_is_said() -> None:
    """A told node whose code is missing belongs to no call, and not to another graph's."""
    found = match(program(OTHER), replays(RAN, captures=[TOLD]))

    assert {word for word, _, _ in said(found)} == {"unknown"}


def test_code_that_is_given_twice_leaves_both() -> None:
    """Two graphs of one digest: both calls are named."""
    twin = replace(FORWARD, id="2_forward")
    found = match(program(FORWARD, twin), replays(RAN, captures=[TOLD]))

    assert {word for word, _, _ in said(found)} == {"ambiguous"}
    row = int(found.context.trace.launches.graph_node.argmin())
    assert found.matching.candidates_of(row) == (0, 5)


def test_the_order_of_capture_is_inferred() -> None:
    """Without ids the nodes, ascending, are the calls of the one capture that fits."""
    found = match(program(FORWARD, OTHER), replays(RAN, RAN, captures=[UNTOLD, captured(OTHER)]))

    assert said(found) == [
        ("inferred", f"0_forward/{index}", number) for number in (0, 1) for index in range(5)
    ]
    assert set(found.matching.method.tolist()) == {Method.RECORDED_ORDER}


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
    found = match(program(FORWARD), replays(ran, captures=[UNTOLD]))

    assert Method.RECORDED_ORDER not in found.matching.method
    assert "cuda-graphs-differ" in slugs(found)


def test_several_library_calls_with_other_counts_are_candidates() -> None:
    """Two products and three kernels between two names: which made which is not known."""
    twice = replace(graph("0_forward", A, "aten.mm", "aten.bmm", B), digest="f" * 16)
    ran = (A, GEMM, "splitKreduce_kernel", GEMM, B)
    found = match(program(twice), replays(ran, captures=[captured(twice)]))

    words = [word for word, _, _ in said(found)]
    assert words == ["inferred", "ambiguous", "ambiguous", "ambiguous", "inferred"]


def test_captures_that_differ_decide_nothing() -> None:
    """Two captures of the same kernels by other calls: the order does not tell them apart."""
    twin = replace(FORWARD, id="2_forward", digest="d" * 16)
    found = match(program(FORWARD, twin), replays(RAN, captures=[UNTOLD, captured(twin)]))

    assert Method.RECORDED_ORDER not in found.matching.method
    assert "cuda-graphs-differ" in slugs(found)


@given(
    ran=st.lists(st.sampled_from([A, B, GEMM, COPY]), min_size=2, max_size=8), told=st.booleans()
)
def test_what_is_claimed_could_have_been_launched(ran: list[str], told: bool) -> None:
    """Whatever was replayed: a call that was given runs under that very name, or is a library's."""
    capture = TOLD if told else UNTOLD
    found = match(program(FORWARD), replays(ran, captures=[capture]))
    recorded = (Method.RECORDED_NODE, Method.RECORDED_ORDER)

    launches = found.context.trace.launches
    for row in range(len(launches)):
        if found.matching.method[row] in recorded:
            _, call = found.program.calls[int(found.matching.call[row])]
            name = launches.names[int(launches.name_id[row])]
            assert (
                call.kernel == name
                or (call.kernel is None and name in (GEMM, COPY))
                or (told and name == COPY)
            )
