"""The memory of one graph of a program, for a question about one call: the others are not followed.

A backward is handed what its forward saved, so the forwards that it may be of are followed as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from kernelmap.memory.graphs import memory_of_program
from kernelmap.memory.saved import may_be_pair
from kernelmap.memory.sizes import Sizes
from kernelmap.model import CompiledGraph, CompiledProgram
from kernelmap.model.memory import GraphMemory


def memory_of_graph(
    program: CompiledProgram,
    graph: CompiledGraph,
    *,
    sizes_of_graphs: Mapping[str, Sizes] | None = None,
) -> GraphMemory | None:
    """The memory that `memory_of_program` has of the graph; None where its code says nothing."""
    is_backward = graph.kind == "backward"
    needed = tuple(
        other
        for other in program.graphs
        if other is graph or (is_backward and other.kind == "forward" and may_be_pair(other, graph))
    )
    followed = memory_of_program(replace(program, graphs=needed), sizes_of_graphs=sizes_of_graphs)
    return next((memory for memory in followed if memory.graph == graph.id), None)
