"""Parts in C are optional: without a compiler everything else is there, and runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

import pytest
from click.testing import CliRunner

from kernelmap import __version__
from kernelmap.cli import main
from kernelmap.matching.aligner import native_decoder
from kernelmap.native import SWITCH
from kernelmap.traces.kineto import _scanner
from kernelmap.traces.kineto import native_scan as native
from kernelmap.traces.perfetto import packets

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.skipif(not find_spec("setuptools"), reason="setuptools is not installed")
def test_no_compiler_is_no_error(tmp_path: Path) -> None:
    """A build in which every compilation fails ends well, without the parts in C."""
    for source in (ROOT / "kernelmap").rglob("*.c"):
        copy = tmp_path / source.relative_to(ROOT)
        copy.parent.mkdir(parents=True)
        shutil.copy(source, copy)
    shutil.copy(ROOT / "setup.py", tmp_path)
    built = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--inplace"],
        cwd=tmp_path,
        env={**os.environ, "CC": "false"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert built.returncode == 0, built.stderr
    assert not [*tmp_path.rglob("*.so"), *tmp_path.rglob("*.pyd")]


@pytest.mark.parametrize(
    ("scanner", "switch", "words"),
    [
        (True, "", "scanner in C"),
        (True, "0", "scanner in C"),
        (True, "1", "Python reader, KERNELMAP_NO_NATIVE is set"),
        (False, "", "Python reader, no scanner was built"),
        (False, "1", "Python reader, no scanner was built"),
    ],
)
def test_the_version_says_which_reader_runs(
    monkeypatch: pytest.MonkeyPatch, scanner: bool, switch: str, words: str
) -> None:
    """Whoever reports a wrong or slow result can say what read the trace."""
    monkeypatch.setattr(native, "_scanner", native if scanner else None)
    monkeypatch.setenv(SWITCH, switch)

    said = CliRunner().invoke(main, ["--version"])

    assert said.exit_code == 0
    assert said.output == f"kernelmap {__version__} ({words})\n"


@pytest.mark.parametrize(
    ("name", "is_built"),
    [
        ("kernelmap.traces.kineto._scanner", native.is_built),
        ("kernelmap.traces.perfetto._packets", packets.is_built),
        ("kernelmap.matching.aligner._decoder", native_decoder.is_built),
    ],
)
def test_what_was_built_is_of_this_source(name: str, is_built: Callable[[], bool]) -> None:
    """Another version would be passed over in silence."""
    assert is_built() == (find_spec(name) is not None)


@pytest.mark.skipif(not native.is_built(), reason="the scanner was not built")
def test_a_scanner_of_another_version_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was built in place from an older source would give other things."""
    assert run_path(native.__file__)["_scanner"] is _scanner
    monkeypatch.setattr(_scanner, "VERSION", _scanner.VERSION - 1)
    assert run_path(native.__file__)["_scanner"] is None
