"""The bundle's folder: made before the program runs, taken from an older bundle only if asked.

The manifest says `recording` from the first moment on, so a killed capture never looks whole.
Files are either as they were or whole, whenever the writer is killed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from kernelmap.capture import toml
from kernelmap.capture.plan import Plan
from kernelmap.errors import KernelmapError, UsageError
from kernelmap.model.bundle import (
    FORMAT,
    MANIFEST,
    NSYS,
    PARTIAL,
    PROCESS,
    VERSION,
    Manifest,
    State,
    is_bundle,
    read_manifest,
)
from kernelmap.version import VERSION as OWN_VERSION

_OURS = ("rank_*/**/*", "process_*/**/*", f"{NSYS}/**/*", f"*{PARTIAL}", MANIFEST)


def make_folder(folder: Path, *, force: bool) -> None:
    """Make the new `folder`; with `force` an older bundle makes room. Raises KernelmapError."""
    if force and is_bundle(folder):
        _take_out(folder)
    try:
        folder.mkdir()
    except FileExistsError as error:
        hint = "Choose another name with -o, or replace that bundle with --force."
        if not is_bundle(folder):
            hint = "It is no bundle, so it is never replaced: choose another name with -o."
        raise UsageError("bundle-exists", f"{folder} exists", hint) from error
    except FileNotFoundError as error:
        raise UsageError(
            "no-output-folder",
            f"the folder of {folder} does not exist",
            "Create it, or choose another place with -o.",
        ) from error
    except OSError as error:
        raise KernelmapError(
            "unwritable-output",
            f"{folder} cannot be made: {error.strerror or error}",
            "Check the rights there, or choose another place with -o.",
        ) from error


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
    values = asdict(manifest)
    head = {"format": FORMAT, "version": VERSION}
    tables = {name: [dict(each) for each in values.pop(name)] for name in ("processes", "files")}
    settings = {"settings": values.pop("settings")}
    write_whole(folder / MANIFEST, toml.dumps({**head, **values, **settings, **tables}))


def _take_out(folder: Path) -> None:
    """Delete a bundle; UsageError, and nothing is touched, where it holds anything else."""
    known = {folder / name for name in _listed(folder)}
    foreign = [path for path in _files(folder) if path not in known]
    if foreign:
        raise UsageError(
            "bundle-not-only",
            f"{folder} also holds what no capture wrote: {foreign[0].relative_to(folder)}",
            "Move it away, or choose another name with -o.",
        )
    # Out of the way first: what is half deleted must not look like a bundle.
    doomed = folder.with_name(f"{folder.name}.{os.getpid()}{PARTIAL}")
    folder.rename(doomed)
    shutil.rmtree(doomed)


def _listed(folder: Path) -> Iterator[str]:
    """What the bundle's manifest lists; while it is being recorded, all that a capture writes."""
    yield MANIFEST
    manifest = read_manifest(folder)
    yield from (file.path for file in manifest.files)
    if manifest.state is State.RECORDING:
        for pattern in _OURS:
            yield from (path.relative_to(folder).as_posix() for path in folder.glob(pattern))
    yield from (path.relative_to(folder).as_posix() for path in folder.glob(f"*/{PROCESS}"))


def _files(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in sorted(names))


def write_whole(path: Path, text: str) -> None:
    """Write `text` beside `path`, and give it that name when it is on the disk."""
    partial = path.with_name(f"{path.name}{PARTIAL}")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
