"""A program that we run cannot tell that Python did not start it itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

WRITE = """
import sys
import __main__
print(__name__, sys.argv, sys.path[0], __main__.__file__, __main__ is sys.modules["__main__"])
print(sorted(set(vars(__main__)) & {"__builtins__", "__file__", "WRITE"}), __main__.sys is sys)
"""
RUN = "import sys; from kernelmap.capture.runner import run; run(sys.argv[1:])"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on `arguments` in `folder`."""
    root = Path(__file__).resolve().parents[2]
    return subprocess.run(  # noqa: S603 -- Python on programs of this file
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(root)},
    )


def test_a_script_sees_what_python_gives(tmp_path: Path) -> None:
    """Arguments, name, path and `__main__` are those of a script that Python starts."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "train.py").write_text(WRITE)
    plain = run(tmp_path, "inner/train.py", "--lr", "-m")
    ours = run(tmp_path, "-c", RUN, "inner/train.py", "--lr", "-m")

    assert ours.stdout == plain.stdout
    assert "--lr" in ours.stdout


def test_a_module_sees_what_python_gives(tmp_path: Path) -> None:
    """`-m MODULE` finds the module and its arguments."""
    package = tmp_path / "inner"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "train.py").write_text("import sys\nprint(__name__, __package__, sys.argv)")
    plain = run(tmp_path, "-m", "inner.train", "x")
    ours = run(tmp_path, "-c", RUN, "-m", "inner.train", "x")

    assert ours.stdout == plain.stdout != ""


@pytest.mark.parametrize(
    ("text", "code"),
    [("raise SystemExit(7)", 7), ("import sys; sys.exit('no')", 1), ("1/0", 1), ("", 0)],
)
def test_exit_codes_pass_through(tmp_path: Path, text: str, code: int) -> None:
    """How the program ends is how we end."""
    (tmp_path / "train.py").write_text(text)

    assert run(tmp_path, "-c", RUN, "train.py").returncode == code


def test_exit_functions_still_find_main(tmp_path: Path) -> None:
    """What a program does at exit finds the program's own `__main__`."""
    text = "import atexit, __main__\nname = 'mine'\natexit.register(lambda: print(__main__.name))"
    (tmp_path / "train.py").write_text(text)

    assert run(tmp_path, "-c", RUN, "train.py").stdout == "mine\n"
