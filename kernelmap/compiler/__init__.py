"""Reads what the compiler wrote: files → CompiledProgram."""

from kernelmap.compiler.files.cache_dir import Cache
from kernelmap.compiler.load import READERS, is_compiled, load_compiled

__all__ = ["READERS", "Cache", "is_compiled", "load_compiled"]
