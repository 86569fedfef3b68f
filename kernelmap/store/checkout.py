"""What git says of the current folder: branch, commit, and whether the commit is all of it.

Takes a folder; gives None where it is no checkout or there is no git. In a checkout of a commit
alone, as CI makes them, there is no branch.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """`changed`: tracked files differ from `commit`; None where git did not say."""

    branch: str | None
    commit: str | None
    changed: bool | None


def checkout(folder: Path) -> Checkout | None:
    """The checkout that `folder` lies in."""
    git = shutil.which("git")
    if git is None:
        return None
    commit = _said(git, folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if commit is None:
        return None
    branch = _said(git, folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    status = _said(git, folder, "status", "--porcelain", "--untracked-files=no")
    return Checkout(
        branch=branch or None,
        commit=commit or None,
        changed=None if status is None else bool(status),
    )


def _said(git: str, folder: Path, *arguments: str) -> str | None:
    """What git printed; None where it failed."""
    command = [git, "-c", "core.fsmonitor=false", *arguments]
    try:
        told = subprocess.run(  # noqa: S603 -- our own words
            command,
            cwd=folder,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return told.stdout.decode("utf-8", "replace").strip() if told.returncode == 0 else None
