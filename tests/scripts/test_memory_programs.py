"""The script that holds static memory against what torch counts, on one of its programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from memory_cases.cases import CASES

from kernelmap.model.memory import GraphMemory, MemoryBuffer, MemoryKind, MemoryStep

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "memory.md").read_text(encoding="utf-8")


def test_the_page_has_every_program() -> None:
    """The table is that of all programs, and says how many of their graphs are equal."""
    rows = [line.split(" | ")[0].removeprefix("| ") for line in PAGE.splitlines()]

    assert {*CASES} <= {*rows}
    assert "26 of 32 graphs of 20 programs" in PAGE


def test_what_inductor_counts_is_all_but_what_the_caller_holds() -> None:
    """Inputs and constants are left out, whatever else is alive at the same time."""
    from memory_programs import _counted_by_inductor as counted  # its one rule of its own

    kinds = (MemoryKind.INPUT, MemoryKind.CONSTANT, MemoryKind.SAVED, MemoryKind.BUFFER)
    memory = GraphMemory(
        graph="0_backward",
        steps=(MemoryStep(line=1, code=""), MemoryStep(line=2, code="")),
        buffers=tuple(
            MemoryBuffer(name=f"b{at}", storage=at, kind=kind, nbytes=10**at, born=at // 3)
            for at, kind in enumerate(kinds)
        ),
    )

    assert counted(memory) == 100 + 1000


@pytest.mark.thorough
@pytest.mark.torch
def test_a_program_runs_and_both_sides_agree(tmp_path: Path) -> None:
    """The code of torch as it is installed is read for its memory, to the kilobyte."""
    script = ROOT / "scripts" / "memory_programs.py"
    command = [sys.executable, str(script), "mlp_inference", "--work", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- ours

    assert ran.returncode == 0, ran.stderr
    assert "1 of 1 graphs of 1 programs are equal" in ran.stdout
