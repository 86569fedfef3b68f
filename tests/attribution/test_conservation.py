"""Time is conserved: every nanosecond is in one bucket, and every table adds up to the window."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kernelmap.attribution import Attribution, attribute
from kernelmap.attribution.busy import union_ns
from kernelmap.matching import match
from kernelmap.model import (
    CompiledGraph,
    CompiledProgram,
    Confidence,
    FxNode,
    SourceLine,
    Stage,
    Trace,
    WrapperCall,
)
from kernelmap.options import Options
from kernelmap.traces.assemble import assemble
from tiny import Timeline, graph, program
from trace_rows import LaunchRow, RangeRow, raw_trace

A, B = "triton_poi_fused_a_0", "triton_poi_fused_b_1"
GRAPHS = (graph("0_forward", A, "aten.mm", B, A), graph("0_backward", B, A), graph("1_forward", A))
SOURCES = (None, *(SourceLine(file="m.py", line=number) for number in range(1, 4)))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[CompiledProgram, Trace]:
    """Graphs known or not, ranges lost, eager and nameless launches between."""
    line = Timeline()
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["run", "run", "eager", "bare", "replay"]))
        if kind == "run":
            chosen: CompiledGraph = draw(st.sampled_from(GRAPHS))
            line.invoke(
                chosen,
                key=draw(st.sampled_from(["f1", "f2", None])),
                marked=draw(st.booleans()),
                skip=sorted(draw(st.sets(st.integers(0, 3), max_size=2))),
            )
        elif kind == "eager":
            line.eager(draw(st.sampled_from(["aten::mm", "aten::add"])), launches=2)
        else:
            api = None if kind == "bare" else "cudaGraphLaunch"
            name = draw(st.sampled_from([A, B, "sgemm"]))
            line.launch(name, api=api, dur_ns=draw(st.integers(1, 10**9)), count=2)
    known: set[int] = draw(st.sets(st.integers(0, len(GRAPHS) - 1)))
    return program(*(draw(lined(GRAPHS[i])) for i in sorted(known))), line.trace()


@st.composite
def lined(draw: st.DrawFn, plain: CompiledGraph) -> CompiledGraph:
    """`plain`, its calls with nodes, lines and modules or without; of a cache, or not."""
    nodes: list[FxNode] = []
    calls: list[WrapperCall] = []
    for call in plain.calls:
        sources = draw(st.none() | st.lists(st.sampled_from(SOURCES), max_size=3))
        own = [
            FxNode(
                name=f"n{call.index}_{number}",
                stage=Stage.POST_GRAD,
                target=draw(st.sampled_from(["aten.add.Tensor", "aten.view.default", None])),
                lines=(source,) if source else (),
            )
            for number, source in enumerate(sources or ())
        ]
        stacks = draw(st.sets(st.sampled_from(SOURCES[1:]), max_size=2))
        names = None if sources is None else tuple(node.name for node in own)
        lines = tuple(sorted((line for line in stacks if line), key=lambda line: line.line))
        modules = draw(st.lists(st.sampled_from(["fc1", "self", None]), max_size=3))
        calls.append(replace(call, nodes=names, lines=lines, modules=tuple(modules)))
        nodes += own
    borrowed = draw(st.booleans())
    return replace(plain, calls=tuple(calls), nodes=tuple(nodes), borrowed=borrowed)


def attributed(world: tuple[CompiledProgram, Trace]) -> tuple[Trace, Attribution]:
    known, trace = world
    result = match(known, trace)
    return trace, attribute(result.program, trace, result.matching, Options())


@given(worlds())
def test_every_table_adds_up_to_the_window(world: tuple[CompiledProgram, Trace]) -> None:
    """Attributed plus unmatched time is the time on the GPU, to the nanosecond."""
    trace, found = attributed(world)
    total = int(trace.launches.dur_ns.sum())

    assert found.total_ns == total
    for table in ("calls", "kernels", "ops", "modules", "nodes", "graphs", "ledger"):
        assert sum(row.time_ns for row in getattr(found, table)) == total, table
    assert sum(row.time_ns + row.backward_ns for row in found.lines) == total


@given(worlds())
def test_every_launch_is_in_one_bucket(world: tuple[CompiledProgram, Trace]) -> None:
    """The ledger counts each launch once, under its one confidence."""
    known, trace = world
    result = match(known, trace)
    found = attribute(result.program, trace, result.matching, Options())
    counted = Counter(Confidence(c).name.lower() for c in result.matching.confidence.tolist())
    by_bucket: Counter[str] = Counter()
    for row in found.ledger:
        by_bucket[row.bucket] += row.launches

    assert by_bucket == counted
    assert sum(row.launches for row in found.calls) == len(trace.launches)
    assert sum(row.launches for row in found.kernels) == len(trace.launches)


@given(worlds())
def test_a_confidence_means_what_it_says(world: tuple[CompiledProgram, Trace]) -> None:
    """Exact and inferred launches have one call, ambiguous ones name candidates, others nothing."""
    known, trace = world
    matching = match(known, trace).matching

    for row, confidence in enumerate(matching.confidence.tolist()):
        one = confidence <= Confidence.INFERRED
        assert (matching.call[row] >= 0) == one
        assert bool(matching.candidates_of(row)) == (confidence == Confidence.AMBIGUOUS)


@given(worlds())
def test_bounds_enclose_an_ops_time(world: tuple[CompiledProgram, Trace]) -> None:
    """What is an op's alone is at most its time, and that at most what it is part of."""
    _, found = attributed(world)

    for row in found.ops:
        assert row.exclusive_ns <= row.time_ns <= row.involved_ns
    for line in found.lines:
        assert 0 <= line.time_ns + line.backward_ns <= line.involved_ns


INTERVALS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 40), st.integers(0, 10)),
    max_size=30,
)


@given(INTERVALS)
def test_busy_time_is_the_union_of_intervals(rows: list[tuple[int, int, int, int]]) -> None:
    """Every nanosecond in which a device worked for a group counts once."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    union = {
        (group, device, t)
        for group, device, start, length in rows
        for t in range(start, start + length)
    }
    expected = Counter(group for group, _, _ in union)

    group, device, start, length = columns

    assert union_ns(group, device, start, length, groups=3).tolist() == [
        expected[g] for g in range(3)
    ]


def test_two_ranks_with_a_device_0_each_are_busy_apart() -> None:
    """Device numbers count within a rank: what runs at the same time on two GPUs adds up."""
    ranks = [
        raw_trace([RangeRow("aten::mm", 0, 9), LaunchRow("k", 0, 100)], source=f"rank{n}", rank=n)
        for n in range(2)
    ]
    trace = assemble(*ranks)
    result = match(program(), trace)

    assert attribute(result.program, trace, result.matching, Options()).busy_ns == 200
