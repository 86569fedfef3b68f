"""What the page of wall time says of the profiler's own part in it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from kernelmap.model.bundle import UnprofiledSteps
from kernelmap.pages import wall
from kernelmap.tables.build import Tables
from pages.hand_tables import make_tables


def _said(tables: Tables) -> str | None:
    return wall.say_profilers_part(tables, wall.items_of_wall(tables.columns("wall")))


def _mean_ns(tables: Tables) -> float:
    columns = tables.columns("wall")
    return sum(map(int, map(str, columns["time_ns"]))) / len(set(wall.steps_of_rows(columns)))


def _measured(share: float) -> Tables:
    """Tables whose steps take that share of their time without the profiler."""
    tables = make_tables()
    unprofiled = UnprofiledSteps(mean_ns=round(_mean_ns(tables) * share), before=1, after=5)
    return replace(tables, summary=replace(tables.summary, unprofiled=unprofiled))


def test_without_a_measure_idle_time_is_an_upper_bound() -> None:
    """Nobody knows how much of it is the profiler's, and the page says what would tell."""
    said = _said(make_tables())

    assert said is not None
    assert "upper bound" in said
    assert "kernelmap capture" in said


@pytest.mark.parametrize(("share", "times"), [(0.5, "2.00 times"), (0.8, "1.25 times")])
def test_the_profilers_part_is_what_steps_take_longer(share: float, times: str) -> None:
    """It is at most the time in which the device waits for the host."""
    tables = _measured(share)
    totals = wall.totals_by_name(wall.items_of_wall(tables.columns("wall")))
    of_host = totals.get("launching", 0) + totals.get("guards", 0) + totals.get("graph-break", 0)
    of_host += totals.get("unknown", 0)
    said = _said(tables)

    assert said is not None
    assert times in said
    points = round(100 * min(1 - share, of_host / sum(totals.values())))
    assert f"about {points} points are the profiler's" in said


def test_steps_that_take_as_long_say_so() -> None:
    """Then idle time is the program's own."""
    said = _said(_measured(0.995))

    assert said is not None
    assert said.endswith("as long as a recorded one.")
