"""The hard worlds of docs/accuracy.md are what they say: their truth agrees with their program."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from kernelmap.model import CompiledGraph, CompiledProgram
from worlds import SimulatedTrace, Truth, World, simulate
from worlds.configs import legacy_name
from worlds.hard import ROWS, Row
from worlds.programs import piecewise, small_graphs
from worlds.undecidable import MOST
from worlds.written import Kernel, Library, Written, program_of

BY_NAME = {row.name: row for row in ROWS}
Runs = dict[tuple[str, int], list[Truth]]


def runs(simulated: SimulatedTrace) -> Runs:
    """The launches of each invocation, in launch order."""
    launches_of: defaultdict[tuple[str, int], list[Truth]] = defaultdict(list)
    for truth in sorted(simulated.truth, key=lambda launch: (launch.correlation, launch.event)):
        if truth.graph is not None and truth.invocation is not None:
            launches_of[truth.graph, truth.invocation].append(truth)
    return dict(launches_of)


def graphs_of(row: Row) -> dict[str, CompiledGraph]:
    """The graphs that run in a row of seed 5."""
    return {graph.id: graph for graph in row.case(5).runs.graphs}


@cache
def damaged(name: str) -> SimulatedTrace:
    """Two steps of a row of seed 5, its window cut and 5 % of its events lost."""
    row = BY_NAME[name]
    return simulate(row.case(5).runs, replace(row.played(5), invocations=2, drop=0.05))


@pytest.mark.sampled
@pytest.mark.parametrize("name", BY_NAME)
def test_an_invocation_runs_every_call_in_order(name: str) -> None:
    """Where nothing is lost, each invocation launches all calls of its graph, in program order."""
    row = BY_NAME[name]
    graphs = graphs_of(row)
    world = replace(row.played(5), invocations=2, drop=0.0, cut=False)
    launches_of = runs(simulate(row.case(5).runs, world))
    ran = {graph for graph, _ in launches_of}

    assert ran <= graphs.keys() if world.drawn else ran == graphs.keys()
    for (graph, _), launched in launches_of.items():
        calls = [truth.call or 0 for truth in launched]
        assert calls == sorted(calls)
        assert set(calls) == {call.index for call in graphs[graph].calls}


@pytest.mark.sampled
@pytest.mark.parametrize("name", BY_NAME)
def test_what_is_lost_leaves_the_rest_as_it_was(name: str) -> None:
    """A part of each invocation is left, in order; the given code is part of what runs."""
    case = BY_NAME[name].case(5)
    graphs = graphs_of(BY_NAME[name])
    launches_of = runs(damaged(name))

    assert launches_of
    for (graph, _), launched in launches_of.items():
        calls = [truth.call or 0 for truth in launched]
        assert calls == sorted(calls)
        assert calls[-1] < len(graphs[graph].calls)
    given = {graph.id for graph in case.given.graphs}
    assert bool(given - graphs.keys()) == ("never ran" in name or name == "all that ran withheld")
    assert bool(graphs.keys() - given) == ("withheld" in name)


@pytest.mark.sampled
@pytest.mark.parametrize("name", BY_NAME)
def test_candidates_hold_the_true_call(name: str) -> None:
    """What is marked undecidable has two to six candidates, the true call among them."""
    for truth in damaged(name).truth:
        if truth.candidates:
            assert 2 <= len(truth.candidates) <= MOST
            assert (truth.graph, truth.call) in truth.candidates


@pytest.mark.parametrize("name", [*BY_NAME][::12])
def test_worlds_are_repeatable(name: str) -> None:
    """A seed decides all of a row: its program, what is given, and its world."""
    row = BY_NAME[name]
    program_of.cache_clear()
    again, other = row.case(5), row.case(6)

    assert row.played(5) == row.played(5)
    assert texts(row.case(5).runs) == texts(again.runs)
    assert texts(again.runs) != texts(other.runs)
    assert len(again.given.graphs) == len(row.case(5).given.graphs)


def texts(program: CompiledProgram) -> list[str | None]:
    return [graph.text for graph in program.graphs]


def test_equal_layers_are_undecidable_only_where_their_order_changes() -> None:
    """Five equal layers in changing order stand for one another; in constant order none does."""
    program = piecewise(3, 5)
    changing = simulate(program, World(seed=3, invocations=4, shuffle=True))
    constant = simulate(program, World(seed=3, invocations=4))
    layers = {f"{number}_inference" for number in range(1, 6)}

    for truth in changing.truth:
        assert bool(truth.candidates) == (truth.graph in layers)
        if truth.candidates:
            assert {graph for graph, _ in truth.candidates} == layers
            assert {call for _, call in truth.candidates} == {truth.call}
    assert not any(truth.candidates for truth in constant.truth)


def test_graphs_of_one_program_differ() -> None:
    """No two small graphs launch the same, though they share names of kernels."""
    graphs = small_graphs(4, 60).graphs
    sequences = [tuple(call.wrapper for call in graph.calls) for graph in graphs]
    names = [{kernel.name for kernel in graph.kernels} for graph in graphs]

    assert len(set(sequences)) == 60
    assert sum(len(kernels) for kernels in names) > 1.2 * len(set[str]().union(*names))


def test_threads_run_at_the_same_time() -> None:
    """Each thread launches on a stream of its own, in turns, under ids in the order of time."""
    program = small_graphs(2, 6)
    world = World(seed=2, invocations=4, threads=2, autotune=False)
    rows = [row for row in simulate(program, world).rows if row.owner is not None]
    streams = [row.tid for row in rows]
    apis = [row for row in simulate(program, world).rows if row.category.startswith("cuda_")]

    assert set(streams) == {7, 47}
    assert sum(before != after for before, after in pairwise(streams)) > len(rows) / 10
    assert [row.correlation for row in apis] == sorted(row.correlation or 0 for row in apis)
    assert [row.start_ns for row in apis] == sorted(row.start_ns for row in apis)


def test_threads_may_share_a_stream() -> None:
    """On one stream the launches of two threads alternate, and none overlaps the next."""
    world = World(seed=2, invocations=4, threads=2, shared=True, autotune=False)
    rows = simulate(small_graphs(2, 6), world).rows
    gpu = [row for row in rows if row.owner is not None]
    threads = {row.correlation: row.tid for row in rows if row.category.startswith("cuda_")}
    turns = [threads[row.correlation] for row in gpu]

    assert {row.tid for row in gpu} == {7}
    assert all(before.end_ns <= after.start_ns for before, after in pairwise(gpu))
    assert sum(before != after for before, after in pairwise(turns)) > len(gpu) / 10


def test_api_rows_may_be_all_that_is_left_of_the_host() -> None:
    """A profile of CUDA activities alone has api rows with thread ids, and no operators."""
    world = World(seed=1, invocations=2, threads=2, host=False, apis=True)
    rows = [event for event in simulate(small_graphs(1, 3), world).events if event["ph"] == "X"]

    assert not any(event["cat"] in ("cpu_op", "user_annotation") for event in rows)
    assert len({event["tid"] for event in rows if str(event["cat"]).startswith("cuda_")}) == 2


def test_vendor_names_say_nothing() -> None:
    """With names of a vendor's own, no library kernel bears a word of its operator."""
    world = World(seed=1, invocations=2, vendor=True, long=True, host=False)
    rows = simulate(small_graphs(1, 12), world).rows
    named = {row.name for row in rows if row.category == "kernel"}

    assert any(name.startswith("vnd_k") for name in named)
    assert all(
        name.startswith(("triton_", "vnd_k", "void at::native::multi_tensor")) for name in named
    )


def test_benchmarks_before_the_first_step_belong_to_no_call() -> None:
    """What is measured while compiling stands before all calls, and runs no call of its own."""
    world = World(seed=1, invocations=2, tuned_before=True, eager=0.0)
    truths = simulate(small_graphs(1, 6), world).truth
    reasons = [truth.reason is not None for truth in truths]

    assert sum(reasons) > 50
    assert reasons == sorted(reasons, reverse=True)


def test_unnamed_library_calls_in_a_row_stand_for_one_another() -> None:
    """Under names that say nothing only the ends of a run of library calls are sure."""
    add, mul = (Kernel("poi", (op,), (4096,), 3) for op in ("add", "mul"))
    body = (add, Library("aten.convolution_backward"), Library("aten.sort"), mul)
    program = program_of((Written("0_inference", body),))
    world = World(seed=1, invocations=2, vendor=True, long=True, eager=0.0, autotune=False)
    run = [truth for truth in simulate(program, world).truth if truth.invocation == 1]
    both = (("0_inference", 1), ("0_inference", 2))

    assert {truth.call for truth in run} == {0, 1, 2, 3}
    assert [truth.candidates for truth in run] == [(), (), *[both] * (len(run) - 4), (), ()]
    named = simulate(program, replace(world, vendor=False)).truth
    assert not any(truth.candidates for truth in named)


def test_what_a_loss_leaves_of_equal_launches_is_undecidable() -> None:
    """Where one of three equal launches is lost, the others may belong to any; others are sure."""
    add, mul = (Kernel("poi", (op,), (4096,), 3) for op in ("add", "mul"))
    program = program_of((Written("0_inference", (mul, add, add, add, mul)),))
    world = World(seed=1, invocations=40, eager=0.0, autotune=False, drop=0.1, host=False)
    all_three = tuple(("0_inference", call) for call in (1, 2, 3))
    invocations = runs(simulate(program, world)).values()
    numbers = {
        len([truth for truth in launched if truth.call in (1, 2, 3)]) for launched in invocations
    }

    assert numbers >= {2, 3}
    for launched in invocations:
        adds = [truth for truth in launched if truth.call in (1, 2, 3)]
        if len(adds) == 3:
            assert not any(truth.candidates for truth in launched)
        if len(adds) == 1:
            assert adds[0].candidates == all_three
        if len(adds) == 2:
            assert adds[0].candidates == all_three[:2]
            assert adds[1].candidates == all_three[1:]


def test_written_code_is_read_as_it_was_meant() -> None:
    """The readers see each statement of written code: kernels, operators, sizes, in order."""
    add = Kernel("poi", ("mul", "add"), (4096,), 3)
    total = Kernel("red", ("sum",), (64, 1001), 2)
    body = (add, Library("aten.mm"), total, Library("aten.index_put_"), add)
    graph = program_of((Written("7_backward", body),)).graphs[0]

    assert (graph.id, graph.kind) == ("7_backward", "backward")
    assert [call.wrapper for call in graph.calls] == [
        "triton_poi_fused_add_mul_0",
        "extern_kernels.mm",
        "triton_red_fused_sum_1",
        "aten.index_put_",
        "triton_poi_fused_add_mul_0",
    ]
    assert [call.target for call in graph.calls if call.target] == ["aten.mm", "aten.index_put_"]
    assert [call.numels for call in graph.calls if call.kernel] == [(4096,), (64, 1001), (4096,)]
    assert [legacy_name(kernel) for kernel in graph.kernels] == [
        "triton__0d1d2d3d4",
        "triton__0d1d2d345",
    ]
