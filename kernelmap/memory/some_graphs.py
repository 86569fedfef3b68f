"""The memory of some graphs of a program, where following all of them would take too long.

A backward is handed what its forward saved, so the forwards that it may be of are followed as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from kernelmap.memory.graphs import memory_of_program
from kernelmap.memory.saved import may_be_pair
from kernelmap.memory.sizes import Sizes
from kernelmap.model import CompiledGraph, CompiledProgram
from kernelmap.model.memory import GraphMemory


def memory_of_some_graphs(
    program: CompiledProgram,
    wanted: Collection[str],
    *,
    sizes_of_graphs: Mapping[str, Sizes] | None = None,
) -> tuple[GraphMemory, ...]:
    """What `memory_of_program` gives of the graphs with these ids."""
    chosen = [graph for graph in program.graphs if graph.id in wanted]
    backwards = [graph for graph in chosen if graph.kind == "backward"]
    needed = tuple(
        graph
        for graph in program.graphs
        if graph.id in wanted
        or (graph.kind == "forward" and any(may_be_pair(graph, one) for one in backwards))
    )
    followed = memory_of_program(replace(program, graphs=needed), sizes_of_graphs=sizes_of_graphs)
    return tuple(memory for memory in followed if memory.graph in wanted)


def memory_of_graph(
    program: CompiledProgram,
    graph: CompiledGraph,
    *,
    sizes_of_graphs: Mapping[str, Sizes] | None = None,
) -> GraphMemory | None:
    """That of one graph; None where its code says nothing."""
    found = memory_of_some_graphs(program, {graph.id}, sizes_of_graphs=sizes_of_graphs)
    return found[0] if found else None
