"""Reads what the compiler wrote: files → CompiledProgram."""

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
