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
from kernelmap.model.trace import Int
from matching.bare import graph


def layers(invocations: str) -> str:
    """The layer of each invocation of four equal layers `l`, of which one is left after a `y`.

    A letter is an invocation of one launch, `.` one of a layer that is not believed, `:` one of `y`
    that is not; `-` is open.
    """
    graphs = (*(graph(f"{at}_forward", "l") for at in range(4)), graph("4_forward", "y"))
    program = CompiledProgram(graphs=graphs)
    sites = sites_of(program)
    rows = np.arange(len(invocations))
    of = np.array([letter in "y:" for letter in invocations], dtype=np.int64)
    doubted = np.array([letter in ".:" for letter in invocations])
    sequence = LaunchSequence(LaunchOrder(rows, rows[None, :], whole=False), rows, rows)
    before, kept = (_decided(run, of) for run in (rows, np.where(doubted, -1, rows)))
    launches: Launches = SimpleNamespace(  # type: ignore[assignment] # what is asked
        process=np.zeros_like(rows), start_ns=rows
    )
    (members,) = members_of(launches, program, [sequence], [before], [kept], sites)
    return "".join(
        letter if letter in "y.:" else ("-" if member < 0 else str(member))
        for letter, member in zip(invocations, members[0].tolist(), strict=True)
    )


def _decided(run: Int, of: Int) -> Decisions:
    return SimpleNamespace(run=run, of_run=of, site=of)  # type: ignore[return-value] # what is asked


STEP = "lllly"


def test_the_place_in_the_step_is_the_layer() -> None:
    """In steps that the window cuts, too: counted from their end, or from their beginning."""
    assert layers("lly" + STEP * 3 + "ll") == "23y" + "0123y" * 3 + "01"


def test_in_a_step_that_the_window_cuts_nothing_is_counted_across_a_gap() -> None:
    """Where an invocation was not believed it may have been a layer, or none."""
    assert layers("l.ly" + STEP * 3 + "l.l") == "-.3y" + "0123y" * 3 + "0.-"


def test_a_step_that_does_not_come_out_is_counted_up_to_what_is_doubted() -> None:
    """From its beginning and from its end, as far as both leave room for one another."""
    assert layers("y" + STEP * 8 + "ll::ly") == "y" + "0123y" * 8 + "01::3y"
    assert layers("y" + STEP * 8 + "lll:lly" + STEP) == "y" + "0123y" * 8 + "---:--y" + "0123y"


def test_a_step_that_the_window_cuts_holds_no_more_layers_than_others() -> None:
    """A graph that begins like a layer, cut behind that, is one more of them."""
    assert layers("y" + STEP * 3 + "lllll") == "y" + "0123y" * 3 + "0123-"
    assert layers("lllll" + ("y" + STEP[:-1]) * 3 + "y") == "-0123" + "y0123" * 3 + "y"


def test_layers_in_changing_number_stay_open() -> None:
    """Four of five steps have to have all of them, and two at least."""
    assert layers("y" + STEP * 4 + "llly").count("-") == 3
    assert layers("y" + STEP * 3 + "llly").count("-") == 15
    assert layers("y" + STEP).count("-") == 4
    assert layers("y" + STEP * 2).count("-") == 0
