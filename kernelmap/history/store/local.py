"""A store in a folder of this machine.

A run is written into partial/, forced onto the disk file by file, and renamed into runs/: whoever
is killed leaves a folder in partial/ and nothing else. Network folders may refuse to force a folder
onto the disk, and may answer that a rename failed which they had done; both are met. Links are
followed to read, and only the link itself is ever deleted. Needs only the standard library.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from kernelmap.history.store.facts import RUN_TOML, is_id
from kernelmap.history.store.place import PARTIAL, RUNS, Runs, Sizes
from kernelmap.whole_files import write_whole

_NOT_FOR_FOLDERS = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)


class LocalDraft(Struct, frozen=True):
    """A folder in partial/ on its way to runs/."""

    partial: Path
    final: Path

    def add(self, name: str, content: bytes) -> None:
        """Write one file of the run, onto the disk."""
        _write(self.partial / name, content)

    def finish(self, name: str, content: bytes) -> None:
        """Write the manifest and move the folder; the move is on the disk when this ends."""
        self.add(name, content)
        # The files are on the disk; now their names, then the name of the whole run.
        _sync(self.partial)
        _make(self.final.parent)
        try:
            self.partial.rename(self.final)
        except FileNotFoundError:  # what a server says that is asked again, its answer being lost
            if not (self.final / name).is_file():
                raise
        _sync(self.final.parent)

    def abandon(self) -> None:
        """Remove the partial folder."""
        shutil.rmtree(self.partial, ignore_errors=True)


class LocalPlace(Struct, frozen=True):
    """A folder; it is made when the first run is recorded."""

    root: Path

    @property
    def shown(self) -> str:
        """The path as it was given."""
        return str(self.root)

    def exists(self) -> bool:
        """Whether the folder has one of the rooms of a store."""
        return (self.root / RUNS).is_dir() or (self.root / PARTIAL).is_dir()

    def runs(self) -> Runs:
        """The files of every finished run; a folder without a manifest is none."""
        # An error is kept with its run, so that one folder without rights does not hide the others.
        sizes_by_run = {name: self._files_or_error(name) for name in _folders(self.root / RUNS)}
        return {
            name: sizes
            for name, sizes in sizes_by_run.items()
            if isinstance(sizes, OSError) or RUN_TOML in sizes
        }

    def run(self, run_id: str) -> Sizes | None:
        """The files of one run; None where it has gone, or never was."""
        sizes = self.files(f"{RUNS}/{run_id}") if is_id(run_id) else {}
        return sizes if RUN_TOML in sizes else None

    def begin(self, run_id: str) -> LocalDraft:
        """Make the partial folder."""
        partial, final = self.root / PARTIAL / run_id, self.root / RUNS / run_id
        _make(partial.parent)
        if final.exists():
            raise FileExistsError(f"there is a run {run_id}")
        partial.mkdir()
        return LocalDraft(partial, final)

    def remove(self, run_id: str) -> None:
        """Move the run into partial/, where it is nothing any more, and delete it there."""
        partial = self.root / PARTIAL / run_id
        _make(partial.parent)
        (self.root / RUNS / run_id).rename(partial)
        _delete(partial)

    def leftovers(self) -> Iterator[str]:
        """What lies in partial/."""
        yield from _folders(self.root / PARTIAL)

    def sweep(self, run_id: str) -> None:
        """Delete what is called so in partial/."""
        _delete(self.root / PARTIAL / run_id)

    def files(self, folder: str) -> Sizes:
        """Sizes by name; folders and what is being written are left out."""
        try:
            with os.scandir(f"{self.root}/{folder}") as entries:  # ten thousand times in a listing
                return {
                    entry.name: entry.stat().st_size
                    for entry in entries
                    if entry.is_file() and not entry.name.startswith(".")
                }
        except (FileNotFoundError, NotADirectoryError):
            return {}

    def read(self, path: str) -> bytes:
        """The whole content."""
        return (self.root / path).read_bytes()

    def is_writable(self) -> bool:
        """Whether the folder's rights allow it."""
        return os.access(self.root, os.W_OK)

    def write(self, path: str, content: bytes) -> None:
        """Write it under a hidden name, then give it its own."""
        target = self.root / path
        _make(target.parent)
        write_whole({target: lambda handle: _put(handle, content)})
        _sync(target.parent)

    def delete(self, path: str) -> None:
        """Delete a file."""
        (self.root / path).unlink(missing_ok=True)

    def address(self, path: str) -> str:
        """The path."""
        return str(self.root / path)

    def _files_or_error(self, run_id: str) -> Sizes | OSError:
        try:
            return self.files(f"{RUNS}/{run_id}")
        except OSError as error:
            return error


def _folders(folder: Path) -> list[str]:
    """The names that are ids; what else lies there is not ours."""
    try:
        return [name for name in os.listdir(folder) if is_id(name)]  # noqa: PTH208 -- ten thousand names at once
    except (FileNotFoundError, NotADirectoryError):
        return []


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _put(handle: BinaryIO, content: bytes) -> None:
    handle.write(content)


def _make(folder: Path) -> None:
    """Make a folder and those above it, so that they are there after a power failure, too."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    """Force the names in a folder onto the disk, where the system can do that."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Network folders may be unable to do it for folders; only that is no error.
        if error.errno not in _NOT_FOR_FOLDERS:
            raise
    finally:
        os.close(handle)


def _delete(path: Path) -> None:
    """Delete a folder with all in it; of a link only the link. What has gone already is fine."""
    try:
        if path.is_symlink() or not path.is_dir():
            path.unlink()
        else:
            shutil.rmtree(path)
    except FileNotFoundError:  # another one deletes it, too
        shutil.rmtree(path, ignore_errors=True)
