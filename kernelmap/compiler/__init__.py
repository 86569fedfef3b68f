"""Reads what the compiler wrote: files → CompiledProgram."""

from kernelmap.compiler.files.cache_dir import Cache
from kernelmap.compiler.load import load_compiled
from kernelmap.compiler.readers import READERS
from kernelmap.compiler.search import is_compiled

__all__ = ["READERS", "Cache", "is_compiled", "load_compiled"]
