"""A path → the generated code in it: itself, or what a folder holds at any depth.

Files that hold the same text count once: torch_compile_debug copies what the cache holds. Of such
copies the one with a node mapping beside it stays, then the one whose folder names the graph.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from kernelmap.compiler.graph import folder_id
from kernelmap.compiler.mappings import mapping_file
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


def without_copies(found: Iterable[tuple[Path, Reader]]) -> list[tuple[Path, Reader]]:
    """One file per content, in the order of their full paths."""
    ranked = sorted(found, key=lambda each: _rank(each[0]))
    kept: dict[bytes, tuple[Path, Reader]] = {}
    for path, reader in ranked:
        kept.setdefault(_fingerprint(path), (path, reader))
    return sorted(kept.values(), key=lambda each: _full(each[0]))


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(place, name) for name in sorted(names))


def _rank(path: Path) -> tuple[bool, bool, str, str]:
    return mapping_file(path) is None, folder_id(path) is None, _full(path), str(path)


def _full(path: Path) -> str:
    return str(path.resolve())


def _fingerprint(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    return hashlib.sha256(content.replace(b"\r\n", b"\n").strip()).digest()


def _nothing_in(path: Path) -> KernelmapError:
    if path.is_dir():
        return KernelmapError(
            "folder-without-code",
            f"{path} holds no generated code",
            "Run the program with TORCH_COMPILE_DEBUG=1 and give its torch_compile_debug folder.",
        )
    known = ", ".join(reader.label for reader in READERS)
    return KernelmapError(
        "unknown-code",
        f"{path} is none of: {known}",
        "Give the output_code.py that Inductor wrote, or the folder that holds it.",
    )
