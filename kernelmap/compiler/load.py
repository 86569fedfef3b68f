"""Paths of generated code and logs → one CompiledProgram.

Takes files and folders in any order; the order changes nothing. Raises KernelmapError for a path
that cannot be read or holds nothing of the compile side. A log that is given under two names counts
once.
"""

from __future__ import annotations

import filecmp
from collections.abc import Iterable
from pathlib import Path

from kernelmap.compiler.facts import CodeText, without_copies
from kernelmap.compiler.files.cache_dir import Cache, Taken, take
from kernelmap.compiler.graph import graphs_of
from kernelmap.compiler.graph_ids import with_unique_ids
from kernelmap.compiler.logs.torch_trace import TorchTrace
from kernelmap.compiler.search import find_code, locked_notice
from kernelmap.model import Compilation, CompiledGraph, CompiledProgram, Notice


def load_compiled(*paths: Path, cache: Cache | None = None) -> CompiledProgram:
    """All graphs that `paths` hold; no paths give a program without graphs.

    What a trace asks of `cache` and `paths` do not hold is taken from there.
    """
    locked: list[Path] = []
    found = {
        file.resolve(): (file, reader) for path in paths for file, reader in find_code(path, locked)
    }
    texts: list[CodeText] = []
    notices: list[Notice] = [*locked_notice(locked)]
    files: list[Path] = []
    compilations: list[Compilation] = []
    logs: list[Path] = []
    for _, (path, reader) in sorted(found.items()):
        files.append(path)
        if isinstance(reader, TorchTrace):
            if any(_same(path, other) for other in logs):
                continue
            logs.append(path)
        reading = reader.read(path)
        texts.extend(reading.texts)
        notices.extend(reading.notices)
        compilations.extend(reading.compilations)
        files.extend(reading.beside)
    taken = take(cache, texts) if cache is not None else Taken((), (), ())
    texts.extend(taken.texts)
    notices.extend(taken.notices)
    graphs: list[tuple[CompiledGraph, tuple[str, ...]]] = []
    joined = without_copies(texts)
    for text in joined:
        for graph, unread in graphs_of(text):
            graphs.append((graph, text.place))
            notices.extend(unread)
    better = _known_better(texts, joined)
    return CompiledProgram(
        graphs=with_unique_ids(graphs),
        notices=tuple(dict.fromkeys(notices)),
        compilations=tuple(each for each in dict.fromkeys(compilations) if each not in better),
        # Code that a log or a cache only points to was read as well.
        files=tuple(dict.fromkeys((*map(str, files), *(text.code for text in texts)))),
        kernels=taken.kernels,
    )


def _known_better(texts: Iterable[CodeText], joined: Iterable[CodeText]) -> set[Compilation]:
    """The compilations that wrote `texts` and of which a copy of each text knows more."""
    before, after = (
        {emitted.compilation for text in of for emitted in text.facts.emitted}
        for of in (texts, joined)
    )
    return before - after


def _same(log: Path, other: Path) -> bool:
    """Whether two logs are one: tlparse keeps a copy as `raw.log`."""
    try:
        return filecmp.cmp(log, other, shallow=False)
    except OSError:
        return False
