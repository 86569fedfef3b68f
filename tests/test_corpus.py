"""Real profiles that nobody here wrote: what must hold on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernelmap import correlate
from kernelmap.matching.situation import Situation
from kernelmap.model import Backend, Confidence

pytestmark = pytest.mark.corpus

PROFILES = (
    "a100_triton_example",
    "h100_bert_small_eager",
    "mi250_minitoy_train",
    "mi300x_flux_compiled_and_graphs",
    "mi300x_torch_compile_triton",
    "mi300x_vllm_decode_full.capture",
    "mi300x_vllm_decode_full.replay",
    "v100_cudagraphs",
)


@pytest.mark.parametrize("name", PROFILES)
def test_every_nanosecond_is_in_one_bucket(name: str, corpus: Path) -> None:
    """Every table adds up to the GPU time of the trace, to the nanosecond."""
    found = correlate(corpus / "kineto" / f"{name}.json.gz")
    total = int(found.trace.launches.dur_ns[found.attribution.counted].sum())

    assert found.attribution.total_ns == total
    for table in ("ledger", "calls", "kernels", "ops", "modules", "nodes", "graphs"):
        assert int(found.tables.frame(table)["time_ns"].sum()) == total, table
    lines = found.tables.frame("lines")
    assert int(lines["time_ns"].sum() + lines["backward_ns"].sum()) == total


def test_a_trace_alone_names_wrapper_and_file(corpus: Path) -> None:
    """The four Triton launches of a modern trace carry their wrapper and their kernel file."""
    found = correlate(corpus / "kineto" / "mi300x_torch_compile_triton.json.gz")
    launches = found.launches
    triton = launches[launches["name"].str.startswith("triton_")]

    assert len(triton) == 4
    assert (triton["wrapper"] == triton["name"]).all()
    assert triton["kernel_file"].str.endswith(".py").all()
    assert (triton["confidence"] == "exact").all()


@pytest.mark.parametrize("name", ["mi300x_flux_compiled_and_graphs", "v100_cudagraphs"])
def test_nothing_under_a_graph_launch_is_exact(name: str, corpus: Path) -> None:
    """A replay's host side tells of the replay only."""
    found = correlate(corpus / "kineto" / f"{name}.json.gz")
    situation: Situation = found.match.situation
    replayed = found.matching.confidence[situation.host.replayed]

    assert len(replayed) > 900
    assert not np.isin(replayed, [Confidence.EXACT, Confidence.OUTSIDE]).any()


@pytest.mark.parametrize("case", ["cpu_base", "cpu_nonlazy"])
def test_a_cpu_recording_is_matched_whole(case: str, corpus: Path) -> None:
    """Every C++ kernel and library call that ran is matched exactly, forward and backward."""
    folder = corpus / "inductor" / case
    found = correlate(folder / "torch_compile_debug", folder / "trace.json")

    assert set(found.launches["confidence"]) == {"exact"}
    calls = found.calls[found.calls["call"].notna()]
    assert (calls["launches"] > 0).all()
    assert set(calls["backend"]) == {Backend.CPP.value, Backend.EXTERN.value}
