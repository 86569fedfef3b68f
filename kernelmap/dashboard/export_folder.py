"""A folder that appears whole or not at all, and replaces nothing but what was written like it.

Takes a target and a function that fills a folder. Which files an export has, and what they held,
stands in a file of its own; a folder with anything else in it is the user's and stays as it is.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

from kernelmap.errors import UsageError, unwritable
from kernelmap.pages.write import require_folder_of
from kernelmap.whole_files import beside, put_in_place

MARKER = "kernelmap-export.json"
_FORMAT = 1


def check(target: Path) -> None:
    """Raise UsageError where an export to `target` would overwrite something, or cannot be."""
    require_folder_of(target)
    try:
        reason = _not_ours(target)
    except OSError as error:
        raise unwritable(target, error) from error
    if reason is not None:
        raise UsageError(
            "export-in-the-way",
            f"{target} {reason}",
            "Name a new or empty folder, or an export that nobody changed.",
        )


def write(target: Path, fill: Callable[[Path], None]) -> None:
    """Let `fill` write into a new folder, then put that in place of `target`."""
    check(target)
    target = target.resolve()
    half, old = beside(target), beside(target, ".old")
    try:
        half.mkdir()
        fill(half)
        _mark(half)
        check(target)  # all this took a while
        put_in_place(half, target, old if target.exists() else None)
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        shutil.rmtree(half, ignore_errors=True)
    # The earlier export goes when the new one is in its place.
    shutil.rmtree(old, ignore_errors=True)


def _not_ours(target: Path) -> str | None:
    """Why a folder is not to be replaced."""
    if not target.is_dir():
        return "is no folder" if target.exists() or target.is_symlink() else None
    held = _held(target)
    # An empty folder may be used, whoever made it.
    written = _written(target / MARKER) if held else {}
    if written is None:
        return "holds files, and none says that they are an export"
    # The marker lists all other files; one that is new or changed is somebody's work.
    for name in sorted(held - {MARKER}):
        if name not in written:
            return f"holds {name}, which is not of the export"
        if written[name] != _digest(target / name):
            return f"holds {name}, which was changed since the export"
    return None


def _written(marker: Path) -> dict[str, object] | None:
    """The files that a marker names, with what they held; None where it is none of ours."""
    try:
        document = json.loads(marker.read_bytes())
    except (FileNotFoundError, IsADirectoryError, ValueError):
        return None
    files = document.get("files") if isinstance(document, dict) else None
    return files if isinstance(files, dict) else None


def _held(folder: Path) -> set[str]:
    """The paths of all files, links and empty folders below a folder."""
    names = set()
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir() or not any(path.iterdir()):
            names.add(path.relative_to(folder).as_posix())
    return names


def _mark(folder: Path) -> None:
    digests = {name: _digest(folder / name) for name in sorted(_held(folder))}
    head = {"about": "pages that `kernelmap dashboard --export` wrote", "format": _FORMAT}
    text = json.dumps({**head, "files": digests}, indent=1)
    (folder / MARKER).write_text(text + "\n", encoding="utf-8")


def _digest(path: Path) -> str | None:
    """The digest of a regular file's content; None for anything else."""
    if path.is_symlink() or not path.is_file():
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest()
