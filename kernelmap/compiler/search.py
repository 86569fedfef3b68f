"""A path → the files of the compile side in it: itself, or what a folder holds at any depth."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kernelmap.compiler.readers import READERS, Reader, reader_of
from kernelmap.compiler.source import unreadable
from kernelmap.errors import KernelmapError


def is_compiled(path: Path) -> bool:
    """Whether `path` is a file of the compile side, or a folder that holds one."""
    if path.is_dir():
        return any(reader_of(file) is not None for file in _files(path))
    return path.is_file() and reader_of(path) is not None


def find_code(path: Path) -> list[tuple[Path, Reader]]:
    """The files of `path` that a reader takes. Raises KernelmapError where there is none."""
    try:
        path.stat()
        if path.is_file():
            path.open("rb").close()
    except OSError as error:
        raise unreadable(path, error) from error
    candidates = _files(path) if path.is_dir() else iter([path])
    found = [(file, reader) for file in candidates if (reader := reader_of(file)) is not None]
    if not found:
        raise _nothing_in(path)
    return found


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(place, name) for name in sorted(names))


def _nothing_in(path: Path) -> KernelmapError:
    if path.is_dir():
        return KernelmapError(
            "folder-without-code",
            f"{path} holds no generated code",
            "Run the program with TORCH_TRACE=FOLDER or TORCH_COMPILE_DEBUG=1, give what it wrote.",
        )
    known = ", ".join(reader.label for reader in READERS)
    return KernelmapError(
        "unknown-code",
        f"{path} is none of: {known}",
        "Give a TORCH_TRACE log, Inductor's output_code.py, a .pt2, or a folder with one of them.",
    )
