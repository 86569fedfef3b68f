"""Real profiles that nobody here wrote: what must hold on them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from corpus_oracle import read
from kernelmap import correlate
from kernelmap.errors import KernelmapError
from kernelmap.matching.context.match_context import MatchContext
from kernelmap.model import Backend, Confidence, Reason
from many_runs import recorded

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


@pytest.mark.sampled
@pytest.mark.parametrize("name", [*PROFILES, *EXPORTS])
def test_every_nanosecond_is_in_one_bucket(name: str, corpus: Path) -> None:
    """Every table adds up to the GPU time of the trace, to the nanosecond."""
    (path,) = corpus.glob(f"*/{name}.*")
    correlation = recorded(path)
    total = int(correlation.trace.launches.dur_ns[correlation.attribution.counted].sum())

    assert correlation.attribution.total_ns == total
    for table in ("ledger", "calls", "kernels", "ops", "modules", "nodes", "graphs"):
        assert int(correlation.tables.frame(table)["time_ns"].sum()) == total, table
    lines = correlation.tables.frame("lines")
    assert int(lines["time_ns"].sum() + lines["backward_ns"].sum()) == total


def test_a_trace_alone_names_wrapper_and_file(corpus: Path) -> None:
    """The four Triton launches of a modern trace carry their wrapper and their kernel file."""
    correlation = recorded(corpus / "kineto" / "mi300x_torch_compile_triton.json.gz")
    launches = correlation.launches
    triton = launches[launches["name"].str.startswith("triton_")]

    assert len(triton) == 4
    assert (triton["wrapper"] == triton["name"]).all()
    assert triton["kernel_file"].str.endswith(".py").all()
    assert (triton["confidence"] == "exact").all()


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROFILES)
def test_what_is_exact_is_what_the_file_says(name: str, corpus: Path) -> None:
    """An exact launch lies in its wrapper's range, which names its file, at the place of its call.

    Read off the JSON once more: the operator right below the graph range, its `kernel_file`, and
    how many operators that launched something came before it there.
    """
    path = corpus / "kineto" / f"{name}.json.gz"
    correlation, file = recorded(path), read(path)
    launches = correlation.launches
    columns = ["event", "call", "wrapper", "kernel_file"]
    exact = launches.loc[launches["confidence"] == "exact", columns].astype(object)

    assert name != "mi300x_torch_compile_triton" or len(exact) == 12
    for event, named, wrapper, kernel_file in exact.where(exact.notna(), None).to_numpy().tolist():
        side = file.side[event]
        assert side.graph is not None
        call = side.operators[0]
        files = [operator.event["args"].get("kernel_file") for operator in side.operators]
        graph, _, index = named.partition("/")
        assert wrapper == call.name
        assert kernel_file == next(filter(None, files), None)
        assert int(index) == file.calls(side.graph).index(call)
        assert f"CompiledFxGraph {graph}" in side.graph["name"]


@pytest.mark.parametrize(
    "name", ["mi300x_flux_compiled_and_graphs", "mi300x_vllm_decode_full.capture"]
)
def test_calls_are_what_lies_right_below_generated_code(name: str, corpus: Path) -> None:
    """Python frames, read off the JSON once more: a range is a call if code ran it, else not.

    What lies below a graph range and not below its code copies the graph's inputs.
    """
    path = corpus / "kineto" / f"{name}.json.gz"
    correlation, file = recorded(path), read(path)
    context: MatchContext = correlation.match.context
    decisions, events = context.decisions, correlation.trace.ranges.event.tolist()
    rows = {event: at for at, event in enumerate(events)}
    below = {
        rows[event]: host for event, host in file.below.items() if host.works and not host.operators
    }
    called = {at for at in below if decisions.call[at] >= 0}
    code = {at for at, host in below.items() if host.under_code}

    assert len(below) > 200
    assert called == code
    assert {Reason(int(decisions.reason[at])) for at in below.keys() - code} <= {Reason.INPUTS}
    for at, host in below.items():
        detail = correlation.trace.ranges.detail_of(at)
        assert (detail.kernel_file if detail else None) == host.event["args"].get("kernel_file")


@pytest.mark.parametrize(
    "name", ["mi300x_flux_compiled_and_graphs", "mi300x_vllm_decode_full.capture"]
)
def test_without_its_python_frames_a_trace_says_the_same(
    name: str, corpus: Path, tmp_path: Path
) -> None:
    """Place and names identify copies of inputs as well as the frames do."""
    path = corpus / "kineto" / f"{name}.json.gz"
    with gzip.open(path, "rb") as packed:
        events = json.load(packed)["traceEvents"]
    bare = tmp_path / "trace.json"
    kept = [{} if event.get("cat") == "python_function" else event for event in events]
    bare.write_text(json.dumps({"traceEvents": kept}), encoding="utf-8")
    with_frames, without = recorded(path).launches, correlate(bare).launches

    answers = ["event", "call", "confidence", "reason", "invocation"]
    pd.testing.assert_frame_equal(with_frames[answers], without[answers])


@pytest.mark.parametrize("name", ["mi300x_flux_compiled_and_graphs", "v100_cudagraphs"])
def test_nothing_under_a_graph_launch_is_exact(name: str, corpus: Path) -> None:
    """The host side of a replay says nothing about single launches."""
    correlation = recorded(corpus / "kineto" / f"{name}.json.gz")
    context: MatchContext = correlation.match.context
    replayed = correlation.matching.confidence[context.host.replayed]

    assert len(replayed) > 900
    assert not np.isin(replayed, [Confidence.EXACT, Confidence.OUTSIDE]).any()


@pytest.mark.parametrize("case", ["cpu_base", "cpu_nonlazy"])
def test_a_cpu_recording_is_matched_whole(case: str, corpus: Path) -> None:
    """Every C++ kernel and library call that ran is matched exactly, forward and backward.

    All else is outside: nothing is left that may be a call.
    """
    folder = corpus / "inductor" / case
    correlation = correlate(folder / "torch_compile_debug", folder / "trace.json")

    launches = correlation.launches
    assert set(launches["confidence"]) == {"exact", "outside"}
    assert launches["call"].notna().sum() == 48
    assert not launches.loc[launches["call"].isna(), "name"].str.contains("cpp_fused").any()
    calls = correlation.calls[correlation.calls["call"].notna()]
    assert (calls["launches"] > 0).all()
    assert set(calls["backend"]) == {Backend.CPP.value, Backend.EXTERN.value}


def test_launches_of_two_processes_stay_with_their_own(corpus: Path) -> None:
    """A launch has an api call of its own process if one was recorded, and none otherwise."""
    correlation = correlate(corpus / "nsys" / "h100_2gpu_1s_2026.2.sqlite")
    trace, confidence = correlation.trace, correlation.matching.confidence
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
    correlation = correlate(corpus / "nsys" / "saxpy_mpi_2022.2.sqlite")
    kernels = correlation.launches[correlation.launches["activity"] == "kernel"]

    assert len(kernels) == 5
    assert kernels["dur_ns"].sum() == 88_573_480
    assert [device.name for device in correlation.trace.devices] == ["NVIDIA A100-SXM4-40GB"]


@pytest.mark.parametrize("name", ["nvtx_only_2022.4", "nvtx_only_2024.2"])
def test_an_export_without_gpu_activity_says_so(name: str, corpus: Path) -> None:
    """Host ranges alone are no profile of a GPU, and the hint says how to record one."""
    with pytest.raises(KernelmapError) as caught:
        correlate(corpus / "nsys" / f"{name}.sqlite")

    assert caught.value.slug == "no-gpu-activity"
    assert "--trace=cuda,nvtx" in caught.value.hint
