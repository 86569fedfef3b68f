"""`kernelmap correlate -o report.html`: the page that it writes, and what it does with it."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelmap.cli import main


@pytest.fixture
def sample(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sample, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    return samples / "sim_mlp_train"


def test_the_page_is_shown_only_where_that_is_asked(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--open hands the written page to the browser; without it no browser is asked for."""
    seen: list[str] = []

    def no_browser(url: str) -> bool:
        seen.append(url)
        return False

    monkeypatch.setattr(webbrowser, "open", no_browser)
    CliRunner().invoke(main, ["correlate", str(sample), "-o", "report.html"])
    assert seen == []

    result = CliRunner().invoke(main, ["correlate", str(sample), "--open"])

    assert seen == [(tmp_path / "report.html").as_uri()]
    assert result.exit_code == 0
    assert "no browser" in result.stderr


def test_folders_of_the_recording_are_those_stated(sample: Path, tmp_path: Path) -> None:
    """A variable goes before `path_map` of pyproject.toml, whose folders are relative to it."""
    (tmp_path / "pyproject.toml").write_text('[tool.kernelmap]\npath_map = {"/root" = "src"}\n')
    command = ["correlate", str(sample), "-o"]
    CliRunner().invoke(main, [*command, "report.html"])
    stated = {"KERNELMAP_PATH_MAP": "/root=/home/me"}
    CliRunner().invoke(main, [*command, "stated.html"], env=stated)

    assert f'["/root","{tmp_path / "src"}"]' in Path("report.html").read_text("utf-8")
    assert '["/root","/home/me"]' in Path("stated.html").read_text("utf-8")


@pytest.mark.parametrize("stated", ["/root", "/root=", "=/home"])
def test_half_a_path_map_is_wrong_usage(sample: Path, stated: str) -> None:
    """A folder without the other one is no map; nothing is written."""
    words = ["correlate", str(sample), "-o", "report.html"]
    result = CliRunner().invoke(main, words, env={"KERNELMAP_PATH_MAP": stated})

    assert result.exit_code == 2
    assert not Path("report.html").exists()


@pytest.mark.parametrize("stated", ["3", '"src"', "{a = 1}"])
def test_a_path_map_is_a_table_of_folders(sample: Path, tmp_path: Path, stated: str) -> None:
    """Anything else in pyproject.toml is said with its place."""
    (tmp_path / "pyproject.toml").write_text(f"[tool.kernelmap]\npath_map = {stated}\n")
    result = CliRunner().invoke(main, ["correlate", str(sample), "-o", "report.html"])

    assert result.exit_code == 2
    assert "path_map" in result.stderr
    assert "pyproject.toml" in result.stderr
