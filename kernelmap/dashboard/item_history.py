"""One call, op, line or graph over the runs: its rows in the store → series with marks.

Takes the runs, the rows that Store.history gives, and what is known of changes of its code; gives
series as series.py does, whose frames have a row for every run, also for those without it: times
are NaN there. Marks say in addition where it appears and where it is gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from kernelmap.dashboard.change_points import Values
from kernelmap.dashboard.series import Mark, Marked, Series, marks, unmarked

OFTEN: Mapping[str, tuple[str, str]] = {
    "call": ("launches", "Launches"),
    "op": ("launches", "Launches of the calls it is in"),
    "line": ("calls", "Calls it is in"),
    "graph": ("invocations", "Invocations"),
}
"""By kind: the column that says how often it ran, and what that is called."""


def item_series(
    runs: pd.DataFrame, rows: pd.DataFrame, kind: str, structures: Mapping[str, int]
) -> tuple[Series, ...]:
    """The series of the item; branches where no run has it are left out.

    `runs` as runs_frame gives them, `rows` as Store.history. `structures` has a number per run:
    where it changes, the item's code did. The frames have besides the columns of `runs` those of
    `item_frame`.
    """
    return tuple(
        replace(each, marks=_marks(each.frame, structures))
        for each in unmarked(item_frame(runs, rows, kind))
        if each.frame["time_ns"].notna().any()
    )


def item_frame(runs: pd.DataFrame, rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    """A row per run: `time_ns`, `low_ns`, `high_ns` and `often` per step, and `share` (0 to 1).

    `often` of a line is the number of its calls. Several rows of one run (an op in and outside
    compiled code, a text that stands in two lines) are added up. low and high are what a step
    would take if all its invocations took the median, or the 95th percentile; NaN where that is
    not known. All are NaN for runs without the item.
    """
    own = pd.DataFrame({"run": rows["run"].astype(object)})
    own["own_ns"] = _numbers(rows, "time_ns")
    if kind == "line":
        own["own_ns"] += _numbers(rows, "backward_ns")
    own["often"] = _numbers(rows, OFTEN[kind][0])
    for name, percentile in (("low_ns", "p50_ns"), ("high_ns", "p95_ns")):
        own[name] = _of_all_invocations(rows, percentile) if kind == "call" else np.nan
    alone = ~own["run"].duplicated(keep=False)
    own.loc[~alone, ["low_ns", "high_ns"]] = np.nan
    sums = own.groupby("run").sum(min_count=1)
    found = runs.join(sums, on="run")
    whole_ns = found["time_ns"]
    per_step = ["own_ns", "low_ns", "high_ns"] if kind == "line" else list(sums.columns)
    found[per_step] = found[per_step].div(found["steps"], axis=0)
    found["time_ns"] = found["own_ns"]
    found["share"] = (found["own_ns"] / whole_ns).where(whole_ns > 0)
    return found.drop(columns="own_ns")


def structures_of_call(rows: pd.DataFrame) -> Mapping[str, int]:
    """A number per run that tells the body and the configuration of a call, from its rows."""
    numbers: dict[tuple[object, ...], int] = {}
    found = {}
    built = zip(*(rows[name].astype(object) for name in ("run", "body", "config")), strict=True)
    for run, body, config in built:
        key = tuple(None if pd.isna(part) else part for part in (body, config))
        found[str(run)] = numbers.setdefault(key, len(numbers))
    return found


def structures_of_changes(runs: pd.DataFrame, changed: Sequence[str]) -> Mapping[str, int]:
    """A number per run that grows at each of the runs `changed`, in every series on its own."""
    own = runs.sort_values("run")
    steps = own["run"].isin(list(changed)).groupby([own["branch"], own["series"]]).cumsum()
    return dict(zip(own["run"], steps.astype(int), strict=True))


def _marks(frame: pd.DataFrame, structures: Mapping[str, int]) -> tuple[Marked, ...]:
    """Levels and changes of code among the runs that have it, and where it comes and goes."""
    has = frame["time_ns"].notna().to_numpy()
    runs = frame["run"].tolist()
    found = []
    for at in (np.flatnonzero(has[1:] != has[:-1]) + 1).tolist():
        comes = bool(has[at])
        found.append(
            Marked(
                mark=Mark.APPEARS if comes else Mark.GONE,
                at=at if comes else at - 1,
                run=runs[at if comes else at - 1],
                before=runs[at - 1],
                after=runs[at],
                ratio=None,
            )
        )
    places = np.flatnonzero(frame["time_ns"].to_numpy(dtype=np.float64) > 0)
    ran = frame.iloc[places].reset_index(drop=True)
    taken = {(each.at, each.mark) for each in found}
    for each in marks(ran, structures):
        at = int(places[each.at])
        if each.mark is not Mark.CODE or (at, Mark.APPEARS) not in taken:
            found.append(replace(each, at=at))
    return tuple(sorted(found, key=lambda each: each.at))


def _of_all_invocations(rows: pd.DataFrame, percentile: str) -> Values:
    """A percentile of one invocation, times the invocations that launched the call."""
    mean, time_ns = _numbers(rows, "mean_ns"), _numbers(rows, "time_ns")
    count = np.divide(time_ns, mean, out=np.full(len(mean), np.nan), where=mean > 0)
    found: Values = _numbers(rows, percentile) * np.rint(count)
    return found


def _numbers(rows: pd.DataFrame, column: str) -> Values:
    found: Values = rows[column].to_numpy(dtype=np.float64, na_value=np.nan)
    return found
