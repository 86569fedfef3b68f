"""Paths of generated code → one CompiledProgram.

Takes files and folders in any order; the order changes nothing. Raises KernelmapError for a path
that cannot be read or holds no generated code.
"""

from __future__ import annotations

from pathlib import Path

from kernelmap.compiler.graph_ids import with_unique_ids
from kernelmap.compiler.search import find_code, without_copies
from kernelmap.model import CompiledGraph, CompiledProgram, Notice


def load_compiled(*paths: Path) -> CompiledProgram:
    """All graphs that `paths` hold; no paths give a program without graphs."""
    found = [each for path in paths for each in find_code(path)]
    graphs: list[CompiledGraph] = []
    notices: list[Notice] = []
    for path, reader in without_copies(found):
        reading = reader.read(path)
        graphs.extend(reading.graphs)
        notices.extend(reading.notices)
    return CompiledProgram(graphs=with_unique_ids(graphs), notices=tuple(notices))
