"""Laws of places: library launches under names that say nothing, between two generated kernels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kernelmap.matching.aligner.between import Gap, places_of, rejoined
from kernelmap.matching.aligner.sites import sites_of
from kernelmap.model import CompiledGraph, CompiledProgram
from matching.bare import graph

Answers = list[dict[str, tuple[int, ...]]]


def answers(words: str, *graphs: CompiledGraph) -> Answers:
    """The sites that each gap leaves each of its launches; a letter is the kernel of one call.

    An invocation ends where the sites do not go on.
    """
    sites = sites_of(CompiledProgram(graphs=graphs))
    seen = words.split()
    site = {
        next(iter(names)).removeprefix("k_"): at for at, names in enumerate(sites.names) if names
    }
    kernels = [at for at, word in enumerate(seen) if word in site]
    called = [site[seen[at]] for at in kernels]
    run = np.cumsum(
        [0, *(two <= one or sites.of[one] != sites.of[two] for one, two in pairwise(called))]
    )
    numbers = {word: number for number, word in enumerate(dict.fromkeys(seen))}
    gaps = [
        Gap(
            0,
            called[number],
            called[number + 1],
            (int(run[number]), int(run[number + 1])),
            tuple(range(one + 1, other)),
            tuple(numbers[word] for word in seen[one + 1 : other]),
        )
        for number, (one, other) in enumerate(pairwise(kernels))
    ]
    nameless = ~np.append(sites.generated, True)
    return [
        {f"{seen[at]}{at}": place.calls for at, place in places.items()}
        for places in places_of(gaps, nameless, sites)
    ]


def said(words: str, *graphs: CompiledGraph) -> dict[str, set[tuple[int, ...]]]:
    """The answers by word, over all of its launches."""
    calls_of_word: dict[str, set[tuple[int, ...]]] = {}
    for gap in answers(words, *graphs):
        for launch, calls in gap.items():
            calls_of_word.setdefault(launch.rstrip("0123456789"), set()).add(calls)
    return calls_of_word


def invocations(words: str, *graphs: CompiledGraph) -> list[int]:
    """The invocation of each kernel, where whatever stands between two of them seemed to end one.

    A letter is the kernel of one call, a letter with a hyphen one that was not placed.
    """
    sites = sites_of(CompiledProgram(graphs=graphs))
    letters = [next(iter(names), "").removeprefix("k_") for names in sites.names]
    site = np.array([letters.index(it) if it in letters else -1 for it in words.split()])
    run = np.where(site >= 0, np.arange(len(site)), -1)
    here = np.flatnonzero(site >= 0)
    together = (np.diff(here) == 1) & (np.diff(site[here]) > 0)
    run[here] = np.cumsum([0, *~together])
    named = np.array([it.removesuffix("-") in letters for it in words.split()])
    of_run = sites.of[site[here[np.append(True, ~together)]]]
    nameless = ~np.append(sites.generated, True)
    number, of = rejoined(run, of_run, site, named, nameless, sites)

    assert (number[here] >= 0).all()
    assert (number[np.setdiff1d(np.arange(len(site)), here)] == -1).all()
    assert sites.of[site[here]].tolist() == of[number[here]].tolist()
    numbers: list[int] = number[here].tolist()
    return numbers


def test_an_invocation_goes_on_behind_a_call_without_a_name() -> None:
    """What the call launches seemed to be eager work, and to end the invocation."""
    code = graph("0_forward", "a b mm c sort d")

    assert invocations("a b xx yy c zz d", code) == [0, 0, 0, 0]
    assert invocations("a b xx c zz d a b xx c zz d", code) == [0, 0, 0, 0, 1, 1, 1, 1]


def test_halves_that_do_not_fit_stay_two_invocations() -> None:
    """A kernel is missing between them, stands there, or no call may have launched what does."""
    code, other = graph("0_forward", "a b mm c mm d"), graph("1_forward", "e")

    assert invocations("a b xx d", code) == [0, 0, 1], "c is missing"
    assert invocations("a b xx c- xx d", code) == [0, 0, 1], "and stands there, with no place"
    assert invocations("a xx b mm c", code) == [0, 1, 1], "nothing runs between a and b"
    assert invocations("a b xx b xx c", code) == [0, 0, 1, 1], "b is there twice"
    assert invocations("a b xx e xx c", code, other) == [0, 0, 1, 2], "another graph is between"


def test_what_runs_within_an_invocation_is_of_the_call_there() -> None:
    """All launches between two kernels are of the one call there, however many they are."""
    assert said("a xx yy zz b " * 3, graph("0_forward", "a sort b")) == {
        "xx": {(1,)},
        "yy": {(1,)},
        "zz": {(1,)},
    }


def test_each_of_several_calls_launches_something() -> None:
    """The first launch is the first one's, the last the last one's; in between both are named."""
    code = graph("0_forward", "a mm sort b")

    assert said("a xx yy zz b " * 3, code) == {"xx": {(1,)}, "yy": {(1, 2)}, "zz": {(2,)}}
    assert said("a xx b " * 3, code) == {"xx": {(1, 2)}}, "one of them launches nothing"


def test_what_changes_has_no_place() -> None:
    """A launch in one invocation of five is a stranger's; two gaps show no habit."""
    code = graph("0_forward", "a sort b")

    assert said("a xx b " * 4 + "a xx yy b", code) == {"xx": {(1,)}}
    assert said("a xx b " * 2 + "a yy b " * 2, code) == {}
    assert said("a xx b " * 2, code) == {}


def test_what_always_follows_a_graph_is_of_its_last_call() -> None:
    """Whatever graph runs next, and whether eager work runs in between or not."""
    code = [graph("0_forward", "a mm"), *(graph(f"{at}_forward", at) for at in "bcd")]

    assert said("a xx b a xx ee c a xx ff d " * 2, *code) == {"xx": {(1,)}}
    mirrored = [graph("0_forward", "mm a"), *code[1:]]
    assert said("b xx a c ee xx a d ff gg xx a " * 2, *mirrored) == {"xx": {(0,)}}


def test_where_the_next_graph_hardly_changes_its_eager_work_may_not_change_either() -> None:
    """Seven of ten times the same graph is little enough, eight of ten are not."""
    code = [graph("0_forward", "a mm"), graph("1_forward", "b"), graph("2_forward", "c")]
    same = [f"a xx e{at}e b" for at in range(8)]
    other = [f"a xx f{at}f c" for at in range(3)]

    assert said(" ".join(same[:7] + other), *code)["xx"] == {(1,)}
    assert said(" ".join(same + other[:2]), *code) == {}


def test_between_the_same_two_graphs_all_is_theirs() -> None:
    """If all of it is the same each time, and the eager work of the profile is not."""
    code = [graph("0_forward", "a mm"), graph("1_forward", "b")]
    both = [code[0], graph("1_forward", "sort b")]

    assert said("a xx b ee a xx b ff gg a xx b a", *code) == {"xx": {(1,)}}
    assert said("a xx yy b ee a xx yy b ee a xx yy b ee a", *code) == {"xx": {(1,)}}, "yy is not"
    assert said("a xx yy zz b ee " * 2 + "a xx yy zz b a", *both) == {
        "xx": {(1,)},
        "yy": {(1, 2)},
        "zz": {(2,)},
    }


def test_a_lost_launch_leaves_the_others_their_places() -> None:
    """One gap in five may lack a launch of a call."""
    code = graph("0_forward", "a mm sort b")
    whole, torn = "a xx yy zz b ", "a yy zz b "

    gaps = answers(whole * 4 + torn, code)
    assert list(gaps[-1].values()) == [(1, 2), (2,)]
    assert not said(whole * 3 + torn * 2 + "a xx b a yy b", code)


def test_more_than_six_candidates_say_nothing() -> None:
    """A launch may be of any of six calls; with seven calls it is of none."""
    launched = [f"x{at}x" for at in range(20)]
    words = f"a {' '.join(launched)} b " * 3

    six, seven = (said(words, graph("0_forward", f"a {'mm ' * calls} b")) for calls in (6, 7))
    assert six["x9x"] == {(1, 2, 3, 4, 5, 6)}
    assert len(six) == 20
    assert "x9x" not in seven
    assert seven["x5x"] == {(1, 2, 3, 4, 5, 6)}


def test_a_lost_kernel_leaves_its_gap_open() -> None:
    """Where a kernel that has to run is missing, calls of both its sides may launch."""
    code = graph("0_forward", "a mm b sort c")

    assert said("a xx b yy c " * 3 + "a xx yy c", code) == {"xx": {(1,)}, "yy": {(3,)}}
    assert answers("a xx b yy c " * 3 + "a xx yy c", code)[-1] == {}


def test_eager_work_beside_an_end_without_calls_may_be_the_same_elsewhere() -> None:
    """In nine of ten gaps it is, in eight of ten a program leaves it out now and then."""
    code = [graph(f"{at}_forward", words) for at, words in enumerate(("a mm", "b", "c"))]

    def steps(times: int) -> list[str]:
        return [f"a xx yy b {'ee' if at < times else ''} g{at}g c" for at in range(10)]

    assert said(" ".join(steps(8)), *code) == {"xx": {(1,)}, "yy": {(1,)}}
    assert said(" ".join(steps(9)), *code) == {"xx": {(1,)}}
