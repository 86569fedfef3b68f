"""What steps could save: one list, within the time of the steps, the same wherever it is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelmap.advice.savings import Saving
from kernelmap.correlation import Correlation
from kernelmap.pipeline import correlate

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_traces"
IDLE = ROOT / "docs" / "examples" / "idle.json.gz"

FIRST = {
    "cuda_attention_train": ("launch-bound", "0_backward"),
    "cuda_autotune_inside": ("compiling", "linear_relu"),
    "cuda_cuda_graphs": ("graph-launching", "0_backward"),
    "cuda_decode_graphs": ("eager-operators", "aten.multinomial"),
    "cuda_foreach_optimizer": ("launch-bound", "0_inference"),
    "cuda_graph_breaks": ("launch-bound", "0_inference"),
    "cuda_language_train": ("launch-bound", "0_backward"),
    "cuda_max_autotune": ("launch-bound", "0_inference"),
    "cuda_routed": ("launch-bound", "0_inference"),
    "cuda_two_streams": ("launch-bound", "0_inference"),
    "cpu_graph_breaks": ("python", "TorchDynamo Cache Lookup"),
    "sim_fleet/rank_2.json.gz": ("exposed-communication", "AllGather"),
    "sim_fleet/rank_5.json.gz": ("loading-data", "DataLoader"),
    "sim_gpt_train": ("layout-copy", "_to_copy"),
}
"""The first advice for each sample: what to change, and where most of it is."""


def of(name: str) -> Correlation:
    return correlate(SAMPLES / name)


def places(saving: Saving) -> str:
    """All that a saving says of where it is."""
    return " ".join(f"{spot.what} {spot.source}" for spot in saving.spots[:3])


@pytest.mark.parametrize("name", FIRST)
def test_the_largest_lever_stands_first(name: str) -> None:
    """What a step could save most by is the first line, with its place."""
    slug, where = FIRST[name]
    first = of(name).savings.first

    assert first is not None
    assert first.slug == slug
    assert where in places(first)
