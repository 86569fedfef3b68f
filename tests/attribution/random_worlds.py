"""Worlds for hypothesis: graphs known or not, with nodes and lines or without, and their runs."""

from __future__ import annotations

from hypothesis import strategies as st
from msgspec.structs import replace

from kernelmap.model import (
    CompiledGraph,
    CompiledProgram,
    FxNode,
    SourceLine,
    Stage,
    Trace,
    WrapperCall,
)
from tiny import Timeline, graph, program

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
    given_graphs: set[int] = draw(st.sets(st.integers(0, len(GRAPHS) - 1)))
    return program(*(draw(lined(GRAPHS[i])) for i in sorted(given_graphs))), line.trace()


@st.composite
def lined(draw: st.DrawFn, plain: CompiledGraph) -> CompiledGraph:
    """`plain`, its calls with nodes, lines and modules or without; of a cache, or not."""
    nodes: list[FxNode] = []
    calls: list[WrapperCall] = []
    for call in plain.calls:
        sources = draw(st.none() | st.lists(st.sampled_from(SOURCES), max_size=3))
        nodes_of_call = [
            FxNode(
                name=f"n{call.index}_{number}",
                stage=Stage.POST_GRAD,
                target=draw(st.sampled_from(["aten.add.Tensor", "aten.view.default", None])),
                lines=(source,) if source else (),
            )
            for number, source in enumerate(sources or ())
        ]
        stacks = draw(st.sets(st.sampled_from(SOURCES[1:]), max_size=2))
        names = None if sources is None else tuple(node.name for node in nodes_of_call)
        lines = tuple(sorted((line for line in stacks if line), key=lambda line: line.line))
        modules = draw(
            st.lists(
                st.sampled_from(["fc1", "self", "net.0", "net.1.up", "net.1", None]), max_size=3
            )
        )
        calls.append(replace(call, nodes=names, lines=lines, modules=tuple(modules)))
        nodes += nodes_of_call
    borrowed = draw(st.booleans())
    return replace(plain, calls=tuple(calls), nodes=tuple(nodes), borrowed=borrowed)
