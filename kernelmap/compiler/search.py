"""A path → the files of the compile side in it: itself, or what a folder holds at any depth."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kernelmap.compiler.files.packages import damage
from kernelmap.compiler.readers import READERS, Reader, reader_of
from kernelmap.errors import KernelmapError
from kernelmap.model import Notice
from kernelmap.model.paths import is_folder, require_readable


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
    found = [(file, reader) for file in candidates if (reader := reader_of(file)) is not None]
    if not found:
        raise _nothing_in(path, locked)
    return found


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
    known = ", ".join(reader.label for reader in READERS)
    return KernelmapError(
        "unknown-code",
        f"{path} is none of: {known}",
        "Give a TORCH_TRACE log, Inductor's output_code.py, a .pt2, or a folder with one of them; "
        "profiles are read by correlate.",
    )
