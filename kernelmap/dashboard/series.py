"""Runs → series: what one step took, run after run, apart by branch, device and chosen tags.

Takes the listing (or the history of one row), gives frames and the marks on them: a new level of
time, runs from which on something else ran, and single odd runs. Only what is comparable stands in
one series: times per step never beside times per recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

import numpy as np
import pandas as pd
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.dashboard.change_points import find_change_points, odd_ones
from kernelmap.history.store.facts import RunFacts
from kernelmap.history.store.listing import Listed
from kernelmap.history.store.refs import device, kin, tag_words
from kernelmap.model import Confidence

NO_BRANCH = "(no branch)"
BUCKETS = tuple(confidence.name.lower() for confidence in Confidence)
_NEAR = 5
"""Runs on each side that stand for a level, and that a change of code may be away: noise moves the
place where a level is seen to begin by a few runs. With more, a level is put down to another
commit; with none, to one that changed nothing. Chosen."""


class Mark(StrEnum):
    """What is special about a run."""

    SLOWER = "slower from here"
    FASTER = "faster from here"
    CODE = "other code or configs from here"
    ODD = "odd run"
    APPEARS = "appears here"
    GONE = "gone after this run"


class Marked(Struct, frozen=True, kw_only=True):
    """A mark on a series at position `at`; `before` and `after` are the runs to compare.

    `ratio` is the time after over that before, None where only the code is known to have changed.
    """

    mark: Mark
    at: int
    run: str
    before: str
    after: str
    ratio: float | None


class Series(Struct, frozen=True, kw_only=True):
    """One series, oldest first; `frame` has the columns of `runs_frame`, and may have more."""

    branch: str
    gpu: str
    tags: str
    unit: str
    frame: pd.DataFrame
    marks: tuple[Marked, ...] = ()

    @property
    def name(self) -> str:
        """What distinguishes it from the others of a chart."""
        return f"{self.branch}, {self.tags}" if self.tags else self.branch

    @property
    def data(self) -> pd.DataFrame:
        """The frame with what each run is marked as, in the column `mark`."""
        words: dict[int, str] = {}
        for mark in self.marks:
            # A run may bear several marks.
            words[mark.at] = "; ".join(filter(None, [words.get(mark.at), mark.mark.value]))
        texts = [words.get(at) for at in range(len(self.frame))]
        return self.frame.assign(mark=pd.Series(texts, dtype="object"))


def data_of(lines: Sequence[Series]) -> pd.DataFrame:
    """The data of several series, one below the other; empty without any."""
    return pd.concat([line.data for line in lines] or [pd.DataFrame()], ignore_index=True)


def runs_frame(runs: Sequence[Listed], chosen: Sequence[str] = ()) -> pd.DataFrame:
    """A row per run: who it is, where it ran, what a step took, and how sure its times are.

    `series` has those of the `chosen` tags that the run bears. `time_ns` is per step, or of the
    whole recording where `unit` says so. The columns of BUCKETS are shares of the time (0 to 1),
    NaN where the window has none. `of_limit` is the share of the device's limit (1 is the limit),
    NaN where the run knows none, and `peak_bytes` the highest peak of memory of its graphs.
    """
    rows = [
        {
            "run": facts.id,
            "created": facts.created,
            "name": facts.name,
            "branch": facts.branch or NO_BRANCH,
            "commit": facts.commit,
            "forked": facts.forked,
            "gpu": device(facts),
            "series": tag_words(kin(run, chosen).tags),
            "unit": unit(facts),
            "time_ns": facts.window.total_ns / steps(facts),
            "steps": steps(facts),
            "launches": facts.window.launches,
            "of_limit": np.nan if facts.of_limit is None else facts.of_limit,
            "peak_bytes": np.nan if facts.peak_bytes is None else facts.peak_bytes,
            **{bucket: facts.window.coverage.get(bucket, np.nan) for bucket in BUCKETS},
        }
        for run, facts in ((run, run.facts) for run in runs)
    ]
    columns = [
        "run",
        "created",
        "name",
        "branch",
        "commit",
        "forked",
        "gpu",
        "series",
        "unit",
        "time_ns",
        "steps",
        "launches",
        "of_limit",
        "peak_bytes",
        *BUCKETS,
    ]
    return pd.DataFrame(rows, columns=columns)


def recorded(created: object) -> str:
    """When a run was recorded, to the minute, in UTC; takes what `created` says.

    >>> recorded("2026-11-21T18:46:07.123456+00:00")
    '2026-11-21 18:46'
    """
    return str(created)[:16].replace("T", " ")


def unit(facts: RunFacts) -> str:
    """The unit of work that its times are given per."""
    return "step" if facts.window.steps else "recording"


def steps(facts: RunFacts) -> int:
    """How many of them the window has."""
    return facts.window.step_count or 1


def series_of_frame(
    frame: pd.DataFrame, structures: Mapping[str, int] | None = None
) -> tuple[Series, ...]:
    """The series of a frame with the columns of `runs_frame`, in the order of their first runs.

    `structures` as Store.structures gives it; without it changes of code are not marked.
    """
    return tuple(
        replace(one_series, marks=marks(one_series.frame, structures or {}))
        for one_series in unmarked(frame)
    )


def unmarked(frame: pd.DataFrame) -> Iterator[Series]:
    """The same without marks."""
    # What differs in one of these is not comparable, so it stands in another series.
    apart = ["branch", "gpu", "series", "unit"]
    for (branch, where, tags, per), rows in frame.groupby(apart, sort=False):
        ordered = rows.sort_values("run").reset_index(drop=True)
        yield Series(
            branch=str(branch), gpu=str(where), tags=str(tags), unit=str(per), frame=ordered
        )


def marks(frame: pd.DataFrame, structures: Mapping[str, int]) -> tuple[Marked, ...]:
    """The marks of one series, oldest first; a new level stands where the code changed nearby."""
    values = frame["time_ns"].to_numpy(dtype=np.float64)
    runs = frame["run"].tolist()
    levels = find_change_points(values)
    code = _code_changes(runs, structures)
    placed: dict[int, float | None] = dict.fromkeys(code)
    # A level is seen to begin a few runs off; where code changed nearby, the mark stands there.
    for level in levels:
        near = [at for at in code if abs(at - level.at) <= _NEAR]
        placed[min(near, key=lambda at: abs(at - level.at)) if near else level.at] = level.ratio
    # The ends of the stretches between marks, with the start and the end of the series around them.
    edges = [0, *sorted(placed), len(values)]
    marked = [
        Marked(
            mark=Mark.CODE if ratio is None else Mark.SLOWER if ratio > 1 else Mark.FASTER,
            at=at,
            run=runs[at],
            # Compared are two usual runs near the mark, not the last and the first, which may be
            # odd.
            before=runs[_typical(values, max(edges[i], at - _NEAR), at)],
            after=runs[_typical(values, at, min(edges[i + 2], at + _NEAR))],
            ratio=ratio,
        )
        for i, (at, ratio) in enumerate(sorted(placed.items()))
    ]
    for at in odd_ones(values, levels):
        # A run beside a mark belongs to that change.
        if any(abs(at - mark.at) <= 1 for mark in marked):
            continue
        # Held against the run before; the first run against the one that follows.
        beside = at - 1 if at else at + 1
        marked.append(
            Marked(
                mark=Mark.ODD,
                at=at,
                run=runs[at],
                before=runs[beside],
                after=runs[at],
                ratio=float(values[at] / values[beside]),
            )
        )
    return tuple(sorted(marked, key=lambda mark: mark.at))


def _code_changes(runs: Sequence[str], structures: Mapping[str, int]) -> list[int]:
    numbers = [structures.get(run) for run in runs]
    return [
        at
        for at in range(1, len(runs))
        # A run whose structure is not known is no change.
        if None not in (numbers[at - 1], numbers[at]) and numbers[at - 1] != numbers[at]
    ]


def _typical(values: np.ndarray[tuple[int], np.dtype[np.float64]], start: int, stop: int) -> int:
    """The one among some neighbors whose time is their median, or next to it."""
    level = values[start:stop]
    # A median of an even number of runs lies between two; the upper one of them stands for it.
    return start + int(np.argsort(level, kind="stable")[len(level) // 2])
