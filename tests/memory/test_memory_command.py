"""`kernelmap memory` and `correlate --by memory`: what they print, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import kernelmap
from kernelmap.cli import main
from kernelmap.tables.memory import MEMORY_TABLES
from kernelmap.tables.memory_measured import MEASURED_TABLES

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
LLAMA = SAMPLES / "cuda_memory_llama"
DYNAMIC = SAMPLES / "cuda_dynamic_recompile"


def run(*words: object, command: str = "memory") -> Result:
    return CliRunner().invoke(main, [command, *map(str, words)], env={"COLUMNS": "160"})


def document(*words: object) -> dict[str, list[dict[str, object]]]:
    result = run(*words, "--format", "json")
    assert result.exit_code == 0, result.output
    answer: dict[str, list[dict[str, object]]] = json.loads(result.stdout)
    return answer


def test_the_largest_buffer_at_the_peak_stands_first_with_its_line() -> None:
    """Name, bytes, kind, tensor, source line and calls, in one row."""
    result = run(LLAMA, "--graph", "0_forward", "--top", "3")
    first = next(line for line in result.stdout.splitlines() if line.startswith("buf3 "))

    assert result.exit_code == 0, result.output
    for word in ("786 kB", "output", "bfloat16 (512, 768)", "models.py:85", "0_forward/1"):
        assert word in first
    assert "more" in result.stdout


def test_every_form_says_the_same_peak() -> None:
    """JSON, CSV, Markdown and Python have the number that the table rounds."""
    peaks = {row["graph"]: row["peak_bytes"] for row in document(LLAMA)["graphs"]}
    rows = list(csv.DictReader(io.StringIO(run(LLAMA, "--format", "csv").stdout)))
    memory = kernelmap.correlate(LLAMA).memory()

    for graph, peak in peaks.items():
        assert sum(int(row["peak_bytes"]) for row in rows if row["graph"] == graph) == peak
    assert {one.graph: one.peak_bytes for one in memory.memories} == peaks
    assert "6.83 MB" in run(LLAMA, "--format", "markdown").stdout


def test_a_folder_has_a_parquet_file_per_table(tmp_path: Path) -> None:
    """With the units and rows that JSON has; what was not measured is a table without rows."""
    folder = tmp_path / "tables"

    result = run(LLAMA, "-o", folder)

    assert result.exit_code == 0, result.output
    answer = document(LLAMA)
    for word, table in [*MEMORY_TABLES.items(), *MEASURED_TABLES.items()]:
        stored = pq.read_table(folder / f"{table.name}.parquet")
        assert stored.to_pylist() == answer[word]
        units = {field.name: (field.metadata or {}).get(b"unit") for field in stored.schema}
        assert units == {
            column.name: column.unit and column.unit.value.encode() for column in table.columns
        }


def test_a_place_that_is_no_folder_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    """A file without a suffix stays what it is."""
    there = tmp_path / "notes"
    there.write_text("mine")

    result = run(LLAMA, "-o", there)

    assert result.exit_code == 2
    assert "stands for a folder" in result.stderr
    assert there.read_text() == "mine"


def test_correlate_by_memory_is_the_same_answer() -> None:
    """Of code with its profile both commands print one page."""
    words = (DYNAMIC, "--top", 3)

    assert run(*words).stdout == run(*words, "--by", "memory", command="correlate").stdout


def test_the_profile_tells_sizes_and_the_user_goes_before_it() -> None:
    """Sizes that the code leaves open are those that ran, unless others are asked for."""
    graphs = {row["graph"]: row for row in document(DYNAMIC)["graphs"]}
    asked = {row["graph"]: row for row in document(DYNAMIC, "--size", "s27=4096")["graphs"]}

    assert graphs["1_forward"]["sizes"] == ["s27=96"]
    assert graphs["1_forward"]["examples"] is None
    assert asked["1_forward"]["sizes"] == ["s27=4096"]
    assert asked["0_forward"] == graphs["0_forward"]


@pytest.mark.parametrize("word", ["s0", "s0=", "s0=x", "=4", "s0=-1", "s0=99999999999999999"])
def test_what_is_no_size_is_wrong_usage(word: str) -> None:
    """A symbol and a whole number, or nothing is read."""
    result = run(LLAMA, "--size", word)

    assert result.exit_code == 2
    assert "is not of the form s0=128" in result.stderr


def test_an_unknown_graph_is_wrong_usage_and_the_known_are_named() -> None:
    """The hint has the ids to choose from."""
    result = run(LLAMA, "--graph", "0_forwrd")

    assert result.exit_code == 2
    assert "0_forward, 0_backward" in result.stderr


def test_files_are_written_and_no_input_is_written_over(tmp_path: Path) -> None:
    """The form is that of the suffix; another suffix is refused before anything is read."""
    page = tmp_path / "memory.html"

    assert run(LLAMA, "-o", page).exit_code == 0
    assert "models.py" in page.read_text(encoding="utf-8")
    assert run(LLAMA, "-o", tmp_path / "memory.txt").exit_code == 2
