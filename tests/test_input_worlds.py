"""Worlds in which torch copies inputs around the code: copies are no calls, no exact is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import pytest

from examples import seeds
from kernelmap.matching import match
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


def answers(world: World, program: CompiledProgram, folder: Path, *, code: bool) -> list[Answer]:
    """Simulate, read back, match with the code or without, and compare.

    Without code a graph is named by its key, and its calls are those that launched something.
    """
    simulated = simulate(program, world)
    simulated.write_kineto(folder / "trace.json")
    trace = load_trace(folder / "trace.json")
    result = match(program if code else CompiledProgram(graphs=()), trace)
    truth = {each.event: each for each in simulated.truth}
    launching: dict[str | None, list[int]] = {}
    for each in simulated.truth:
        if each.call is not None:
            launching.setdefault(each.graph, []).append(each.call)
    place = {
        (graph, call): at
        for graph, calls in launching.items()
        for at, call in enumerate(sorted(set(calls)))
    }

    def listed() -> Iterator[Answer]:
        for row, event in enumerate(trace.launches.event.tolist()):
            call, own = int(result.matching.call[row]), truth[event]
            true = said = None
            if own.graph is not None and own.call is not None:
                name = own.graph if code else simulated.keys[own.graph]
                true = name, own.call if code else place[own.graph, own.call]
            if call >= 0:
                graph, statement = result.program.calls[call]
                said = (graph.id if code else graph.cache_key or "", statement.index)
            yield Answer(
                said,
                true,
                Confidence(result.matching.confidence[row]),
                Reason(result.matching.reason[row]),
                int(result.matching.invocation[row]),
                own,
            )

    return list(listed())


def wrong(found: list[Answer]) -> list[Answer]:
    """What is exact and not true."""
    return [each for each in found if each.confidence == 0 and each.said != each.true]


@pytest.mark.parametrize("code", [True, False], ids=["code", "no code"])
@pytest.mark.parametrize("frames", [True, False], ids=["frames", "no frames"])
@pytest.mark.parametrize("graphs", [True, False], ids=["graphs", "eager launches"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_copies_of_inputs_are_no_calls(
    sample: str, graphs: bool, frames: bool, code: bool, samples: Path, tmp_path: Path
) -> None:
    """No copy of an input is given to a call, and nothing that is exact is wrong."""
    world = replace(COPIED, frames=frames, cuda_graphs=graphs)
    found = answers(world, compiled(samples / sample), tmp_path, code=code)
    copies = [each for each in found if each.truth.reason is Reason.INPUTS]

    assert len(copies) > 5
    assert wrong(found) == []
    assert [each for each in copies if each.said is not None] == []
    assert {each.reason for each in copies} <= {Reason.INPUTS, Reason.AUTOTUNE}
    assert {each.reason for each in copies if frames} <= {Reason.INPUTS}


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
    """Frames tell calls from copies and benchmarks, so the calls of a graph range are counted."""
    world = replace(COPIED, frames=True)
    found = answers(world, compiled(samples / sample), tmp_path, code=False)
    made = [each for each in found if each.true is not None]

    assert all(each.confidence == 0 and each.said == each.true for each in made)
    tuned = [each for each in found if each.truth.reason is Reason.AUTOTUNE]
    assert {each.reason for each in tuned} <= {Reason.AUTOTUNE}


def test_a_users_range_called_benchmark_changes_nothing(samples: Path, tmp_path: Path) -> None:
    """Steps in a `benchmark_loop` are steps: all compiled time has its call, nothing is tuning."""
    names = ("benchmark_loop", "do_bench")
    world = World(seed=4, invocations=6, autotune=False, user_ranges=names)
    found = answers(world, compiled(samples / "sim_mlp_train"), tmp_path, code=True)

    assert all(each.said == each.true for each in found)
    assert Reason.AUTOTUNE not in {each.reason for each in found}


@pytest.mark.parametrize("code", [True, False], ids=["code", "no code"])
@pytest.mark.parametrize("ranges", ["key", "none"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_one_graph_range_is_one_invocation(
    sample: str, ranges: GraphRanges, code: bool, samples: Path, tmp_path: Path
) -> None:
    """Whether its statements ran, were captured or replayed: the n-th range is the n-th run."""
    world = replace(COPIED, cuda_graphs=True, graph_ranges=ranges)
    found = answers(world, compiled(samples / sample), tmp_path, code=code)
    runs = [(each.invocation, each.truth.invocation) for each in found if each.said is not None]

    assert len({said for said, _ in runs}) == world.invocations
    assert all(said == true for said, true in runs)
