"""Laws of compilations that launch the same: their other halves tell, or all are named."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from msgspec.structs import replace

from kernelmap.matching.aligner.once import Looked
from kernelmap.matching.aligner.sites import Sites, sites_of
from kernelmap.matching.aligner.twins import told_by_other_half
from kernelmap.model import CompiledGraph, CompiledProgram, Confidence, Reason
from matching.bare import graph, matched, named


def compiled(name: str, words: str, *, numels: tuple[int, ...] | None = None) -> CompiledGraph:
    """A graph of one compilation, for any sizes or for one; `0_forward` is a forward graph."""
    plain = graph(name, words)
    calls = tuple(
        replace(call, numels=numels) if call.kernel is not None else call for call in plain.calls
    )
    return replace(plain, calls=calls, kind=name.rpartition("_")[2], aot_id=name)


FIXED = partial(compiled, numels=(64,))
STATIC, DYNAMIC = FIXED("0_forward", "a mm b"), compiled("1_forward", "a mm b")
STATIC_BACK, DYNAMIC_BACK = FIXED("0_backward", "c mm d"), compiled("1_backward", "c mm e")
STEP = "a gemm b c gemm e "


def test_the_backward_graph_that_runs_tells_which_forward_graph_ran() -> None:
    """A function compiled for one size and for any launches the same at that size."""
    given = (STATIC, STATIC_BACK, DYNAMIC, DYNAMIC_BACK)

    assert named(matched(STEP * 3, *given)) == [
        "2/0", "2/1", "2/2", "3/0", "3/1", "3/2"
    ] * 3  # fmt: skip
    assert named(matched((STEP[:-2] + "d ") * 3, *given)) == [
        "0/0", "0/1", "0/2", "1/0", "1/1", "1/2"
    ] * 3  # fmt: skip


def test_the_forward_graph_tells_which_backward_graph_ran() -> None:
    """It is the other way round where the backward graphs launch the same."""
    given = (
        FIXED("0_forward", "a mm d"),
        FIXED("0_backward", "c mm e"),
        compiled("1_forward", "a mm b"),
        compiled("1_backward", "c mm e"),
    )

    assert named(matched(STEP * 3, *given))[3:6] == ["3/0", "3/1", "3/2"]


def test_where_both_halves_launch_the_same_all_candidates_are_named() -> None:
    """Learning takes one of them every time, which proves nothing."""
    given = (STATIC, FIXED("0_backward", "c mm e"), DYNAMIC, DYNAMIC_BACK)
    result = matched(STEP * 5, *given)

    assert named(result) == [
        "?0/0,2/0", "?0/1,2/1", "?0/2,2/2", "?1/0,3/0", "?1/1,3/1", "?1/2,3/2"
    ] * 5  # fmt: skip
    assert set(result.matching.confidence.tolist()) == {Confidence.AMBIGUOUS}
    assert set(result.matching.reason.tolist()) == {Reason.SEVERAL_GRAPHS}


@pytest.mark.parametrize(("backward", "kind"), [("2_backward", "backward"), ("2_forward", "x")])
def test_only_a_backward_of_the_same_compilation_tells(backward: str, kind: str) -> None:
    """Another function's backward says nothing of this one's forward."""
    other = replace(compiled(backward, "c mm e"), kind=kind)

    assert named(matched(STEP * 3, STATIC, DYNAMIC, other))[:3] == [
        "?0/0,1/0", "?0/1,1/1", "?0/2,1/2"
    ]  # fmt: skip


SITES = sites_of(CompiledProgram(graphs=(STATIC, STATIC_BACK, DYNAMIC, DYNAMIC_BACK)))
FORWARD, BACKWARD = 0, 1
"""Classes of the static graphs; those of the dynamic ones are two later."""


def told(runs: str, shares: dict[str, float], sites: Sites = SITES, split: int = 99) -> str:
    """What is told of invocations: forward f and backward b of the static code, F and B of dynamic.

    `?` fits both forward graphs and `!` both backward graphs, with the `shares` of their classes;
    each invocation has a single launch, of its graph's first call. The answers are in the same
    letters, `-` where nothing is told. From `split` on another sequence begins.
    """
    classes = {"f": 0, "b": 1, "F": 2, "B": 3, "?": 0, "!": 1}
    of_run = np.array([classes[letter] for letter in runs])
    pairs = []
    for at, letter in enumerate(runs):
        fits = {"?": "fF", "!": "bB"}.get(letter, letter)
        pairs += [(at, classes[it], shares.get(it, 0.5) if len(fits) > 1 else 1.0) for it in fits]
    place, of, share = (np.array(column) for column in zip(*pairs, strict=True))
    run = np.arange(len(runs))
    first = sites.bounds[:-1]
    answer = told_by_other_half(
        Looked(place, first[of], share),
        first[of_run],
        run,
        of_run,
        (run >= split).astype(np.int64),
        sites,
    )
    if answer is None:
        return "-" * len(runs)
    letters = {int(first[number]): letter for number, letter in enumerate("fbFB")}
    return "".join(
        letters[int(site)] if here else "-"
        for site, here in zip(answer.site, answer.here, strict=True)
    )


def test_the_last_forward_graph_has_the_first_backward_graph() -> None:
    """They run in reverse order, and what is out of it tells nothing of what came before."""
    assert told("??Bb", {}) == "fF--"
    assert told("fF!!", {}) == "--Bb"
    assert told("f??B", {}) == "--F-"
    assert told("?fB?B", {}) == "---F-", "the forward of the first backward was lost"
    assert told("?B", {}, split=1) == "--", "another thread's"
    assert told("?!", {}) == "--"
    assert told("B?", {}) == "--"


def test_what_fits_half_as_well_is_no_twin() -> None:
    """Both have to hold nine tenths together, and the lesser one half of the share of the other."""
    assert told("?B", {"f": 0.6, "F": 0.32}) == "F-"
    assert told("?B", {"f": 0.64, "F": 0.31}) == "--"
    assert told("?B", {"f": 0.5, "F": 0.39}) == "--"
    assert told("?B", {"f": 0.5, "F": 0.41}) == "F-"


def test_halves_are_of_one_compilation() -> None:
    """Both are named after it; of several graphs that launch the same none is the other half."""
    assert SITES.other_half.tolist() == [1, 0, 3, 2]
    assert SITES.backward.tolist() == [False, True, False, True]
    layers = sites_of(
        CompiledProgram(
            graphs=(
                compiled("0_forward", "a mm b"),
                compiled("1_forward", "a mm b"),
                compiled("1_backward", "c mm e"),
            )
        )
    )
    assert layers.other_half.tolist() == [-1, -1]
