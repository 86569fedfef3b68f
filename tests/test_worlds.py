"""Worlds with known truth over real Inductor code: what we say is held against it."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from examples import seeds
from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram
from read_once import compiled
from worlds import GraphRanges, World, simulate
from worlds.recordings import recorded
from worlds.score import Score, score
from worlds.situations import sharing_names

CASES = (
    "triton_mlp",
    "triton_attnflash",
    "triton_foreach",
    "triton_names_nounique",
    "triton_partition",
    "triton_usertriton",
)
MARKS = get_args(GraphRanges)


def scored(program: CompiledProgram, world: World, folder: Path) -> Score:
    """Simulate `world`, read it back from disk, match it and compare with the truth."""
    trace, truth = recorded(simulate(program, world), program, "kineto", folder)
    return score(match_launches(program, trace), truth)


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("shapes", [True, False], ids=["shapes", "names-only"])
@pytest.mark.parametrize("case", CASES)
def test_a_whole_trace_is_matched(
    case: str, marks: GraphRanges, shapes: bool, corpus: Path, tmp_path: Path
) -> None:
    """With a host side nearly all compiled time finds its call, and nothing else is claimed."""
    program = compiled(corpus / "inductor" / case)
    scores = scored(program, World(seed=1, graph_ranges=marks, record_shapes=shapes), tmp_path)

    assert scores.matched >= 0.995
    assert scores.exact_right == 1.0
    assert scores.outside_claimed == 0


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("shapes", [True, False], ids=["shapes", "names-only"])
@pytest.mark.parametrize("case", ["triton_mlp", "triton_attnflash"])
def test_forward_and_backward_that_share_names_stay_apart(
    case: str, marks: GraphRanges, shapes: bool, corpus: Path, tmp_path: Path
) -> None:
    """Equal kernel names in two graphs cost no matched time and make no launch wrong."""
    program = sharing_names(compiled(corpus / "inductor" / case))
    scores = scored(program, World(seed=2, graph_ranges=marks, record_shapes=shapes), tmp_path)

    assert scores.matched >= 0.995
    assert scores.exact_right == 1.0
    assert scores.outside_claimed == 0


@pytest.mark.sampled
@pytest.mark.corpus
@pytest.mark.parametrize("seed", seeds(1, 3))
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("shapes", [True, False], ids=["shapes", "names-only"])
@pytest.mark.parametrize("case", CASES)
def test_what_is_exact_stays_right_when_events_are_lost(
    case: str, shapes: bool, marks: GraphRanges, seed: int, corpus: Path, tmp_path: Path
) -> None:
    """One event in a hundred is gone: less may be known, nothing wrong is called exact."""
    program = compiled(corpus / "inductor" / case)
    world = World(seed=seed, graph_ranges=marks, record_shapes=shapes, drop=0.01)

    assert scored(program, world, tmp_path).exact_right == 1.0


@pytest.mark.parametrize("marks", MARKS)
def test_the_shipped_code_is_matched_too(marks: GraphRanges, samples: Path, tmp_path: Path) -> None:
    """The same holds for a shipped sample, for whoever has no corpus."""
    program = compiled(samples / "sim_mlp_train")
    scores = scored(program, World(seed=3, graph_ranges=marks), tmp_path)

    assert scores.matched >= 0.995
    assert scores.exact_right == 1.0
    assert scores.outside_claimed == 0


@pytest.mark.sampled
@pytest.mark.parametrize("seed", seeds(1, 3))
@pytest.mark.parametrize("marks", MARKS)
@pytest.mark.parametrize("sample", ["sim_mlp_train", "sim_attention_autotune"])
def test_the_shipped_code_stays_right_when_events_are_lost(
    sample: str, marks: GraphRanges, seed: int, samples: Path, tmp_path: Path
) -> None:
    """Lost events call nothing wrong exact, for whoever has no corpus."""
    program = compiled(samples / sample)
    world = World(seed=seed, graph_ranges=marks, drop=0.01)

    assert scored(program, world, tmp_path).exact_right == 1.0
