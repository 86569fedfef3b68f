"""Every script says what it does when it is asked, and does nothing then."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [
    path
    for path in sorted((ROOT / "scripts").glob("*.py"))
    if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
]
"""Those that somebody runs; the others are parts of them."""
NEEDS = {"bench_dashboard": "playwright"}


def test_contributing_says_when_each_script_is_run() -> None:
    """The table of CONTRIBUTING.md has every script that somebody runs once, and no other."""
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("| script | when |")[2]
    first_cells = re.findall(r"^\| ([^|]+) \|", table.partition("\n\n")[0], re.MULTILINE)
    listed = re.findall(r"`(\w+\.py)`", " ".join(first_cells))

    assert sorted(listed) == [path.name for path in SCRIPTS]


@pytest.mark.sampled
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_shows_its_help_and_does_nothing(path: Path, tmp_path: Path) -> None:
    """From any folder, without PYTHONPATH: usage and docstring, and no file anywhere."""
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    before = {file: file.stat().st_mtime_ns for file in written()}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(  # noqa: S603 -- our own script
        [sys.executable, "-B", path, "--help"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: {path.name}")
    assert docstring in done.stdout
    assert list(tmp_path.iterdir()) == []
    assert {file: file.stat().st_mtime_ns for file in written()} == before


def written() -> list[Path]:
    """What some script writes."""
    return [ROOT / "README.md", *(ROOT / "docs").rglob("*"), *(ROOT / "sample_traces").rglob("*")]
