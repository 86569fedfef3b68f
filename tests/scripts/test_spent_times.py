"""What tests cost: every second is in one folder and one kind."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import spent_times as times

import cpu_times

SPENT: dict[str, Any] = {
    "tests": {
        "tests/a/test_x.py::one": {"setup": 1.0, "call": 2.0, "teardown": 1.0, "children": 4.0},
        "tests/a/test_x.py::two[2|3]": {"call": 3.0, "children": 0.0},
        "tests/test_y.py::three": {"call": 7.0, "children": 8.0},
        "kernelmap/z.py::kernelmap.z": {"call": 1.0, "children": 0.0},
    },
    "marks": {
        "tests/a/test_x.py::one": ["torch", "sampled"],
        "tests/a/test_x.py::two[2|3]": ["hypothesis"],
        "tests/test_y.py::three": [],
        "kernelmap/z.py::kernelmap.z": [],
    },
    "fixtures": {"tests::browser": 2.0},
    "apart": {"collection": 5.0, "between": 1.0, "controller": 2.0},
}


def test_every_second_is_in_one_kind() -> None:
    """Fixtures apart, a test's own time and that of its processes are of the kind of its marks."""
    kinds = {test: times.seconds_by_kind(test, SPENT) for test in SPENT["tests"]}

    assert list(kinds.values()) == [
        {"fixtures": 2.0, "torch": 6.0},
        {"fixtures": 0.0, "processes": 0.0, "hypothesis": 3.0},
        {"fixtures": 0.0, "processes": 8.0, "the rest": 7.0},
        {"fixtures": 0.0, "processes": 0.0, "the rest": 1.0},
    ]


def test_the_dearest_folder_is_first_and_all_adds_up() -> None:
    """Folders, the docstrings of the package, and what is outside tests."""
    text = times.report(SPENT, top=1, files=2)
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]

    assert "4 tests, 35 seconds of processor time" in text
    assert rows[1:5] == ["`tests/*.py`", "`tests/a`", "`docstrings`", "all tests"]
    assert "| 15.0 | `tests/test_y.py::three` |" in text


@pytest.mark.thorough
def test_what_a_test_starts_is_measured(tmp_path: Path) -> None:
    """In a run of its own with two workers: its processes, those that live on, and its marks."""
    busy = "import time\nwhile time.process_time() < 0.3: pass\n"
    (tmp_path / "conftest.py").write_text(
        "from pathlib import Path\n"
        "from cpu_times import CpuTimes\n"
        "def pytest_configure(config):\n"
        "    config.pluginmanager.register(CpuTimes(config, Path('times.json')))\n"
    )
    (tmp_path / "test_busy.py").write_text(
        "import subprocess, sys, time\n"
        f"busy = {busy!r}\n"
        "def test_ended(): subprocess.run([sys.executable, '-c', busy])\n"
        "def test_lives_on():\n"
        "    process = subprocess.Popen([sys.executable, '-c', busy + 'time.sleep(9)'])\n"
        "    time.sleep(2)\n"
        "def test_itself(): sum(range(10**6))\n"
    )
    subprocess.run(  # noqa: S603 -- our own interpreter
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:kernelmap", tmp_path],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(cpu_times.__file__).parent), "PATH": "/usr/bin:/bin"},
        check=True,
    )
    spent = json.loads((tmp_path / "times.json").read_text(encoding="utf-8"))
    children = {test.rpartition("::")[2]: one["children"] for test, one in spent["tests"].items()}

    assert children["test_ended"] >= 0.3
    assert children["test_lives_on"] > 0
    assert children["test_itself"] < 0.3
    assert set(spent["apart"]) == {"collection", "between", "controller"}


def test_a_part_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two measurements of one part are one sum."""
    parts = defaultdict[str, float](float)
    with monkeypatch.context() as patched:  # ends before a measurement of this test itself does
        patched.setattr(cpu_times, "own_seconds", iter([1.0, 3.0, 5.0, 5.5]).__next__)
        for _ in range(2):
            with cpu_times.Measured(parts, "call"):
                time.sleep(0)

    assert parts == {"call": 2.5}
