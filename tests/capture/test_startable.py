"""What cannot be started is said before anything is, in words of the program and not of Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelmap.capture.startable import require_startable
from kernelmap.cli import main
from kernelmap.errors import UsageError

PYTHON = sys.executable


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a script, in which one stands."""
    (tmp_path / "train.py").write_text("import torch\n")
    (tmp_path / "package").mkdir()
    (tmp_path / "runnable").mkdir()
    (tmp_path / "runnable" / "__main__.py").write_text("")
    (tmp_path / "trace.bin").write_bytes(b"\x1f\x8b\x08\0\0\0")
    (tmp_path / "broken.py").write_text("def f(:\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        ([PYTHON, "trian.py"], "the script trian.py does not exist", "`train.py`"),
        ([PYTHON, "-u", "trian.py", "x"], "the script trian.py does not exist", "`train.py`"),
        (["trian.py"], "the script trian.py does not exist", "`train.py`"),
        (["train.py"], "is a script that is not executable", "-- python train.py`"),
        ([PYTHON, "package"], "a folder without a __main__.py", "Name the script"),
        ([PYTHON, "trace.bin"], "trace.bin is no Python script", "Name the script"),
        ([PYTHON, "broken.py"], "broken.py is no Python script, line 1", "Name a script"),
        ([PYTHON, "-m", "trian"], "there is no module trian", "`train`"),
        ([PYTHON, "-mtrian"], "there is no module trian", "`train`"),
        (["sh", "trian.py"], "the script trian.py does not exist", "`train.py`"),
        (["pythn3", "train.py"], "there is no program pythn3", "PATH"),
        (["gone/run"], "the file gone/run does not exist", "no folder gone"),
    ],
)
def test_what_is_missing_is_named_with_what_is_like_it(
    words: list[str], message: str, hint: str, here: Path
) -> None:
    """The error is about the script, and nothing was made."""
    done = CliRunner().invoke(main, ["capture", "-o", "bundle", "--", *words])
    assert done.exit_code == 2
    assert message in done.stderr
    assert hint in done.stderr or "Did you mean `python" in done.stderr
    assert not (here / "bundle").exists()


@pytest.mark.parametrize(
    "words",
    [
        [PYTHON, "train.py"],
        [PYTHON, "runnable"],
        [PYTHON, "-c", "print()"],
        [PYTHON, "-m", "train"],
        [PYTHON, "-m", "json.tool"],
        ["sh", "-c", "python trian.py"],
        ["env", "-C", "elsewhere", PYTHON, "trian.py"],
        ["sh", "train.py"],
    ],
)
def test_what_may_run_is_left_to_itself(words: list[str], here: Path) -> None:
    """Whatever only the program can know is no error before it starts."""
    assert here.is_dir()
    require_startable(words, is_python=words[0] == PYTHON)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_script_that_may_not_be_read_is_said(here: Path) -> None:
    """It is the rights, not the spelling."""
    (here / "train.py").chmod(0)
    with pytest.raises(UsageError, match="Permission denied"):
        require_startable([PYTHON, "train.py"], is_python=True)
