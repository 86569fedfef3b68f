"""The bundle's folder: made before the program runs, in place of an older bundle only if asked.

The manifest says `recording` from the first moment on, so a killed capture never looks whole. An
older bundle stands aside until the program runs, and comes back where it cannot be started. It is
replaced only where nothing lies in it but what a capture wrote, and as it was written.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from msgspec import to_builtins

from kernelmap.capture.contents import digest
from kernelmap.capture.plan import Plan
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.model.bundle import (
    CODE,
    CUDA_GRAPHS,
    FORMAT,
    LOGS,
    MANIFEST,
    NSYS,
    PARTIAL,
    PROCESS,
    SCHEDULER,
    TRACE,
    VERSION,
    BundleFile,
    Manifest,
    State,
    is_bundle,
    read_manifest,
)
from kernelmap.version import VERSION as OWN_VERSION
from kernelmap.whole_files import HIDDEN, beside, put_in_place, toml_text, write_whole_text

_FILES = "|".join(map(re.escape, (TRACE, "trace.json", CUDA_GRAPHS, SCHEDULER, PROCESS)))
_OURS = re.compile(  # what a capture writes, by its path
    rf"{re.escape(MANIFEST)}|{NSYS}/report\.[^/]+"
    rf"|(?:(?:rank|process)_[^/]+/)?(?:{LOGS}/[^/]+\.log|{CODE}/[^/]+/output_code\.py)"
    rf"|(?:rank|process)_[^/]+/(?:{_FILES})(?:{re.escape(PARTIAL)})?"
    rf"|(?:[^/]+/)*{re.escape(HIDDEN)}[0-9a-f]{{16}}\.tmp"
)


@dataclass(frozen=True, slots=True)
class NewFolder:
    """A bundle's folder in which nothing but its manifest lies; `old` is the bundle before it.

    As long as it is open, no other capture takes its place.
    """

    folder: Path
    old: Path | None
    lock: int | None

    def keep(self) -> None:
        """The program runs: delete the older bundle, as far as it can be deleted."""
        if self.old is not None:
            shutil.rmtree(self.old, ignore_errors=True)

    def undo(self) -> None:
        """The program cannot run: take the folder away, and put the older bundle back."""
        with suppress(OSError):  # another one may have put something there
            (self.folder / MANIFEST).unlink(missing_ok=True)
            if (self.folder / NSYS).is_dir():
                (self.folder / NSYS).rmdir()
            self.folder.rmdir()
            if self.old is not None:
                self.old.rename(self.folder)

    def close(self) -> None:
        """The bundle is finished, or never will be."""
        _unlock(self.lock)


def make_folder(folder: Path, manifest: Manifest, *, force: bool) -> NewFolder:
    """Make the new `folder` with its first manifest; with `force` an older bundle makes room.

    Raises KernelmapError, and leaves everything as it was then.
    """
    replaces = _require_free(folder, force=force)
    half, old = beside(folder), beside(folder, ".old") if replaces else None
    try:
        # The folder appears under its name only with its manifest in it, and locked, so that no
        # other capture takes it in between.
        half.mkdir()
        write_manifest(half, manifest)
        lock = _locked(half)
        put_in_place(half, folder, old)
    except OSError as error:
        raise _not_made(folder, error) from error
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return NewFolder(folder, old, lock)


def require_new_folder(folder: Path, *, force: bool) -> None:
    """Raise KernelmapError where `make_folder` would, as far as that can be known before."""
    _require_free(folder, force=force)
    if not folder.parent.is_dir():
        raise _not_made(folder, FileNotFoundError())


def _require_free(folder: Path, *, force: bool) -> bool:
    """Whether an older bundle is replaced; raises KernelmapError where `folder` must stay."""
    replaces = force and is_bundle(folder)
    if replaces:
        _require_only_ours(folder)
    elif os.path.lexists(folder):
        raise _not_made(folder, FileExistsError())
    return replaces


def _locked(folder: Path) -> int | None:
    """An open handle that keeps other captures from `folder`; None where there are no locks.

    Raises BlockingIOError where another capture has one.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:  # a network folder without locks
        os.close(handle)
        return None
    return handle


def _unlock(handle: int | None) -> None:
    if handle is not None:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_UN)  # closing leaves it to children that were forked
        os.close(handle)


def _not_made(folder: Path, error: OSError) -> KernelmapError:
    if isinstance(error, FileExistsError):
        hint = "Choose another name with -o, or replace that bundle with --force."
        if not is_bundle(folder):
            hint = "It is no bundle, so it is never replaced: choose another name with -o."
        return UsageError("bundle-exists", f"{folder} exists", hint)
    if isinstance(error, FileNotFoundError):
        return UsageError(
            "no-output-folder",
            f"the folder of {folder} does not exist",
            "Create it, or choose another place with -o.",
        )
    return KernelmapError(
        "unwritable-output",
        f"{folder} cannot be made: {error.strerror or error}",
        "Check the space and the rights there, or choose another place with -o.",
    )


def first_manifest(
    plan: Plan, command: Sequence[str] | None, settings: Mapping[str, str]
) -> Manifest:
    """What a bundle says of itself before anything is in it."""
    return Manifest(
        state=State.RECORDING,
        why="it is still being recorded, or the recording was killed",
        kernelmap=OWN_VERSION,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        profiler=plan.profiler,
        command=None if command is None else tuple(command),
        warmup=plan.warmup,
        steps=plan.steps,
        settings=settings,
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write manifest.toml, whole or not at all."""
    values = to_builtins(manifest)
    head = {"format": FORMAT, "version": VERSION}
    # In TOML, tables come behind all plain values.
    tables = {name: [dict(entry) for entry in values.pop(name)] for name in ("processes", "files")}
    settings = {"settings": values.pop("settings")}
    write_whole_text(folder / MANIFEST, toml_text({**head, **values, **settings, **tables}))


def _require_only_ours(folder: Path) -> None:
    """Raise UsageError where a bundle holds anything that no capture wrote, or wrote otherwise."""
    if folder.is_symlink():
        raise UsageError(
            "bundle-exists",
            f"{folder} is a link",
            "Name the bundle itself, or choose another name with -o.",
        )
    try:
        # Having the lock for a moment shows that nobody records there.
        _unlock(_locked(folder))
    except BlockingIOError as error:
        raise UsageError(
            "bundle-exists",
            f"{folder} is being recorded by another process",
            "Wait for its end, or choose another name with -o.",
        ) from error
    except OSError as error:
        raise _not_made(folder, error) from error
    manifest = read_manifest(folder)
    listed = {file.path: file for file in manifest.files}
    for path in sorted(folder.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        name = path.relative_to(folder).as_posix()
        if not _is_ours(path, name, manifest, listed.get(name)):
            raise UsageError(
                "bundle-not-only",
                f"{folder} also holds what no capture wrote: {name}",
                "Move it away, or choose another name with -o.",
            )


def _is_ours(path: Path, name: str, manifest: Manifest, file: BundleFile | None) -> bool:
    """Whether a capture wrote what lies at `path`, as it lies there."""
    if path.is_symlink() or not path.is_file() or _OURS.fullmatch(name) is None:
        return False
    if file is not None:
        # A file that was changed after the capture is the user's and is kept.
        return path.stat().st_size == file.bytes and digest(path) == file.sha256
    # What no manifest lists is left over from a capture that was killed, or could not finish.
    unlisted = (MANIFEST, PROCESS, PARTIAL, ".tmp")
    return manifest.state is State.RECORDING or name.endswith(unlisted)
