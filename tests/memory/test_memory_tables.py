"""Tables of memory: rows add up, and buffers have the lines of the calls that make them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from kernelmap.memory import memory_of_program
from kernelmap.model import CompiledProgram
from kernelmap.model.memory import MemoryKind
from kernelmap.pages.memory_result import MemoryResult
from kernelmap.tables.memory import MEMORY_TABLES, MemoryTables, build_memory_tables
from kernelmap.tables.rows import whole_number
from read_once import compiled

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
NAMES = ("cuda_memory_llama", "cuda_dynamic_recompile", "cuda_cuda_graphs", "aoti_block")


def _tables(program: CompiledProgram) -> MemoryTables:
    return build_memory_tables(program, memory_of_program(program))


@pytest.mark.parametrize("name", NAMES)
def test_lines_buffers_and_kinds_add_up_to_the_peak(name: str) -> None:
    """Whatever the bytes at the peak are divided by, it is the same sum."""
    tables = _tables(compiled(SAMPLES / name))

    for graph in tables.rows["graphs"]:
        of_graph = {
            word: [row for row in tables.rows[word] if row["graph"] == graph["graph"]]
            for word in ("lines", "buffers", "statements")
        }
        at_peak = of_graph["statements"][whole_number(graph, "peak_step")]
        by_kind = [whole_number(at_peak, f"{kind}_bytes") for kind in MemoryKind]
        lines = [whole_number(row, "bytes") for row in of_graph["lines"]]
        buffers = [whole_number(row, "peak_bytes") for row in of_graph["buffers"]]

        assert sum(lines) == sum(buffers) == sum(by_kind) == graph["peak_bytes"]
        assert at_peak["after_bytes"] == graph["peak_bytes"]


@pytest.mark.parametrize("name", NAMES)
def test_each_statement_begins_with_what_the_one_before_left(name: str) -> None:
    """The curve has no jumps between statements."""
    rows = _tables(compiled(SAMPLES / name)).rows["statements"]

    for before, after in pairwise(rows):
        if before["graph"] == after["graph"]:
            assert after["before_bytes"] == before["after_bytes"]


def test_what_a_forward_saved_has_the_line_of_the_forward() -> None:
    """At the peak of the backward it is told which line of the model its tensors were made for."""
    tables = _tables(compiled(SAMPLES / "cuda_memory_llama"))
    saved = [
        row
        for row in tables.rows["buffers"]
        if row["graph"] == "0_backward" and row["kind"] == "saved"
    ]

    assert len(saved) > 10
    assert all(str(row["origin"]).startswith("0_forward/") for row in saved)
    assert all(row["source"] for row in saved)
    rest = [row["file"] for row in tables.rows["lines"] if row["line"] is None]
    assert "(saved by the forward)" not in rest


def test_the_result_has_frames_and_forms(tmp_path: Path) -> None:
    """Python has each table as a frame with the columns of its schema; files have what it shows."""
    result = MemoryResult(tables=_tables(compiled(SAMPLES / "aoti_block")))

    for word, table in MEMORY_TABLES.items():
        assert list(getattr(result, word).columns) == list(table.by_name)
    assert len(result.render("csv").splitlines()) == 1 + len(result.buffers)
    for suffix in ("json", "md", "html"):
        path = result.write(tmp_path / f"memory.{suffix}")
        assert "up_weight" in path.read_text(encoding="utf-8")
    assert "bytes at the peak: model 165,312" in repr(result)
    assert "up_weight" in result._repr_html_()


def test_the_order_of_files_changes_nothing() -> None:
    """A backward finds its forward wherever that stands among the inputs."""
    program = compiled(SAMPLES / "cuda_memory_llama")
    graphs = tuple(reversed(program.graphs))
    other = CompiledProgram(graphs=graphs, notices=program.notices, files=program.files)

    assert memory_of_program(other) == tuple(reversed(memory_of_program(program)))
