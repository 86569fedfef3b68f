"""The notebooks of docs/: they run, show what they showed, and say what they are made of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import notebook
import pytest

ROOT = Path(__file__).resolve().parents[2]
PATHS = sorted((ROOT / "docs").rglob("*.ipynb"))
WITH_TORCH = [pytest.mark.torch, pytest.mark.thorough]
NOTEBOOKS = [
    pytest.param(path, marks=WITH_TORCH if "import torch" in path.read_text("utf-8") else [])
    for path in PATHS
]
LONGEST_S = 300


def cells(text: str) -> list[dict[str, Any]]:
    notebook_cells: list[dict[str, Any]] = json.loads(text)["cells"]
    return notebook_cells


def ours(cell: dict[str, Any]) -> list[str]:
    """What a cell shows in our own words: what it prints, and objects of kernelmap at a prompt."""
    outputs = cell.get("outputs", [])
    printed = ["".join(output["text"]) for output in outputs if "text" in output]
    plain = ["".join(output["data"]["text/plain"]) for output in outputs if "data" in output]
    return printed + [text for text in plain if text.startswith("<")]


def forms(cell: dict[str, Any]) -> list[list[str]]:
    """In which forms each output of a cell is kept."""
    return [sorted(output.get("data", ())) for output in cell.get("outputs", ())]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, as it loads itself
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_is_fresh(path: Path) -> None:
    """Every cell runs, and shows what is kept; scripts/notebook.py writes it anew."""
    kept = cells(path.read_text("utf-8"))
    now = cells(notebook.executed(path))

    assert [cell["source"] for cell in now] == [cell["source"] for cell in kept]
    assert [ours(cell) for cell in now] == [ours(cell) for cell in kept]
    assert list(map(forms, now)) == list(map(forms, kept))
    assert any(ours(cell) for cell in kept)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_simulated_data_is_called_so(path: Path) -> None:
    """A reader learns in the first cell that no GPU was measured, and no machine is named."""
    text = path.read_text("utf-8")
    used = "sample_traces/sim_" in text

    assert not used or "simulated" in "".join(cells(text)[0]["source"])
    assert str(Path.home()) not in text
    assert str(ROOT) not in text


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_kernel_runs_it(path: Path) -> None:
    """The same in a kernel of Jupyter, as a reader runs it."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")

    opened = nbformat.read(path, as_version=4)
    nbformat.validate(opened)
    place = {"metadata": {"path": str(ROOT)}}
    nbclient.NotebookClient(opened, timeout=LONGEST_S, resources=place).execute()
