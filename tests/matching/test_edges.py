"""Laws of doubt: what a model has learned is held back at edges, and where it is seen once only."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from kernelmap.matching.aligner.edges import hangs_together, leads_nowhere
from kernelmap.matching.aligner.learning import Model, Unlearned
from kernelmap.matching.aligner.once import (
    Looked,
    around_gaps,
    candidates_by_one,
    is_vouched_for,
    looked_at,
    seen_once,
)
from kernelmap.matching.aligner.sites import Sites, sites_of
from kernelmap.model import CompiledProgram
from matching.bare import graph

NONE = -1


@pytest.fixture
def sites() -> Sites:
    """A product, two generated kernels and another product."""
    return sites_of(CompiledProgram(graphs=(graph("0_forward", "mm a b mm"),)))


def held(site: list[int], sites: Sites, unsure: tuple[int, ...] = ()) -> list[bool]:
    """Which launches of one invocation stay sure; `site` has the sites, -1 for a stranger."""
    site_of_launch = np.array(site)
    sure = site_of_launch >= 0
    sure[list(unsure)] = False
    run = np.where(site_of_launch >= 0, 0, NONE)
    belongs = np.zeros(len(site), dtype=np.bool_)
    return [bool(it) for it in hangs_together(run, site_of_launch, sure, belongs, sites)]


def test_one_stranger_parts_library_work_from_its_invocation(sites: Sites) -> None:
    """Before its first generated kernel as behind its last."""
    assert held([0, 1, 2, 3], sites)[::3] == [True, True]
    assert held([0, NONE, 1, 2, NONE, 3], sites)[::5] == [False, False]


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


def test_what_surely_belongs_to_the_invocation_parts_nothing(sites: Sites) -> None:
    """Launches of which it is open whether a call made them or the autotuner, say."""
    site, run = np.array([0, 1, 2, 3]), np.zeros(4, dtype=np.int64)
    sure = np.array([True, False, False, True])

    assert not hangs_together(run, site, sure, np.zeros(4, dtype=np.bool_), sites).any()
    assert hangs_together(run, site, sure, ~sure, sites).tolist() == sure.tolist()


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


@pytest.fixture
def operators() -> Sites:
    """Two graphs that sort and take the largest, between generated kernels and at edges."""
    return sites_of(CompiledProgram(graphs=(graph("0_forward", "topk a topk b topk"),)))


def once(alone: list[float], token: list[int]) -> list[float]:
    """How sure single invocations are of site 0, by the shares that the unlearned model gave it."""
    count = len(alone)
    column = [np.zeros(count, dtype=np.int64), np.arange(count), np.zeros(count, dtype=np.int64)]
    unlearned = Unlearned([column[0]], [column[1]], [column[2]], [np.array(alone)])
    model: Model = SimpleNamespace(  # type: ignore[assignment] # all that is asked
        unlearned=unlearned
    )
    nothing = np.zeros(count, dtype=np.int64)
    sites = sites_of(CompiledProgram(graphs=(graph("0_forward", "a"),)))
    looked = looked_at(model, np.array([0]))
    shown = seen_once(looked, nothing, nothing, np.array(token), nothing, sites)
    return [float(it) for it in shown.probable]


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


def test_nine_in_ten_is_clear() -> None:
    """Launches that are nearly so stay as they are."""
    assert once([0.92] * 5, [7] * 5) == [1.0] * 5
    assert once([0.88] * 5, [7] * 5) == pytest.approx([0.88] * 5)


def once_amid(code: str, seen: list[dict[int, float]], site: list[int]) -> list[float]:
    """How sure one invocation is of each `site`, by what the unlearned model gave to each launch.

    Nothing else launches what one of the launches does.
    """
    sites = sites_of(CompiledProgram(graphs=(graph("0_forward", code),)))
    pairs = [(at, of, share) for at, shares in enumerate(seen) for of, share in shares.items()]
    at, of = (np.array([pair[column] for pair in pairs], dtype=np.int64) for column in (0, 1))
    share = np.array([pair[2] for pair in pairs])
    model: Model = SimpleNamespace(  # type: ignore[assignment] # all that is asked
        unlearned=Unlearned([np.zeros_like(at)], [at], [of], [share])
    )
    every = np.arange(len(site))
    looked = looked_at(model, np.array([0]))
    shown = seen_once(looked, np.array(site), every, every, np.zeros_like(every), sites)
    return [round(float(it), 3) for it in shown.probable]


def test_the_only_call_between_two_clear_kernels_launches_what_is_there() -> None:
    """However unusual that is for its operator: no other statement runs there.

    cuDNN adds up the heads behind its backward of grouped queries, which its family hardly does.
    """
    strange = [{0: 1.0}, {1: 0.2, -1: 0.8}, {1: 0.05, -1: 0.95}, {2: 1.0}]

    assert once_amid("a mm b", strange, [0, 1, 1, 2]) == [1.0] * 4


def test_of_several_calls_between_two_clear_kernels_these_are_compared() -> None:
    """A habit may be of any of them: what repeats says nothing of which."""
    open_ = [{0: 1.0}, {1: 0.3, 2: 0.3, -1: 0.4}, {1: 0.08, 2: 0.32, -1: 0.6}, {3: 1.0}]

    assert once_amid("a mm mm b", open_, [0, 1, 2, 3]) == [1.0, 0.5, 0.8, 1.0]


def test_before_the_first_clear_kernel_eager_work_is_as_good() -> None:
    """So it is behind the last one, and beside a kernel that is not clear itself."""
    edge = [{0: 0.3, -1: 0.7}, {1: 1.0}, {2: 0.3, -1: 0.7}]
    doubtful = [{0: 1.0}, {1: 0.3, -1: 0.7}, {2: 0.6, -1: 0.4}]

    assert once_amid("mm a mm", edge, [0, 1, 2]) == [0.3, 1.0, 0.3]
    assert once_amid("a mm b", doubtful, [0, 1, 2]) == [1.0, 0.3, 0.6]


def test_a_gap_lies_between_the_kernels_of_one_invocation() -> None:
    """Work between two invocations is of neither."""
    sites = sites_of(CompiledProgram(graphs=(graph("0_forward", "a mm b mm"),)))
    site, run = np.array([0, 1, 2, 3, 0, 1, 2]), np.array([0, 0, 0, 0, 1, 1, 1])
    before, behind = around_gaps(np.ones(7, dtype=bool), site, run, sites)

    assert before.tolist() == [-1, 0, -1, -1, -1, 4, -1]
    assert behind.tolist() == [-1, 2, -1, -1, -1, 6, -1]
    out_of_order = np.array([2, 1, 0])
    assert (around_gaps(np.ones(3, dtype=bool), out_of_order, run[:3], sites)[0] == -1).all()


def test_what_one_invocation_leaves_open_is_named() -> None:
    """As many calls as are probable enough together, likeliest first; none where no call is."""
    place, site = np.array([0, 0, 0, 1, 1, 2, 2]), np.array([4, 5, 6, 4, -1, 7, 8])
    looked = Looked(place, site, np.array([0.4, 0.56, 0.04, 0.5, 0.5, 0.5, 0.5]))

    assert candidates_by_one(looked, np.array([0, 1]), 0.95) == {0: (5, 4)}
    assert candidates_by_one(looked, np.array([0]), 0.97) == {0: (5, 4, 6)}


def vouched(clear: str, site: list[int], token: list[int], sites: Sites) -> str:
    """What clear launches (x) vouch for."""
    mask = np.array([it == "x" for it in clear])
    # An invocation ends where the calls begin anew.
    run = np.cumsum((np.diff(np.array(site), prepend=0) < 0).astype(np.int64))
    vouched_for = is_vouched_for(mask, np.array(site), np.array(token), run, sites)
    return "".join("x" if it else "." for it in vouched_for)


def test_an_operator_launches_the_same_wherever_it_is_called(operators: Sites) -> None:
    """Two clear calls in the midst vouch for one at the end, from where that one is clear on."""
    midst = [2, 2, 2, 3] * 2
    names = [5, 6, 7, 1] * 2
    end, same = [4, 4, 4], [5, 6, 7]

    assert vouched("xxx." * 2 + "x..", midst + end, names + same, operators) == "xxx." * 2 + "xxx"
    assert vouched("xxx." * 2 + "...", midst + end, names + same, operators)[-3:] == "..."
    assert (
        vouched("xxx." * 2 + "x.." + "...", midst + end * 2, names + same * 2, operators)[-6:]
        == "xxx..."
    ), "the next invocation is not vouched for"
    assert vouched("xxx." + "x..", midst[:4] + end, names[:4] + same, operators)[-3:] == "x.."
    other = [5, 8, 7]
    assert vouched("xxx." * 2 + "x..", midst + end, names + other, operators)[-3:] == "x.."


def test_calls_that_end_there_vouch_for_no_more(operators: Sites) -> None:
    """Where clear calls of the operator end at a launch, what follows is not theirs."""
    midst = [2, 2, 3] * 4
    names = [5, 6, 1] * 4
    longer = [2, 2, 2, 3] * 2
    end = [4, 4, 4]

    clear = "xx." * 4 + "xxx." * 2 + "x.."
    marks = vouched(clear, midst + longer + end, names + [5, 6, 7, 1] * 2 + [5, 6, 7], operators)
    assert marks[-3:] == "xx."
