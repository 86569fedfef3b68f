"""A test that hangs fails, and the tests after it run."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HUNG = """
import threading, time

def test_that_sleeps():
    time.sleep(600)

def test_that_waits_for_a_thread():
    forever = threading.Thread(target=time.sleep, args=(600,), daemon=True)
    forever.start()
    forever.join()

def test_that_passes():
    pass
"""


@pytest.mark.sampled
@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["here", "in a worker"])
def test_a_test_that_hangs_costs_itself_only(tmp_path: Path, workers: list[str]) -> None:
    """It fails at the limit, with the project's settings, even where SIGINT is ignored."""
    path = tmp_path / "test_hung.py"
    path.write_text(HUNG, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "-q"]
    command += ["--rootdir", str(tmp_path), "-p", "no:cacheprovider", "-o", "timeout=1"]

    done = subprocess.run(  # noqa: S603 -- this Python's pytest
        ["/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh", *command, *workers, str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("Failed: Timeout (>1.0s)") >= 2


def test_every_test_has_a_limit() -> None:
    """The settings have one, long enough for a busy machine and far below what CI waits."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    options = settings["tool"]["pytest"]["ini_options"]

    assert 120 <= options["timeout"] <= 900
    assert options["timeout_method"] == "signal"
