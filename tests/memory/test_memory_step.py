"""Memory across graphs: what forwards save, by line, and the bytes over the graphs of a step."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import kernelmap
from kernelmap.correlation import Correlation
from kernelmap.memory import memory_of_program, memory_of_step, order_of_step
from kernelmap.model.memory import GraphMemory, MemoryKind
from kernelmap.pages.memory_result import MemoryResult
from read_once import compiled

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"
TRAINED = ("cuda_memory_llama", "cuda_memory_mlp", "cuda_memory_checkpointed", "cuda_equal_layers")


@cache
def _correlated(case: str) -> Correlation:
    return kernelmap.correlate(SAMPLES / case)


@cache
def _memory(case: str) -> MemoryResult:
    return _correlated(case).memory()


@pytest.mark.parametrize("case", TRAINED)
def test_what_lines_save_adds_up_to_what_the_forward_saved(case: str) -> None:
    """Each byte that a backward is handed of its forward has one line that made it."""
    result = _memory(case)
    for memory in result.memories:
        rows = [row for row in result.tables.rows["saved"] if row["graph"] == memory.graph]
        assert sum(int(str(row["bytes"])) for row in rows) == _saved_bytes(memory)


def _saved_bytes(memory: GraphMemory) -> int:
    return sum(one.nbytes or 0 for one in memory.buffers if one.kind is MemoryKind.SAVED)


def test_a_saved_tensor_names_the_line_that_made_it_and_the_one_that_needs_it() -> None:
    """The largest of a block in the style of Llama is the MLP's own."""
    rows = _memory("cuda_memory_llama").tables.rows["saved"]

    assert (rows[0]["line"], rows[0]["bytes"]) == (90, 1_048_576)
    assert str(rows[0]["backward_of"]).endswith("models.py:90")


@pytest.mark.parametrize("case", TRAINED)
def test_graphs_of_a_step_stand_in_the_order_in_which_they_ran(case: str) -> None:
    """A run begins with what the one before it left, and its own growth is that of its graph."""
    correlation = _correlated(case)
    parts = (correlation.trace, correlation.matching, correlation.attribution)
    order = order_of_step(correlation.program, *parts)
    memories = {memory.graph: memory for memory in memory_of_program(correlation.program)}
    step = memory_of_step([*memories.values()], correlation.program, order)

    assert step.is_recorded
    assert [run.graph for run in step.runs] == [*order]
    assert step.runs[0].before == 0
    assert all(one.after == two.before for one, two in zip(step.runs, step.runs[1:], strict=False))
    for run in step.runs:
        alive = memories[run.graph].bytes_after
        assert run.peak - run.before == alive.max() - alive[0]
        assert run.after - run.before == alive[-1] - alive[0]


def test_equal_layers_run_forward_and_then_back() -> None:
    """Twelve forwards of one graph keep twelve times what it saves; the peak is behind them."""
    rows = _memory("cuda_equal_layers").tables.rows["runs"]

    assert [row["graph"] for row in rows] == ["0_forward"] * 12 + ["0_backward"] * 12
    assert max(rows, key=lambda row: int(str(row["peak_bytes"])))["run"] == 12


def test_without_a_profile_the_usual_order_is_assumed_and_said() -> None:
    """Forwards run before their backwards; the table says that nobody saw it."""
    folder = SAMPLES / "cuda_memory_mlp" / "rank_0" / "torch_trace"
    result = kernelmap.memory_of(folder)

    assert [row["order"] for row in result.tables.rows["runs"]] == ["assumed"] * 2
    assert [row["graph"] for row in result.tables.rows["runs"]] == ["0_forward", "0_backward"]


def test_a_step_without_a_backward_keeps_nothing_and_has_no_rows() -> None:
    """Results of inference are dropped when the program likes: their sum would say nothing."""
    program = compiled(SAMPLES / "cuda_graph_breaks")
    step = memory_of_step(memory_of_program(program), program)

    assert step.runs
    assert _memory("cuda_graph_breaks").tables.rows["runs"] == []


def test_a_replay_allocates_nothing_and_its_pool_is_told() -> None:
    """What was measured of it: no run of a replayed graph grows. The pool has what it needs."""
    rows = _memory("cuda_memory_graphs").tables.rows["runs"]
    alone = {row["graph"]: row for row in _memory("cuda_memory_mlp").tables.rows["runs"]}

    assert [row["graph"] for row in rows] == ["0_forward", "0_backward"]
    assert {
        row[name] for row in rows for name in ("before_bytes", "peak_bytes", "after_bytes")
    } == {0}
    # The same model without CUDA graphs grows by just that.
    for row in rows:
        grows = alone[row["graph"]]
        own = int(str(grows["peak_bytes"])) - int(str(grows["before_bytes"]))
        assert row["pool_bytes"] == own > 0
        assert grows["pool_bytes"] is None
