"""The memory of graphs from their code alone: CompiledProgram → a `GraphMemory` for each graph.

And what was measured of it, joined with the calls: measured/. docs/memory.md says what is counted,
decisions 0075 and 0076 why.
"""

from __future__ import annotations

from kernelmap.memory.graphs import memory_of_program
from kernelmap.memory.measured.answers import measure_snapshots, measure_trace
from kernelmap.memory.savings import find_memory_savings
from kernelmap.memory.some_graphs import memory_of_graph, memory_of_some_graphs
from kernelmap.memory.step import find_replayed, memory_of_step, order_of_step

__all__ = [
    "find_memory_savings",
    "find_replayed",
    "measure_snapshots",
    "measure_trace",
    "memory_of_graph",
    "memory_of_program",
    "memory_of_some_graphs",
    "memory_of_step",
    "order_of_step",
]
