"""Worlds in which torch copies inputs around the code: copies are no calls, no exact is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import pytest
from msgspec import structs

from examples import seeds
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram, Confidence, Reason
from kernelmap.traces import load_trace
from read_once import compiled
from worlds import GraphRanges, Truth, World, simulate

SAMPLES = ("sim_mlp_train", "sim_attention_autotune")
COPIED = World(seed=4, invocations=6, misaligned=0.5)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said of a launch, and what is true: (graph, call) of both, None for no call."""

    said: tuple[str, int] | None
    true: tuple[str, int] | None
    confidence: Confidence
    reason: Reason
    invocation: int
    truth: Truth


def without_copies(program: CompiledProgram) -> CompiledProgram:
    """The code as torch wrote it up to 2.12, which copied inputs before it ran code."""
    graphs = tuple(structs.replace(graph, alignment_copies=()) for graph in program.graphs)
    return structs.replace(program, graphs=graphs)


def answers(world: World, program: CompiledProgram, folder: Path, *, code: bool) -> list[Answer]:
    """Simulate, read back, match with the code or without, and compare.

    Without code a graph is named by its key, and its calls are those that launched something.
    """
    simulated = simulate(program, world)
    simulated.write_kineto(folder / "trace.json")
    trace = load_trace(folder / "trace.json")
    result = match_launches(program if code else CompiledProgram(graphs=()), trace)
    truth = {launch.event: launch for launch in simulated.truth}
    launching: dict[str | None, list[int]] = {}
    for launch in simulated.truth:
        if launch.call is not None:
            launching.setdefault(launch.graph, []).append(launch.call)
    place = {
        (graph, call): at
        for graph, calls in launching.items()
        for at, call in enumerate(sorted(set(calls)))
    }

    def listed() -> Iterator[Answer]:
        for row, event in enumerate(trace.launches.event.tolist()):
            call, launched = int(result.matching.call[row]), truth[event]
            true = said = None
            if launched.graph is not None and launched.call is not None:
                name = launched.graph if code else simulated.keys[launched.graph]
                true = name, launched.call if code else place[launched.graph, launched.call]
            if call >= 0:
                graph, statement = result.program.calls[call]
                said = (graph.id if code else graph.cache_key or "", statement.index)
            yield Answer(
                said,
                true,
                Confidence(result.matching.confidence[row]),
                Reason(result.matching.reason[row]),
                int(result.matching.invocation[row]),
                launched,
            )

    return list(listed())


def wrong(all_answers: list[Answer]) -> list[Answer]:
    """What is exact and not true."""
    return [
        answer for answer in all_answers if answer.confidence == 0 and answer.said != answer.true
    ]


@pytest.mark.sampled
@pytest.mark.parametrize("code", [True, False], ids=["code", "no code"])
@pytest.mark.parametrize("frames", [True, False], ids=["frames", "no frames"])
@pytest.mark.parametrize("graphs", [True, False], ids=["graphs", "eager launches"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_copies_of_inputs_are_no_calls(
    sample: str, graphs: bool, frames: bool, code: bool, samples: Path, tmp_path: Path
) -> None:
    """No copy of an input is given to a call, and nothing that is exact is wrong."""
    world = replace(COPIED, frames=frames, cuda_graphs=graphs)
    program = without_copies(compiled(samples / sample))
    all_answers = answers(world, program, tmp_path, code=code)
    copies = [answer for answer in all_answers if answer.truth.reason is Reason.INPUTS]

    assert len(copies) > 5
    assert wrong(all_answers) == []
    assert [answer for answer in copies if answer.said is not None] == []
    assert {answer.reason for answer in copies} <= {Reason.INPUTS, Reason.AUTOTUNE}
    assert {answer.reason for answer in copies if frames} <= {Reason.INPUTS}


@pytest.mark.parametrize("graphs", [True, False], ids=["graphs", "eager launches"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_copies_by_torch_are_never_surely_those_of_the_code(
    sample: str, graphs: bool, samples: Path, tmp_path: Path
) -> None:
    """Code that copies its inputs itself leaves some to torch: those that it writes to.

    A copy before the first call may then be either, so it is at most inferred, and of no other
    call than one that copies.
    """
    world = replace(COPIED, cuda_graphs=graphs)
    program = compiled(samples / sample)
    number = {graph.id: len(graph.calls) for graph in program.graphs}
    all_answers = answers(world, program, tmp_path, code=True)
    said = [a.said for a in all_answers if a.truth.reason is Reason.INPUTS and a.said is not None]

    assert wrong(all_answers) == []
    assert all(statement >= number[graph] for graph, statement in said)


@pytest.mark.sampled
@pytest.mark.parametrize("ranges", get_args(GraphRanges))
@pytest.mark.parametrize("drop", [0.0, 0.02])
@pytest.mark.parametrize("seed", seeds(1, 3))
@pytest.mark.parametrize("sample", SAMPLES)
def test_lost_events_make_no_copy_a_call_that_is_exact(
    sample: str, seed: int, drop: float, ranges: GraphRanges, samples: Path, tmp_path: Path
) -> None:
    """Where ranges are lost or absent, less may be known; what is exact stays true."""
    program = compiled(samples / sample)
    for frames in (True, False):
        world = replace(COPIED, seed=seed, drop=drop, graph_ranges=ranges, frames=frames)
        for code in (True, False) if ranges == "key" else (True,):
            assert wrong(answers(world, program, tmp_path, code=code)) == []


@pytest.mark.parametrize("sample", SAMPLES)
def test_with_python_frames_all_is_exact_without_code(
    sample: str, samples: Path, tmp_path: Path
) -> None:
    """Frames distinguish calls from copies and benchmarks, so calls of a range can be counted."""
    world = replace(COPIED, frames=True)
    all_answers = answers(world, compiled(samples / sample), tmp_path, code=False)
    made = [answer for answer in all_answers if answer.true is not None]

    assert all(answer.confidence == 0 and answer.said == answer.true for answer in made)
    tuned = [answer for answer in all_answers if answer.truth.reason is Reason.AUTOTUNE]
    assert {answer.reason for answer in tuned} <= {Reason.AUTOTUNE}


def test_a_users_range_called_benchmark_changes_nothing(samples: Path, tmp_path: Path) -> None:
    """Steps in a `benchmark_loop` are no autotuning: all compiled time has its call."""
    names = ("benchmark_loop", "do_bench")
    world = World(seed=4, invocations=6, autotune=False, user_ranges=names)
    all_answers = answers(world, compiled(samples / "sim_mlp_train"), tmp_path, code=True)

    assert all(answer.said == answer.true for answer in all_answers)
    assert Reason.AUTOTUNE not in {answer.reason for answer in all_answers}


@pytest.mark.parametrize("code", [True, False], ids=["code", "no code"])
@pytest.mark.parametrize("ranges", ["key", "none"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_one_graph_range_is_one_invocation(
    sample: str, ranges: GraphRanges, code: bool, samples: Path, tmp_path: Path
) -> None:
    """The n-th range is the n-th run, whether it ran directly, was captured or replayed."""
    world = replace(COPIED, cuda_graphs=True, graph_ranges=ranges)
    all_answers = answers(world, compiled(samples / sample), tmp_path, code=code)
    runs = [
        (answer.invocation, answer.truth.invocation)
        for answer in all_answers
        if answer.said is not None
    ]

    assert len({said for said, _ in runs}) == world.invocations
    assert all(said == true for said, true in runs)
