"""Calls, ops, lines and graphs as items: their keys, their rows in the store, their time over runs.

A call goes by its fingerprint, so that it is found again when its name or place changed; an op by
its name, a graph by its id, a line by its file and text, or its number where the text is not known.
The rule for lines stands here only: `file TAB code`, `file TAB #number`, or the file alone.

An item's level is its time in a few runs around the one that lies N runs before the newest. Its
series are those of series.py, whose frames have a row for every run: times are NaN in runs without
the item, and marks say in addition where it appears and where it is gone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TypeAlias

import numpy as np
import pandas as pd
from msgspec import Struct
from msgspec.structs import replace

from kernelmap.dashboard.change_points import Values
from kernelmap.dashboard.series import Mark, Marked, Series, marks, unmarked
from kernelmap.history.store.run import Run
from kernelmap.pages.address import Address
from kernelmap.tables.frames import frame_of, rows_of_frame
from kernelmap.tables.rows import Row
from kernelmap.tables.schema import TABLES as SCHEMA

PAGE = "item"
TABLES: Mapping[str, str] = {"call": "calls", "op": "ops", "line": "lines", "graph": "graphs"}
"""The table that has the rows of a kind."""

_COLUMNS: Mapping[str, str] = {"call": "fingerprint", "op": "name", "graph": "graph"}
_APART, _NUMBER = "\t", "#"  # no line of code that runs begins with #
Where: TypeAlias = "Mapping[str, str | int | None]"


def item(kind: str, row: Mapping[str, object]) -> Address | None:
    r"""The address of what a row of `TABLES[kind]` is about; None where the row names nothing.

    >>> item("line", {"file": "a.py", "line": 3, "code": None}).key
    'a.py\t#3'
    """
    if kind == "line":
        return Address(page=PAGE, kind=kind, key=line_key(row["file"], row["line"], row["code"]))
    key = row[_COLUMNS[kind]]
    return Address(page=PAGE, kind=kind, key=key) if isinstance(key, str) and key else None


def line_key(file: object, line: object, code: object) -> str:
    r"""The key of a source line; `line` and `code` are None where they are not known.

    >>> line_key("a.py", 3, "x = y + 1")
    'a.py\tx = y + 1'
    """
    if isinstance(code, str):
        return f"{file}{_APART}{code}"
    return str(file) if line is None else f"{file}{_APART}{_NUMBER}{line}"


def rows_of(kind: str | None, key: str | None) -> tuple[str, Where] | None:
    r"""The table and what its rows equal, as Store.history takes them; None for no known kind.

    >>> rows_of("line", "a.py\tx = y + 1")
    ('lines', {'file': 'a.py', 'code': 'x = y + 1'})
    """
    if kind is None or kind not in TABLES or not key:
        return None
    if kind != "line":
        return TABLES[kind], {_COLUMNS[kind]: key}
    file, apart, rest = key.partition(_APART)
    if not apart:
        return TABLES[kind], {"file": file, "line": None, "code": None}
    # A line whose text is not known goes by its number.
    number = rest.removeprefix(_NUMBER)
    if number != rest and number.isascii() and number.isdecimal():
        return TABLES[kind], {"file": file, "line": int(number), "code": None}
    return TABLES[kind], {"file": file, "code": rest}


_AROUND = 2  # runs on each side of the one that is so far back; their median is the level


class Taken(Struct, frozen=True, kw_only=True):
    """What one item took in one run, in ns of the whole window; `row` is its longest row there.

    `key` is what its page goes by; None for time that has no such item.
    """

    key: str | None
    row: Row
    time_ns: int

    @property
    def name(self) -> str:
        """What the item is called."""
        if "wrapper" in self.row:
            return str(self.row["wrapper"])
        if "file" in self.row:
            code, line = self.row["code"], self.row["line"]
            place = str(self.row["file"]) + ("" if line is None else f":{line}")
            return place if code is None else f"{place}: {code}"
        return str(self.row["name"] if "name" in self.row else self.row["graph"])


class Level(Struct, frozen=True, kw_only=True):
    """One item: ns a step now, and at the level before; None where it is not there."""

    item: Taken
    now_ns: float | None
    before_ns: float | None

    @property
    def change(self) -> float | None:
        """Now over before, less 1; None where one is missing or nothing."""
        if self.now_ns is None or not self.before_ns:
            return None
        return self.now_ns / self.before_ns - 1

    @property
    def change_ns(self) -> float:
        """Ns a step by which it changed, all of it where it is new or gone."""
        return (self.now_ns or 0) - (self.before_ns or 0)


def taken(run: Run, kind: str) -> Mapping[str, Taken]:
    """The items of a run by key, or by name in the run where they have none."""
    table = SCHEMA[TABLES[kind]]
    grouped: dict[str, list[Row]] = defaultdict(list)
    keys: dict[str, str | None] = {}
    columns = run.arrow(table.name)
    frame = frame_of(table, {name: columns.column(name) for name in table.by_name})
    for row in rows_of_frame(table, frame):
        to = item(kind, row)
        key = None if to is None else to.key
        # A call without a fingerprint goes by its wrapper; the null byte keeps it apart from all
        # keys.
        known_as = key or f"\0{row.get('wrapper')}"
        grouped[known_as].append(row)
        keys[known_as] = key
    return {
        known_as: Taken(key=keys[known_as], row=max(same, key=_time), time_ns=sum(map(_time, same)))
        for known_as, same in grouped.items()
    }


def runs_before(runs: Sequence[str], back: int) -> tuple[str, ...]:
    """The runs around the one that lies `back` before the last, which is none of them.

    Of too few runs the first ones; none where there is only one.

    >>> runs_before(["a", "b", "c", "d", "e", "f", "g"], 3)
    ('b', 'c', 'd', 'e', 'f')
    >>> runs_before(["a", "b", "c"], 20)
    ('a', 'b')
    """
    newest = len(runs) - 1
    middle = max(newest - back, 0)
    return tuple(runs[max(middle - _AROUND, 0) : min(middle + _AROUND + 1, newest)])


def levels(
    now: Mapping[str, Taken],
    before: Sequence[Mapping[str, Taken]],
    steps: tuple[int, Sequence[int]],
) -> tuple[Level, ...]:
    """All items of now, and those that most of the runs before had; longest first, gone ones last.

    `steps` are those of the run now and of the runs before, by which times are divided.
    """
    both = []
    # Keys of now first, then those that only earlier runs have, each once.
    for known_as in {**now, **{key: None for one in before for key in one}}:
        # The item in each earlier run that has it, with its time per step.
        earlier = [
            (one[known_as], one[known_as].time_ns / count)
            for one, count in zip(before, steps[1], strict=True)
            if known_as in one
        ]
        # What was in fewer than half of the earlier runs has no level before.
        then = (
            median(time for _, time in earlier)
            if earlier and 2 * len(earlier) >= len(before)
            else None
        )
        here = now.get(known_as)
        if here is None and then is None:
            continue
        both.append(
            Level(
                # What is gone is described as the newest run that had it does.
                item=earlier[-1][0] if here is None else here,
                now_ns=None if here is None else here.time_ns / steps[0],
                before_ns=then,
            )
        )
    return tuple(sorted(both, key=lambda key: (key.now_ns is None, -(key.now_ns or 0))))


def _time(row: Row) -> int:
    time_ns, backward_ns = row["time_ns"], row.get("backward_ns", 0) if "file" in row else 0
    return int(str(time_ns)) + int(str(backward_ns))


OFTEN: Mapping[str, tuple[str, str]] = {
    "call": ("launches", "Launches"),
    "op": ("launches", "Launches of the calls it is in"),
    "line": ("calls", "Calls it is in"),
    "graph": ("invocations", "Invocations"),
}
"""By kind: the column that says how often it ran, and what that is called."""

_OF_LIMIT = "share_of_limit"


def item_series(
    runs: pd.DataFrame, rows: pd.DataFrame, kind: str, structures: Mapping[str, int]
) -> tuple[Series, ...]:
    """The series of the item; branches where no run has it are left out.

    `runs` as runs_frame gives them, `rows` as Store.history. `structures` has a number per run:
    where it changes, the item's code did. The frames have besides the columns of `runs` those of
    `item_frame`.
    """
    return tuple(
        replace(series, marks=_marks(series.frame, structures))
        for series in unmarked(item_frame(runs, rows, kind))
        if series.frame["time_ns"].notna().any()
    )


def item_frame(runs: pd.DataFrame, rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    """A row per run: `time_ns`, `low_ns`, `high_ns` and `often` per step, and `share` (0 to 1).

    `often` of a line is the number of its calls. Several rows of one run (an op in and outside
    compiled code, a text that stands in two lines) are added up. low and high are what a step
    would take if all its invocations took the median, or the 95th percentile; NaN where that is
    not known. `of_limit` is the share of the device's limit, over the time whose limit the run
    knows; NaN where it knows none, and for graphs. All are NaN for runs without the item.
    """
    # A row per row of the history: the time in ns of the whole window, and how often it ran.
    by_row = pd.DataFrame({"run": rows["run"].astype(object)})
    by_row["own_ns"] = _numbers(rows, "time_ns")
    if kind == "line":
        by_row["own_ns"] += _numbers(rows, "backward_ns")
    by_row["often"] = _numbers(rows, OFTEN[kind][0])
    of_limit = _numbers(rows, _OF_LIMIT) if _OF_LIMIT in rows else np.full(len(rows), np.nan)
    # Time that the device's limit would need, and the time of the rows whose limit is known: the
    # quotient of their sums is the share of the limit.
    by_row["limit_ns"] = of_limit * by_row["own_ns"]
    by_row["limited_ns"] = by_row["own_ns"].where(~np.isnan(of_limit))
    for name, percentile in (("low_ns", "p50_ns"), ("high_ns", "p95_ns")):
        by_row[name] = _of_all_invocations(rows, percentile) if kind == "call" else np.nan
    # Percentiles of several rows of one run do not add up.
    alone = ~by_row["run"].duplicated(keep=False)
    by_row.loc[~alone, ["low_ns", "high_ns"]] = np.nan
    # A run whose rows all lack a value has NaN, not 0.
    sums = by_row.groupby("run").sum(min_count=1)
    joined = runs.join(sums, on="run")
    # The time of the whole run, per step already, before the item's own takes its place.
    whole_ns = joined["time_ns"]
    # Times are given per step. How many calls a line is in does not grow with the steps; the sums
    # for the limit need no division, as both would have the same.
    per_step = ["own_ns", "low_ns", "high_ns"] if kind == "line" else list(sums.columns)
    joined[per_step] = joined[per_step].div(joined["steps"], axis=0)
    joined["time_ns"] = joined["own_ns"]
    joined["share"] = (joined["own_ns"] / whole_ns).where(whole_ns > 0)
    joined["of_limit"] = joined["limit_ns"] / joined["limited_ns"]
    return joined.drop(columns=["own_ns", "limit_ns", "limited_ns"])


def structures_of_call(rows: pd.DataFrame) -> Mapping[str, int]:
    """A number per run that identifies the body and the configuration of a call, from its rows."""
    numbers: dict[tuple[object, ...], int] = {}
    by_run = {}
    built = zip(*(rows[name].astype(object) for name in ("run", "body", "config")), strict=True)
    for run, body, config in built:
        key = tuple(None if pd.isna(part) else part for part in (body, config))
        by_run[str(run)] = numbers.setdefault(key, len(numbers))
    return by_run


def structures_of_changes(runs: pd.DataFrame, changed: Sequence[str]) -> Mapping[str, int]:
    """A number per run that grows at each of the runs `changed`, in every series by itself."""
    ordered = runs.sort_values("run")
    steps = (
        ordered["run"].isin(list(changed)).groupby([ordered["branch"], ordered["series"]]).cumsum()
    )
    return dict(zip(ordered["run"], steps.astype(int), strict=True))


def _marks(frame: pd.DataFrame, structures: Mapping[str, int]) -> tuple[Marked, ...]:
    """Levels and changes of code among the runs that have it, and where it comes and goes."""
    # Whether each run has the item at all: where that changes it comes or goes.
    has = frame["time_ns"].notna().to_numpy()
    runs = frame["run"].tolist()
    marked = []
    for at in (np.flatnonzero(has[1:] != has[:-1]) + 1).tolist():
        comes = bool(has[at])
        marked.append(
            Marked(
                mark=Mark.APPEARS if comes else Mark.GONE,
                # A mark stands on a run that has the item: the last one before it is gone.
                at=at if comes else at - 1,
                run=runs[at if comes else at - 1],
                before=runs[at - 1],
                after=runs[at],
                ratio=None,
            )
        )
    # Levels are looked for among the runs in which the item took time, and placed among all.
    places = np.flatnonzero(frame["time_ns"].to_numpy(dtype=np.float64) > 0)
    ran = frame.iloc[places].reset_index(drop=True)
    taken = {(mark.at, mark.mark) for mark in marked}
    for mark in marks(ran, structures):
        at = int(places[mark.at])
        # Where an item comes back, that its code is another is not said as well.
        if mark.mark is not Mark.CODE or (at, Mark.APPEARS) not in taken:
            marked.append(replace(mark, at=at))
    return tuple(sorted(marked, key=lambda mark: mark.at))


def _of_all_invocations(rows: pd.DataFrame, percentile: str) -> Values:
    """A percentile of one invocation, times the invocations that launched the call."""
    mean, time_ns = _numbers(rows, "mean_ns"), _numbers(rows, "time_ns")
    # The mean is the time of an invocation, so the quotient is how many invocations launched the
    # call.
    count = np.divide(time_ns, mean, out=np.full(len(mean), np.nan), where=mean > 0)
    values: Values = _numbers(rows, percentile) * np.rint(count)
    return values


def _numbers(rows: pd.DataFrame, column: str) -> Values:
    values: Values = rows[column].to_numpy(dtype=np.float64, na_value=np.nan)
    return values
