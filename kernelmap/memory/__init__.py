"""The memory of graphs from their code alone: CompiledProgram → a `GraphMemory` for each graph.

docs/memory.md says what is counted, decisions/0075 why.
"""

from __future__ import annotations

from kernelmap.memory.graphs import memory_of_program
from kernelmap.memory.one_graph import memory_of_graph
from kernelmap.memory.step import memory_of_step, order_of_step

__all__ = ["memory_of_graph", "memory_of_program", "memory_of_step", "order_of_step"]
