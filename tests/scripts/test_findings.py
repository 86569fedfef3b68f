"""The page of GPU findings says what recordings show; these are made by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from gpu_cases.findings import (
    api_names,
    external_ids,
    kernel_arguments,
    node_order,
    told_ids,
)


def sample(folder: Path, events: list[dict[str, object]], nodes: list[int]) -> list[Path]:
    """One sample with these events and one capture whose calls made these nodes."""
    process = folder / "rank_0"
    process.mkdir(parents=True)
    document = json.dumps({"traceEvents": events}).encode()
    (process / "trace.json.gz").write_bytes(gzip.compress(document))
    calls = [{"index": index, "nodes": [node]} for index, node in enumerate(nodes)]
    run = {"digest": "00112233445566ff", "calls": calls}
    (process / "cuda_graphs.json").write_text(json.dumps({"captures": [{"runs": [run]}]}))
    return [folder]


def api(name: str, correlation: int) -> dict[str, object]:
    return {"cat": "cuda_runtime", "name": name, "args": {"correlation": correlation}}


def kernel(name: str, correlation: int, **args: object) -> dict[str, object]:
    return {"cat": "kernel", "name": name, "args": {"correlation": correlation, **args}}


REPLAY = [
    api("cudaGraphLaunch", 1),
    api("cuLaunchKernel", 2),
    kernel("triton_a", 1, **{"External id": 5, "graph node id": 9 << 32 | 1}),
    kernel("gemm", 1, **{"External id": 5, "graph node id": 9 << 32 | 2}),
    kernel("triton_b", 2),
]


def test_ascending_nodes_are_in_the_order_of_capture(tmp_path: Path) -> None:
    """Nodes are compared within their graph, in the order of the calls that made them."""
    ascending = [9 << 32 | 1, 9 << 32 | 2, 3 << 32 | 1]
    answer = node_order(sample(tmp_path / "cuda_a", [], ascending))
    other = node_order(sample(tmp_path / "cuda_b", [], ascending[1::-1]))

    assert answer.startswith("Yes: 3 nodes of `cuda_a`")
    assert other.startswith("No: 2 nodes of `cuda_b`")


def test_told_ids_are_looked_for_in_the_replays(tmp_path: Path) -> None:
    """A node that a call was noted for is in the trace under its id, or it is another number."""
    answer = told_ids(sample(tmp_path / "cuda_a", REPLAY, [9 << 32 | 1, 9 << 32 | 7]))
    none = told_ids(sample(tmp_path / "cuda_b", REPLAY, []))

    assert answer == (
        "Of 2 nodes of `cuda_a` that a call was noted for, 1 stand in the trace of the replays,"
        " which has 2 nodes."
    )
    assert none == "Not seen: no recording has ids of nodes."


def test_replayed_kernels_are_counted_with_their_ids(tmp_path: Path) -> None:
    """Kernels under a graph launch, and no others."""
    answer = external_ids(sample(tmp_path / "cuda_a", REPLAY, []))

    assert answer == (
        "2 replayed activities of `cuda_a` (1 graphs) carry 1 pairs of launch and External id "
        "for 1 launches; 0 of them without an id."
    )


def test_launches_are_recognized_by_kind(tmp_path: Path) -> None:
    """Which API call launched how many kernels, and what kernels state."""
    folders = sample(tmp_path / "cuda_a", REPLAY, [])

    assert api_names(folders).splitlines() == [
        "- `cuLaunchKernel`: 1 x Triton kernels",
        "- `cudaGraphLaunch`: 1 x Triton kernels",
        "- `cudaGraphLaunch`: 1 x kernel",
    ]
    assert kernel_arguments(folders) == (
        "Of 3 kernels, in the order of first sight: `correlation`, `External id` (2), "
        "`graph node id` (2)."
    )
