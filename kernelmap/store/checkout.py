"""What git says of the current folder: branch, commit, and whether the commit is all of it.

Takes a folder; gives None where it is no checkout or there is no git. In a checkout of a commit
alone, as CI makes them, there is no branch.

A checkout may belong to anybody, and its configuration names programs: filters, hooks, monitors,
transports. None of them runs here. So git is asked for its index and its objects only; whatever it
compares with the folder runs the filters. The comparison with the files is made here.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

_SECONDS = 20
_GIT = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never"),  # a partial clone fetches what is missing
)
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
_RAW = ("--raw", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all")
_ENTRY = re.compile(
    rb"(\d{6}) ([0-9a-f]+) \d\t([^\0]+)\0"
    rb"  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: \d+\n  uid: \d+\tgid: \d+\n"
    rb"  size: (\d+)\tflags: ([0-9a-f]+)\n"
)
_SKIP_WORKTREE = 1 << 30  # a sparse checkout leaves the file out
_PATHS = 2
_SHA1_DIGITS = 40
_FILE, _EXECUTABLE, _LINK, _SUBMODULE = "100644", "100755", "120000", "160000"


class Checkout(Struct, frozen=True, kw_only=True):
    """`changed`: tracked files differ from `commit`; None where git did not say.

    `forked` is the commit at which a branch left the main one; None on that one, and where there is
    none of a usual name.
    """

    branch: str | None
    commit: str | None
    changed: bool | None
    forked: str | None = None


_MAIN = ("main", "master", "origin/main", "origin/master")


def checkout(folder: Path) -> Checkout | None:
    """The checkout that `folder` lies in."""
    git = shutil.which("git")
    if git is None:
        return None
    commit = _line(_asked(git, folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"))
    if commit is None:
        return None
    branch = _line(_asked(git, folder, "symbolic-ref", "--quiet", "--short", "HEAD"))
    return Checkout(
        branch=branch,
        commit=commit,
        changed=_is_changed(git, folder),
        forked=None if branch in _MAIN else _forked(git, folder),
    )


def _forked(git: str, folder: Path) -> str | None:
    """The last commit that HEAD shares with the main branch, local before remote."""
    for main in _MAIN:
        shared = _line(_asked(git, folder, "merge-base", "HEAD", main))
        if shared is not None:
            return shared
    return None


def _is_changed(git: str, folder: Path) -> bool | None:
    """Whether index or files differ from the commit.

    A file is the commit's where its size and time are those of the index, which is younger; any
    other file is read and hashed as it is. Where a filter or a line ending stands between file and
    blob, such a file counts as changed.
    """
    paths = _asked(git, folder, "rev-parse", "--show-toplevel", "--git-path", "index")
    staged = _asked(git, folder, "diff-index", "--cached", *_RAW, "HEAD")
    if paths is None or staged is None or len(lines := os.fsdecode(paths).splitlines()) != _PATHS:
        return None
    root, index = Path(lines[0]), folder / lines[1]
    entries = _asked(git, root, "ls-files", "--stage", "--debug", "-z")
    if entries is None:
        return None
    written_ns = index.stat().st_mtime_ns if index.exists() else 0
    return bool(staged) or any(not entry.is_same(root, written_ns) for entry in _entries(entries))


class _Entry(Struct, frozen=True):
    """A file as the index has it: its mode, blob and path, its time and size when it was added."""

    mode: str
    blob: str
    path: str
    time_ns: int
    size: int
    is_absent: bool

    def is_same(self, root: Path, written_ns: int) -> bool:
        """Whether the file below `root` holds the very bytes of the blob."""
        if self.mode == _SUBMODULE or self.is_absent:
            return True
        path = root / self.path
        try:
            now = path.lstat()
            if _mode(now.st_mode) != self.mode:
                return False
            if (now.st_mtime_ns, now.st_size) == (self.time_ns, self.size) and (
                self.time_ns < written_ns
            ):
                return True
            content = os.fsencode(path.readlink()) if self.mode == _LINK else path.read_bytes()
        except OSError:
            return False
        algorithm = hashlib.sha1 if len(self.blob) == _SHA1_DIGITS else hashlib.sha256
        return algorithm(b"blob %d\0%b" % (len(content), content)).hexdigest() == self.blob


def _mode(mode: int) -> str:
    """The mode that git gives a file."""
    if stat.S_ISLNK(mode):
        return _LINK
    if not stat.S_ISREG(mode):
        return ""
    return _EXECUTABLE if mode & stat.S_IXUSR else _FILE


def _entries(raw: bytes) -> Iterator[_Entry]:
    """The entries of `git ls-files --stage --debug -z`."""
    for entry in _ENTRY.finditer(raw):
        mode, blob, path, seconds, fraction, size, flags = map(os.fsdecode, entry.groups())
        yield _Entry(
            mode=mode,
            blob=blob,
            path=path,
            time_ns=int(seconds) * 10**9 + int(fraction),
            size=int(size),
            is_absent=bool(int(flags, 16) & _SKIP_WORKTREE),
        )


def _line(output: bytes | None) -> str | None:
    return output.decode("utf-8", "replace").strip() or None if output is not None else None


def _asked(git: str, folder: Path, *arguments: str) -> bytes | None:
    """What git printed; None where it failed."""
    try:
        answer = subprocess.run(  # noqa: S603 -- our own words
            [git, *_GIT, *arguments],
            cwd=folder,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
            env={**os.environ, **_QUIET},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout if answer.returncode == 0 else None
