"""Writes files whole or not at all, whoever else writes to the same places.

A file is written under a hidden name beside its place, forced onto the disk, and renamed. The old
file, or none, stands there until then, whatever ends the writer: a signal, a full disk, an error.
The hidden file is taken away but where the process itself is killed. Names are random, so two
writers never meet. Several files are all on the disk before the first gets its name. Manifests are
written as TOML, where a missing key says that something is not known.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

import tomli_w

Draw = Callable[[BinaryIO], None]
HIDDEN = ".kernelmap-"
"""How the names of files and folders begin that are no result yet, or no more."""


def beside(target: Path, end: str = ".tmp") -> Path:
    """A new hidden name in the folder of `target`, which nobody else chooses."""
    return target.with_name(f"{HIDDEN}{os.urandom(8).hex()}{end}")


def write_whole(draws: Mapping[Path, Draw]) -> None:
    """Draw every file; when all are on the disk, give them their names, one after the other.

    A target that is a link is replaced by the file. Raises OSError, and whatever a draw raises.
    """
    # A file cannot take the place of a folder; that is said before anything is drawn.
    for target in draws:
        if target.is_dir() and not target.is_symlink():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    drawn: dict[Path, Path] = {}
    try:
        for target, draw in draws.items():
            half = beside(target)
            with half.open("xb") as handle:
                drawn[target] = half
                draw(handle)
                handle.flush()
                os.fsync(handle.fileno())  # a name must never outlive its bytes
        for target, half in drawn.items():
            half.replace(target)
    finally:
        for half in drawn.values():
            half.unlink(missing_ok=True)


def write_whole_folder(folder: Path, draws: Mapping[str, Draw]) -> None:
    """Draw files into `folder`, by name: a new one appears whole, one that is there keeps the rest.

    Raises OSError, and whatever a draw raises.
    """
    if os.path.lexists(folder):
        write_whole({folder / name: draw for name, draw in draws.items()})
        return
    half = beside(folder)
    try:
        half.mkdir()
        write_whole({half / name: draw for name, draw in draws.items()})
        try:
            half.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
            # What the other writer put there stays, but for the files that are drawn here.
            for name in draws:  # another writer made it in the meantime
                (half / name).replace(folder / name)
    finally:
        shutil.rmtree(half, ignore_errors=True)


def put_in_place(half: Path, folder: Path, old: Path | None) -> None:
    """Give the new folder `half` the name `folder`; what stands there is called `old` from then on.

    `old` is None where nothing stands there. Where that fails, it has its name again.
    """
    if old is not None:
        folder.rename(old)
    try:
        half.rename(folder)
    except BaseException:
        if old is not None and not os.path.lexists(folder):
            old.rename(folder)
        raise


def write_whole_text(target: Path, text: str) -> None:
    """Write one text; what UTF-8 cannot hold becomes escapes. Raises OSError."""
    content = text.encode("utf-8", "backslashreplace")
    write_whole({target: lambda handle: handle.writelines([content])})


def toml_text(values: Mapping[str, object]) -> str:
    """`values` as TOML; None is left out, halves of surrogate pairs become question marks."""
    return tomli_w.dumps(
        {key: _storable(value) for key, value in values.items() if value is not None}
    )


def _storable(value: object) -> object:
    if isinstance(value, Mapping):
        return {_storable(key): _storable(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
