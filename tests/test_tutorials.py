"""The tutorials' programs are the examples, and lead from nothing to a table when followed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kernelmap
from children import UNCOLLECTED
from examples import is_quick

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
EXAMPLES = ROOT / "scripts" / "examples"
PROGRAMS = {"train": "train_block", "inference": "infer", "aotinductor": "classifier"}
RECORDED = [("inference", "infer"), *([] if is_quick() else [("train", "train_block")])]
"""In `quick` the program of training is recorded by capture/test_capture_run.py alone."""
LONGEST_S = 500  # the machine may have much else to do
HEAD = 2  # lines of comments: those of a file are for our checks of types, a tutorial has others


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PROGRAMS)
def test_a_tutorial_shows_the_whole_program(page: str) -> None:
    """What a reader copies is the file that the tests run and the sample was recorded of."""
    lines = (EXAMPLES / f"{PROGRAMS[page]}.py").read_text(encoding="utf-8").splitlines()
    shown = blocks(page, "python")[0].splitlines()

    assert all(line.startswith("# ") for line in (*lines[:HEAD], *shown[:HEAD]))
    assert shown[HEAD:] == lines[HEAD:]


@pytest.mark.torch
@pytest.mark.skipif(not shutil.which("g++"), reason="Inductor needs a C++ compiler, g++ is missing")
@pytest.mark.thorough
@pytest.mark.parametrize(("page", "program"), RECORDED)
def test_a_tutorial_leads_to_a_table(page: str, program: str, tmp_path: Path) -> None:
    """Its program, recorded by its command as it stands, gives the program's lines, all exact."""
    source = blocks(page, "python")[0]
    (tmp_path / f"{program}.py").write_text(source, encoding="utf-8")
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    (command,) = [line for line in lines if line.startswith("kernelmap capture ")]
    words = shlex.split(command)
    words[words.index("python")] = sys.executable
    done = subprocess.run(  # noqa: S603 -- our own example
        [sys.executable, "-m", *words],
        cwd=tmp_path,
        env={**os.environ, **UNCOLLECTED, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr

    c = kernelmap.correlate(tmp_path / "bundle")
    written = source.splitlines()
    with_line = c.lines[c.lines["line"].notna()]

    assert {Path(file).name for file in with_line["file"]} == {f"{program}.py"}
    assert any(
        "F.gelu" in written[int(at) - 1] or "F.silu" in written[int(at) - 1]
        for at in with_line["line"]
    )
    assert set(c.launches["confidence"]) <= {"exact", "outside"}
