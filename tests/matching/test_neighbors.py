"""Launches and graph nodes without a host side, amid others whose calls are known."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from answers import calls, confidences
from kernelmap.compiler import load_compiled
from kernelmap.matching import match
from kernelmap.matching.evidence.expected import Slot, embedded
from kernelmap.model import Activity, Confidence, Reason
from kernelmap.traces import load_trace
from tiny import Timeline, graph, program
from trace_rows import ApiRow
from worlds import World, simulate
from worlds.capture import NODE
from worlds.nsys import Export, write_nsys

A, B, C = "triton_poi_fused_a_0", "triton_poi_fused_b_1", "triton_poi_fused_c_2"
MM = "aten.mm"
ONE = graph("0_inference", A, MM, B, MM, C)
KERNEL = int(Activity.KERNEL)


def without_api(line: Timeline, lost: Collection[int]) -> Timeline:
    """The same, but the profiler lost the api calls with these correlation ids."""
    line.rows = [
        row for row in line.rows if not (isinstance(row, ApiRow) and row.correlation in lost)
    ]
    return line


@pytest.mark.parametrize("lost", [{6}, {7}, {9}, {10}, {7, 8}, {9, 10}, {6, 7, 9}])
def test_a_lost_api_call_is_told_by_the_launches_around_it(lost: Collection[int]) -> None:
    """What an invocation lacks is what its other runs launch there."""
    line = without_api(Timeline().invoke(ONE).invoke(ONE).invoke(ONE).invoke(ONE), lost)
    result = match(program(ONE), line.trace())

    assert calls(result) == [f"0_inference/{index}" for index in range(5)] * 4
    assert result.matching.invocation.tolist() == [number for number in range(4) for _ in ONE.calls]
    assert {confidences(result)[number - 1] for number in lost} == {"inferred"}


def test_what_an_invocation_does_not_lack_is_not_its() -> None:
    """A product whose api call was lost and that the graph has already is somebody else's."""
    line = Timeline().invoke(ONE).invoke(ONE).eager(MM).invoke(ONE).invoke(ONE)
    result = match(program(ONE), without_api(line, {11}).trace())

    assert calls(result)[10] is None
    assert confidences(result)[10] == "unknown"


def test_a_benchmark_without_an_api_call_is_one_still() -> None:
    """Before the next launch of a kernel that is benchmarked it is no call."""
    line = Timeline().invoke([A, A, A, A, MM, B, MM, C]).invoke(ONE).invoke(ONE).invoke(ONE)
    result = match(program(ONE), without_api(line, {2}).trace())

    assert calls(result)[:4] == [None, None, None, "0_inference/0"]
    assert result.matching.reason[1] == Reason.AUTOTUNE


def test_two_ways_to_fill_a_gap_are_none() -> None:
    """One launch that two statements lack belongs to neither."""
    slots = [Slot(0, frozenset({"sgemm"})), Slot(1, frozenset({"sgemm"}))]

    assert embedded([("sgemm", KERNEL)], slots) is None
    assert embedded([("sgemm", KERNEL)] * 2, slots) == [0, 1]


def test_a_call_that_was_never_seen_to_launch_takes_what_its_family_may() -> None:
    """One product may be several launches; a copy fits no product that runs a kernel."""
    slots = [Slot(4, None, "aten.mm")]

    assert embedded([("ampere_sgemm", KERNEL), ("splitKreduce", KERNEL)], slots) == [4, 4]
    assert embedded([("radixSort", KERNEL)], slots) is None


@pytest.mark.parametrize("lost", [0, 1, 5])
def test_a_node_whose_creation_was_lost_is_told_by_the_nodes_around_it(
    lost: int, samples: Path, tmp_path: Path
) -> None:
    """Every replay of the node has its call and the invocation of what was replayed with it."""
    known = load_compiled(samples / "sim_mlp_train")
    world = simulate(known, World(seed=3, cuda_graphs=True))
    capture = next(iter(world.captures.values()))
    node = capture.node(lost, 0)
    rows = tuple(row for row in world.rows if row.category != NODE or row.node != node)
    write_nsys(tmp_path / "x.sqlite", [replace(world, rows=rows)], Export())
    trace = load_trace(tmp_path / "x.sqlite")
    result = match(known, trace)
    own = np.equal(trace.launches.graph_node, capture.launched(lost))
    true = [each for each in world.truth if each.node == capture.launched(lost)]
    ids = [(owner.id, call.index) for owner, call in result.program.calls]

    assert own.sum() == len(true) == 19
    assert {ids[call] for call in result.matching.call[own].tolist()} == {
        (true[0].graph, true[0].call)
    }
    assert set(result.matching.confidence[own].tolist()) == {Confidence.INFERRED}
    assert result.matching.invocation[own].tolist() == [each.invocation for each in true]
