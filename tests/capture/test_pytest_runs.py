"""Real steps under the pytest plugin: what torch compiled is recorded, locked, and compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from children import UNCOLLECTED

pytestmark = pytest.mark.torch
ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
(TEST,) = (
    block
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    if "kernelmap_case" in block
)
UPDATE, CHECK = (shlex.split(line)[1:] for line in re.findall(r"^pytest .*$", PAGE, re.MULTILINE))
BREAK = "    torch._dynamo.graph_break()\n    return"


def run(folder: Path, *options: str) -> tuple[int, str]:
    """A pytest of its own; times of this machine cannot fail it, however busy it is."""
    line = ["-q", "-p", "no:kernelmap", "-p", "kernelmap.pytest_plugin", *options]
    done = subprocess.run(  # noqa: S603 -- our own interpreter
        [sys.executable, "-m", "pytest", *line, "--kernelmap-max-regression", "1"],
        cwd=folder,
        env={
            **os.environ,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            **UNCOLLECTED,
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.thorough
def test_a_graph_break_fails_the_test(tmp_path: Path) -> None:
    """The test and the commands of docs/ci.md: the same code passes, a graph in two fails."""
    test = tmp_path / "test_model.py"
    test.write_text(TEST, encoding="utf-8")
    written = run(tmp_path, *UPDATE)
    again = run(tmp_path, *CHECK)
    test.write_text(TEST.replace("    return", BREAK), encoding="utf-8")
    broken = run(tmp_path, *CHECK)

    assert written[0] == 0, written[1]
    assert {path.suffix for path in (tmp_path / "baseline").iterdir()} == {".lock", ".json"}
    assert "the code is not what" not in again[1]
    assert broken[0] == 1
    assert "the code is not what" in broken[1]
    assert "a new graph" in broken[1]


def test_what_cannot_be_recorded_says_why(tmp_path: Path) -> None:
    """Another profiler is in the way of all steps: the test fails, and does not hang."""
    (tmp_path / "test_model.py").write_text(
        """
import torch
def test_step(kernelmap_case):
    with torch.profiler.profile():
        kernelmap_case.run(lambda: torch.ones(8))
""",
        encoding="utf-8",
    )
    code, text = run(tmp_path, "--kernelmap-baseline", "kept")

    assert code == 1
    assert "kernelmap: the recording is partial: " in text
    assert "its own profiler ran" in text
