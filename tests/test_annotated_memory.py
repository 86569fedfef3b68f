"""Annotated traces of profiles with memory events: a curve per device, and nothing else changes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelmap import correlate
from kernelmap.traces.memory_events import read_memory_events

SAMPLES = Path(__file__).parents[1] / "sample_traces"


def _events(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(gzip.decompress(path.read_bytes()))["traceEvents"])


@pytest.mark.parametrize("sample", ["mlp", "checkpointed"])
def test_allocated_and_reserved_bytes_are_curves(tmp_path: Path, sample: str) -> None:
    """One value per time, as the allocator states it; a viewer groups them by device."""
    correlation = correlate(SAMPLES / f"cuda_memory_{sample}")
    target = tmp_path / "annotated.json.gz"

    correlation.annotate(target)

    events = _events(target)
    names = {
        event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"
    }
    curve = [event for event in events if event["ph"] == "C" and event["name"] != "memory by code"]
    gpu = [event for event in curve if names[event["pid"]] == "kernelmap: memory of GPU 0"]
    read = read_memory_events(correlation.trace).events
    rows = np.flatnonzero(read.device == 0)
    assert {names[event["pid"]] for event in curve} == {
        "kernelmap: memory of GPU 0",
        "kernelmap: memory of the host",
    }
    assert [event["args"]["allocated"] for event in gpu] == read.allocated[rows].tolist()
    assert [event["args"]["reserved"] for event in gpu] == read.reserved[rows].tolist()
    assert max(event["args"]["allocated"] for event in gpu) == read.allocated[rows].max()
    times = [event["ts"] for event in gpu]
    assert times == sorted(set(times))


def test_the_annotated_trace_measures_the_same(tmp_path: Path) -> None:
    """Its own memory events are still there, and a curve of ours is none of them."""
    correlation = correlate(SAMPLES / "cuda_memory_mlp")
    target = tmp_path / "annotated.json.gz"
    correlation.annotate(target)

    again = correlate(target, SAMPLES / "cuda_memory_mlp" / "rank_0" / "code")

    one, other = (read_memory_events(of.trace).events for of in (correlation, again))
    for name in ("time_ns", "bytes", "address", "allocated", "reserved", "device"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert again.trace.counters is None


def test_a_profile_without_memory_events_gets_no_curve(tmp_path: Path) -> None:
    """There is nothing to draw that was measured."""
    target = tmp_path / "annotated.json.gz"
    correlate(SAMPLES / "cuda_mlp_train").annotate(target)

    names = {event["name"] for event in _events(target) if event["ph"] == "C"}
    assert names == {"memory by code"}
