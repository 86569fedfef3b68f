"""Real traces: what they hold is known by counting their events another way."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from kernelmap.model import names
from kernelmap.model.trace import Activity, Trace
from kernelmap.traces import is_trace, load_trace

pytestmark = pytest.mark.corpus

KINETO = (
    "a100_triton_example",
    "h100_bert_small_eager",
    "mi250_minitoy_train",
    "mi300x_flux_compiled_and_graphs",
    "mi300x_torch_compile_triton",
    "mi300x_vllm_decode_full.capture",
    "mi300x_vllm_decode_full.replay",
    "v100_cudagraphs",
)


def load(corpus: Path, name: str) -> Trace:
    return load_trace(corpus / "kineto" / f"{name}.json.gz")


def activities(trace: Trace) -> dict[str, int]:
    counted = Counter(Activity(kind).name.lower() for kind in trace.launches.activity.tolist())
    return dict(sorted(counted.items()))


@pytest.mark.sampled
@pytest.mark.parametrize("name", KINETO)
def test_every_event_is_there(corpus: Path, name: str) -> None:
    """Columns hold exactly the events of their categories, with the times of the decimal text."""
    with gzip.open(corpus / "kineto" / f"{name}.json.gz") as file:
        whole = json.load(file, parse_float=str)
    trace = load(corpus, name)

    counts = Counter(event.get("cat") for event in whole["traceEvents"] if event["ph"] == "X")
    gpu = [
        (at, event)
        for at, event in enumerate(whole["traceEvents"])
        if event.get("cat") in {"kernel", "gpu_memcpy", "gpu_memset"}
    ]
    base = whole.get("baseTimeNanoseconds", 0)
    assert len(trace.ranges) == counts["cpu_op"] + counts["user_annotation"]
    assert len(trace.apis) == counts["cuda_runtime"] + counts["cuda_driver"]
    assert trace.launches.event.tolist() == [at for at, _ in gpu]
    assert trace.launches.start_ns.tolist() == [base + _ns(str(event["ts"])) for _, event in gpu]
    assert [trace.launches.names[at] for at in trace.launches.name_id] == [
        event["name"] for _, event in gpu
    ]
    assert trace.notices == ()


def _ns(text: str) -> int:
    whole, _, rest = text.partition(".")
    return int(whole) * 1000 + int(f"{rest}000"[:3])


@pytest.mark.parametrize(
    ("name", "counted", "linked"),
    [
        ("mi300x_torch_compile_triton", {"kernel": 12}, 12),
        ("mi300x_flux_compiled_and_graphs", {"kernel": 2540, "memcpy": 15}, 2555),
        ("v100_cudagraphs", {"kernel": 9876, "memcpy": 4856, "memset": 900}, 15018),
        ("a100_triton_example", {"kernel": 1}, 1),
    ],
)
def test_launches_find_their_host_side(
    corpus: Path, name: str, counted: dict[str, int], linked: int
) -> None:
    """Launches whose api call is in the file are linked to it."""
    trace = load(corpus, name)

    assert activities(trace) == counted
    assert int((trace.launches.api >= 0).sum()) == linked


def test_triton_launches_carry_their_kernel_file(corpus: Path) -> None:
    """The four Triton kernels lie in ranges that name them and their source."""
    trace = load(corpus, "mi300x_torch_compile_triton")
    launches, ranges = trace.launches, trace.ranges
    around = trace.apis.range[launches.api]

    triton = [
        (launches.names[launches.name_id[row]], int(around[row]))
        for row in range(len(launches))
        if launches.names[launches.name_id[row]].startswith("triton_")
    ]
    assert len(triton) == 4
    for device_name, row in triton:
        detail = ranges.detail_of(row)
        assert ranges.name_of(row) == device_name
        assert detail is not None
        assert detail.kernel_hash
        assert detail.kernel_file
        assert detail.backend == "triton"


def test_a_replay_belongs_to_one_graph_launch(corpus: Path) -> None:
    """All kernels of the replay share the api call that launched the graph."""
    trace = load(corpus, "mi300x_flux_compiled_and_graphs")
    apis = trace.apis

    owners = Counter(trace.launches.api.tolist())
    owner, kernels = owners.most_common(1)[0]
    assert apis.names[apis.name_id[owner]] == "hipGraphLaunch"
    assert kernels == 993


def test_steps_rank_and_devices(corpus: Path) -> None:
    """Steps, rank and GPU names come with the trace."""
    trace = load(corpus, "v100_cudagraphs")

    assert len(trace.steps) == 6
    assert [process.rank for process in trace.processes] == [1]
    assert [(device.id, device.name) for device in trace.devices] == [(1, "Tesla V100-SXM2-16GB")]


@pytest.mark.parametrize("case", ["cpu_base", "cpu_nonlazy", "cpu_warm"])
def test_cpu_runs_launch_their_kernels_and_extern_calls(corpus: Path, case: str) -> None:
    """Every C++ kernel of a CPU run is a launch, and so are library calls and eager operators."""
    trace = load_trace(corpus / "inductor" / case / "trace.json")
    ranges, launches = trace.ranges, trace.launches

    kernels = sum(names.cpp_kernel(ranges.name_of(row)) is not None for row in range(len(ranges)))
    launched = Counter(launches.names[at] for at in launches.name_id)
    assert activities(trace) == {"cpu": 48, "operator": 114}
    assert sum(count for name, count in launched.items() if "cpp_fused" in name) == kernels
    assert launched["aten::addmm"] > 0
    assert (launches.api == -1).all()


def test_traces_are_reported_from_other_files(corpus: Path) -> None:
    """Generated code, logs and reports are no traces; every profile is one."""
    profiles = [
        *(corpus / "nsys").glob("*.sqlite"),
        *(corpus / "kineto").glob("*.gz"),
        *(corpus / "inductor").glob("*/trace.json"),
    ]
    others = [
        *(corpus / "torch_trace").glob("*log"),
        *(corpus / "inductor").glob("*/torch_compile_debug/**/*.py"),
        *(corpus / "inductor").glob("*/**/*.json"),
        *(corpus / "inductor").glob("*/**/*.html"),
    ]

    assert all(is_trace(path) for path in profiles)
    assert [path for path in others if path.name != "trace.json" and is_trace(path)] == []
