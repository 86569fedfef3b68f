"""Accuracy is counted as docs/accuracy.md says it is."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import accuracy
import numpy as np
import pytest
from accuracy_scores import BANDS, Tally, band_of, judge
from accuracy_tables import calibration, seeds_of, try_rows
from accuracy_worlds import measures
from msgspec.structs import replace

from kernelmap.matching import Match
from kernelmap.model import CompiledProgram, Confidence
from worlds import Truth
from worlds.programs import small_graphs

PROGRAM = small_graphs(1, 3)
CALLS = [(graph.id, call.index) for graph, call in PROGRAM.calls]
INFERRED, AMBIGUOUS, UNKNOWN = Confidence.INFERRED, Confidence.AMBIGUOUS, Confidence.UNKNOWN
Said = tuple[Confidence, tuple[int, ...]]
"""A confidence, and the positions of the calls that are named."""


def truth(call: int | None, candidates: tuple[int, ...] = ()) -> Truth:
    """A launch of 10 ns that the call at a position made."""
    graph, index = CALLS[call] if call is not None else (None, None)
    return Truth(
        event=0,
        correlation=0,
        dur_ns=10,
        graph=graph,
        call=index,
        invocation=0,
        reason=None,
        candidates=tuple(CALLS[position] for position in candidates),
    )


def tally(
    said: Sequence[Said],
    true: list[Truth],
    posterior: list[float] | None = None,
    given: CompiledProgram = PROGRAM,
) -> Tally:
    """What is counted where this was said of launches of which that is true."""
    matching = SimpleNamespace(
        call=np.array([named[0] if len(named) == 1 else -1 for _, named in said]),
        confidence=np.array([int(confidence) for confidence, _ in said]),
        candidates_of=lambda row: said[row][1] if len(said[row][1]) > 1 else (),
    )
    result = SimpleNamespace(matching=matching, program=PROGRAM, posterior=posterior)
    return judge(given, cast("Match", result), true, "w")


def test_a_decidable_launch_is_covered_by_a_call_only() -> None:
    """Naming two candidates covers nothing where one could be decided."""
    tallied = tally([(INFERRED, (0,)), (AMBIGUOUS, (0, 1))], [truth(0), truth(0)])

    assert tallied.covered == 0.5
    assert tallied.right(AMBIGUOUS) == 1.0


def test_what_nobody_can_decide_is_covered_where_all_candidates_are_named() -> None:
    """All candidates together cover it; some of them do not, nor all among many others."""
    undecidable = truth(0, (0, 1))

    assert tally([(AMBIGUOUS, (0, 1))], [undecidable]).covered == 1.0
    assert tally([(AMBIGUOUS, (0, 2))], [undecidable]).covered == 0.0
    assert tally([(AMBIGUOUS, tuple(range(7)))], [undecidable]).covered == 0.0
    assert tally([(UNKNOWN, ())], [undecidable]).covered == 0.0


def test_a_claim_of_other_work_is_wrong() -> None:
    """A call that is claimed for a launch of no call is wrong, and counts as outside claimed."""
    tallied = tally(
        [(INFERRED, (0,)), (INFERRED, (0,)), (UNKNOWN, ())], [truth(0), *[truth(None)] * 2]
    )

    assert tallied.right(INFERRED) == 0.5
    assert tallied.claimed == 0.5


def test_launches_of_withheld_code_are_outside() -> None:
    """A launch of a graph that is not given needs no call, and claiming one is wrong."""
    given = replace(PROGRAM, graphs=PROGRAM.graphs[1:])
    later = PROGRAM.first_call[1]
    tallied = tally([(INFERRED, (later,)), (UNKNOWN, ())], [truth(0), truth(later)], given=given)

    assert tallied.covered == 0.0
    assert tallied.claimed == 1.0
    assert tallied.right(INFERRED) == 0.0


def test_the_worst_graph_stands_beside_the_mean() -> None:
    """The graph of which least is covered is no average."""
    later = PROGRAM.first_call[1]
    tallied = tally([(INFERRED, (0,)), (UNKNOWN, ())], [truth(0), truth(later)])

    assert (tallied.covered, tallied.worst) == (0.5, 0.0)


def test_a_repeated_mistake_is_one_mistake() -> None:
    """Ten launches of one call count ten times by launch, once by call."""
    said: list[Said] = [*[(INFERRED, (0,))] * 10, (INFERRED, (1,))]
    tallied = tally(said, [truth(1)] * 11, [0.97] * 10 + [0.9999])

    assert tallied.bands == {(0.95, False): 10, (0.9999, True): 1}
    assert tallied.calls == {(0.95, False): 1, (0.9999, True): 1}


def test_a_posterior_that_is_missing_is_in_no_band() -> None:
    """NaN, and matchings that know no posterior, leave the table out."""
    assert not tally([(INFERRED, (0,))], [truth(0)], [float("nan")]).bands
    without = tally([(INFERRED, (0,))], [truth(0)])

    assert not without.bands
    assert calibration([without]) == ""


def test_the_table_of_posteriors_has_a_line_per_band() -> None:
    """Bands that hold launches are shown with the share that is right."""
    tallied = tally([(INFERRED, (0,))] * 4, [truth(0)] * 3 + [truth(1)], [0.96] * 4)

    assert calibration([tallied]).endswith("| 0.95 to 0.99 | 4 | 75.0 % | 1 | 100 % |\n")


@pytest.mark.parametrize(("value", "band"), [(0.0, 0.0), (0.949, 0.9), (0.95, 0.95), (1.0, 0.9999)])
def test_a_posterior_lies_in_the_band_that_it_reaches(value: float, band: float) -> None:
    """Bands hold their lower end."""
    assert band in BANDS
    assert band_of(value) == band


def test_tallies_add_up() -> None:
    """Two worlds together weigh by their time."""
    total = tally([(INFERRED, (0,))], [truth(0)])
    total += tally([(UNKNOWN, ())] * 3, [truth(0)] * 3)

    assert total.covered == 0.25
    assert total.launches == 4


def test_a_commit_decides_two_seeds() -> None:
    """The same commit gives the same seeds, whatever it is called; without one there are three."""
    head = seeds_of("HEAD")

    assert len(head.numbers) == len(set(head.numbers)) == 5
    assert head == seeds_of("HEAD^{commit}")
    assert head.numbers[:3] == seeds_of(None).numbers


def test_one_row_is_measured_in_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    """`--row` prints the row's line for one seed and writes nothing."""
    try_rows("3 small graphs", 4, [], None)
    lines = capsys.readouterr().out.splitlines()

    assert sum(line.startswith("| 3 small graphs in changing order |") for line in lines) == 1


def test_a_budget_ends_the_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    """A budget that is spent at once still measures one row, and says of no other."""
    try_rows("20 small graphs", 4, [], 0.0)
    lines = capsys.readouterr().out.splitlines()

    assert sum(line.startswith("| 20 small graphs") for line in lines) == 1


def test_a_row_that_is_not_there_ends_at_once() -> None:
    """A word that no row has in its name is said, also with a budget."""
    with pytest.raises(SystemExit, match="no row has 'never heard of'"):
        try_rows("never heard of", 1, [], 5.0)


def test_a_row_that_is_tried_writes_no_page(capsys: pytest.CaptureFixture[str]) -> None:
    """`--row` prints the row with its posteriors."""
    before = accuracy.PAGE.read_bytes()
    accuracy.main(["--row", "3 small graphs", "--seed", "4"])
    shown = capsys.readouterr().out

    assert "| 3 small graphs in changing order |" in shown
    assert "| posterior |" in shown
    assert accuracy.PAGE.read_bytes() == before


def test_rows_say_whether_there_is_a_host_side() -> None:
    """Rows with recorded ranges or nodes have a host side, written rows have none."""
    rows = {measure.name: measure for measure in measures([PROGRAM])}

    assert not rows["host ranges"].hostless
    assert not rows["bundle node map"].hostless
    assert all(rows[name].hostless for name in rows if rows[name].written)
    assert rows["all that ran withheld"].tally([1]).withheld
    assert not rows["3 small graphs in changing order"].tally([1]).withheld
