"""Paths of generated code and logs → one CompiledProgram.

Takes files and folders in any order; the order changes nothing. Raises KernelmapError for a path
that cannot be read or holds nothing of the compile side.
"""

from __future__ import annotations

from pathlib import Path

from kernelmap.compiler.facts import CodeText, without_copies
from kernelmap.compiler.graph import graph_of
from kernelmap.compiler.graph_ids import with_unique_ids
from kernelmap.compiler.search import find_code
from kernelmap.model import Compilation, CompiledGraph, CompiledProgram, Notice


def load_compiled(*paths: Path) -> CompiledProgram:
    """All graphs that `paths` hold; no paths give a program without graphs."""
    found = {file.resolve(): (file, reader) for path in paths for file, reader in find_code(path)}
    texts: list[CodeText] = []
    notices: list[Notice] = []
    compilations: list[Compilation] = []
    for _, (path, reader) in sorted(found.items()):
        reading = reader.read(path)
        texts.extend(reading.texts)
        notices.extend(reading.notices)
        compilations.extend(reading.compilations)
    graphs: list[tuple[CompiledGraph, tuple[str, ...]]] = []
    for text in without_copies(texts):
        graph, unread = graph_of(text)
        graphs.append((graph, text.place))
        notices.extend(unread)
    return CompiledProgram(
        graphs=with_unique_ids(graphs), notices=tuple(notices), compilations=tuple(compilations)
    )
