"""Laws of equal layers: which one an invocation is of, by its place in the step."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from kernelmap.matching.aligner.decisions import Decisions
from kernelmap.matching.aligner.segments import members_of
from kernelmap.matching.aligner.sites import sites_of
from kernelmap.matching.aligner.tokens import LaunchSequence
from kernelmap.matching.context.launch_order import LaunchOrder
from kernelmap.model import CompiledProgram, Launches
from matching.bare import graph


def layers(invocations: str) -> str:
    """The layer of each invocation of four equal layers `l`, of which one is left after a `y`.

    A letter is an invocation of one launch, `.` one that was not believed; `-` is open.
    """
    graphs = (*(graph(f"{at}_forward", "l") for at in range(4)), graph("4_forward", "y"))
    program = CompiledProgram(graphs=graphs)
    sites = sites_of(program)
    count = len(invocations)
    rows = np.arange(count)
    of = np.array([letter == "y" for letter in invocations], dtype=np.int64)
    run = np.array([-1 if letter == "." else at for at, letter in enumerate(invocations)])
    sequence = LaunchSequence(LaunchOrder(rows, rows[None, :], whole=False), rows, rows)
    decided: Decisions = SimpleNamespace(run=run, of_run=of, site=of)  # type: ignore[assignment] # what is asked
    launches: Launches = SimpleNamespace(  # type: ignore[assignment] # as above
        process=np.zeros(count, dtype=np.int64), start_ns=rows
    )
    (found,) = members_of(launches, program, [sequence], [decided], sites)
    return "".join(
        letter if letter in "y." else ("-" if member < 0 else str(member))
        for letter, member in zip(invocations, found[0].tolist(), strict=True)
    )


STEP = "lllly"


def test_the_place_in_the_step_is_the_layer() -> None:
    """In steps that the window cuts, too: counted from their end, or from their beginning."""
    assert layers("lly" + STEP * 3 + "ll") == "23y" + "0123y" * 3 + "01"


def test_in_a_step_that_the_window_cuts_nothing_is_counted_across_a_gap() -> None:
    """Where an invocation was not believed it may have been a layer, or none."""
    assert layers("l.ly" + STEP * 3 + "l.l") == "-.3y" + "0123y" * 3 + "0.-"


def test_layers_in_changing_number_stay_open() -> None:
    """Four of five steps have to have all of them, and two at least."""
    assert layers("y" + STEP * 4 + "llly").count("-") == 3
    assert layers("y" + STEP * 3 + "llly").count("-") == 15
    assert layers("y" + STEP).count("-") == 4
    assert layers("y" + STEP * 2).count("-") == 0
