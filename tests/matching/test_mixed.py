"""Laws of threads that launch on one stream at once: each graph's kernels by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.mixed import mixed_decisions
from kernelmap.matching.aligner.pinned import pin_references
from kernelmap.matching.aligner.sites import sites_of
from kernelmap.matching.aligner.tokens import tokens_of
from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.model import CompiledProgram, Confidence, Reason
from matching.bare import graph, matched, named, run

ONE, OTHER = graph("0_inference", "a mm b attention c"), graph("1_inference", "d mm e f mm")
MIXED = "a d gemm gemm e b f fwd d c gemm a gemm e gemm f b fwd d c gemm gemm e f gemm " * 2
"""Two threads: the first one runs the first graph as `a gemm b fwd c`, the second the second."""


def test_the_kernels_of_each_graph_have_their_calls() -> None:
    """Where they are in order without a gap, whatever runs between."""
    answers = named(matched(MIXED, ONE, OTHER))
    kernels = {"a": "0/0", "b": "0/2", "c": "0/4", "d": "1/0", "e": "1/2", "f": "1/3"}

    for word, answer in zip(MIXED.split(), answers, strict=True):
        assert answer == kernels.get(word, answer)


def test_a_library_launch_is_of_any_call_that_is_open() -> None:
    """All of them are named, and the reason says that they are of several graphs."""
    result = matched(MIXED, ONE, OTHER)

    assert named(result)[2:4] == ["?0/1,1/1"] * 2
    assert result.matching.confidence[2] == Confidence.AMBIGUOUS
    assert result.matching.reason[2] == Reason.SEVERAL_GRAPHS
    assert named(result)[7] == "0/3", "only one of them calls attention"


def test_what_a_thread_lost_is_no_order() -> None:
    """A kernel that is missing may as well be of code that is not given: nothing is claimed."""
    words = MIXED.split()
    del words[5]

    assert "0/2" not in named(matched(" ".join(words), ONE, OTHER))


def test_graphs_that_take_turns_are_not_mixed() -> None:
    """The model places them one after the other, library launches as well."""
    answers = named(matched("a gemm b fwd c d gemm e f gemm " * 3, ONE, OTHER))

    assert answers[:10] == ["0/0", "0/1", "0/2", "0/3", "0/4", "1/0", "1/1", "1/2", "1/3", "1/4"]


def test_a_kernel_of_two_graphs_tells_nothing() -> None:
    """Mixed launches are told apart by kernels that one graph alone has."""
    shared = graph("1_inference", "d mm b f mm")
    answers = named(matched(MIXED.replace("e", "b"), ONE, shared))

    assert {answer for answer in answers if answer[0] != "?"} <= {"-"}


@pytest.mark.parametrize(("found", "tried"), [(0.45, True), (0.55, False)])
def test_where_the_model_places_most_kernels_it_is_right(found: float, tried: bool) -> None:
    """What it leaves open there is open for a reason."""
    sites = sites_of(CompiledProgram(graphs=(ONE, OTHER)))
    launches = run(MIXED).launches
    rows = np.arange(len(launches))
    order = LaunchOrder(rows, rows[None, :], whole=False)
    tokens = tokens_of(pin_references(launches, ()).shown, [order], sites, np.full(len(rows), -1))
    named_rows = np.flatnonzero(tokens.word[tokens.sequences[0].token] >= 0)
    sure = np.zeros(len(rows), dtype=bool)
    sure[named_rows[: round(found * len(named_rows))]] = True
    nothing = np.full(len(rows), -1)
    decided = Decisions(
        nothing, sure * 1.0, nothing, sure * 0.0, sure, {}, nothing, nothing[:0], ~sure
    )

    assert (mixed_decisions(tokens.sequences[0], decided, tokens, sites) is not None) == tried


def test_memory_that_is_cleared_is_anybodys() -> None:
    """A product that alone is open has the product, but not what clears memory beside it."""
    other = graph("1_inference", "d e f")
    words = "a d gemm fill e b f fwd d c e a gemm fill f b d fwd e c f " * 3
    of_word: dict[str, set[str]] = {"gemm": set(), "fill": set()}
    for word, answer in zip(words.split(), named(matched(words, ONE, other)), strict=True):
        of_word.get(word, set()).add(answer)

    assert of_word == {"gemm": {"0/1"}, "fill": {"-"}}
