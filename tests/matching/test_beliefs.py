"""Laws of belief: which invocations are the graph's, by what the others of it show."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from kernelmap.facts.families import Family
from kernelmap.matching.aligner.beliefs import drop_unbelievable_invocations
from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.sites import sites_of
from kernelmap.matching.aligner.tokens import LaunchSequence, Tokens
from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.model import CompiledProgram
from matching.bare import graph

GEMM, OTHER_GEMM, EAGER, FOREIGN = "mno?"
"""Launches under names that the code does not give."""
STRAYS = " !aaaa"
"""Launches of the code's kernels in no invocation: code that is not given runs."""


def kept(code: str, seen: str, *, loss: float = 0.01) -> str:
    """Which invocations of the graph `code` are believed, the words of `seen`: an x or a dash each.

    A letter of `code` is the launch of the call of that kernel, `m` and `n` are two products of the
    first library call, `o` is eager work and `?` a kernel of unknown code. A word that begins with
    `!` is no invocation: stray launches.
    """
    sites = sites_of(CompiledProgram(graphs=(graph("0_forward", code),)))
    of_kernel = {
        next(iter(names)).removeprefix("k_"): at for at, names in enumerate(sites.names) if names
    }
    product = int(np.flatnonzero(~sites.generated)[0]) if not sites.generated.all() else -1
    alphabet = [*of_kernel, GEMM, OTHER_GEMM, EAGER, FOREIGN]
    launches, site, run, words = [], [], [], 0
    for word in seen.split():
        stray = word[0] == "!"
        for letter in word.removeprefix("!"):
            called = of_kernel.get(letter, product if letter in {GEMM, OTHER_GEMM} else -1)
            called = -1 if stray else called
            launches.append(alphabet.index(letter))
            site.append(called)
            run.append(words if called >= 0 else -1)
        words += not stray
    count = len(launches)
    letters, places = len(alphabet), np.arange(count)
    token = np.array(launches)
    named = len(of_kernel)
    word_of = np.array([*range(named), -1, -1, -1, -1])
    family = [Family.GENERATED] * named
    family += [Family.GEMM, Family.GEMM, Family.OTHER, Family.GENERATED]
    sequence = LaunchSequence(LaunchOrder(places, places[None, :], whole=False), token, places)
    tokens: Tokens = SimpleNamespace(  # type: ignore[assignment] # what is asked
        word=word_of,
        name=np.arange(letters),
        shape=np.zeros(letters, dtype=np.int64),
        family=tuple(family),
        foreign=np.arange(letters) == letters - 1,
        count=np.bincount(token, minlength=letters),
        sequences=(sequence,),
    )
    decided = Decisions(
        site=np.array(site),
        posterior=np.ones(count),
        second=np.full(count, -1),
        behind=np.zeros(count),
        sure=np.array(site) >= 0,
        several={},
        run=np.array(run),
        of_run=np.zeros(words, dtype=np.int64),
        measured=np.zeros(count, dtype=np.bool_),
    )
    (after,) = drop_unbelievable_invocations([sequence], [decided], tokens, sites, loss)
    left = set(after.run.tolist())
    return "".join("x" if at in left else "-" for at in range(words))


def test_losses_are_believed_and_more_is_not() -> None:
    """Three times as many as are to be expected, and two: 3 of 100 launches at a loss of 1 %."""
    whole = "abcd " * 96

    assert kept("a b c d", whole + "acd " * 5 + "abcd") == "x" * 102
    assert kept("a b c d", whole + "acd " * 6 + "abcd") == "x" * 96 + "-" * 6 + "x"
    assert "-" not in kept("a b c d", whole + "acd " * 6 + "abcd", loss=0.02)


def test_no_more_than_one_loss_in_twenty_is_expected() -> None:
    """However much a profile seems to have lost."""
    whole = "abcd " * 86

    assert "-" not in kept("a b c d", whole + "acd " * 15 + "abcd", loss=0.3)
    assert kept("a b c d", whole + "acd " * 19 + "abcd", loss=0.3).count("-") == 19


def test_one_invocation_lacks_few_kernels() -> None:
    """Two and what is to be expected: of few kernels not three, whatever the loss."""
    code = "a b c d e f g h"
    whole = code.replace(" ", "") + " "

    assert kept(code, whole * 20 + "cdefgh " + whole) == "x" * 22
    assert kept(code, whole * 20 + "cdefgh " + whole, loss=0.3) == "x" * 22
    assert kept(code, whole * 20 + "adefg " + whole) == "x" * 20 + "-x"
    assert kept(code, whole * 20 + "agh " + whole, loss=0.5) == "x" * 20 + "-x", "5 % at most"


def test_where_other_code_runs_less_is_believed() -> None:
    """Where more than 3 % of the launches under names of the code are stray: one kernel."""
    code, whole = "a b c d e f g h", "abcdefgh "

    assert kept(code, whole * 10 + "cdefgh " + whole + "!aa") == "x" * 12
    assert kept(code, whole * 10 + "cdefgh " + whole + "!aaaa") == "x" * 10 + "-x"


def test_code_that_lacks_much_makes_a_loss_doubtful() -> None:
    """A kernel that other code lacks among others may not be lost once, however many there are."""
    whole = "abcdefg "
    marks = kept("a b c d e f g", whole * 4 + "abdefg " + "ab " * 12 + whole + STRAYS)
    assert marks[4] == "-"
    assert marks[5:-1] == "-" * 12


def test_library_work_alone_says_nothing_of_losses() -> None:
    """Ten products that look like the graph's leave it what it lost itself."""
    assert kept("a b mm", "abm " * 9 + "am " + "m " * 10 + "abm")[:10] == "x" * 10


def test_without_any_whole_invocation_most_of_it_has_to_be_there() -> None:
    """Three of five kernels of an invocation that the window cuts, and no strange ones."""
    code = "a b c d e"

    assert kept(code, "cde") == "x"
    assert kept(code, "acd") == "x"
    assert kept(code, "ad") == "-"
    assert kept(code, "ac?de") == "-"
