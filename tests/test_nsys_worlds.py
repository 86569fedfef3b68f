"""Worlds with known truth, exported as Nsight Systems does: what we say is held against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from msgspec import structs

from kernelmap.matching import match_launches
from kernelmap.model import (
    Activity,
    ApiCalls,
    CompiledProgram,
    Confidence,
    Launches,
    Method,
    Ranges,
    Reason,
    Trace,
)
from kernelmap.traces import load_trace
from read_once import compiled
from worlds import GraphRanges, SimulatedTrace, Truth, World, simulate
from worlds.capture import NODE
from worlds.nsys import Export, pid_of, write_nsys
from worlds.nsys_schema import Schema
from worlds.score import Score, score

pytestmark = pytest.mark.sampled

SCHEMAS: Sequence[Schema] = get_args(Schema)
CUT_NS = 400_000  # somewhere in the first invocation


@pytest.fixture(scope="module")
def program(samples: Path) -> CompiledProgram:
    return compiled(samples / "sim_mlp_train")


def exported(path: Path, worlds: Sequence[SimulatedTrace], export: Export) -> Trace:
    write_nsys(path, worlds, export)
    return load_trace(path)


def truths(trace: Trace, worlds: Sequence[SimulatedTrace]) -> list[Truth]:
    """The truth of every launch: by process, correlation and graph node."""
    truth_of: Mapping[tuple[str | None, int, int], Truth] = {
        (str(pid_of(number)), true.correlation, true.node or -1): true
        for number, world in enumerate(worlds)
        for true in world.truth
    }
    columns = trace.launches
    return [
        truth_of[trace.processes[process].pid, correlation, node]
        for process, correlation, node in zip(
            columns.process.tolist(),
            columns.correlation.tolist(),
            columns.graph_node.tolist(),
            strict=True,
        )
    ]


def assert_right(scores: Score) -> None:
    assert scores.matched >= 0.995
    assert scores.exact_right == 1.0
    assert scores.outside_claimed == 0
    assert scores.exact > 0


@pytest.mark.sampled
@pytest.mark.parametrize("graphs", [False, True], ids=["direct", "cuda graphs"])
@pytest.mark.parametrize("schema", SCHEMAS)
def test_an_export_is_matched_as_a_kineto_trace_is(
    schema: Schema, graphs: bool, program: CompiledProgram, tmp_path: Path
) -> None:
    """In each schema nearly all compiled time finds its call, and nothing else is claimed."""
    worlds = [simulate(program, World(seed=3, cuda_graphs=graphs))]
    trace = exported(tmp_path / "x.sqlite", worlds, Export(schema=schema))

    assert len(trace.launches) == len(worlds[0].truth)
    assert_right(score(match_launches(program, trace), truths(trace, worlds)))


@pytest.mark.parametrize("marks", ["none", "absent"])
@pytest.mark.parametrize("graphs", [False, True], ids=["direct", "cuda graphs"])
def test_graph_ranges_without_a_key_or_none_at_all_cost_nothing_right(
    marks: GraphRanges, graphs: bool, program: CompiledProgram, tmp_path: Path
) -> None:
    """Old torch and switched off caches name no graph; what is exact stays right."""
    worlds = [simulate(program, World(seed=4, cuda_graphs=graphs, graph_ranges=marks))]
    trace = exported(tmp_path / "x.sqlite", worlds, Export())

    assert_right(score(match_launches(program, trace), truths(trace, worlds)))


@pytest.mark.parametrize("graphs", [False, True], ids=["direct", "cuda graphs"])
def test_processes_whose_ids_collide_stay_apart(
    graphs: bool, program: CompiledProgram, tmp_path: Path
) -> None:
    """Two processes use the same correlation ids, graph nodes and domains in different ways."""
    worlds = [simulate(program, World(seed=seed, cuda_graphs=graphs)) for seed in (5, 6)]
    trace = exported(tmp_path / "x.sqlite", worlds, Export(shuffled=1, backtrace=True))

    assert len(trace.launches) == sum(len(world.truth) for world in worlds)
    assert [process.pid for process in trace.processes] == ["4242", "4243"]
    assert_right(score(match_launches(program, trace), truths(trace, worlds)))


@pytest.mark.parametrize("schema", SCHEMAS)
def test_the_order_of_rows_means_nothing(
    schema: Schema, program: CompiledProgram, tmp_path: Path
) -> None:
    """However the rows of an export are mixed, the trace is the same to the last column."""
    worlds = [simulate(program, World(seed=7, cuda_graphs=True, invocations=4))]
    plain, mixed = (
        exported(tmp_path / f"{shuffled}.sqlite", worlds, Export(schema=schema, shuffled=shuffled))
        for shuffled in (None, 2)
    )

    for kind in ("launches", "apis", "ranges"):
        assert texts(getattr(plain, kind)) == texts(getattr(mixed, kind))


def texts(columns: Launches | ApiCalls | Ranges) -> dict[str, list[object]]:
    """Columns as lists, ids of names replaced by the names."""
    lists: dict[str, list[object]] = {
        name: getattr(columns, name).tolist()
        for name in columns.__struct_fields__
        if isinstance(getattr(columns, name), np.ndarray)
    }
    lists["name_id"] = [columns.names[number] for number in columns.name_id.tolist()]
    return lists


@pytest.mark.parametrize("graphs", [False, True], ids=["direct", "cuda graphs"])
def test_a_window_that_opens_too_late_makes_nothing_wrong(
    graphs: bool, program: CompiledProgram, tmp_path: Path
) -> None:
    """The first invocation is there in part only: less may be known of it, nothing is wrong."""
    worlds = [simulate(program, World(seed=8, cuda_graphs=graphs))]
    trace = exported(tmp_path / "x.sqlite", worlds, Export(cut_ns=CUT_NS))
    scores = score(match_launches(program, trace), truths(trace, worlds))

    assert len(trace.launches) < len(worlds[0].truth)
    assert scores.exact_right == 1.0
    assert scores.outside_claimed == 0
    assert scores.matched >= 0.98


def test_a_capture_before_the_window_leaves_replays_open(
    program: CompiledProgram, tmp_path: Path
) -> None:
    """Where the creation of graph nodes was not recorded, no replay is exact."""
    world = simulate(program, World(seed=8, cuda_graphs=True))
    captured = max(row.start_ns for row in world.rows if row.category == NODE)
    first = min(row.start_ns for row in world.rows)
    trace = exported(tmp_path / "x.sqlite", [world], Export(cut_ns=captured - first + 1))
    result = match_launches(program, trace)
    replayed = result.context.host.replayed

    assert replayed.sum() > 400
    assert not np.isin(
        result.matching.confidence[replayed], [Confidence.EXACT, Confidence.OUTSIDE]
    ).any()


def test_replays_are_invocations_of_their_own(program: CompiledProgram, tmp_path: Path) -> None:
    """Each replay is numbered as the step that launched it, though all were captured in one."""
    worlds = [simulate(program, World(seed=3, cuda_graphs=True))]
    trace = exported(tmp_path / "x.sqlite", worlds, Export())
    result = match_launches(program, trace)
    captured = np.equal(result.matching.method, Method.CAPTURE)

    assert captured.any()
    for row, true in enumerate(truths(trace, worlds)):
        if captured[row]:
            assert result.matching.invocation[row] == true.invocation
            assert result.matching.call[row] >= 0


def test_graphs_recorded_as_a_whole_are_in_the_ledger_and_noted(
    program: CompiledProgram, tmp_path: Path
) -> None:
    """Without kernels a replay is one launch of unknown calls, and the notice says what to do."""
    worlds = [simulate(program, World(seed=3, cuda_graphs=True))]
    trace = exported(tmp_path / "x.sqlite", worlds, Export(graphs_whole=True))
    result = match_launches(program, trace)
    whole = np.equal(trace.launches.activity, Activity.GRAPH)

    assert whole.sum() == 2 * 19  # a forward and a backward in each step but the first
    assert set(result.matching.reason[whole].tolist()) == {Reason.GRAPH_REPLAY}
    (notice,) = (it for it in trace.notices if it.slug == "graphs-without-kernels")
    assert notice.gap
    assert "--cuda-graph-trace=node" in (notice.hint or "")


def test_ranges_of_other_domains_and_start_end_ranges_do_not_matter(
    program: CompiledProgram, tmp_path: Path
) -> None:
    """Ranges that cross torch's, and marks of the same names, change nothing."""
    worlds = [simulate(program, World(seed=3, invocations=4))]
    with_others, without = (
        exported(tmp_path / f"{crossing}.sqlite", worlds, Export(crossing=crossing))
        for crossing in (True, False)
    )

    assert texts(with_others.ranges) == texts(without.ranges)
    assert Counter(with_others.ranges.names)["ncclSend"] == 0


@pytest.mark.corpus
@pytest.mark.parametrize("graphs", [False, True], ids=["direct", "cuda graphs"])
@pytest.mark.parametrize("case", ["triton_attnflash", "triton_foreach", "triton_usertriton"])
def test_real_code_in_two_processes_is_matched(
    case: str, graphs: bool, corpus: Path, tmp_path: Path
) -> None:
    """The same over code of other kinds: attention, foreach kernels, user kernels."""
    program = compiled(corpus / "inductor" / case)
    worlds = [simulate(program, World(seed=seed, cuda_graphs=graphs)) for seed in (1, 2)]
    trace = exported(tmp_path / "x.sqlite", worlds, Export(schema="3.25.0", shuffled=3))

    assert_right(score(match_launches(program, trace), truths(trace, worlds)))


MARKED = Export(marks=True, ranges=False)


@pytest.mark.parametrize("graphs", [False, True], ids=["direct", "cuda graphs"])
def test_marks_alone_name_every_call(
    graphs: bool, program: CompiledProgram, tmp_path: Path
) -> None:
    """Marks of a capture suffice without torch's ranges; benchmarks stay outside of calls."""
    worlds = [simulate(program, World(seed=seed, cuda_graphs=graphs)) for seed in (5, 6)]
    trace = exported(tmp_path / "x.sqlite", worlds, replace(MARKED, shuffled=4))
    result = match_launches(program, trace)
    scores = score(result, truths(trace, worlds))
    compiled = [true.call is not None for true in truths(trace, worlds)]
    marked = np.isin(result.matching.method, [Method.MARK, Method.CAPTURE])

    assert_right(scores)
    assert scores.matched == 1.0
    assert marked[compiled].all()
    assert np.mean(result.matching.confidence[compiled] == Confidence.EXACT) > 0.9


@pytest.mark.parametrize("graphs", [False, True], ids=["direct", "cuda graphs"])
def test_marks_and_ranges_together_say_the_same(
    graphs: bool, program: CompiledProgram, tmp_path: Path
) -> None:
    """Marks do not disturb what torch's ranges say."""
    worlds = [simulate(program, World(seed=7, cuda_graphs=graphs))]
    trace = exported(tmp_path / "x.sqlite", worlds, Export(marks=True))

    assert_right(score(match_launches(program, trace), truths(trace, worlds)))


def test_marks_survive_a_window_that_opens_too_late(
    program: CompiledProgram, tmp_path: Path
) -> None:
    """A launch whose mark lies before the window is claimed by no other call."""
    worlds = [simulate(program, World(seed=8))]
    trace = exported(tmp_path / "x.sqlite", worlds, replace(MARKED, cut_ns=CUT_NS))
    scores = score(match_launches(program, trace), truths(trace, worlds))

    assert scores.exact_right == 1.0
    assert scores.outside_claimed == 0
    assert scores.matched >= 0.98


def test_marks_without_code_name_graph_and_wrapper(
    program: CompiledProgram, tmp_path: Path
) -> None:
    """Calls of code that was not given are numbered and named by their marks."""
    worlds = [simulate(program, World(seed=5, invocations=4))]
    trace = exported(tmp_path / "x.sqlite", worlds, MARKED)
    result = match_launches(CompiledProgram(graphs=()), trace)
    ids = [(graph.id, call.index) for graph, call in result.program.calls]
    exact = np.flatnonzero(result.matching.confidence == Confidence.EXACT).tolist()
    truth = truths(trace, worlds)

    assert [notice.slug for notice in result.notices] == ["trace-alone"]
    assert len(exact) > 50
    assert all(
        ids[int(result.matching.call[row])] == (truth[row].graph, truth[row].call) for row in exact
    )


def test_marks_of_other_code_are_not_given_to_the_code_that_is_there(
    program: CompiledProgram, tmp_path: Path
) -> None:
    """A digest that no given code has is another graph's, whatever the names."""
    worlds = [simulate(program, World(seed=5, invocations=4))]
    trace = exported(tmp_path / "x.sqlite", worlds, MARKED)
    changed = structs.replace(
        program, graphs=tuple(structs.replace(graph, digest="0" * 16) for graph in program.graphs)
    )
    result = match_launches(changed, trace)
    given = sum(len(graph.calls) for graph in program.graphs)
    exact = result.matching.call[result.matching.confidence == Confidence.EXACT]

    assert len(exact) > 50
    assert (exact >= given).all()
