"""Inputs are opened here and nowhere else: regular files, and as much of them as may be.

Opening a pipe or a device may wait for ever, and reading one may never end, so only regular files
and folders are inputs; they may be links. What is read as a whole has a limit (limits.py).
"""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

from kernelmap.errors import TooLargeError, unreadable
from kernelmap.model.limits import FILE, Limit

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
    raise unreadable(path, f"it is {_kind(mode)}", "Write its content to a file and give that.")


def open_file(path: Path) -> BufferedReader:
    """The file at `path`. Raises OSError, also for what is no regular file: it is never opened."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # the system has its words for folders
        raise OSError(f"it is {_kind(mode)}")
    return path.open("rb")


def read_bytes(path: Path, limit: Limit = FILE) -> bytes:
    """All of the file at `path`. Raises OSError, TooLargeError where it goes beyond `limit`."""
    most = limit.now()
    with open_file(path) as file:
        if most is None:
            return file.read()
        size = os.fstat(file.fileno()).st_size
        data = file.read(min(size, most) + 1)
        if size < len(data) <= most:  # it grows, or states no size
            data += file.read(most - len(data) + 1)
        if len(data) > most:
            raise TooLargeError(limit.reason)
        return data


def is_regular(path: Path) -> bool:
    """Whether `path` leads to a regular file; False where that is unknown."""
    return stat.S_ISREG(_mode(path))


def is_there(path: Path) -> bool:
    """Whether anything is at `path`; False where that is unknown, as for too long a name."""
    return _mode(path) != 0


def is_folder(path: Path) -> bool:
    """Whether `path` leads to a folder; False where that is unknown."""
    return stat.S_ISDIR(_mode(path))


def first_bytes(path: Path, count: int) -> bytes:
    """How the file at `path` begins; nothing where it cannot be read."""
    try:
        with open_file(path) as file:
            return file.read(count)
    except OSError:
        return b""


def _kind(mode: int) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0
