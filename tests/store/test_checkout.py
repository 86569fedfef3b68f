"""What a recording says of the checkout that it was started in."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kernelmap.store.checkout import checkout

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


def test_a_clean_checkout_is_its_commit(project: Path) -> None:
    """Branch and commit are git's, and nothing differs."""
    state = checkout(project)

    assert state is not None
    assert state.branch == "topic"
    assert state.commit == _git(project, "rev-parse", "HEAD").strip()
    assert state.changed is False


def test_a_folder_without_git_has_no_checkout(tmp_path: Path) -> None:
    """What is no checkout has neither branch nor commit."""
    assert checkout(tmp_path) is None


def test_a_commit_alone_has_no_branch(project: Path) -> None:
    """CI checks out a commit, not a branch."""
    _git(project, "checkout", "--quiet", "--detach")
    state = checkout(project)

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
    state = checkout(project)

    assert state is not None
    assert state.changed is True


def test_a_touched_file_is_not_changed(project: Path) -> None:
    """A file with another time and the same bytes is the commit's."""
    (project / "model.py").write_text("x = 1\n")
    state = checkout(project)

    assert state is not None
    assert state.changed is False


def test_nothing_of_the_checkout_runs(project: Path, tmp_path: Path) -> None:
    """Filters, hooks and monitors that the repository's configuration names are not started."""
    ran = tmp_path / "ran"
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho $0 >> {ran}\ncat\n")
    trap.chmod(0o755)
    hooks = project / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "fsmonitor-watchman", "pre-auto-gc", "reference-transaction"):
        shutil.copy(trap, hooks / hook)
    (project / ".gitattributes").write_text("*.py filter=trap diff=trap\n")
    _git(project, "add", ".gitattributes")
    _git(project, "commit", "--quiet", "--message=attributes")
    for key in ("filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "core.fsmonitor",
                "diff.trap.command", "diff.trap.textconv", "diff.external", "core.pager",
                "core.sshCommand", "core.editor"):  # fmt: skip
        _git(project, "config", key, str(trap))
    ran.unlink(missing_ok=True)
    (project / "model.py").write_text("x = 3\n")
    state = checkout(project)

    assert state is not None
    assert state.changed is True
    assert not ran.exists()


def test_a_submodule_runs_nothing_either(project: Path, tmp_path: Path) -> None:
    """What lies in a submodule is asked nothing: its own configuration may name programs."""
    ran = tmp_path / "ran"
    inner = project / "inner"
    inner.mkdir()
    _git(inner, "init", "--quiet")
    (inner / "a.txt").write_text("a\n")
    (inner / ".gitattributes").write_text("*.txt filter=trap\n")
    _git(inner, "add", ".")
    _git(inner, "commit", "--quiet", "--message=inner")
    _git(project, "add", "inner")
    _git(project, "commit", "--quiet", "--message=outer")
    _git(inner, "config", "filter.trap.clean", f"touch {ran}; cat")
    (inner / "a.txt").write_text("b\n")
    checkout(project)

    assert not ran.exists()
