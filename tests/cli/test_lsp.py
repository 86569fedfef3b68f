"""`kernelmap lsp` without what it needs, and how it is told which recording to show."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kernelmap.cli import main
from kernelmap.options import Side


def test_without_pygls_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else of kernelmap needs it."""
    monkeypatch.setattr("kernelmap.cli.lsp.find_spec", lambda _: None)
    done = CliRunner().invoke(main, ["lsp"])
    assert done.exit_code == 2
    assert "no-language-server" in done.stderr
    assert "[lsp]" in done.stderr


def test_what_is_named_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Inputs, the store and the choices of a correlation, and where recorded folders lie here.

    `--stdio` is what clients add that know several ways to speak to a server.
    """
    if importlib.util.find_spec("pygls") is None:
        pytest.skip("pygls is not installed")
    server = pytest.importorskip("kernelmap.editors.server")
    asked: list[Any] = []
    monkeypatch.setattr(server, "serve", asked.append)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KERNELMAP_PATH_MAP", f"/home/user={tmp_path}")
    words = [
        "lsp",
        "bundle",
        "--stdio",
        "--steps",
        "3:5",
        "--side",
        "gpu",
        "--store",
        "kept",
        "--anyway",
    ]
    done = CliRunner().invoke(main, words)

    assert done.exit_code == 0, done.stderr
    (sources,) = asked
    assert sources.inputs == (tmp_path / "bundle",)
    assert sources.store == "kept"
    assert sources.anyway
    assert (sources.options.steps, sources.options.side) == ((3, 5), Side.GPU)
    assert sources.folders == {"/home/user": str(tmp_path)}
