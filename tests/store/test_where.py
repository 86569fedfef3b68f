"""Which store is meant, and what git says of a checkout."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kernelmap.errors import KernelmapError
from kernelmap.store.checkout import Checkout, checkout
from kernelmap.store.place import chosen_store

NEEDS_GIT = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")


def project(folder: Path, text: str) -> Path:
    """A folder two levels below a pyproject.toml with that text."""
    (folder / "pyproject.toml").write_text(text)
    below = folder / "a" / "b"
    below.mkdir(parents=True)
    return below


def test_the_option_comes_first_then_the_variable_then_the_project(tmp_path: Path) -> None:
    """Whoever is nearer to the command decides."""
    below = project(tmp_path, '[tool.kernelmap]\nstore = "kept"\n')
    environment = {"KERNELMAP_STORE": "elsewhere"}

    assert chosen_store("given", folder=below, environment=environment) == "given"
    assert chosen_store(None, folder=below, environment=environment) == "elsewhere"
    assert chosen_store(None, folder=below, environment={}) == str(tmp_path / "kept")


def test_without_any_word_it_is_the_folder_here(tmp_path: Path) -> None:
    """`.kernelmap` in the current folder; a project that says nothing does not matter."""
    below = project(tmp_path, '[tool.other]\nstore = "kept"\n')

    assert chosen_store(None, folder=below, environment={}) == ".kernelmap"
    assert chosen_store("", folder=below, environment={"KERNELMAP_STORE": ""}) == ".kernelmap"


def test_a_url_in_the_project_stays_a_url(tmp_path: Path) -> None:
    """Only paths are relative to the project's file."""
    below = project(tmp_path, '[tool.kernelmap]\nstore = "s3://bucket/x"\n')

    assert chosen_store(None, folder=below, environment={}) == "s3://bucket/x"


@pytest.mark.parametrize("text", ["[tool", "[tool.kernelmap]\nstore = 3\n", "\udcff"])
def test_a_project_that_cannot_be_read_is_said(text: str, tmp_path: Path) -> None:
    """The error names the file; no other store is taken instead."""
    below = project(tmp_path, "")
    (tmp_path / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogateescape"))

    with pytest.raises(KernelmapError, match=r"pyproject\.toml"):
        chosen_store(None, folder=below, environment={})


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")
    done = subprocess.run(  # noqa: S603 -- the test's own repository
        ["git", *who, *arguments],  # noqa: S607 -- from PATH, as users do
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@NEEDS_GIT
def test_a_checkout_tells_branch_and_commit(tmp_path: Path) -> None:
    """Of any folder inside it; tracked files that differ are said, others are not."""
    git(tmp_path, "init", "--initial-branch=topic")
    (tmp_path / "model.py").write_text("x = 1\n")
    git(tmp_path, "add", "model.py")
    git(tmp_path, "commit", "--message=one")
    (tmp_path / "below").mkdir()
    commit = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "untracked").write_text("x")
    assert checkout(tmp_path / "below") == Checkout(branch="topic", commit=commit, changed=False)

    (tmp_path / "model.py").write_text("x = 2\n")
    assert checkout(tmp_path) == Checkout(branch="topic", commit=commit, changed=True)

    git(tmp_path, "checkout", "--quiet", "--detach")
    assert checkout(tmp_path) == Checkout(branch=None, commit=commit, changed=True)


@NEEDS_GIT
def test_what_is_no_checkout_tells_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain folder, a repository without a commit, and a machine without git."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    assert checkout(tmp_path / "plain") is None

    git(tmp_path / "plain", "init")
    assert checkout(tmp_path / "plain") is None

    monkeypatch.setenv("PATH", "")
    assert checkout(tmp_path) is None
