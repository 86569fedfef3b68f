"""Reads what the compiler wrote: files → CompiledProgram.

In: output_code.py and its like, C++ wrappers, logs, caches, packages. Out: graphs, kernels and
calls in program order, with their FX nodes, source lines and modules. Nothing is imported, compiled
or run.
"""

from kernelmap.compiler.cache_dir import InductorCache
from kernelmap.compiler.load import (
    CodeFiles,
    find_code,
    is_compiled,
    load_compiled,
    read_compiled,
)
from kernelmap.compiler.python.source import sharing_trees

__all__ = [
    "CodeFiles",
    "InductorCache",
    "find_code",
    "is_compiled",
    "load_compiled",
    "read_compiled",
    "sharing_trees",
]
