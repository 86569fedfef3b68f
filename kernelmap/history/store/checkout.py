"""What git says of the current folder: branch, commit, and whether the commit is all of it.

Takes a folder; gives None where it is no checkout or there is no git. In a checkout of a commit
alone, as CI makes them, there is no branch.

Git itself compares files with the commit, so filters (as those of Git LFS) and line endings count
as git counts them. It is asked to write and to fetch nothing, to start no monitor, and to leave
submodules out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from msgspec import Struct

_SECONDS = 20
_LOOK_ONLY = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
_LIST_CHANGES = (
    *("status", "--porcelain", "-z", "--no-renames"),
    *("--untracked-files=no", "--ignore-submodules=all"),
)
_MAIN = ("main", "master", "origin/main", "origin/master")


class Checkout(Struct, frozen=True, kw_only=True):
    """`changed`: tracked files differ from `commit`; None where git did not say.

    `forked` is the commit at which a branch left the main one; None on that one, and where there is
    none of a usual name.
    """

    branch: str | None
    commit: str | None
    changed: bool | None
    forked: str | None = None


def find_checkout(folder: Path) -> Checkout | None:
    """The checkout that `folder` lies in."""
    commit = _ask_git(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if commit is None:
        return None
    branch = _ask_git(folder, "symbolic-ref", "--quiet", "--short", "HEAD")
    # Nothing printed is a clean checkout; None is no answer.
    changes = _ask_git(folder, *_LIST_CHANGES)
    return Checkout(
        branch=branch,
        commit=commit,
        changed=None if changes is None else bool(changes),
        forked=None if branch in _MAIN else _find_fork(folder),
    )


def _find_fork(folder: Path) -> str | None:
    """The last commit that HEAD shares with the main branch, local before remote."""
    # The first name of a main branch that git knows here.
    shared = (_ask_git(folder, "merge-base", "HEAD", main) for main in _MAIN)
    return next(filter(None, shared), None)


def _ask_git(folder: Path, *arguments: str) -> str | None:
    """What git printed; None where there is no git, or it failed."""
    git = shutil.which("git")
    if git is None:
        return None
    try:
        answer = subprocess.run(  # noqa: S603 -- our own words
            [git, "-c", "core.fsmonitor=false", *arguments],
            cwd=folder,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            env={**os.environ, **_LOOK_ONLY},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if answer.returncode != 0:
        return None
    return answer.stdout.decode("utf-8", "replace").strip()
