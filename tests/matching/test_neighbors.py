"""Launches and graph nodes without a host side, amid others whose calls are known."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from answers import calls, confidences
from examples import is_long
from kernelmap.compiler import load_compiled
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Confidence, Reason, Trace
from kernelmap.traces import load_trace
from tiny import Timeline, graph, program
from trace_rows import ApiRow, LaunchRow
from worlds import Truth, World, simulate
from worlds.capture import NODE
from worlds.nsys import Export, write_nsys
from worlds.trace import APIS

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"
MM = "aten.mm"
ONE = graph("0_inference", A, MM, B, MM, C)


def without_api(line: Timeline, lost: Collection[int]) -> Timeline:
    """The same, but the profiler lost the api calls with these correlation ids."""
    line.rows = [
        row for row in line.rows if not (isinstance(row, ApiRow) and row.correlation in lost)
    ]
    return line


@pytest.mark.parametrize("lost", [{6}, {7}, {9}, {10}, {7, 8}, {9, 10}, {6, 7, 9}])
def test_a_lost_api_call_is_recognized_by_the_launches_around_it(lost: Collection[int]) -> None:
    """What an invocation lacks is what its other runs launch there."""
    line = without_api(Timeline().invoke(ONE).invoke(ONE).invoke(ONE).invoke(ONE), lost)
    result = match_launches(program(ONE), line.trace())

    assert calls(result) == [f"0_inference/{index}" for index in range(5)] * 4
    assert result.matching.invocation.tolist() == [number for number in range(4) for _ in ONE.calls]
    assert {confidences(result)[number - 1] for number in lost} == {"inferred"}


def test_what_an_invocation_does_not_lack_is_not_its() -> None:
    """A product that lost its api call is not of a graph that has all its products already."""
    line = Timeline().invoke(ONE).invoke(ONE).eager(MM).invoke(ONE).invoke(ONE)
    result = match_launches(program(ONE), without_api(line, {11}).trace())

    assert calls(result)[10] is None
    assert confidences(result)[10] == "unknown"


def test_a_benchmark_without_an_api_call_is_one_still() -> None:
    """Before the next launch of a kernel that is benchmarked it is no call."""
    line = Timeline().invoke([A, A, A, A, MM, B, MM, C]).invoke(ONE).invoke(ONE).invoke(ONE)
    result = match_launches(program(ONE), without_api(line, {2}).trace())

    assert calls(result)[:4] == [None, None, None, "0_inference/0"]
    assert result.matching.reason[1] == Reason.AUTOTUNE


def test_two_ways_to_fill_a_gap_are_none() -> None:
    """One product where two are lacking may be either of them, so both are named."""
    two = graph("0_inference", A, MM, MM, B)
    line = without_api(Timeline().invoke(two).invoke(two).invoke(two), {6, 7})
    line.rows = [
        row for row in line.rows if not (isinstance(row, LaunchRow) and row.correlation == 7)
    ]
    result = match_launches(program(two), line.trace())

    assert calls(result)[5] is None
    assert result.matching.candidates_of(5) == (1, 2)
    assert [confidence for at, confidence in enumerate(confidences(result)) if at != 5] == [
        "exact"
    ] * 10


@pytest.mark.parametrize("name", ["ampere_sgemm_128x64_nn", "nvjet_hsh_128x256_64x4_1x2_h_bz"])
def test_a_call_that_was_never_seen_to_launch_takes_what_its_family_may(name: str) -> None:
    """One product between two statements, under any name of a product."""
    one = graph("0_inference", A, MM, B)
    line = renamed(without_api(Timeline().invoke(one), {2}), 2, name)
    result = match_launches(program(one), line.trace())

    assert calls(result) == [f"0_inference/{index}" for index in range(3)]


def test_a_place_makes_a_sort_no_product() -> None:
    """A kernel of another family stays open, though a product is lacking where it stands."""
    one = graph("0_inference", A, MM, B)
    line = renamed(without_api(Timeline().invoke(one), {2}), 2, "radixSort_KeyValue")

    assert calls(match_launches(program(one), line.trace())) == [
        "0_inference/0",
        None,
        "0_inference/2",
    ]


def renamed(line: Timeline, correlation: int, name: str) -> Timeline:
    """The same, but one launch ran a kernel of another name."""
    line.rows = [
        replace(row, name=name)
        if isinstance(row, LaunchRow) and row.correlation == correlation
        else row
        for row in line.rows
    ]
    return line


LOSSY = {
    "plain": World(),
    "eager work between": World(between=0.3, eager=0.3),
    "cut, other events lost": World(drop=0.01, cut=True),
    "two threads": World(threads=2),
    "replayed": World(cuda_graphs=True),
    "autotuned before": World(tuned_before=True),
    "long libraries": World(long=True),
    "vendor names": World(vendor=True),
}
SAMPLES = ("sim_mlp_train", "sim_attention_autotune", "thread_lift_fresh")


@pytest.mark.sampled
@pytest.mark.parametrize("name", LOSSY)
def test_a_launch_whose_api_row_is_lost_is_placed_or_left_open_never_wrongly(
    name: str, samples: Path, tmp_path: Path
) -> None:
    """However many are lost, nearly all launches of calls find their call, and none a wrong one."""
    wrong: list[object] = []
    placed = of_calls = 0
    for sample, seed in product(SAMPLES, (1, 2) if is_long() else (1,)):
        given = load_compiled(samples / sample)
        trace, truth = without_apis(given, replace(LOSSY[name], seed=seed), 0.2, tmp_path)
        lost = np.where(trace.launches.graph_node > 0, trace.launches.origin, trace.launches.api)
        result = match_launches(given, trace)
        ids, confidence = calls(result), confidences(result)
        for row in np.flatnonzero(lost < 0).tolist():
            true = truth[row]
            meant = None if true.call is None else f"{true.graph}/{true.call}"
            of_calls += meant is not None
            placed += meant is not None and ids[row] == meant
            if ids[row] not in {None, meant} or (confidence[row] == "outside" and meant):
                wrong.append((sample, seed, row, ids[row], meant, confidence[row]))

    assert not wrong
    assert placed >= 0.95 * of_calls > 0


def without_apis(
    given: CompiledProgram, world: World, share: float, folder: Path
) -> tuple[Trace, list[Truth]]:
    """A world as nsys records it, without a share of its api rows, or of nodes for replays."""
    simulated = simulate(given, world)
    of = (NODE,) if world.cuda_graphs else APIS
    rng = random.Random(world.seed)  # noqa: S311 -- a simulation
    lost = {
        (row.correlation, row.node)
        for row in simulated.rows
        if row.category in of and rng.random() < share
    }
    rows = tuple(
        row
        for row in simulated.rows
        if row.category not in of or (row.correlation, row.node) not in lost
    )
    path = folder / "x.sqlite"
    path.unlink(missing_ok=True)
    write_nsys(path, [replace(simulated, rows=rows)], Export())
    trace = load_trace(path)
    by_id = {(true.correlation, true.node or -1): true for true in simulated.truth}
    ids = zip(trace.launches.correlation.tolist(), trace.launches.graph_node.tolist(), strict=True)
    return trace, [by_id[true] for true in ids]


@pytest.mark.parametrize("lost", [0, 1, 5])
def test_a_node_whose_creation_was_lost_is_recognized_by_the_nodes_around_it(
    lost: int, samples: Path, tmp_path: Path
) -> None:
    """Every replay of the node has its call and the invocation of what was replayed with it."""
    given = load_compiled(samples / "sim_mlp_train")
    world = simulate(given, World(seed=3, cuda_graphs=True))
    capture = next(iter(world.captures.values()))
    node = capture.node(lost, 0)
    rows = tuple(row for row in world.rows if row.category != NODE or row.node != node)
    write_nsys(tmp_path / "x.sqlite", [replace(world, rows=rows)], Export())
    trace = load_trace(tmp_path / "x.sqlite")
    result = match_launches(given, trace)
    of_node = np.equal(trace.launches.graph_node, capture.launched(lost))
    true = [launch for launch in world.truth if launch.node == capture.launched(lost)]
    ids = [(owner.id, call.index) for owner, call in result.program.calls]

    assert of_node.sum() == len(true) == 19
    assert {ids[call] for call in result.matching.call[of_node].tolist()} == {
        (true[0].graph, true[0].call)
    }
    assert set(result.matching.confidence[of_node].tolist()) == {Confidence.INFERRED}
    assert result.matching.invocation[of_node].tolist() == [launch.invocation for launch in true]
