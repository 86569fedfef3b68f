"""Where runs stand on the x axis of a chart, by count, time or commit, and where branches fork.

By count every series has its own, newest at the right. By commit the main branch has the order in
which its commits were first recorded, and another branch begins behind the commit at which it left:
the one that its runs name (`forked`), else the last that was recorded before them. Runs without a
commit stand for themselves.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from msgspec import Struct

from kernelmap.history.store.forks import main_branch
from kernelmap.pages.charts.template import plain_text

if TYPE_CHECKING:
    import pandas as pd

    from kernelmap.dashboard.series import Series

Json: TypeAlias = Any  # what Plotly takes
Place: TypeAlias = "int | str"
Places: TypeAlias = "list[Place]"

RUNS, TIME, COMMIT = "runs", "time", "commit"
AXES = (COMMIT, TIME, RUNS)
"""The words of an address, that of the first page first."""

_TICKS = 5
_COMMIT = 10  # characters that tell one from another


def places_of(series: Sequence[Series], frames: Sequence[pd.DataFrame], axis: str) -> list[Places]:
    """The places of the runs of each series, of which `frames` are the parts that are drawn."""
    if axis == TIME:
        return [[str(created)[:19] for created in frame["created"]] for frame in frames]
    if axis == COMMIT:
        order = _Order.of(series, frames)
        return [order.places(one.branch, frame) for one, frame in zip(series, frames, strict=True)]
    # By count the newest run of every series stands at 0, older ones at negative numbers.
    return [list(range(1 - len(frame), 1)) for frame in frames]


def layout_of(
    series: Sequence[Series], frames: Sequence[pd.DataFrame], axis: str
) -> dict[str, Json]:
    """The axis as Plotly has it: its title, and its ticks where they are commits."""
    if axis == TIME:
        return {"title": {"text": "recorded (UTC)"}, "type": "date", "zeroline": False}
    if axis != COMMIT:
        return {"title": {"text": "runs, newest at 0"}, "zeroline": False}
    order = _Order.of(series, frames)
    names = list(order.main)
    # At most so many ticks, counted from the newest commit, which always has one.
    every = max(1, -(-len(names) // _TICKS))
    ticks = range((len(names) - 1) % every, len(names), every) if names else range(0)
    return {
        "title": {"text": f"commits of {plain_text(order.branch or 'no branch')}, in order"},
        "zeroline": False,
        "tickangle": 0,
        "tickvals": list(ticks),
        "ticktext": [plain_text(names[at][:_COMMIT]) for at in ticks],
    }


class _Order(Struct, frozen=True):
    """The commits of the main branch, each with its place and the first run of it."""

    branch: str | None
    main: Mapping[str, int]
    firsts: Sequence[str]

    @classmethod
    def of(cls, series: Sequence[Series], frames: Sequence[pd.DataFrame]) -> Self:
        """The order of the main branch among `series`; `frames` are their drawn rows."""
        branch = main_branch([one.branch for one in series])
        first: dict[str, str] = {}
        frames_of_main = [
            frame for one, frame in zip(series, frames, strict=True) if one.branch == branch
        ]
        # Ids of runs are ordered by time, so the first run of a commit gives its place.
        for run, commit in sorted(pair for frame in frames_of_main for pair in _keys(frame)):
            first.setdefault(commit, run)
        return cls(branch, {commit: at for at, commit in enumerate(first)}, list(first.values()))

    def fork(self, frame: pd.DataFrame) -> int:
        """The place at which a branch left: at the commit that its runs name, else by its time."""
        for commit in frame["forked"]:
            if commit in self.main:
                return self.main[commit]
        # The last commit of main that was recorded before the branch's first run; -1 without one.
        return bisect_left(self.firsts, str(frame["run"].iloc[0])) - 1

    def places(self, branch: str, frame: pd.DataFrame) -> Places:
        """The places of the commits of a branch. Those that main lacks follow the fork in order."""
        if not len(frame):
            return []
        # A commit that main has too stands at main's place.
        place_of = dict(self.main)
        following = len(place_of) if branch == self.branch else self.fork(frame) + 1
        places: list[Place] = []
        for _, commit in _keys(frame):
            if commit not in place_of:
                place_of[commit] = following
                following += 1
            places.append(place_of[commit])
        return places


def _keys(frame: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """The run of each row, and its commit, or itself without one."""
    for run, commit in zip(frame["run"], frame["commit"], strict=True):
        yield str(run), commit if isinstance(commit, str) and commit else str(run)


class Fork(Struct, frozen=True, kw_only=True):
    """Where a series leaves the main branch: its number, two places, and the times there in ns."""

    series: int
    places: tuple[Place, Place]
    times_ns: tuple[float, float]


def forks(
    series: Sequence[Series], frames: Sequence[pd.DataFrame], placed: Sequence[Places]
) -> Iterator[Fork]:
    """The forks among the drawn parts of series; a series that was there before main has none.

    Of several runs of one commit a branch leaves the newest: what it is held against.
    """
    order = _Order.of(series, frames)
    for at, (one, frame) in enumerate(zip(series, frames, strict=True)):
        # A branch whose first runs are not drawn has no start to connect.
        if one.branch == order.branch or not len(frame) or len(frame) < len(one.frame):
            continue
        # The commit at the fork; none for a branch that was there before main.
        commit = next(
            (name for name, place in order.main.items() if place == order.fork(frame)), None
        )
        for home, (other, rows) in enumerate(zip(series, frames, strict=True)):
            # The dotted line joins times that may be compared: of one device, one unit and the same
            # tags.
            alike = (other.gpu, other.tags, other.unit) == (one.gpu, one.tags, one.unit)
            if other.branch != order.branch or not alike:
                continue
            left = [row for row, (_, name) in enumerate(_keys(rows)) if name == commit]
            if left:
                yield Fork(
                    series=at,
                    places=(placed[home][left[-1]], placed[at][0]),
                    times_ns=(
                        float(rows["time_ns"].iloc[left[-1]]),
                        float(frame["time_ns"].iloc[0]),
                    ),
                )
