"""What an input may ask of memory is limited in one place, and one variable lifts every limit."""

from __future__ import annotations

import ast
import os
import stat
from pathlib import Path

import pytest

import kernelmap
from kernelmap.errors import KernelmapError, TooLargeError, unreadable
from kernelmap.history.store.choosing import chosen_store
from kernelmap.model.bundle import FORMAT, MANIFEST, read_manifest
from kernelmap.model.paths import LIMITS, VARIABLE, Limit, first_bytes, open_file, read_bytes

TEN = Limit(name="ten", most=10, unit="bytes", of="of a test")
PACKAGE = Path(kernelmap.__file__).parent
OPENING = {"read_bytes", "read_text"}
TRUSTED = (
    *("agents/skill", "capture", "dashboard", "pages/report"),
    *("pages/render/html.py", "pages/render/scripts.py"),
    *("model/paths.py", "model/names.py", "manual.py", "settings.py"),
    *("history/store/local.py", "pages/write.py", "cli/report_page.py"),
)
"""What opens files of its own, or of the program or project that it runs in.

settings.py is asked before anything is loaded, and only for regular files.
"""


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_every_limit_follows_the_variable(limit: Limit, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number multiplies each limit, `off` takes it away, and errors state what holds."""
    for value, expected in (("", limit.most), ("4", 4 * limit.most), ("0.5", limit.most // 2)):
        monkeypatch.setenv(VARIABLE, value)
        assert limit.current() == expected
        assert not limit.is_exceeded(expected)
        assert limit.is_exceeded(expected + 1)
        assert f"{expected:,}" in limit.make_error("x").message
    monkeypatch.setenv(VARIABLE, "off")
    assert not limit.is_exceeded(1 << 62)


@pytest.mark.parametrize("value", ["many", "0", "-1", "nan", "inf"])
def test_a_wrong_variable_is_an_error(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A typing mistake does not lift a limit."""
    monkeypatch.setenv(VARIABLE, value)

    with pytest.raises(KernelmapError, match=VARIABLE):
        TEN.current()


@pytest.mark.parametrize(("size", "fits"), [(0, True), (9, True), (10, True), (11, False)])
def test_a_file_is_read_whole_or_not_at_all(tmp_path: Path, size: int, *, fits: bool) -> None:
    """Up to the limit all of a file is read, beyond it nothing."""
    path = tmp_path / "file"
    path.write_bytes(b"x" * size)

    if fits:
        assert read_bytes(path, TEN) == b"x" * size
    else:
        with pytest.raises(TooLargeError) as caught:
            read_bytes(path, TEN)
        assert unreadable(path, caught.value).slug == "input-too-large"


def test_a_file_without_a_size_is_read_up_to_the_limit() -> None:
    """Some files of the system state no size and still have content."""
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("the system has no such files")

    assert read_bytes(path).startswith(b"Name:")
    with pytest.raises(TooLargeError):
        read_bytes(path, TEN)


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    """A pipe or a device may have no end, and whoever opens a pipe may wait for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    keeps_it_open = os.open(pipe, os.O_RDWR)
    try:
        for path in (pipe, tmp_path / "link", Path("/dev/zero")):
            assert not stat.S_ISREG(path.stat().st_mode)
            with pytest.raises(OSError, match="it is a"):
                open_file(path)
            with pytest.raises(OSError, match="it is a"):
                read_bytes(path)
            assert first_bytes(path, 1) == b""
    finally:
        os.close(keeps_it_open)


@pytest.mark.parametrize("levels", [100_000, 3_000])
def test_settings_without_bottom_are_one_error(tmp_path: Path, levels: int) -> None:
    """Brackets in each other by the thousand are no traceback."""
    deep = f'format = "{FORMAT}"\nversion = 1\nx = {"[" * levels}{"]" * levels}\n'
    (tmp_path / MANIFEST).write_text(deep)
    (tmp_path / "pyproject.toml").write_text(deep)

    with pytest.raises(KernelmapError) as caught:
        read_manifest(tmp_path)
    assert caught.value.slug == "bundle-damaged"
    with pytest.raises(KernelmapError) as caught:
        chosen_store(None, folder=tmp_path, environment={})
    assert caught.value.slug == "unreadable-path"


def test_inputs_are_opened_in_one_place() -> None:
    """No reader opens a path itself: model/paths.py does, and checks pipes and limits."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith(TRUSTED):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            asked = [ast.unparse(argument) for argument in node.args]
            opens = (node.func.attr == "open" and asked == ["'rb'"]) or (
                node.func.attr in OPENING and not asked
            )
            assert not opens, f"{name}:{node.lineno}"
