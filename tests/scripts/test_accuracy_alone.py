"""How much of real recordings is covered without a host side: samples that carry their truth."""

from __future__ import annotations

from pathlib import Path

import pytest
from accuracy import Judged, captured_samples, judge, samples
from accuracy_bare import KEPT, View, bare

from kernelmap.model import Confidence

SAMPLES = [
    sample
    for sample in samples(Path(__file__).resolve().parents[2] / "sample_traces")
    if sample.name.startswith("cuda_")
]
AIM = 0.99
NAMED = {"cuda_captured_eager", "cuda_layers_own_code"}
"""Recordings in which several graphs launch kernels of equal names and grids: all are named."""
LESS = {
    "cuda_code_withheld": 0.76,  # the rest of the time is of code that is not there
    "cuda_reason_pairs": 0.92,  # a graph of one product has no order, and no name of its own
}


def alone(sample: Path, view: View) -> Judged:
    """What is made of a sample of which only `view` is left."""
    with bare(sample, view) as copy:
        return judge(copy)


@pytest.mark.sampled
@pytest.mark.parametrize("view", KEPT)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_recordings_alone_are_covered(sample: Path, view: View) -> None:
    """At least 99 % of compiled time gets its call by order and names, and no launch another one.

    Two threads at once on one stream mix their launches: without threads all candidates are named.
    """
    judged = alone(sample, view)
    mixed = sample.name == "cuda_two_threads" and view == "bare"
    counts = mixed or sample.name in NAMED or sample.name in LESS

    assert judged.wrong == 0
    assert judged.covered + (judged.named if counts else 0.0) >= LESS.get(sample.name, AIM)
    assert not judged.scores[Confidence.EXACT].launches


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("sample", "like"),
    [pytest.param(*both, id=both[0].name) for both in captured_samples(SAMPLES[0].parent)],
)
def test_recordings_with_their_captures_leave_nothing_unknown(
    sample: Path, like: list[Path]
) -> None:
    """Each compiled launch has its call, and each eager one of a replay is outside."""
    judged = judge(sample, like)

    assert judged.wrong == judged.unknown == 0
    assert judged.covered == 1
    assert not judged.scores[Confidence.EXACT].launches
