"""Collectives of all ranks → which are the same one, who came last, and what a step would take.

Clocks of machines differ, so no start of one rank is compared with one of another. A collective of
one rank is the same as that of another by step, group and position; where they call different
collectives there, or with other sizes, the order differs, and they are not matched. A collective
ends at the same time on all its ranks: the one on which it ran the shortest came last, its time is
the transfer, and what it took longer elsewhere was waiting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from kernelmap.model.trace import Bool, Int
from kernelmap.views.rows import Row

_ONE_TO_ONE = ("send", "recv", "isend", "irecv", "coalesced", "SendRecv")
_OCCURRENCE = ["step", "group", "position"]
_SIGNATURE = ["name", "dtype", "elements_in", "elements_out"]


@dataclass(frozen=True)
class Matched:
    """The collectives of a fleet. `rows` has one per rank and collective, those that were matched.

    Columns beside those of schema.COLLECTIVES: `occurrence` numbers the collectives in the order of
    the fleet, `transfer_ns`, `waiting_ns`, `last` (whether the rank came last). `others` are rows
    whose collective is not what most ranks call there, with `usual`; `alone` are all that were not
    matched, those from one rank to another among them.
    """

    rows: pd.DataFrame
    others: pd.DataFrame
    alone: pd.DataFrame


def matched(collectives: pd.DataFrame) -> Matched:
    """Match the collectives of all ranks."""
    one_to_one = collectives["name"].isin(_ONE_TO_ONE)
    rows = collectives[~one_to_one].copy()
    rows["signature"] = _signatures(rows)
    counts = rows.groupby([*_OCCURRENCE, "signature"], sort=False, observed=True).size()
    most = counts.reset_index(name="ranks").sort_values(
        ["ranks", "signature"], ascending=[False, True], kind="stable"
    )
    usual = most.drop_duplicates(_OCCURRENCE).rename(columns={"signature": "usual"})
    rows = rows.merge(usual, on=_OCCURRENCE, how="left")
    differs = rows["signature"] != rows["usual"]
    same = rows[~differs & (rows["ranks"] > 1)].copy()
    around = same.groupby(_OCCURRENCE, sort=False, observed=True)
    same["transfer_ns"] = around["dur_ns"].transform("min")
    same["waiting_ns"] = same["dur_ns"] - same["transfer_ns"]
    same["last"] = False
    if len(same):
        same.loc[around["dur_ns"].idxmin(), "last"] = True
        since = same["start_ns"] - same.groupby(["rank", "step"])["start_ns"].transform("min")
        order = (
            same.assign(since=since)
            .groupby(_OCCURRENCE, sort=False, observed=True)["since"]
            .median()
            .reset_index()
            .sort_values(["step", "since", "position", "group"], kind="stable")
        )
        order["occurrence"] = np.arange(len(order))
        same = same.merge(order.drop(columns="since"), on=_OCCURRENCE)
    else:
        same["occurrence"] = np.zeros(0, dtype=np.int64)
    columns = list(collectives.columns)
    alone = rows.loc[differs | (rows["ranks"] <= 1), columns]
    return Matched(
        rows=same,
        others=rows[differs & (rows["ranks"] > 1)],
        alone=pd.concat([collectives[one_to_one], alone]),
    )


def waiting_by_step(found: Matched) -> pd.DataFrame:
    """Time that each rank waited for others in each step, as far as nothing else ran meanwhile.

    What was not matched may be waiting from beginning to end, so all of it counts.
    """
    waited = np.minimum(found.rows["waiting_ns"], found.rows["exposed_ns"])
    rows = pd.concat(
        [
            found.rows[["rank", "step"]].assign(waiting_ns=waited),
            found.alone[["rank", "step"]].assign(waiting_ns=found.alone["exposed_ns"]),
        ]
    )
    sums = rows.groupby(["rank", "step"], sort=False)["waiting_ns"].sum()
    return sums.reset_index()


def _signatures(rows: pd.DataFrame) -> pd.Series[str]:
    """What a collective is called with, as a text: `all_reduce of 1,024 float`."""
    elements = rows["elements_in"].map(lambda count: f" of {count:,}", na_action="ignore")
    dtype = rows["dtype"].astype("string").map(lambda name: f" {name}", na_action="ignore")
    gets = rows["elements_out"].where(rows["elements_out"] != rows["elements_in"])
    gives = gets.map(lambda count: f" to {int(count):,}", na_action="ignore")
    text = rows["name"].astype("string")
    for part in (elements, gives, dtype):
        text = text.str.cat(part.astype("string"), na_rep="")
    return text


def totals(found: Matched, steps: int, ranks: int) -> Iterator[Row]:
    """Rows of schema.COMMUNICATION; `steps` and `ranks` are how many were read."""
    kinds = ["name", "group", "dtype", "elements_in"]
    for key, rows in found.rows.groupby(kinds, sort=False, dropna=False, observed=True):
        name, group, dtype, elements = (None if pd.isna(part) else part for part in _keys(key))
        once = rows.drop_duplicates("occurrence")
        last = rows.loc[rows["last"], "rank"].value_counts(sort=True)
        last = last[last == last.max()].sort_index()
        yield {
            "name": str(name),
            "group": str(group),
            "dtype": dtype,
            "elements": None if elements is None else int(elements),
            "collectives": len(once),
            "ranks": int(rows["rank"].nunique()),
            "transfer_ns": round(once["transfer_ns"].sum() / steps),
            "waiting_ns": round(rows["waiting_ns"].sum() / (steps * ranks)),
            "exposed_ns": round(rows["exposed_ns"].sum() / (steps * ranks)),
            "last_rank": int(last.index[0]),
            "last_in": int(last.iloc[0]),
        }


def _keys(key: Any) -> tuple[Any, ...]:  # noqa: ANN401 -- whatever the columns hold
    """What a group of rows is grouped by."""
    return tuple(key)


@dataclass(frozen=True)
class Replay:
    """A window as work between collectives; rows are `ranks`, columns collectives in order.

    `work_ns` is what a rank did before each collective, `part` whether it took part in it,
    `transfer_ns` what each took once all were there, `rest_ns` the work behind the last one.
    """

    ranks: Int
    work_ns: Int
    part: Bool
    transfer_ns: Int
    rest_ns: Int

    def total_ns(self, without: int | None = None) -> int:
        """How long the window takes; `without` the excess of a rank, by its position.

        Then its work before a collective is at most the median of all ranks.
        """
        work, rest = self.work_ns, self.rest_ns
        if without is not None:
            work, rest = work.copy(), rest.copy()
            usual = np.median(self.work_ns, axis=0).astype(np.int64)
            work[without] = np.minimum(work[without], usual)
            rest[without] = min(rest[without], int(np.median(self.rest_ns)))
        now = np.zeros(len(self.ranks), dtype=np.int64)
        for at in range(work.shape[1]):
            now += work[:, at]
            members = self.part[:, at]
            if members.any():
                now[members] = now[members].max() + self.transfer_ns[at]
        return int((now + rest).max(initial=0))


def replay(found: Matched, steps: pd.DataFrame) -> Replay | None:
    """The window of all ranks as a replay; None where nothing was matched.

    Work is the time from the end of one collective to the start of the next on the same rank, so a
    collective that runs beside other work counts as if that work waited for it.
    """
    if not len(found.rows):
        return None
    ranks = np.sort(steps["rank"].unique())
    whole = steps.groupby("rank")["wall_ns"].sum().reindex(ranks).to_numpy(np.int64)
    width = int(found.rows["occurrence"].max()) + 1
    shape = (len(ranks), width)
    work, part = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_)
    at = np.searchsorted(ranks, found.rows["rank"].to_numpy(np.int64))
    column = found.rows["occurrence"].to_numpy(np.int64)
    start = np.full(shape, -1, dtype=np.int64)
    end = np.zeros(shape, dtype=np.int64)
    start[at, column] = found.rows["start_ns"]
    end[at, column] = found.rows["start_ns"] + found.rows["dur_ns"]
    part[at, column] = True
    transfer = np.zeros(width, dtype=np.int64)
    transfer[column] = found.rows["transfer_ns"]
    begin = _begins(steps, ranks)
    reached = begin.copy()
    for each in range(width):
        members = part[:, each]
        work[members, each] = np.maximum(start[members, each] - reached[members], 0)
        reached[members] = np.maximum(end[members, each], reached[members])
    rest = np.maximum(begin + whole - reached, 0)
    return Replay(ranks=ranks, work_ns=work, part=part, transfer_ns=transfer, rest_ns=rest)


def _begins(steps: pd.DataFrame, ranks: Int) -> Int:
    """When the first step of each rank begins."""
    return steps.groupby("rank")["begin_ns"].min().reindex(ranks).to_numpy(np.int64)
