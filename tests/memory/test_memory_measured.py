"""Static memory beside what torch's allocator counted of the same graphs on an H100."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernelmap.memory import memory_of_program
from kernelmap.model.memory import GraphMemory
from read_once import compiled

SAMPLES = Path(__file__).resolve().parents[2] / "sample_traces"


def _beside(case: str) -> dict[str, tuple[GraphMemory, dict[str, dict[str, int]]]]:
    """By graph id its memory, and what was measured around one run of it."""
    program = compiled(SAMPLES / case)
    measured = json.loads((SAMPLES / case / "measured.json").read_text(encoding="utf-8"))
    memories = {memory.graph: memory for memory in memory_of_program(program)}
    runs = {run["digest"]: run for run in measured["graphs"] if run["step"] == 0}
    return {
        graph.id: (memories[graph.id], runs[graph.digest])
        for graph in program.graphs
        if graph.digest in runs
    }


def _growth(memory: GraphMemory, run: dict[str, dict[str, int]], when: str) -> tuple[int, int]:
    """How far memory is above the start at the peak or at the end: static, measured."""
    alive = memory.peak_bytes if when == "peak" else int(memory.bytes_after[-1])
    return alive - int(memory.bytes_after[0]), run[when]["asked"] - run["before"]["asked"]


@pytest.mark.parametrize("case", ["cuda_memory_mlp", "cuda_memory_llama"])
def test_the_peak_of_a_forward_is_that_of_the_allocator_to_the_byte(case: str) -> None:
    """Attention and its logsumexp included: the code states all that is allocated."""
    memory, run = _beside(case)["0_forward"]
    static, measured = _growth(memory, run, "peak")

    assert static == measured > 0


@pytest.mark.parametrize(
    "case", ["cuda_memory_mlp", "cuda_memory_llama", "cuda_memory_checkpointed"]
)
@pytest.mark.parametrize("graph", ["0_forward", "0_backward"])
def test_what_a_graph_leaves_is_what_the_allocator_counts(case: str, graph: str) -> None:
    """Results are there, what a forward saved is gone after its backward, views count once."""
    memory, run = _beside(case)[graph]
    static, measured = _growth(memory, run, "after")

    assert static == measured


def test_the_peak_of_a_backward_is_that_of_the_allocator_without_attention() -> None:
    """Products of matrices take no memory but what the code states."""
    memory, run = _beside("cuda_memory_mlp")["0_backward"]
    static, measured = _growth(memory, run, "peak")

    assert static == measured == 1_836_032


def test_the_workspace_of_a_library_is_what_the_code_does_not_state() -> None:
    """The backward of an attention allocates inside of the library: that is all that is missing."""
    memory, run = _beside("cuda_memory_llama")["0_backward"]
    static, measured = _growth(memory, run, "peak")

    assert measured - static == 532_736


def test_the_peak_of_a_forward_that_computes_again_is_told_to_the_kilobyte() -> None:
    """Each checkpointed layer has an attention: what it gives is there though nobody takes it."""
    memory, run = _beside("cuda_memory_checkpointed")["0_forward"]
    static, measured = _growth(memory, run, "peak")

    assert 0 <= measured - static < 1024
