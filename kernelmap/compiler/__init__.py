"""Reads what the compiler wrote: files → CompiledProgram."""

from kernelmap.compiler.cache_dir import Cache
from kernelmap.compiler.load import (
    CodeFiles,
    find_code,
    is_compiled,
    load_compiled,
    read_compiled,
)

__all__ = ["Cache", "CodeFiles", "find_code", "is_compiled", "load_compiled", "read_compiled"]
