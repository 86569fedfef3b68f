"""Laws of scripts/thresholds.py: a threshold has another value for a while; changes are told."""

from __future__ import annotations

import numpy as np
import pytest
import thresholds
from rules_cases import Case

from kernelmap.matching.aligner import amid_decided, by_model, decisions, network
from kernelmap.model import CompiledProgram
from matching.bare import graph, run

SURE = "aligner.decisions.SURE"


@pytest.fixture
def case() -> Case:
    """Two invocations of a graph, with other work behind each."""
    program = CompiledProgram(graphs=(graph("0_forward", "a b c a b c d d"),))
    trace = run("a b c a b c d d o a b c a b c d d o")
    true = np.array([0, 1, 2, 3, 4, 5, 6, 7, -1] * 2)
    return Case("some", "one", program, trace, true, np.arange(8))


def test_a_threshold_is_set_wherever_it_is_imported_and_is_the_old_one_afterwards() -> None:
    """Modules that import a constant hold it under its name as well."""
    before = decisions.SURE
    with thresholds.set_to(SURE, 2.0):
        assert decisions.SURE == vars(amid_decided)["SURE"] == 2.0
    assert decisions.SURE == vars(amid_decided)["SURE"] == before == thresholds.value_of(SURE)


def test_a_private_threshold_is_set_in_its_own_module_alone() -> None:
    """Another module may have one of the same name and number, which is not meant."""
    with thresholds.set_to("aligner.by_model._LEAST", 7):
        assert by_model._LEAST == 7  # noqa: SLF001 -- what is tried
        assert network._LEAST < 1  # noqa: SLF001 -- as above


def test_only_what_changes_has_figures(case: Case) -> None:
    """From a posterior that none reaches no call is inferred; a slightly lower one does no harm."""
    old = thresholds.value_of(SURE)
    figures = thresholds.tried([case], SURE, [old, 0.94, 2.0])
    lines = list(thresholds.report(figures, old))

    assert figures[old, "some"].right == 16
    assert figures[2.0, "some"].right == 0
    assert lines[0] == "some: 0.95: 100.00% covered, 16 right, 0 wrong, 0 misleading"
    assert lines[1] == "some: 0.94: the same"
    assert ", 0 right," in lines[2]
