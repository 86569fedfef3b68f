"""From files to tables: a profile of replays, the code, and what the capture wrote down."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from kernelmap import correlate
from kernelmap.capture.contents import finished
from kernelmap.capture.folder import first_manifest, make_folder, write_manifest
from kernelmap.capture.plan import Plan
from kernelmap.cli import main
from kernelmap.compiler import load_compiled
from kernelmap.model import CompiledGraph
from kernelmap.model.bundle import CUDA_GRAPHS, LOGS, PROCESS, TRACE, FileKind, read_manifest

PID, GRAPH, REPLAYS = 77, 5 << 32, 3


def nodes(graph: CompiledGraph) -> Iterator[tuple[int, int, str]]:
    """Number of the node, index of its call, device name; a product takes two kernels."""
    number = 0
    library = {"aten.randint": ("distribution_elementwise_grid_stride_kernel",)}
    for call in graph.calls:
        kernel = graph.kernel_of(call)
        made = library.get(str(call.target), ("ampere_sgemm_128x64", "splitKreduce_kernel"))
        for name in (kernel.function,) if kernel else made:
            number += 1
            yield number, call.index, str(name)


def profile(graph: CompiledGraph) -> dict[str, object]:
    """Replays as Kineto writes them: one api call, kernels with the ids of their nodes."""
    events: list[dict[str, object]] = []
    for correlation in range(1, REPLAYS + 1):
        start = 1000 * correlation
        host = {"ph": "X", "pid": PID, "tid": PID, "ts": start, "dur": 20}
        step = {"cat": "user_annotation", "name": f"ProfilerStep#{correlation}"}
        launch = {"cat": "cuda_runtime", "name": "cudaGraphLaunch", "dur": 9, "ts": start + 2}
        events += [host | step, host | launch | {"args": {"correlation": correlation}}]
        for number, _, name in nodes(graph):
            args = {"correlation": correlation, "graph node id": GRAPH | number, "graph id": 5}
            gpu = {"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "name": name, "args": args}
            events.append(gpu | {"ts": start + 30 + 5 * number, "dur": 4})
    return {"schemaVersion": 1, "traceEvents": events}


def capture_of(graph: CompiledGraph, *, with_nodes: bool) -> dict[str, object]:
    """What kernelmap.capture.cuda_graphs writes."""
    calls = [
        {
            "index": call.index,
            "wrapper": call.wrapper,
            "handle": call.handle,
            "nodes": [GRAPH | n for n, index, _ in nodes(graph) if index == call.index]
            if with_nodes
            else None,
        }
        for call in graph.calls
    ]
    run = {"digest": graph.digest, "name": graph.aot_id, "calls": calls}
    captures = [{"graph_id": 5 if with_nodes else None, "complete": True, "runs": [run]}]
    return {"format": "kernelmap.cuda_graphs", "version": 1, "pid": PID, "captures": captures}


@pytest.fixture(params=[True, False], ids=["told", "untold"])
def bundle(request: pytest.FixtureRequest, tmp_path: Path, samples: Path) -> Path:
    """A bundle of a forward that was captured once and replayed."""
    code = samples / "sim_mlp_train" / "model__0_forward_1.0"
    (graph,) = load_compiled(code).graphs
    folder = tmp_path / "b"
    begun = first_manifest(Plan(), None, {})
    make_folder(folder, begun, force=False).close()
    process = folder / "rank_0"
    (process / LOGS).mkdir(parents=True)
    shutil.copytree(code, process / "code" / code.name)
    (process / TRACE).write_bytes(gzip.compress(json.dumps(profile(graph)).encode()))
    (process / CUDA_GRAPHS).write_text(json.dumps(capture_of(graph, with_nodes=request.param)))
    (process / PROCESS).write_text(json.dumps({"state": "complete", "graphs": 1}))
    write_manifest(folder, finished(folder, begun))
    return folder


def test_every_replayed_kernel_has_its_call(bundle: Path, request: pytest.FixtureRequest) -> None:
    """With node ids of the driver all is exact; by order of capture it is inferred, and right."""
    correlation = correlate(bundle)
    (graph,) = correlation.program.graphs
    true = [graph.call_id(graph.calls[index]) for _, index, _ in nodes(graph)] * REPLAYS
    word = "exact" if "untold" not in request.node.name else "inferred"

    rows = correlation.launches.sort_values("start_ns")
    assert rows["call"].tolist() == true
    assert set(rows["confidence"]) == {word}
    assert sorted(set(rows["invocation"])) == list(range(REPLAYS))
    assert set(correlation.graphs["invocations"]) == {REPLAYS}
    assert [n.slug for n in correlation.notices if n.gap] == []


def test_the_evidence_names_the_node(bundle: Path) -> None:
    """`explain` says what was recorded, and which node it was."""
    explained = correlate(bundle).explain("0")

    assert "node 21474836481 of a CUDA graph" in explained.evidence
    assert "captur" in explained.verdict


def test_the_record_may_stand_alone(bundle: Path) -> None:
    """Code, profile and record one by one say the same; without the record nothing is exact."""
    process = bundle / "rank_0"
    parts = [process / "code", process / TRACE, process / CUDA_GRAPHS]
    whole, one_by_one, without = (correlate(*it) for it in ([bundle], parts, parts[:2]))

    assert process / CUDA_GRAPHS in whole.files
    assert one_by_one.launches["confidence"].tolist() == whole.launches["confidence"].tolist()
    assert "exact" not in set(without.launches["confidence"])


def test_a_damaged_record_is_a_gap(bundle: Path) -> None:
    """The profile is used; --strict fails."""
    (bundle / "rank_0" / CUDA_GRAPHS).write_text('{"format": "kernelmap.cuda_graphs"')
    done = CliRunner().invoke(main, ["correlate", str(bundle), "--strict"])

    assert done.exit_code == 1
    assert "cuda_graphs.json is not used" in done.output


def test_the_manifest_lists_it(bundle: Path) -> None:
    """With its kind, so that readers find it."""
    kinds = {file.path: file.kind for file in read_manifest(bundle).files}
    assert kinds["rank_0/cuda_graphs.json"] is FileKind.CUDA_GRAPHS


def test_a_bundle_teaches_a_later_profile(bundle: Path, tmp_path: Path, samples: Path) -> None:
    """`correlate later.json --like bundle`: no code, no record, and every kernel has its call."""
    (graph,) = load_compiled(samples / "sim_mlp_train" / "model__0_forward_1.0").graphs
    later = tmp_path / "later.json"
    text = json.dumps(profile(graph))
    for number, _, _ in nodes(graph):
        text = text.replace(str(GRAPH | number), str((9 << 32) | (100 + number)))
    later.write_text(text.replace('"graph id": 5', '"graph id": 9'))
    correlation = correlate(later, like=bundle)
    true = [index for _, index, _ in nodes(graph)] * REPLAYS

    rows = correlation.launches.sort_values("start_ns")
    assert [int(call.rpartition("/")[2]) for call in rows["call"]] == true
    assert set(rows["method"]) == {"transfer"}
    assert set(rows["confidence"]) == {"inferred"}
    assert sorted(set(rows["invocation"])) == list(range(REPLAYS))
    assert "CUDA graph 5" in "\n".join(correlation.explain("0").evidence)
    assert bundle / "rank_0" / CUDA_GRAPHS in correlation.files
