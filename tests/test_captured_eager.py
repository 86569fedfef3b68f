"""Eager work that was captured into CUDA graphs: what a capture teaches of the replays."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import kernelmap
from kernelmap.correlation import Correlation
from kernelmap.model import Confidence, Method
from worlds.engine import BATCHES, CameFrom, Engine, capture, replay

CAPTURES = ("capture_bs_1.json.gz", "capture_bs_2.json.gz", "capture_bs_4.json.gz")


def ops(correlation: Correlation) -> list[str | None]:
    """The operator of every launch outside of compiled code, as tables write it."""
    outside = correlation.attribution.outside_op
    return [outside.names[code] if code >= 0 else None for code in outside.code.tolist()]


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["capture.json", "capture_with_one_kernel.json"])
def test_a_capture_in_which_nothing_ran_teaches_its_replay(corpus: Path, name: str) -> None:
    """24 launches captured, 24 replayed under the same names: each has its operator."""
    case = corpus / "cases" / "captured_eager"
    correlation = kernelmap.correlate(case / "replay.json", like=case / name)
    table = {
        row.name: row.time_ns for row in correlation.attribution.ops if row.origin == "outside"
    }

    assert table == {
        "aten.mm": 80_000,
        "aten.embedding": 40_000,
        "sgl.rmsnorm": 40_000,
        "vllm.unified_attention_with_output": 40_000,
        "aten.add": 40_000,
    }
    assert {int(value) for value in correlation.matching.method} == {Method.TRANSFER}
    assert not correlation.notices


@pytest.mark.corpus
def test_vllm_replays_know_their_attention(corpus: Path) -> None:
    """60 launches of attention and of the cache have operator, function and module."""
    kineto = corpus / "kineto"
    replays = kineto / "mi300x_vllm_decode_full.replay.json.gz"
    taught = kernelmap.correlate(replays, like=kineto / "mi300x_vllm_decode_full.capture.json.gz")
    learnt = taught.matching.learnt
    assert learnt is not None
    rows = np.flatnonzero(learnt.code >= 0)
    places = taught.attribution.launch_places
    shown = Counter(
        (ops(taught)[row], places.places[places.code[row]].function) for row in rows.tolist()
    )

    assert shown == {
        ("vllm.unified_attention_with_output", "unified_attention"): 36,
        ("vllm.unified_kv_cache_update", "reshape_and_cache_flash"): 24,
    }
    assert places.module is not None
    modules = {places.modules[at] for at in places.module[rows].tolist()}
    assert all(name.startswith("GptOssForCausalLM_0.GraphModule_0") for name in modules)
    assert not taught.matching.with_confidence(Confidence.UNKNOWN).any()
    assert not taught.matching.with_confidence(Confidence.EXACT).any()


def captured_operators(path: Path) -> list[str]:
    """The outermost operator around each launch of a capture, read off the file by hand."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X"]
    ran = {e["args"]["correlation"] for e in events if e["cat"] == "kernel"}
    launching = sorted(
        (
            event
            for event in events
            if event["cat"] in {"cuda_runtime", "cuda_driver"}
            and "LaunchKernel" in event["name"]
            and event["args"]["correlation"] not in ran
        ),
        key=lambda event: event["ts"],
    )
    operators = sorted((e for e in events if e["cat"] == "cpu_op"), key=lambda event: event["ts"])
    around = []
    for launch in launching:
        (first, *_) = (e["name"] for e in operators if e["ts"] <= launch["ts"] < e["ts"] + e["dur"])
        around.append(first.replace("::", "."))
    return around


def function_of(name: str) -> str:
    """The innermost name of a kernel's function, which its mangled name contains."""
    return re.sub(r"^void ", "", name).partition("<")[0].rpartition("::")[2].partition("(")[0]


@pytest.mark.sampled
@pytest.mark.parametrize("taught_by", [CAPTURES[2:], CAPTURES], ids=["one", "all"])
def test_replays_recorded_on_a_gpu_have_the_operators_of_their_capture(
    samples: Path, taught_by: Sequence[str]
) -> None:
    """The driver's list of nodes says which launch of a capture each replayed one is."""
    folder = samples / "cuda_captured_eager" / "captures"
    correlation = kernelmap.correlate(
        folder / "replays.json.gz", like=[folder / name for name in taught_by]
    )
    launches = correlation.trace.launches
    found, outside = ops(correlation), correlation.matching.with_confidence(Confidence.OUTSIDE)
    sizes = json.loads((folder / "replays.json").read_text(encoding="utf-8"))
    replayed = np.flatnonzero(correlation.match.context.host.replayed)
    graphs = [
        replayed[launches.correlation[replayed] == number]
        for number in sorted(set(launches.correlation[replayed].tolist()))
    ]
    assert len(graphs) == len(sizes)
    for size, rows in zip(sizes, graphs, strict=True):
        with gzip.open(folder / f"nodes_bs_{size}.json.gz", "rt", encoding="utf-8") as file:
            (nodes,) = json.load(file)
        operators = captured_operators(folder / f"capture_bs_{size}.json.gz")
        ordered = rows[np.argsort(launches.start_ns[rows], kind="stable")]
        # The nodes are the replay, launch by launch, and the capture has as many.
        names = [launches.names[name] for name in launches.name_id[ordered].tolist()]
        for node, name in zip(nodes, names, strict=True):
            assert function_of(name) in node["name"]
        assert [node["grid"] for node in nodes] == launches.grid[ordered].tolist()
        for row, operator in zip(ordered.tolist(), operators, strict=True):
            compiled = operator.startswith("Torch-Compiled Region")
            assert outside[row] != compiled
            assert compiled or found[row] == operator
    assert not correlation.matching.with_confidence(Confidence.UNKNOWN).any()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("sample", "taught_by", "inferred"),
    [
        ("cuda_captured_eager", CAPTURES[2:], 72),
        ("cuda_captured_eager", CAPTURES, 216),
        ("cuda_captured_pieces", CAPTURES[2:], 108),
    ],
)
def test_calls_of_another_batch_size_are_not_taken(
    samples: Path, sample: str, taught_by: Sequence[str], inferred: int
) -> None:
    """Graphs of three batch sizes launch the same names; a call is right, or one of those named."""
    folder = samples / sample
    correlation = kernelmap.correlate(
        folder, like=[folder / "captures" / name for name in taught_by]
    )
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    made = dict(zip(truth["events"], truth["call"], strict=True))
    confidence = correlation.matching.confidence
    counts: Counter[tuple[str, bool]] = Counter()
    for row, event in enumerate(correlation.trace.launches.event.tolist()):
        call = int(correlation.matching.call[row])
        named = (call,) if call >= 0 else correlation.matching.candidates_of(row)
        said = {
            (graph.digest, statement.index)
            for graph, statement in (correlation.program.calls[position] for position in named)
        }
        true = made[event]
        right = tuple(truth["calls"][true]) in said if true >= 0 else not said
        counts[Confidence(int(confidence[row])).name, right] += 1

    assert not [key for key in counts if not key[1]]
    assert counts["INFERRED", True] == inferred
    assert counts["UNKNOWN", True] == 0


def judge(correlation: Correlation, truth: dict[int, CameFrom]) -> tuple[float, float]:
    """Shares of the time: with operator and function, or with a call; and of that what is right."""
    launches, places = correlation.trace.launches, correlation.attribution.launch_places
    found, outside = ops(correlation), correlation.matching.with_confidence(Confidence.OUTSIDE)
    total = known = right = 0
    for row, event in enumerate(launches.event.tolist()):
        true, dur = truth[event], int(launches.dur_ns[row])
        total += dur
        call, place = int(correlation.matching.call[row]), int(places.code[row])
        if call >= 0:
            known += dur
            right += dur * (correlation.program.calls[call][1].wrapper == true.wrapper)
        elif outside[row] and place >= 0 and not str(found[row]).startswith("("):
            at = places.places[place]
            known += dur
            function = f"{at.file}({at.entered}): {at.function}"
            right += dur * (found[row] == true.op and function == true.function)
    return known / total, right / max(known, 1)


STEPS: tuple[int | str, ...] = ("prefill", 1, 1, 4, 16, "prefill", 8, 2, 2, 4, 16, 1)


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param(Engine(hip=True), id="hip"),
        pytest.param(Engine(), id="cuda", marks=pytest.mark.thorough),
        pytest.param(
            Engine(hip=True, two_streams=True), id="hip-streams", marks=pytest.mark.thorough
        ),
        pytest.param(
            Engine(two_streams=True, nodes=True), id="cuda-nodes", marks=pytest.mark.thorough
        ),
    ],
)
def test_a_simulated_engine_is_known_by_its_captures(engine: Engine, tmp_path: Path) -> None:
    """36 equal layers, full and piecewise graphs, five batch sizes: 95 % with op and function."""
    captures = tmp_path / "captures"
    captures.mkdir()
    for size in (*BATCHES, "prefill"):
        capture(captures / f"bs_{size}.json", engine, [size])
    truth = replay(tmp_path / "replay.json", engine, STEPS)
    known, right = judge(kernelmap.correlate(tmp_path / "replay.json", like=captures), truth)

    assert known >= 0.95
    assert right >= 0.998


def test_a_capture_without_names_on_two_streams_says_nothing_wrong(tmp_path: Path) -> None:
    """Without names and nodes streams overtake one another unseen: less is known, none wrong."""
    engine = Engine(layers=6, two_streams=True)
    capture(tmp_path / "bs_4.json", engine, [4])
    truth = replay(tmp_path / "replay.json", engine, [4, 4, 4])
    known, right = judge(
        kernelmap.correlate(tmp_path / "replay.json", like=tmp_path / "bs_4.json"), truth
    )

    assert known > 0.5
    assert right == 1


@pytest.mark.parametrize("marked", [True, False], ids=["marked", "silent"])
@pytest.mark.parametrize("beside", [True, False], ids=["beside", "like"])
def test_a_capture_may_be_given_beside_the_replay(
    tmp_path: Path, marked: bool, beside: bool
) -> None:
    """As another trace of the run it teaches as well, with and without its recorded beginning."""
    engine = Engine(layers=4, hip=True)
    capture(tmp_path / "bs_4.json", engine, [4], marked=marked)
    truth = replay(tmp_path / "replay.json", engine, [4, 4])
    paths = [tmp_path / "replay.json", tmp_path / "bs_4.json"]
    correlation = (
        kernelmap.correlate(*paths) if beside else kernelmap.correlate(paths[0], like=paths[1])
    )

    assert judge(correlation, truth) == (1, 1)


def test_time_is_conserved(tmp_path: Path) -> None:
    """What is learnt moves from one row of the ledger to another, and every table adds up."""
    engine = Engine(layers=4, hip=True)
    capture(tmp_path / "bs_4.json", engine, [4])
    replay(tmp_path / "replay.json", engine, [4, 2])
    attribution = kernelmap.correlate(
        tmp_path / "replay.json", like=tmp_path / "bs_4.json"
    ).attribution
    total = attribution.total_ns

    assert sum(row.time_ns for row in attribution.ledger) == total
    assert sum(row.time_ns for row in attribution.ops) == total
    assert sum(row.time_ns for row in attribution.modules) == total
    assert sum(row.time_ns + row.backward_ns for row in attribution.lines) == total


def test_a_replay_of_other_names_learns_nothing(tmp_path: Path) -> None:
    """Another kernel at one place is another graph: nothing is taken, and a notice says so."""
    engine = Engine(layers=4, hip=True)
    capture(tmp_path / "bs_4.json", engine, [4])
    replay(tmp_path / "replay.json", engine, [2])
    correlation = kernelmap.correlate(tmp_path / "replay.json", like=tmp_path / "bs_4.json")

    assert correlation.matching.learnt is None
    assert [n.slug for n in correlation.notices if n.slug.startswith("like")] == ["like-unused"]


@pytest.mark.sampled
def test_equal_pieces_are_told_apart_by_their_order(samples: Path) -> None:
    """Twelve layers in thirteen graphs: the k-th replay of a step ran the modules of the k-th."""
    folder = samples / "cuda_captured_pieces"
    correlation = kernelmap.correlate(folder, like=folder / "captures" / "capture_bs_4.json.gz")
    launches, places = correlation.trace.launches, correlation.attribution.launch_places
    assert places.module is not None
    products = np.flatnonzero(places.module >= 0)
    # Before a layer's attention one of its linear layers runs, and behind it the three others: the
    # fused input comes first in each layer, so the numbers ascend but for that.
    ran = [
        places.modules[places.module[row]]
        for row in products[np.argsort(launches.start_ns[products], kind="stable")].tolist()
    ]
    layers = [f"Linear_{number}" for number in range(48)]
    step = [*layers[:1], *(name for at in range(12) for name in layers[4 * at + 1 : 4 * at + 5])]

    assert [name for name in ran if name.startswith("Linear")] == [*step, "Linear_48"] * 3
