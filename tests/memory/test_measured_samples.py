"""Recordings of an H100 with memory events, against what torch counted without a profiler."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kernelmap
from kernelmap.memory.measured.measure import measure_memory
from kernelmap.model.measured_memory import MeasuredSpan, SpanKind
from kernelmap.traces.memory_events import read_memory_events

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def _ends(level: dict[str, dict[str, int]]) -> tuple[int, ...]:
    return tuple(level[when]["bytes"] for when in ("before", "peak", "after"))


@pytest.mark.parametrize("sample", ["mlp", "llama", "graphs", "checkpointed"])
def test_each_step_and_graph_has_the_peak_that_torch_counts(sample: str) -> None:
    """Bytes before, at most in, and after each, as `torch.cuda.max_memory_allocated` has them."""
    folder = SAMPLES / f"cuda_memory_{sample}"
    counted = json.loads((folder / "measured.json").read_text())
    correlation = kernelmap.correlate(folder)
    program, trace = correlation.program, correlation.trace
    events = read_memory_events(trace).events

    found = measure_memory(program, trace, correlation.matching, events, correlation.options)

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
