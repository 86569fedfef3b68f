"""Laws of waiting for an import."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from kernelmap.capture.import_hooks import when_imported


def test_everybody_who_waits_for_a_module_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several callbacks may wait for one module: it is imported once, and all of them run."""
    (tmp_path / "waited_for.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    heard: list[str] = []
    when_imported("waited_for", lambda _: heard.append("first"))
    when_imported("waited_for", lambda _: heard.append("second"))
    module = import_module("waited_for")
    import_module("waited_for")
    del sys.modules["waited_for"]

    assert module.value == 1
    assert sorted(heard) == ["first", "second"]


def test_a_module_that_is_not_there_stays_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for it in vain changes nothing."""
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    when_imported("no_such_module_at_all", lambda _: None)
    waiting = list(sys.meta_path)
    with pytest.raises(ModuleNotFoundError):
        import_module("no_such_module_at_all")

    assert sys.meta_path == waiting


def test_finders_of_old_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finder of the program without find_spec hinders no import, with us or without."""
    (tmp_path / "waited_for.py").write_text("value = 2\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", [object(), *sys.meta_path])
    values: list[int] = []
    when_imported("waited_for", lambda module: values.append(module.value))
    import_module("waited_for")
    del sys.modules["waited_for"]

    assert values == [2]
