"""Without the extra every way to the dashboard says what to install."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from history.store.made import Made
from kernelmap.cli import main
from kernelmap.dashboard.extras import FOR_PAGES, FOR_SERVING
from kernelmap.history.store import Store


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A store with one run."""
    Store(tmp_path / "kept").record(Made())
    return tmp_path / "kept"


@pytest.mark.parametrize("missing", FOR_SERVING)
def test_serving_says_which_package_is_missing(
    kept: Path, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One missing package is an error with the command that brings it, and no traceback."""
    _without(missing, monkeypatch)
    result = CliRunner().invoke(main, ["dashboard", "--store", str(kept), "--port", "0"])

    assert result.exit_code == 2
    assert "is not installed; the dashboard needs it" in result.stderr
    assert "[dashboard]" in result.stderr


@pytest.mark.parametrize("missing", FOR_PAGES)
def test_an_export_says_which_package_is_missing(
    kept: Path, missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages that could say nothing are not written."""
    _without(missing, monkeypatch)
    pages = tmp_path / "pages"
    result = CliRunner().invoke(main, ["dashboard", "--store", str(kept), "--export", str(pages)])

    assert result.exit_code == 2
    assert "is not installed; the dashboard needs it" in result.stderr
    assert not pages.exists()


def test_pages_on_disk_need_no_server(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export is written where werkzeug and waitress are missing."""
    for name in FOR_PAGES:
        pytest.importorskip(name, reason=f"{name} is not installed")
    for name in set(FOR_SERVING) - set(FOR_PAGES):
        _without(name, monkeypatch)
    monkeypatch.setattr("kernelmap.dashboard.export.LIMITS", {"history": 1})  # a page is enough
    pages = tmp_path / "pages"
    result = CliRunner().invoke(main, ["dashboard", "--store", str(kept), "--export", str(pages)])

    assert result.exit_code == 0, result.output
    assert (pages / "index.html").is_file()


def test_help_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the command does can be read without anything installed."""
    for name in FOR_SERVING:
        _without(name, monkeypatch)

    assert CliRunner().invoke(main, ["dashboard", "--help"]).exit_code == 0


def _without(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a package as if it were not installed, and forget what was loaded of it and over it."""
    for name in list(sys.modules):
        if name.split(".")[0] == package or name == "kernelmap.dashboard.app":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
