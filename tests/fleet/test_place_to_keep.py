"""What a fleet keeps of ranks lies where somebody said, or in the user's cache folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelmap.cli import main
from kernelmap.fleet.kept import cache_folder, place_to_keep


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {"XDG_CACHE_HOME": "/cache", "HOME": "/home/me"}, "/cache/kernelmap"),
        ("linux", {"XDG_CACHE_HOME": "cache", "HOME": "/home/me"}, "/home/me/.cache/kernelmap"),
        ("linux", {"HOME": "/home/me"}, "/home/me/.cache/kernelmap"),
        ("darwin", {"HOME": "/Users/me"}, "/Users/me/Library/Caches/kernelmap"),
        ("win32", {"HOME": "/u", "LOCALAPPDATA": "/u/AppData/Local"}, "/u/AppData/Local/kernelmap"),
    ],
)
def test_the_cache_folder_is_that_of_the_platform(
    platform: str, environment: dict[str, str], folder: str
) -> None:
    """A relative XDG_CACHE_HOME is ignored, as its rule says."""
    assert cache_folder(environment, platform) == Path(folder)


def test_a_named_store_keeps_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever names a store, by an option, a variable or a setting, has them there."""
    monkeypatch.chdir(tmp_path)
    alone = {"HOME": "/home/me"}
    assert place_to_keep(None, alone) == "/home/me/.cache/kernelmap/fleet"
    assert place_to_keep("s3://bucket/runs/", alone) == "s3://bucket/runs/fleet"
    assert place_to_keep(None, {**alone, "KERNELMAP_STORE": "runs"}) == "runs/fleet"
    (tmp_path / "pyproject.toml").write_text('[tool.kernelmap]\nstore = "kept"\n')
    assert place_to_keep(None, alone) == f"{tmp_path}/kept/fleet"


def test_a_question_makes_no_folder_where_one_stands(
    tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the cache folder is written, and a second question finds what it holds."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.delenv("KERNELMAP_STORE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = ["fleet", str(samples / "sim_fleet" / "rank_[01].json.gz"), "--workers", "0"]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert list(here.iterdir()) == []
    assert (tmp_path / "cache" / "kernelmap" / "fleet").is_dir()
