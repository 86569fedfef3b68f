"""Series and their marks: which runs stand together, and where a mark is put."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make_history import history
from numpy.typing import NDArray

from examples import examples
from kernelmap.dashboard.series import Mark, marks, runs_frame, series_of_frame
from kernelmap.history.store import Store

pytestmark = pytest.mark.skipif(not find_spec("ruptures"), reason="ruptures is not installed")


def frame(
    times: Sequence[float] | NDArray[np.float64],
    *,
    branch: str = "main",
    gpu: str = "A",
    series: str = "",
    unit: str = "step",
) -> pd.DataFrame:
    """Runs named by their place, with these times in ns."""
    return pd.DataFrame(
        {
            "run": [f"{branch}-{gpu}-{series}-{unit}-{at:04}" for at in range(len(times))],
            "created": "2026-01-01T00:00:00",
            "name": None,
            "branch": branch,
            "commit": None,
            "gpu": gpu,
            "series": series,
            "unit": unit,
            "time_ns": times,
        }
    )


def noisy(levels: Sequence[tuple[int, float]], seed: int = 0) -> NDArray[np.float64]:
    chance = np.random.default_rng(seed)
    flat = np.concatenate([np.full(count, level) for count, level in levels])
    made: NDArray[np.float64] = flat * np.exp(chance.normal(0, 0.003, len(flat)))
    return made


def codes(rows: pd.DataFrame, changes: Sequence[int]) -> Mapping[str, int]:
    """Structures that change at these places."""
    return {run: sum(at >= change for change in changes) for at, run in enumerate(rows["run"])}


@given(st.integers(10, 30), st.integers(-5, 5), st.sampled_from([0.8, 1.2]))
@settings(max_examples=examples(40))
def test_a_level_stands_where_the_code_changed_nearby(before: int, away: int, ratio: float) -> None:
    """The search may be some runs off; the code is not."""
    rows = frame(noisy([(before, 8e6), (20, 8e6 * ratio)]))
    (mark,) = marks(rows, codes(rows, [before + away]))

    assert mark.at == before + away
    assert mark.mark is (Mark.SLOWER if ratio > 1 else Mark.FASTER)
    assert mark.run == rows["run"][before + away]


def test_a_level_far_from_any_change_of_code_stands_for_itself() -> None:
    """Both are marked: the level without a cause, and the code that changed no time."""
    rows = frame(noisy([(20, 8e6), (20, 9e6)]))
    marked = marks(rows, codes(rows, [8]))

    assert [(mark.mark, mark.at) for mark in marked] == [(Mark.CODE, 8), (Mark.SLOWER, 20)]
    assert marked[0].ratio is None
    assert marked[1].ratio == pytest.approx(9 / 8, rel=0.01)


def test_a_run_of_which_no_structure_is_known_changes_no_code() -> None:
    """An unknown structure is not taken for a change of code."""
    rows = frame(noisy([(30, 8e6)]))
    numbers = {run: number for run, number in codes(rows, []).items() if number or run[-1] != "5"}

    assert marks(rows, numbers) == ()
    assert marks(rows, {}) == ()


@given(st.lists(st.tuples(st.integers(4, 20), st.floats(1e6, 4e6)), min_size=1, max_size=4))
@settings(max_examples=examples(40))
def test_the_runs_to_compare_lie_on_both_sides(levels: list[tuple[int, float]]) -> None:
    """A mark compares a run of the level before it with one of the level since."""
    rows = frame(noisy(levels))
    places = {run: at for at, run in enumerate(rows["run"])}
    marked = marks(rows, codes(rows, [len(rows) // 2]))

    assert [mark.at for mark in marked] == sorted(mark.at for mark in marked)
    for mark in marked:
        assert mark.run == rows["run"][mark.at]
        if mark.mark is not Mark.ODD:
            assert mark.at - 5 <= places[mark.before] < mark.at <= places[mark.after]
            assert places[mark.after] < mark.at + 5


def test_an_odd_run_is_compared_with_its_neighbor() -> None:
    """One slow run is marked as odd, against the run before it; the first against the second."""
    for at, beside in ((9, 8), (0, 1)):
        times = noisy([(20, 8e6)])
        times[at] *= 1.3
        rows = frame(times)
        (mark,) = marks(rows, {})

        assert (mark.mark, mark.at) == (Mark.ODD, at)
        assert (mark.before, mark.after) == (rows["run"][beside], rows["run"][at])
        assert mark.ratio == pytest.approx(1.3, rel=0.03)


def test_only_what_is_comparable_stands_together() -> None:
    """Branches, devices, tags and units of time are apart, in the order of their first runs."""
    parts = [
        frame([1.0] * 3),
        frame([2.0] * 3, gpu="B"),
        frame([3.0] * 3, branch="other"),
        frame([4.0] * 3, unit="recording"),
        frame([5.0] * 3, series="model=small"),
    ]
    mixed = pd.concat([part.iloc[[at]] for at in range(3) for part in parts])
    lines = series_of_frame(mixed)

    assert [(line.name, line.gpu, line.unit) for line in lines] == [
        ("main", "A", "step"),
        ("main", "B", "step"),
        ("other", "A", "step"),
        ("main", "A", "recording"),
        ("main, model=small", "A", "step"),
    ]
    assert [line.frame["time_ns"].tolist() for line in lines] == [[n] * 3 for n in range(1, 6)]
    assert all(line.frame["run"].is_monotonic_increasing for line in lines)


def test_no_runs_are_no_series() -> None:
    """An empty listing has a frame with all its columns, and no series."""
    empty = runs_frame(())

    assert "time_ns" in empty.columns
    assert series_of_frame(empty) == ()


def test_planted_changes_of_code_are_marked(planted: Store) -> None:
    """What was planted in the code is a mark at its run, and the slow clock an odd run."""
    listed = planted.runs()
    lines = series_of_frame(runs_frame(listed), planted.structures())
    mark_of_run = {mark.run: mark.mark for line in lines for mark in line.marks}
    labels = {
        run.facts.id: recording.planted
        for run, recording in zip(listed, history(len(listed)), strict=True)
        if recording.planted is not None and recording.planted.cause is not None
    }

    for run, label in labels.items():
        if label.what == "the clock was slow":
            assert mark_of_run[run] is Mark.ODD
        elif label.what != "a library switched its kernel":  # no call changed, and few runs know it
            assert mark_of_run[run] in (Mark.CODE, Mark.SLOWER)
    assert len(labels) == 6
