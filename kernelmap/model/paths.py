"""Whether a path can be read at all: asked of every input before anything looks into it.

Takes a path; what it gives is an error, or how the file begins, which tells its kind. Opening a
pipe or a device may wait for ever, so only regular files and folders are inputs; they may be links.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from kernelmap.errors import unreadable

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def require_readable(path: Path) -> None:
    """Raise KernelmapError unless `path` is a folder or a regular file that may be opened."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
            return
        if stat.S_ISREG(mode):
            path.open("rb").close()
            return
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        raise unreadable(path, error) from error
    kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
    raise unreadable(path, f"it is {kind}", "Write its content to a file and give that.")


def is_regular(path: Path) -> bool:
    """Whether `path` leads to a regular file; False where that cannot be told."""
    return stat.S_ISREG(_mode(path))


def is_folder(path: Path) -> bool:
    """Whether `path` leads to a folder; False where that cannot be told."""
    return stat.S_ISDIR(_mode(path))


def first_bytes(path: Path, count: int) -> bytes:
    """How the file at `path` begins; nothing where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError:
        return b""


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0
