"""Laws of doubt: what a model has learned is held back at edges, and where it is seen once only."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from kernelmap.matching.aligner.edges import hangs_together, leads_nowhere
from kernelmap.matching.aligner.learning import Model, Unlearned
from kernelmap.matching.aligner.once import seen_once
from kernelmap.matching.aligner.sites import Sites, sites_of
from kernelmap.model import CompiledProgram
from matching.bare import graph

NONE = -1


@pytest.fixture
def sites() -> Sites:
    """A product, two generated kernels and another product."""
    return sites_of(CompiledProgram(graphs=(graph("0_forward", "mm a b mm"),)))


def held(site: list[int], sites: Sites, unsure: tuple[int, ...] = ()) -> list[bool]:
    """What stays sure of launches of these sites, -1 for a stranger, all in one invocation."""
    whose = np.array(site)
    sure = whose >= 0
    sure[list(unsure)] = False
    run = np.where(whose >= 0, 0, NONE)
    measured = np.zeros(len(site), dtype=np.bool_)
    return [bool(it) for it in hangs_together(run, whose, sure, measured, sites)]


def test_two_strangers_part_no_invocation_and_three_do(sites: Sites) -> None:
    """Before its first generated kernel as behind its last."""
    assert held([0, NONE, NONE, 1, 2, NONE, NONE, 3], sites)[::7] == [True, True]
    assert held([0, NONE, NONE, NONE, 1, 2, NONE, NONE, NONE, 3], sites)[::9] == [False, False]


def test_what_lies_beyond_a_doubtful_launch_is_doubtful(sites: Sites) -> None:
    """A launch at the edge that is not sure, though it may be of the invocation."""
    assert held([0, 0, 1, 2, 3, 3], sites, unsure=(1, 4)) == [
        False,
        False,
        True,
        True,
        False,
        False,
    ]


def test_library_work_needs_a_generated_kernel(sites: Sites) -> None:
    """Products alone are no invocation of a graph that has generated kernels."""
    assert held([0, 3], sites) == [False, False]
    assert held([0, 1], sites) == [True, True]


def test_what_prepares_a_launch_is_not_the_last(sites: Sites) -> None:
    """Memory is cleared for something: with nothing behind it in its invocation it is not its."""
    run, site = np.array([0, 0, 0, 1]), np.array([2, 3, 3, 1])
    sure = np.ones(4, dtype=np.bool_)
    clears = np.array([False, False, True, False])

    assert leads_nowhere(run, site, sure, clears, sites).tolist() == [False, False, True, False]
    assert not leads_nowhere(run, site, sure, np.roll(clears, -1), sites).any()


def once(alone: list[float], token: list[int]) -> list[float]:
    """How sure single invocations are of site 0, which the unlearned model gave these shares."""
    count = len(alone)
    column = [np.zeros(count, dtype=np.int64), np.arange(count), np.zeros(count, dtype=np.int64)]
    looked = Unlearned([column[0]], [column[1]], [column[2]], [np.array(alone)])
    model: Model = SimpleNamespace(unlearned=looked)  # type: ignore[assignment] # all that is asked
    nothing = np.zeros(count, dtype=np.int64)
    return [float(it) for it in seen_once(model, np.array([0]), nothing, nothing, np.array(token))]


def test_repeating_makes_nothing_surer() -> None:
    """A hundred invocations of which none is clear are as good as one."""
    assert once([0.6] * 100, [7] * 100) == pytest.approx([0.6] * 100)


def test_most_clear_launches_under_one_name_speak_for_the_rest() -> None:
    """Four of five do; where fewer are clear, each stands for itself."""
    names = [7, 1, 7, 2, 7, 3, 7, 4, 7, 5]  # the others make every surrounding another one
    shares = [0.99, 1.0, 0.99, 1.0, 0.99, 1.0, 0.99, 1.0, 0.3, 1.0]

    assert once(shares, names)[8] == 1.0
    assert once([0.6, *shares[1:]], names)[8] == pytest.approx(0.3)
    assert once(shares[2:], names[2:])[6] == pytest.approx(0.3)
