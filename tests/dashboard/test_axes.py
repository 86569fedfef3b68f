"""Where runs stand on a chart: by count, time or commit, and where branches fork."""

from __future__ import annotations

import pandas as pd
import pytest

from kernelmap.dashboard.axes import COMMIT, RUNS, TIME, forks, layout_of, places_of
from kernelmap.dashboard.series import Series
from kernelmap.history.store.forks import main_branch


def line(branch: str, runs: str, *, forked: str | None = None, commits: str = "") -> Series:
    """A series of runs of one letter each, recorded in the order of the alphabet."""
    frame = pd.DataFrame(
        {
            "run": list(runs),
            "commit": list(commits or runs),
            "forked": [forked] * len(runs),
            "created": [f"2026-01-{ord(run) - 96:02}T00:00:00.5+00:00" for run in runs],
            "time_ns": [100.0 + ord(run) for run in runs],
        }
    )
    return Series(branch=branch, gpu="GPU", tags="", unit="step", frame=frame)


def places(*lines: Series, axis: str = COMMIT) -> list[list[int | str]]:
    return places_of(lines, [series.frame for series in lines], axis)


def test_a_branch_begins_behind_the_commit_that_its_runs_name() -> None:
    """A branch counts its commits from the one that it left, whenever its runs were recorded."""
    lines = (line("main", "abcd"), line("topic", "xyz", forked="b"))
    frames = [series.frame for series in lines]
    placed = places(*lines)

    assert placed == [[0, 1, 2, 3], [2, 3, 4]]
    (fork,) = forks(lines, frames, placed)
    assert (fork.series, fork.places) == (1, (1, 2))
    assert fork.times_ns == (100 + ord("b"), 100 + ord("x"))


@pytest.mark.parametrize(("runs", "first"), [("cd", 2), ("yz", 4)])
def test_without_a_name_the_time_says_where_it_left(runs: str, first: int) -> None:
    """A branch begins behind the last commit of main that was recorded before its first run."""
    kept = "".join(letter for letter in "abcdefgh" if letter not in runs)[:4]
    placed = places(line("main", kept), line("topic", runs))

    assert placed[1][0] == first


def test_a_branch_before_main_has_no_fork() -> None:
    """A branch that is older than main forks from nothing."""
    lines = (line("main", "mn"), line("topic", "ab"))
    placed = places(*lines)

    assert placed[1] == [0, 1]
    assert not list(forks(lines, [series.frame for series in lines], placed))


def test_one_commit_is_one_place() -> None:
    """Runs of the same commit stand above one another, on every branch that has it."""
    lines = (line("main", "abcd", commits="1123"), line("topic", "ef", commits="34"))

    assert places(*lines) == [[0, 0, 1, 2], [2, 3]]


def test_ticks_are_commits_of_main() -> None:
    """Every tick of the axis stands at the place of its commit."""
    lines = (line("main", "abcdefgh"), line("topic", "xyz", forked="b"))
    axis = layout_of(lines, [series.frame for series in lines], COMMIT)

    assert axis["ticktext"]
    assert all(
        "abcdefgh".index(text) == at
        for at, text in zip(axis["tickvals"], axis["ticktext"], strict=True)
    )


def test_the_other_axes_are_time_and_count() -> None:
    """By time runs stand where they were recorded, by count the newest of each series at 0."""
    lines = (line("main", "abc"), line("topic", "c"))

    assert places(*lines, axis=TIME)[1] == ["2026-01-03T00:00:00"]
    assert places(*lines, axis=RUNS) == [[-2, -1, 0], [0]]


@pytest.mark.parametrize(
    ("branches", "main"),
    [
        (["topic", "main", "master"], "main"),
        (["topic", "master"], "master"),
        (["b", "a"], "b"),
        ([], None),
    ],
)
def test_the_main_branch_is_known_by_its_name(branches: list[str], main: str | None) -> None:
    """Main goes before master, and both before whatever came first."""
    assert main_branch(branches) == main
