"""The memory of graphs from their code alone: CompiledProgram → a `GraphMemory` for each graph.

docs/memory.md says what is counted, decisions/0075 why.
"""

from __future__ import annotations

from kernelmap.memory.graphs import memory_of_program
from kernelmap.memory.savings import find_memory_savings

__all__ = ["find_memory_savings", "memory_of_program"]
