"""Files by path or by URL: what there is, what they are by content, and a copy where one is needed.

A path is used as it is, so workers must see it under the same name. Of a URL (S3, GCS and whatever
else fsspec reaches) a worker makes a copy for as long as it reads it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from typing import Any, TypeAlias

from kernelmap.errors import KernelmapError, unreadable
from kernelmap.history.store.remote import load_fsspec
from kernelmap.model.paths import is_folder, open_file, require_readable
from kernelmap.suggestions import path_hint

FileSystem: TypeAlias = Any  # fsspec has no type stubs


def is_url(name: str) -> bool:
    """Whether fsspec has to reach it."""
    return "://" in name


def list_files(name: str) -> list[str]:
    """All files that a path, a glob or a URL names, those in folders included.

    Raises KernelmapError where there is nothing, or where it cannot be read.
    """
    files = list(_iter_remote(name) if is_url(name) else _iter_local(name))
    if not files:
        hint = None if is_url(name) or any(sign in name for sign in "*?[") else path_hint(name)
        raise unreadable(name, _why_nothing(name), hint or "Check the name, or the pattern.")
    return sorted(files)


def read_head(name: str, size: int) -> bytes:
    """The first bytes of a file, packed or not. Raises KernelmapError where it cannot be read."""
    try:
        if not is_url(name):
            with open_file(Path(name)) as file:
                return file.read(size)
        system, path = _file_system_of(name)
        content: bytes = system.cat_file(path, 0, size)
    except (OSError, ValueError) as error:
        raise unreadable(name, error if isinstance(error, OSError) else str(error)) from error
    return content


def identify_content(name: str) -> tuple[str, ...]:
    """What a file or folder is by content: digests, or what the object store says of an object.

    Raises KernelmapError where it cannot be read.
    """
    try:
        if is_url(name):
            system, path = _file_system_of(name)
            return (name, str(system.checksum(path)))
        place = Path(name)
        if not place.is_dir():
            return (place.name, _digest_of_file(place))
        # A folder is what its files are: each by its path in the folder and the digest of its
        # bytes.
        inside = sorted(path for path in place.rglob("*") if path.is_file())
        return tuple(f"{path.relative_to(place)} {_digest_of_file(path)}" for path in inside)
    except (OSError, ValueError) as error:
        raise unreadable(name, error if isinstance(error, OSError) else str(error)) from error


@contextmanager
def fetch_file(name: str) -> Iterator[Path]:
    """A path that holds the content: the file itself, or a copy that is deleted after reading."""
    if not is_url(name):
        require_readable(Path(name))
        yield Path(name)
        return
    system, path = _file_system_of(name)
    folder = Path(tempfile.mkdtemp(prefix="kernelmap-fleet-"))
    try:
        target = folder / path.rstrip("/").rpartition("/")[2]
        system.get(path, str(target), recursive=system.isdir(path))
        yield target
    except FileNotFoundError as error:
        raise unreadable(name, "there is no such object") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_bytes(name: str) -> bytes:
    """The content of a file of ours. Raises OSError."""
    if not is_url(name):
        with open_file(Path(name)) as file:
            return file.read()
    system, path = _file_system_of(name)
    content: bytes = system.cat_file(path)
    return content


def write_bytes(name: str, content: bytes) -> None:
    """Write a file of ours, whole or not at all. Raises OSError."""
    if is_url(name):
        system, path = _file_system_of(name)
        system.pipe_file(path, content)
        return
    target = Path(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Written under a name of this process and renamed then, so a reader never sees a part of it.
    half = target.with_name(f".{target.name}.{os.getpid()}")
    half.write_bytes(content)
    half.replace(target)


def _iter_local(name: str) -> Iterator[str]:
    # A file whose own name holds a bracket or an asterisk is no pattern.
    if has_magic(name) and not Path(name).exists():
        for match in glob(name, recursive=True):  # noqa: PTH207 -- absolute patterns, too
            yield from _iter_local(match)
        return
    path = Path(name)
    require_readable(path)
    if not is_folder(path):
        yield name
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from (os.path.join(folder, file) for file in names)  # noqa: PTH118 -- many


def _iter_remote(name: str) -> Iterator[str]:
    system, path = _file_system_of(name)
    try:
        if has_magic(path):
            matches = system.glob(path)
            paths = [file for match in matches for file in system.find(match)]
        else:
            paths = system.find(path)
    except OSError as error:
        raise unreadable(name, error) from error
    yield from map(system.unstrip_protocol, paths)


def _why_nothing(name: str) -> str:
    """Why `name` lists no file: a server that cannot be reached lists none, and raises nothing."""
    if is_url(name):
        system, path = _file_system_of(name)
        try:
            system.cat_file(path, 0, 1)
        except FileNotFoundError:
            pass
        except Exception as error:  # noqa: BLE001 -- the client of every store has its own kinds
            return str(error)
    elif is_folder(Path(name)):
        return "the folder holds no file"
    return "there is no such file"


def _file_system_of(name: str) -> tuple[FileSystem, str]:
    """The file system behind a URL, and the path in it."""
    fsspec = load_fsspec()
    try:
        system, path = fsspec.core.url_to_fs(name)
    except (ImportError, ValueError, OSError) as error:
        raise KernelmapError(
            "unreachable-url",
            f"{name} cannot be reached: {error}",
            "Check the URL; its protocol may need a package of its own, such as s3fs.",
        ) from error
    return system, path


def _digest_of_file(path: Path) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
