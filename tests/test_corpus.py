"""Real profiles that nobody here wrote: what must hold on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kernelmap import correlate
from kernelmap.errors import KernelmapError
from kernelmap.matching.situation.situation import Situation
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
EXPORTS = ("h100_2gpu_1s_2026.2", "saxpy_mpi_2022.2")


@pytest.mark.parametrize("name", [*PROFILES, *EXPORTS])
def test_every_nanosecond_is_in_one_bucket(name: str, corpus: Path) -> None:
    """Every table adds up to the GPU time of the trace, to the nanosecond."""
    (path,) = corpus.glob(f"*/{name}.*")
    found = correlate(path)
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


def test_launches_of_two_processes_stay_with_their_own(corpus: Path) -> None:
    """Every launch whose call was recorded has one of its own process, and no other launch has."""
    found = correlate(corpus / "nsys" / "h100_2gpu_1s_2026.2.sqlite")
    trace, confidence = found.trace, found.matching.confidence
    launches, apis = trace.launches, trace.apis
    linked = launches.api >= 0

    assert [process.pid for process in trace.processes] == ["111", "112"]
    assert np.bincount(launches.process).tolist() == [2184, 2184]
    assert linked.sum() == 2092
    assert (apis.process[launches.api[linked]] == launches.process[linked]).all()
    assert (launches.start_ns[linked] >= apis.start_ns[launches.api[linked]]).all()
    assert (confidence[linked] == Confidence.OUTSIDE).all()
    assert (confidence[~linked] == Confidence.UNKNOWN).all()


def test_repeated_api_rows_do_not_repeat_kernels(corpus: Path) -> None:
    """Five kernels whose calls were recorded twice are five kernels."""
    found = correlate(corpus / "nsys" / "saxpy_mpi_2022.2.sqlite")
    kernels = found.launches[found.launches["activity"] == "kernel"]

    assert len(kernels) == 5
    assert kernels["dur_ns"].sum() == 88_573_480
    assert [device.name for device in found.trace.devices] == ["NVIDIA A100-SXM4-40GB"]


@pytest.mark.parametrize("name", ["nvtx_only_2022.4", "nvtx_only_2024.2"])
def test_an_export_without_gpu_activity_says_so(name: str, corpus: Path) -> None:
    """Host ranges alone are no profile of a GPU, and the hint says how to record one."""
    with pytest.raises(KernelmapError) as caught:
        correlate(corpus / "nsys" / f"{name}.sqlite")

    assert caught.value.slug == "no-gpu-activity"
    assert "--trace=cuda,nvtx" in caught.value.hint
