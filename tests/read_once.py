"""Code of the samples and of the corpus, which no test writes to, read once for all tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledProgram


@cache
def compiled(path: Path) -> CompiledProgram:
    """The program in a file or folder; it is frozen, so tests may share it."""
    return load_compiled(path)
