"""Recordings of an H100 with memory events, against what torch counted without a profiler."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kernelmap
from kernelmap.correlation import Correlation
from kernelmap.memory import memory_of_program
from kernelmap.memory.measured.measure import RecordedMemory, measure_memory
from kernelmap.model import CompiledProgram
from kernelmap.model.measured_memory import HeldBytes, MeasuredSpan, Since, SpanKind
from kernelmap.traces.memory_events import read_memory_events

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def recorded_in(correlation: Correlation) -> RecordedMemory:
    """What a correlation and its files say."""
    return RecordedMemory(
        program=correlation.program,
        trace=correlation.trace,
        matching=correlation.matching,
        events=read_memory_events(correlation.trace).events,
    )


def _ends(level: dict[str, dict[str, int]]) -> tuple[int, ...]:
    return tuple(level[when]["bytes"] for when in ("before", "peak", "after"))


@pytest.mark.parametrize("sample", ["mlp", "llama", "graphs", "checkpointed"])
def test_each_step_and_graph_has_the_peak_that_torch_counts(sample: str) -> None:
    """Bytes before, at most in, and after each, as `torch.cuda.max_memory_allocated` has them."""
    folder = SAMPLES / f"cuda_memory_{sample}"
    counted = json.loads((folder / "measured.json").read_text())
    correlation = kernelmap.correlate(folder)
    program = correlation.program

    found = measure_memory(recorded_in(correlation), correlation.options)

    def of_gpu(kind: SpanKind) -> list[MeasuredSpan]:
        return [span for span in found.of_kind(kind) if not span.allocator.is_host]

    def bytes_of(span: MeasuredSpan) -> tuple[int, ...]:
        return span.before_bytes, span.peak_bytes, span.after_bytes

    assert [bytes_of(span) for span in of_gpu(SpanKind.STEP)] == list(map(_ends, counted["steps"]))
    by_kind = {
        graph.kind == "backward": [
            bytes_of(span) for span in of_gpu(SpanKind.GRAPH) if span.graph == at
        ]
        for at, graph in enumerate(program.graphs)
    }
    for backward, spans in by_kind.items():
        assert spans == [
            _ends(graph) for graph in counted["graphs"] if graph["backward"] is backward
        ]
    for span in found.spans:
        assert sum(held.bytes for held in span.held) == span.peak_bytes
    assert found.notices == ()


@pytest.mark.parametrize(
    ("sample", "backward", "not_in_code"),
    [
        ("mlp", 0, {}),
        # A library's attention needs more than its results.
        ("llama", 532_992, {"0_backward/9"}),
        ("graphs", 0, {}),
    ],
)
def test_blocks_are_the_buffers_of_the_code_and_the_rest_is_named(
    sample: str, backward: int, not_in_code: set[str]
) -> None:
    """What a graph asks for is there under its name; the workspace of a library is a row alone."""
    correlation = kernelmap.correlate(SAMPLES / f"cuda_memory_{sample}")
    program = correlation.program
    memories = memory_of_program(program, as_allocated=True)
    static = {memory.graph: memory for memory in memories}

    found = measure_memory(recorded_in(correlation), correlation.options, memories)

    spans = [span for span in found.of_kind(SpanKind.GRAPH) if not span.allocator.is_host]
    assert spans
    for span in spans:
        assert span.graph is not None
        graph = program.graphs[span.graph]
        within = [held for held in span.held if held.since is Since.WITHIN]
        unstated = [held for held in within if held.owner and held.owner.is_stated is False]
        stated = sum(held.bytes for held in within) - sum(held.bytes for held in unstated)
        is_backward = graph.kind == "backward"
        assert sum(held.bytes for held in unstated) == (backward if is_backward else 0)
        assert {_call_of(held, program) for held in unstated} == (
            set(not_in_code) if is_backward else set()
        )
        assert len({held.owner.buffer for held in within if held.owner}) >= min(2, len(within))
        # A replayed CUDA graph asks for nothing; else the peak of the code is the measured one.
        if within and not unstated:
            memory = static[graph.id]
            assert span.peak_bytes - span.before_bytes == memory.peak_bytes - int(
                memory.bytes_after[0]
            )
            assert stated >= span.peak_bytes - span.before_bytes


def _call_of(held: HeldBytes, program: CompiledProgram) -> str:
    assert held.owner is not None
    assert held.owner.call is not None
    return program.call_id(held.owner.call)
