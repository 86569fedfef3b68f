"""Annotated traces have a curve of the bytes that the code states, and are else as they were."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelmap
from kernelmap.pages.memory_by_code import iter_code_memory_tracks

SAMPLES = Path(__file__).parent.parent / "sample_traces"
NAMES = ("cuda_memory_llama", "cuda_equal_layers", "cuda_two_streams", "cpu_block")


def curves_of(run: kernelmap.Correlation, file: int = 0) -> dict[str, list[tuple[int, int]]]:
    """Times and bytes by process of the viewer."""
    tracks = iter_code_memory_tracks(
        run.program, run.trace, run.matching, run.memory_of_graphs, file
    )
    return {
        track.process: list(
            zip(track.time_ns.tolist(), track.values["bytes"].tolist(), strict=True)
        )
        for track in tracks
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_call_is_at_the_bytes_of_its_statement(name: str) -> None:
    """From its first launch on, where no other begins at that time; the highest is the peak."""
    run = kernelmap.correlate(SAMPLES / name)
    launches, matching = run.trace.launches, run.matching
    (curve,) = curves_of(run).values()
    times, values = (np.array(column) for column in zip(*curve, strict=True))
    alive = {
        f"{memory.graph}/{step.call}": max(memory.bytes_before[at], memory.bytes_after[at])
        for memory in run.memory_of_graphs
        for at, step in enumerate(memory.steps)
        if step.call is not None
    }
    rows = np.flatnonzero((matching.call >= 0) & (matching.invocation >= 0))
    starts = launches.start_ns[rows].tolist()

    assert (np.diff(times) > 0).all()
    assert (np.diff(values) != 0).all()
    for row, start in zip(rows.tolist(), starts, strict=True):
        if starts.count(start) == 1:
            there = int(values[np.searchsorted(times, start, side="right") - 1])
            assert there == alive[run.program.call_id(int(matching.call[row]))]
    ran = {run.program.calls[call][0].id for call in np.unique(matching.call[rows]).tolist()}
    peaks = [memory.peak_bytes for memory in run.memory_of_graphs if memory.graph in ran]
    assert values.max() == max(peaks)


def test_what_a_graph_leaves_stays_until_the_next_one() -> None:
    """Behind the last launch of a recording stands what its last graph leaves."""
    run = kernelmap.correlate(SAMPLES / "cuda_memory_llama")
    (curve,) = curves_of(run).values()
    backward = run.memory_of_graphs[-1]

    assert backward.graph == "0_backward"
    assert curve[-1][1] == backward.bytes_after[-1]


def events_by_code(path: Path) -> Iterator[dict[str, Any]]:
    events = json.loads(path.read_text())["traceEvents"]
    return (event for event in events if event["name"] == "memory by code")


def test_an_annotated_trace_has_the_curve_and_the_same_answers(tmp_path: Path) -> None:
    """Counter events of a process of its own, which no reader takes for a counter of a GPU."""
    run = kernelmap.correlate(SAMPLES / "cuda_memory_llama")
    target = tmp_path / "annotated.json"
    run.annotate(target)
    events = list(events_by_code(target))
    again = kernelmap.correlate(target).trace

    assert [event["args"]["bytes"] for event in events] == [
        bytes_ for curve in curves_of(run).values() for _, bytes_ in curve
    ]
    assert {event["ph"] for event in events} == {"C"}
    assert again.counters is None
    assert len(again.launches) == len(run.trace.launches)


def test_without_code_there_is_no_curve(tmp_path: Path) -> None:
    """A profile alone says nothing of memory."""
    run = kernelmap.correlate(SAMPLES / "cuda_memory_llama" / "rank_0" / "trace.json.gz")
    target = tmp_path / "annotated.json"
    run.annotate(target)

    assert list(events_by_code(target)) == []
