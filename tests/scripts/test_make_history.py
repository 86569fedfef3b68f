"""The simulated history: every planted cause is found by comparing a run with the one before."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import make_history
import pytest

from kernelmap.history.compare.numbers.causes import Cause
from kernelmap.history.compare.numbers.comparison import Comparison, compare_sides
from kernelmap.history.compare.sides.side import side_of_result
from kernelmap.history.store import Store

NOISE = (Cause.OUTSIDE, Cause.SAME_CODE, Cause.CLOCK, Cause.SPREAD)


@pytest.fixture(scope="module")
def recordings() -> list[make_history.Recording]:
    return list(make_history.history(20))


def held(before: make_history.Recording, after: make_history.Recording) -> Comparison:
    return compare_sides(
        side_of_result(before.tables, before.commit), side_of_result(after.tables, after.commit)
    )


def test_every_planted_cause_is_named(recordings: list[make_history.Recording]) -> None:
    """Cause, calls and size are those of the label; the clock is no regression of any call."""
    seen = []
    for before, after in pairwise(recordings):
        if after.planted is None or after.branch != before.branch:
            continue
        comparison, planted = held(before, after), after.planted
        named = [c for c in comparison.changes if c.cause not in NOISE]
        seen.append(planted.what)
        if planted.cause == "all of the same code alike":
            assert 1.07 < float(comparison.clock) < 1.09
        elif planted.cause is None:
            assert named == []
        else:
            (change,) = named
            assert change.cause.value == planted.cause
            assert tuple(call.name for call in change.before) in (planted.before, ())
            assert {call.name for call in change.after} == set(planted.after)
            assert change.change_ns == pytest.approx(planted.change_ns, rel=0.15)
        assert sum(change.change_ns for change in comparison.changes) == comparison.change_ns

    assert len(seen) == len(make_history.EVENTS) + 1


def test_what_was_not_planted_is_not_claimed(recordings: list[make_history.Recording]) -> None:
    """Runs of one commit differ by noise only: no cause but the same code."""
    quiet = [
        held(before, after)
        for before, after in pairwise(recordings)
        if not (after.planted or before.planted) and after.branch == before.branch
    ]

    assert quiet
    assert all(c.cause in NOISE for comparison in quiet for c in comparison.changes)


def test_a_history_says_that_it_is_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The labels, the output and the device name say so."""
    out = tmp_path / "out"
    monkeypatch.setattr(sys, "argv", ["make_history.py", str(out), "8"])
    make_history.main()
    labels = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    runs = Store(out).runs()

    assert labels["about"].startswith("simulated")
    assert "simulated" in capsys.readouterr().out
    assert [run["run"] for run in labels["runs"]] == [run.id for run in runs]
    assert {run.tags["simulated"] for run in runs} == {"yes"}
    assert {run.facts.branch for run in runs} == {"main", "feature"}
