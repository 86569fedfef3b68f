"""Paths of generated code and logs → one CompiledProgram.

Takes files and folders in any order, folders at any depth; the order changes nothing. The content
of a file tells which of the READERS takes it: a new kind of file is a reader and a line there.
Raises KernelmapError for a path that cannot be read or holds nothing of the compile side. A log
that is given under two names counts once.
"""

from __future__ import annotations

import filecmp
import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from kernelmap.compiler.facts import CodeText, Reading, without_copies
from kernelmap.compiler.files.cache_dir import Cache, Taken, take
from kernelmap.compiler.files.code_file import CodePage, GeneratedCode
from kernelmap.compiler.files.cpp_file import CppWrapper
from kernelmap.compiler.files.fx_entry import FxEntry
from kernelmap.compiler.files.packages import Package, damage
from kernelmap.compiler.graph import graphs_of
from kernelmap.compiler.graph_ids import with_unique_ids
from kernelmap.compiler.logs.torch_trace import TorchTrace
from kernelmap.compiler.pasted.log import TextLog
from kernelmap.errors import KernelmapError
from kernelmap.model import Compilation, CompiledGraph, CompiledProgram, Notice
from kernelmap.model.paths import is_folder, is_regular, require_readable

_LOG = logging.getLogger(__name__)


def load_compiled(*paths: Path, cache: Cache | None = None) -> CompiledProgram:
    """All graphs that `paths` hold; no paths give a program without graphs.

    What a trace asks of `cache` and `paths` do not hold is taken from there.
    """
    locked: list[Path] = []
    file_readers = {
        file.resolve(): (file, reader) for path in paths for file, reader in find_code(path, locked)
    }
    texts: list[CodeText] = []
    notices: list[Notice] = [*locked_notice(locked)]
    files: list[Path] = []
    compilations: list[Compilation] = []
    logs: list[Path] = []
    for _, (path, reader) in sorted(file_readers.items()):
        files.append(path)
        if isinstance(reader, TorchTrace):
            if any(_same(path, other) for other in logs):
                continue
            logs.append(path)
        _LOG.debug("%s is read as %s", path, reader.label)
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


def is_compiled(path: Path) -> bool:
    """Whether `path` is a file of the compile side, or a folder that holds one."""
    if is_folder(path):
        return any(reader_of(file) is not None for file in _files(path, []))
    return reader_of(path) is not None


def find_code(path: Path, locked: list[Path] | None = None) -> list[tuple[Path, Reader]]:
    """The files of `path` that a reader takes. Raises KernelmapError where there is none.

    Files and folders inside `path` that may not be opened are added to `locked`.
    """
    require_readable(path)
    locked = [] if locked is None else locked
    candidates = _files(path, locked) if path.is_dir() else iter([path])
    taken = [(file, reader) for file in candidates if (reader := reader_of(file)) is not None]
    if not taken:
        raise _nothing_in(path, locked)
    return taken


def locked_notice(locked: list[Path]) -> tuple[Notice, ...]:
    """What to say of files and folders inside a given folder that may not be opened."""
    if not locked:
        return ()
    return (
        Notice(
            slug="folder-read-in-part",
            message=f"{_count(locked)} cannot be read, first {min(locked)}.",
            hint="Code in them is missing: check their permissions, or name another folder.",
            gap=True,
        ),
    )


def _files(folder: Path, locked: list[Path]) -> Iterator[Path]:
    def passed_over(error: OSError) -> None:
        locked.append(Path(error.filename))

    for place, folders, names in os.walk(folder, onerror=passed_over):
        folders.sort()
        for path in (Path(place, name) for name in sorted(names)):
            if os.access(path, os.R_OK) or _dangles(path):
                yield path
            else:
                locked.append(path)


def _dangles(path: Path) -> bool:
    """Whether a link leads nowhere; False also where the folder keeps it from us."""
    try:
        return path.is_symlink() and not path.exists()
    except OSError:
        return False


def _count(locked: list[Path]) -> str:
    plural = "s" if len(locked) > 1 else ""
    return f"{len(locked)} file{plural} or folder{plural}"


def _nothing_in(path: Path, locked: list[Path]) -> KernelmapError:
    if path.is_dir():
        but = f", but {_count(locked)} in it cannot be read" if locked else ""
        return KernelmapError(
            "folder-without-code",
            f"{path} holds no generated code{but}",
            "Run the program with TORCH_TRACE=FOLDER or TORCH_COMPILE_DEBUG=1, give what it wrote.",
        )
    if (damaged := damage(path)) is not None:
        return damaged
    kinds = ", ".join(reader.label for reader in READERS)
    return KernelmapError(
        "unknown-code",
        f"{path} is none of: {kinds}",
        "Give a TORCH_TRACE log, Inductor's output_code.py, a .pt2, or a folder with one of them; "
        "profiles are read by correlate.",
    )


class Reader(Protocol):
    """A kind of compile-side file."""

    @property
    def label(self) -> str:
        """What the kind is called in messages."""

    def sniff(self, path: Path) -> bool:
        """Whether the content of `path` is of this kind; False where it cannot be read."""

    def read(self, path: Path) -> Reading:
        """The generated code in `path`. Raises KernelmapError where it cannot be read."""


READERS: tuple[Reader, ...] = (
    GeneratedCode(),
    TorchTrace(),
    CppWrapper(),
    Package(),
    TextLog(),
    CodePage(),
    FxEntry(),
)


def reader_of(path: Path) -> Reader | None:
    """The reader that takes `path`, None where none does; only regular files are opened."""
    if not is_regular(path):
        return None
    return next((reader for reader in READERS if reader.sniff(path)), None)
