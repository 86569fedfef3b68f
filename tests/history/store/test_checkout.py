"""What a recording says of the checkout that it was started in."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kernelmap.history.store.checkout import Checkout, find_checkout

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Some One", "-c", "user.email=some@one.example")
    command = ["git", *who, *arguments]
    done = subprocess.run(  # noqa: S603 -- git, with our own words
        command, cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with one commit on the branch `topic`."""
    folder = tmp_path / "project"
    folder.mkdir()
    _git(folder, "init", "--quiet", "--initial-branch=topic")
    (folder / "model.py").write_text("x = 1\n")
    (folder / "link").symlink_to("model.py")
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "--message=first")
    return folder


def test_any_folder_inside_is_the_checkout(project: Path) -> None:
    """What git does not track, such as a folder of results, is no change."""
    (project / "below").mkdir()
    (project / "below" / "untracked").write_text("x")

    assert find_checkout(project / "below") == find_checkout(project)
    assert find_checkout(project) == Checkout(
        branch="topic", commit=_git(project, "rev-parse", "HEAD").strip(), changed=False
    )


def test_what_is_no_checkout_tells_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain folder, a repository without a commit, and a machine without git."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    assert find_checkout(tmp_path / "plain") is None

    _git(tmp_path / "plain", "init")
    assert find_checkout(tmp_path / "plain") is None

    monkeypatch.setenv("PATH", "")
    assert find_checkout(project) is None


def test_a_commit_alone_has_no_branch(project: Path) -> None:
    """CI checks out a commit, not a branch."""
    _git(project, "checkout", "--quiet", "--detach")
    state = find_checkout(project)

    assert state is not None
    assert state.branch is None
    assert state.commit


@pytest.mark.parametrize("change", ["text", "deleted", "mode", "staged", "link"])
def test_a_changed_file_is_seen(project: Path, change: str) -> None:
    """Every way in which a tracked file differs from the commit counts."""
    model = project / "model.py"
    if change in ("text", "staged"):
        model.write_text("x = 2\n")
    if change == "staged":
        _git(project, "add", ".")
    if change == "deleted":
        model.unlink()
    if change == "mode":
        model.chmod(0o755)
    if change == "link":
        (project / "link").unlink()
        (project / "link").symlink_to("elsewhere")
    state = find_checkout(project)

    assert state is not None
    assert state.changed is True


def test_a_touched_file_is_not_changed(project: Path) -> None:
    """A file with another time and the same bytes is the commit's."""
    (project / "model.py").write_text("x = 1\n")
    state = find_checkout(project)

    assert state is not None
    assert state.changed is False


def test_a_filter_is_no_change(project: Path) -> None:
    """A file that a filter changes on its way into git (LFS does) is as git counts it."""
    _git(project, "config", "filter.upper.clean", "tr a-z A-Z")
    (project / ".gitattributes").write_text("*.txt filter=upper\n")
    (project / "weights.txt").write_text("small\n")
    _git(project, "add", ".")
    _git(project, "commit", "--quiet", "--message=filtered")
    (project / "weights.txt").touch()
    state = find_checkout(project)

    assert state is not None
    assert state.changed is False


def test_looking_starts_no_monitor_and_no_hook(project: Path, tmp_path: Path) -> None:
    """A recording leaves the checkout as it was: the index is not written, nothing else starts."""
    ran = tmp_path / "ran"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho $0 >> {ran}\n")
    trap.chmod(0o755)
    hooks = project / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        shutil.copy(trap, hooks / hook)
    _git(project, "config", "core.fsmonitor", str(trap))
    (project / "model.py").touch()
    index = (project / ".git" / "index").read_bytes()
    state = find_checkout(project)

    assert state is not None
    assert state.changed is False
    assert not ran.exists()
    assert (project / ".git" / "index").read_bytes() == index


def test_a_submodule_is_left_out(project: Path) -> None:
    """What lies in a submodule is not of the commit's own files."""
    inner = project / "inner"
    inner.mkdir()
    _git(inner, "init", "--quiet")
    (inner / "a.txt").write_text("a\n")
    _git(inner, "add", ".")
    _git(inner, "commit", "--quiet", "--message=inner")
    _git(project, "add", "inner")
    _git(project, "commit", "--quiet", "--message=outer")
    (inner / "a.txt").write_text("b\n")
    state = find_checkout(project)

    assert state is not None
    assert state.changed is False
