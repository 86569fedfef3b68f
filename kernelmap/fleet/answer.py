"""The tables of all ranks → one answer: slow ranks, spread, divergence, communication.

Takes the tables of tables.fleet.RANK of all ranks that were read, gives those of FLEET but for the
causes, which need two ranks at a time (slow.py). A rank is slow where its steps, without waiting
for others, take longer than the median rank's by more than ranks differ from each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from kernelmap.fleet.communication import (
    Communication,
    drop_categories,
    join_parts,
    unmatched_notices,
)
from kernelmap.fleet.rank import RankFacts
from kernelmap.fleet.replay import window_ns
from kernelmap.fleet.totals import LimitsByDevice, iter_totals
from kernelmap.model import Notice
from kernelmap.model.notices import join_some
from kernelmap.model.trace import Int
from kernelmap.tables.fleet import ROWS, SPREAD
from kernelmap.tables.frames import Array
from kernelmap.tables.rows import Row

_LEAST_RANKS = 3
"""Ranks that have a median: of two, either may be the odd one. Arithmetic."""
_LEAST_EXCESS = 0.01
"""Of the median; a smaller excess does not matter, however sure. In a quiet fleet five deviations
are less, and some rank would always be slow (decision 0032). Chosen."""
_LEAST_OF_TWO = 0.03
"""Of the faster of two ranks, which have no deviation: two GPUs of a kind differ by less. With 1 %
one of two would often be slow. Chosen."""
_DEVIATIONS = 5
"""Robust standard deviations of the ranks. At three, a fleet of a thousand has a slow rank by
chance; with many more, only a rank far out is one (decision 0032). Chosen."""
_MANY_RANKS = 8
"""Enough ranks for a reliable deviation; fewer are also held against one another step by step
(steadily_slow). Chosen."""
_LEAST_STEPS, _NEARLY_ALL = 8, 0.9
"""Steps needed to call one of few ranks slow, and in how many of them it has to be slower: eight in
a row by chance is one case in 256 for a single rank; a step that another job disturbed may be
missing. Chosen."""
_NORMAL = 1.4826
"""From the median absolute deviation to a standard deviation, of a normal distribution."""
_OPS, _CALLS = 15, 12  # in which ranks differ most
_PARTS = 20  # slow ranks of which every row goes into the page
_SHOWN = 12  # ranks that a row of divergence names
_CODE = {"kernel": "kernel", "config": "configuration"}
_GRAPH = {"cache": "cache", "compilation": "compilation"}


class Assessed(Struct, frozen=True):
    """Rows by the names of tables.fleet.FLEET, without causes; `reference` is the median rank.

    `parts` are the rows of tables.fleet.ROWS of that rank and of the slowest ones; `calls` are
    those in which ranks differ most, with their ns by rank.
    """

    tables: Mapping[str, list[Row]]
    reference: int
    slow: tuple[tuple[int, int], ...]
    matched: int
    notices: tuple[Notice, ...]
    parts: Mapping[int, list[Row]]
    calls: Mapping[str, Mapping[int, int]]

    @property
    def ranks(self) -> list[Row]:
        """The rows of ranks that were read."""
        return self.tables["ranks"]


def assess_ranks(
    tables: Mapping[str, Array],
    facts: Sequence[RankFacts],
    limits: LimitsByDevice,
    *parts: Communication,
) -> Assessed:
    """Everything that is said of all ranks at once; `parts` are the collectives of all steps.

    `limits` are those of their devices.
    """
    frames = {name: table.to_pandas() for name, table in tables.items()}
    of_rank = {rank_facts.rank: rank_facts for rank_facts in facts}
    communication = join_parts(parts)
    # How slow a rank is: its mean step without waiting, less that of the median rank. Two ranks
    # have no median, so there the faster one is the measure.
    steps = _steps_with_waiting(frames["rank_steps"], communication)
    mean_ns = steps.groupby("rank")["own_ns"].mean()
    usual = float(mean_ns.median() if len(mean_ns) >= _LEAST_RANKS else mean_ns.min())
    excess = mean_ns - usual
    # Slow is who stands out among all ranks, or, of few ranks, who is slower in nearly every step.
    chosen = {*slow_ranks(excess, usual), *steadily_slow(steps)}
    by_excess = excess.sort_values(ascending=False, kind="stable")
    slow = [int(str(rank)) for rank in by_excess.index if rank in chosen]
    # The causes are looked for against one real rank: the one nearest to the median.
    reference = _choose_reference(excess, of_rank)
    ranks = list(_iter_ranks(steps, excess, set(slow), communication, of_rank))
    # A profile without steps counts as one step, its whole window.
    counts = {rank: max(1, rank_facts.steps) for rank, rank_facts in of_rank.items()}
    rows = drop_categories(frames["rank_rows"])
    # Every row of the slowest ranks and of the reference goes into the page, in ns of the whole
    # window; the spread below is per step.
    shown = {
        rank: _rows_of_frame(rows.loc[rows["rank"] == rank, list(ROWS.by_name)])
        for rank in (*slow[:_PARTS], reference)
    }
    rows["ns"] = rows["time_ns"] / rows["rank"].map(counts)
    # Sums over collectives are of all steps; the median number of steps makes them those of one.
    per_rank = max(1, round(float(np.median(list(counts.values())))))
    return Assessed(
        tables={
            "ranks": ranks,
            "steps": _rows_of_frame(steps),
            "spread": (spread := list(_iter_spread(rows))),
            "by_op": [
                {"name": name, "rank": rank, "time_ns": ns}
                for name, times in _over_ranks(rows, spread, "op", _OPS)
                for rank, ns in times.items()
            ],
            "divergence": list(_iter_divergence(rows, len(facts)))
            + list(_iter_other_orders(communication)),
            "communication": sorted(
                iter_totals(communication, per_rank, of_rank, limits),
                key=lambda row: -_number_or_zero(row["exposed_ns"]),
            ),
            "what_if": list(_what_if(communication, excess[slow], per_rank)),
        },
        reference=reference,
        slow=tuple((rank, round(float(excess[rank]))) for rank in slow),
        matched=communication.matched,
        notices=tuple(unmatched_notices(communication)),
        parts=shown,
        calls=dict(_over_ranks(rows, spread, "call", _CALLS)),
    )


def _number_or_zero(value: object) -> int:
    return value if isinstance(value, int) else 0


def _rows_of_frame(frame: pd.DataFrame) -> list[Row]:
    """Rows with Python's numbers."""
    columns = [_cells_of_column(frame[name]) for name in frame.columns]
    names = list(map(str, frame.columns))
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _cells_of_column(column: pd.Series[Any]) -> list[int | float | str | None]:
    values: list[Any] = column.tolist()
    return values if column.dtype == np.int64 else list(map(_plain_cell, values))


def _plain_cell(value: object) -> int | float | str | None:
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, int | float) else str(value)


def _steps_with_waiting(steps: pd.DataFrame, communication: Communication) -> pd.DataFrame:
    """The steps with the time that a rank waited (`waiting_ns`) and the rest (`own_ns`)."""
    # Collectives that run side by side may wait at the same time, and their sum counts that twice.
    # A step cannot have waited longer than only communication ran in it.
    merged = steps.merge(communication.waiting, on=["rank", "step"], how="left")
    waited = merged["waiting_ns"].fillna(0).astype("int64")
    merged["waiting_ns"] = np.minimum(waited, merged["exposed_ns"])
    merged["own_ns"] = merged["wall_ns"] - merged["waiting_ns"]
    return merged.sort_values(["rank", "step"], kind="stable").reset_index(drop=True)


def slow_ranks(excess: pd.Series[float], usual: float) -> list[int]:
    """The ranks that are slower than ranks differ, the slowest first.

    `excess` is that of each rank over `usual`, the time of the median rank, or of the faster of two
    ranks. Slow ranks widen the deviation, so it is taken again without them until none is added.
    """
    # Without a median no deviation is known, so the slower of two ranks needs a larger excess.
    if len(excess) < _LEAST_RANKS:
        slow = excess > _LEAST_OF_TWO * usual
    else:
        # No rank is slow at first. Each turn takes the deviation of the ranks that are not slow
        # yet, until a turn adds none.
        slow, before = excess > np.inf, -1
        while before != (before := int(slow.sum())):
            rest = excess[~slow]
            deviation = _NORMAL * float((rest - rest.median()).abs().median())
            least = max(_LEAST_EXCESS * usual, _DEVIATIONS * deviation)
            slow |= excess - rest.median() > least
    return [int(rank) for rank in excess[slow].sort_values(ascending=False, kind="stable").index]


def steadily_slow(steps: pd.DataFrame) -> list[int]:
    """The ranks, of few, that take longer than the others in nearly every step.

    The deviation of a few ranks is hardly known: on a machine with other work it hides a rank that
    takes half as long again. `steps` have `own_ns` by `rank` and `step`.
    """
    # Ns without waiting, (steps, ranks). Each rank is held against the median of the others, step
    # by step.
    own_ns = steps.pivot_table(index="step", columns="rank", values="own_ns")
    if not _LEAST_RANKS <= len(own_ns.columns) < _MANY_RANKS:
        return []
    own_ns = own_ns.dropna()  # steps of all ranks
    if len(own_ns) < _LEAST_STEPS:
        return []
    slow = []
    for rank in own_ns.columns:
        others = own_ns.drop(columns=rank).median(axis=1)
        longer = own_ns[rank] > (1 + _LEAST_OF_TWO) * others
        if longer.mean() >= _NEARLY_ALL:
            slow.append(int(rank))
    return slow


def _choose_reference(excess: pd.Series[float], facts: Mapping[int, RankFacts]) -> int:
    """The rank whose excess is nearest to 0, of the ranks that ran the most common code."""
    codes = pd.Series({rank: facts[int(rank)].code for rank in excess.index})
    # Of equally frequent codes the first by name counts, so that the answer does not depend on the
    # order of ranks.
    usual = codes.value_counts().sort_index(kind="stable").idxmax()
    same = excess[codes == usual]
    return int(same.abs().sort_values(kind="stable").index[0])


def _iter_ranks(
    steps: pd.DataFrame,
    excess: pd.Series[float],
    slow: set[int],
    communication: Communication,
    facts: Mapping[int, RankFacts],
) -> Iterator[Row]:
    """Rows of tables.fleet.RANKS for the ranks that were read."""
    parts = ["wall_ns", "own_ns", "compute_ns", "exposed_ns", "waiting_ns", "idle_ns"]
    means = steps.groupby("rank")[parts].mean().round().astype("int64")
    last = communication.last_in()
    for row in _rows_of_frame(means.reset_index()):
        rank_facts = facts[_number_or_zero(row["rank"])]
        yield {
            "rank": rank_facts.rank,
            "state": "read",
            "reason": None,
            "device": rank_facts.device or ("CPU" if rank_facts.side == "cpu" else None),
            "steps": rank_facts.steps,
            "step_ns": row["wall_ns"],
            **{name: row[name] for name in parts[1:]},
            "excess_ns": round(float(excess[rank_facts.rank])),
            "slow": "yes" if rank_facts.rank in slow else "no",
            "last_in": int(last.get(rank_facts.rank, 0)) if communication.matched else None,
            "sources": join_some(rank_facts.sources),
        }


def _iter_spread(rows: pd.DataFrame) -> Iterator[Row]:
    """Rows of tables.fleet.SPREAD: equal rows of one rank count together."""
    # Ns a step, one row per kind, key and rank; the rows of a key then give its median, its number
    # of ranks, and the ranks with the most and the least.
    sums = rows.groupby(["by", "key", "rank"], sort=False, observed=True)["ns"].sum().reset_index()
    names = _usual_names(rows)
    grouped = sums.groupby(["by", "key"], sort=False, observed=True)["ns"]
    made = grouped.agg(["median", "count"])
    # The rows of the slowest and of the fastest rank of each key give both its time and the number
    # of the rank.
    for word, at in (("most", grouped.idxmax()), ("least", grouped.idxmin())):
        rows_there = sums.loc[at].set_index(["by", "key"])
        made[word], made[f"{word}_rank"] = rows_there["ns"], rows_there["rank"]
    # What ranks differ in most stands first: by how much the slowest one lies above the median.
    made["over"] = made["most"] - made["median"]
    made = made.reset_index().sort_values(["by", "over"], ascending=[True, False], kind="stable")
    made["name"] = [names[key] for key in zip(made["by"], made["key"], strict=True)]
    made["ranks"] = made["count"]
    for word in ("least", "median", "most"):
        made[f"{word}_ns"] = made[word].round().astype("int64")
    yield from _rows_of_frame(made[list(SPREAD.by_name)])


def _over_ranks(
    rows: pd.DataFrame, spread: Sequence[Row], by: str, most: int
) -> Iterator[tuple[str, dict[int, int]]]:
    """The calls or ops in which ranks differ most, with their ns by rank."""
    of_kind = rows[rows["by"] == by]
    for row in [row for row in spread if row["by"] == by][:most]:
        times = of_kind[of_kind["key"] == row["key"]].groupby("rank")["ns"].sum().sort_index()
        yield str(row["name"]), {int(str(rank)): round(ns) for rank, ns in times.items()}


def _usual_names(rows: pd.DataFrame) -> dict[tuple[str, str], str]:
    """The name that most ranks give to each row."""
    # Names are in alphabetical order before the sort by frequency, so of equally frequent ones the
    # first stays.
    counts = rows.groupby(["by", "key", "name"], sort=True, observed=True).size()
    most = counts.reset_index(name="ranks").sort_values("ranks", ascending=False, kind="stable")
    first = most.drop_duplicates(["by", "key"])
    keys = zip(first["by"], first["key"], strict=True)
    return dict(zip(keys, first["name"], strict=True))


def _iter_divergence(rows: pd.DataFrame, count: int) -> Iterator[Row]:
    """Rows of graphs that only some ranks have, and of what differs for the same code."""
    names = _usual_names(rows)
    graphs = rows[rows["by"] == "graph"]
    every = np.sort(rows["rank"].unique())
    for key, ranks in graphs.groupby("key", sort=True)["rank"]:
        there = np.sort(ranks.unique())
        name = names["graph", str(key)]
        if len(there) == count:
            continue
        # A graph that more than half of the ranks have is listed with the ranks that lack it, a
        # rarer one with the ranks that have it.
        lacking = np.setdiff1d(every, there)
        if 2 * len(there) > count:
            yield row_of_divergence("graph", name, name, None, lacking)
        else:
            yield row_of_divergence("graph", name, None, name, there)
    for by, columns in (("call", _CODE), ("graph", _GRAPH)):
        for column, kind in columns.items():
            yield from _iter_other_values(rows[rows["by"] == by], column, kind, names)


def _iter_other_values(
    rows: pd.DataFrame, column: str, kind: str, names: Mapping[tuple[str, str], str]
) -> Iterator[Row]:
    """Where ranks have another value than most for the same call or graph."""
    # One row per key, rank and value. Keys for which more than one value is stated are looked at.
    stated = rows[rows[column].notna()].drop_duplicates(["key", "rank", column])
    counts = stated.groupby("key", sort=False)[column].nunique()
    for key in sorted(counts[counts > 1].index):
        mine = stated[stated["key"] == key]
        usual = mine[column].value_counts().sort_index(kind="stable").idxmax()
        others = mine[mine[column] != usual]
        # A rank that has the usual value as well, of another graph with the same code, does not
        # differ.
        others = others[~others["rank"].isin(mine.loc[mine[column] == usual, "rank"])]
        by = str(mine["by"].iloc[0])
        for value, ranks in others.groupby(column, sort=True)["rank"]:
            yield row_of_divergence(
                kind, names[by, key], str(usual), str(value), np.sort(ranks.unique())
            )


def _iter_other_orders(communication: Communication) -> Iterator[Row]:
    """Rows of divergence: per rank the first collective that differs from that of most ranks."""
    where = ["step", "group", "position", "usual", "signature"]
    groups = communication.others.groupby(where, sort=True)["rank"]
    for (step, group, position, usual, signature), ranks in groups:
        # A profile without steps has step -1.
        of_step = f" of step {step}" if int(str(step)) >= 0 else ""
        what = f"number {position}{of_step}" + (f" in group {group}" if group else "")
        yield row_of_divergence(
            "collective", what, str(usual), str(signature), np.sort(ranks.unique())
        )


def row_of_divergence(
    kind: str, what: str, usual: str | None, value: str | None, ranks: Int
) -> Row:
    """A row of tables.fleet.DIVERGENCE: what most ranks have, and what `ranks` have."""
    return {
        "kind": kind,
        "what": what,
        "usual": usual,
        "value": value,
        "ranks": len(ranks),
        "which": join_some([str(rank) for rank in ranks.tolist()], _SHOWN),
    }


def _what_if(
    communication: Communication, excess: pd.Series[float], per_rank: int
) -> Iterator[Row]:
    """Rows of tables.fleet.WHAT_IF: the window replayed without the `excess` of each slow rank.

    A saving is at most that excess. Where ranks take turns, the median rank does nothing before
    most collectives, so the replay alone would leave out all the work of the slow rank.
    """
    if not communication.matched:
        return
    # The window as it ran, and without what the rank takes longer than the median; both from the
    # replay.
    whole = window_ns(communication.replays)
    rows: list[Row] = []
    for rank, most in zip(map(int, excess.index), excess, strict=True):
        saved = min(whole - window_ns(communication.replays, rank), round(most * per_rank))
        without, saved_ns = round((whole - saved) / per_rank), round(saved / per_rank)
        rows.append({"rank": rank, "step_ns": without, "saved_ns": saved_ns})
    yield from sorted(
        rows, key=lambda row: (-_number_or_zero(row["saved_ns"]), _number_or_zero(row["rank"]))
    )
