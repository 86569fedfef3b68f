"""Laws of scripts/rules.py: a rule is switched off from outside, and gains what changes then."""

from __future__ import annotations

import numpy as np
import pytest
import rules
import rules_off
from rules_cases import Case, Worth, worth_of
from rules_off import RULES, Rule, switched_off

from kernelmap.matching import match_launches
from kernelmap.model import CompiledProgram
from matching.bare import graph, run


@pytest.fixture
def case() -> Case:
    """Two invocations of a graph, with other work behind each."""
    program = CompiledProgram(graphs=(graph("0_forward", "a b c a b c d d"),))
    trace = run("a b c a b c d d o a b c a b c d d o")
    true = np.array([0, 1, 2, 3, 4, 5, 6, 7, -1] * 2)
    return Case("some", "one", program, trace, true, np.arange(8))


def test_every_rule_is_on_again_afterwards() -> None:
    """Each names something of the matcher, which stands there as before when it has been off."""
    places = [rules_off._place(place) for rule in RULES for place in rule.stands]  # noqa: SLF001
    before = [owner.__dict__[name] for owner, name in places]
    with switched_off(RULES):
        assert all(
            owner.__dict__[name] is not old
            for (owner, name), old in zip(places, before, strict=True)
            if callable(old)
        )
    after = [owner.__dict__[name] for owner, name in places]
    assert all(one is other for one, other in zip(before, after, strict=True))


def test_a_rule_gains_what_is_lost_without_it(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing places launches by their order, names leave two calls for each."""
    model = Rule("model", "order decides", {"references.by_order.place_by_order": lambda *_: None})
    figures = rules.measured([case], {"model": [model]})
    monkeypatch.setattr(rules, "RULES", (model,))

    assert (figures["", "some"].right, figures["model", "some"].right) == (16, 0)
    assert figures["model", "some"].named_ns == figures["model", "some"].inside_ns
    assert (
        "| model | order decides | some: +16 with the right call alone |  |"
        in rules.page(figures).splitlines()
    )


def test_what_is_never_asked_changes_nothing(case: Case) -> None:
    """A rule whose function no launch reaches is not tried."""
    calls: list[object] = []
    segments = Rule("never", "", {"amid_decided.place_lost_launches": calls.append})
    figures = rules.measured([case], {"never": [segments]})

    assert figures["never", "some"] == figures["", "some"]
    assert not calls


def test_a_call_and_candidates_are_held_against_what_is_true(case: Case) -> None:
    """Time of the right call is covered; a call for what no call launched is wrong."""
    result = match_launches(case.program, case.trace)
    worth = worth_of(case, result, None)

    assert worth == Worth(launches=18, inside_ns=worth.inside_ns, right_ns=worth.right_ns, right=16)
    assert worth.right_ns == worth.inside_ns > 0
    case.true[:8] = -1
    assert worth_of(case, result, None).wrong == 8
