"""Which store is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap.errors import KernelmapError
from kernelmap.history.store.choosing import chosen_store


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
