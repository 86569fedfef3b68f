"""Worlds with known truth over real Inductor code: what we say is held against it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

import pytest

from kernelmap.matching import match
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence
from kernelmap.traces import load_trace
from read_once import compiled
from worlds import GraphRanges, World, simulate

CASES = (
    "triton_mlp",
    "triton_attnflash",
    "triton_foreach",
    "triton_names_nounique",
    "triton_partition",
    "triton_usertriton",
)
MARKS = get_args(GraphRanges)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Shares of GPU time: matched to the right call of all compiled, right of what is exact.

    `outside_claimed` counts launches outside compiled code that were given to a call.
    """

    matched: float
    exact_right: float
    outside_claimed: int


def score(program: CompiledProgram, world: World, folder: Path) -> Score:
    """Simulate `world`, read it back from disk, match it and compare with the truth."""
    simulated = simulate(program, world)
    path = folder / "trace.json"
    simulated.write_kineto(path)
    trace = load_trace(path)
    result = match(program, trace)
    ids = [(graph.id, call.index) for graph, call in result.program.calls]
    truth = {each.event: each for each in simulated.truth}
    compiled = right = exact = exact_right = claimed = 0
    for row, (event, dur) in enumerate(
        zip(trace.launches.event.tolist(), trace.launches.dur_ns.tolist(), strict=True)
    ):
        true = truth[event]
        call = int(result.matching.call[row])
        correct = call >= 0 and ids[call] == (true.graph, true.call)
        is_exact = result.matching.confidence[row] == Confidence.EXACT
        compiled += dur if true.call is not None else 0
        right += dur if correct else 0
        exact += dur if is_exact else 0
        exact_right += dur if is_exact and correct else 0
        claimed += call >= 0 and true.call is None
    return Score(
        matched=right / compiled,
        exact_right=exact_right / exact if exact else 1.0,
        outside_claimed=claimed,
    )


def sharing_names(program: CompiledProgram) -> CompiledProgram:
    """The same program, its second graph's kernels named like the first one's."""
    first, second, *rest = program.graphs
    names = dict(
        zip([k.name for k in second.kernels], [k.name for k in first.kernels], strict=False)
    )

    def renamed(graph: CompiledGraph) -> CompiledGraph:
        return replace(
            graph,
            kernels=tuple(
                replace(k, name=names.get(k.name, k.name), function=names.get(k.name, k.name))
                for k in graph.kernels
            ),
            calls=tuple(
                replace(
                    c,
                    wrapper=names.get(c.wrapper, c.wrapper),
                    kernel=names.get(c.kernel, c.kernel) if c.kernel else None,
                )
                for c in graph.calls
            ),
        )

    return replace(program, graphs=(first, renamed(second), *rest))


@pytest.mark.corpus
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("shapes", [True, False], ids=["shapes", "names-only"])
@pytest.mark.parametrize("case", CASES)
def test_a_whole_trace_is_matched(
    case: str, marks: GraphRanges, shapes: bool, corpus: Path, tmp_path: Path
) -> None:
    """With a host side nearly all compiled time finds its call, and nothing else is claimed."""
    program = compiled(corpus / "inductor" / case)
    found = score(program, World(seed=1, graph_ranges=marks, record_shapes=shapes), tmp_path)

    assert found.matched >= 0.995
    assert found.exact_right == 1.0
    assert found.outside_claimed == 0


@pytest.mark.corpus
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("shapes", [True, False], ids=["shapes", "names-only"])
@pytest.mark.parametrize("case", ["triton_mlp", "triton_attnflash"])
def test_forward_and_backward_that_share_names_stay_apart(
    case: str, marks: GraphRanges, shapes: bool, corpus: Path, tmp_path: Path
) -> None:
    """Equal kernel names in two graphs cost no time and no rightness."""
    program = sharing_names(compiled(corpus / "inductor" / case))
    found = score(program, World(seed=2, graph_ranges=marks, record_shapes=shapes), tmp_path)

    assert found.matched >= 0.995
    assert found.exact_right == 1.0
    assert found.outside_claimed == 0


@pytest.mark.corpus
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("shapes", [True, False], ids=["shapes", "names-only"])
@pytest.mark.parametrize("case", CASES)
def test_what_is_exact_stays_right_when_events_are_lost(
    case: str, shapes: bool, marks: GraphRanges, seed: int, corpus: Path, tmp_path: Path
) -> None:
    """One event in a hundred is gone: less may be known, nothing wrong is called exact."""
    program = compiled(corpus / "inductor" / case)
    world = World(seed=seed, graph_ranges=marks, record_shapes=shapes, drop=0.01)

    assert score(program, world, tmp_path).exact_right == 1.0


@pytest.mark.parametrize("marks", MARKS)
def test_the_shipped_code_is_matched_too(marks: GraphRanges, samples: Path, tmp_path: Path) -> None:
    """The same holds for a shipped sample, for whoever has no corpus."""
    program = compiled(samples / "sim_mlp_train")
    found = score(program, World(seed=3, graph_ranges=marks), tmp_path)

    assert found.matched >= 0.995
    assert found.exact_right == 1.0
    assert found.outside_claimed == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("sample", ["sim_mlp_train", "sim_attention_autotune"])
def test_the_shipped_code_stays_right_when_events_are_lost(
    sample: str, marks: GraphRanges, seed: int, samples: Path, tmp_path: Path
) -> None:
    """Lost events call nothing wrong exact, for whoever has no corpus."""
    program = compiled(samples / sample)
    world = World(seed=seed, graph_ranges=marks, drop=0.01)

    assert score(program, world, tmp_path).exact_right == 1.0
